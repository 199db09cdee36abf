//===- Resources.cpp - the sections of a cubin ---------------------------------===//
#include "codegen/cuda/binary/Resources.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

using namespace stretto;
using namespace stretto::codegen;
using llvm::StringRef;
using Elf = llvm::object::ELFFile<llvm::object::ELF64LE>;

namespace {
constexpr unsigned cudaMachine = 190; // EM_CUDA

/// The entries of `.nv.info` that are of interest, each 8 bytes of data: a symbol's index and a number.
enum Attribute : uint8_t { frameSize = 0x11, registerCount = 0x2f };

/// The greatest format of an entry: its data follow its head. Those of the others (1 to 3) stand in the head.
constexpr uint8_t sized = 4;

/// What the system keeps for itself of the shared memory of each block, from sm_90 on.
constexpr int64_t reservedShared = 1024;
} // namespace

static llvm::Error damaged(const char *what) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "the machine code must be a valid cubin, but %s",
                                 what);
}

/// Calls `visit(attribute, symbol, number)` for the entries that hold a symbol and a number.
static llvm::Error readInfo(StringRef bytes, llvm::function_ref<void(uint8_t, uint32_t, uint32_t)> visit) {
  using llvm::support::endian::read16le, llvm::support::endian::read32le;
  while (!bytes.empty()) {
    if (bytes.size() < 4)
      return damaged("its .nv.info ends within an entry");
    auto format = static_cast<uint8_t>(bytes[0]), attribute = static_cast<uint8_t>(bytes[1]);
    size_t size = format == sized ? read16le(bytes.data() + 2) : 0;
    bytes = bytes.drop_front(4);
    if (format > sized || bytes.size() < size)
      return damaged("its .nv.info has an entry of unknown form");
    if (size == 8)
      visit(attribute, read32le(bytes.data()), read32le(bytes.data() + 4));
    bytes = bytes.drop_front(size);
  }
  return llvm::Error::success();
}

namespace {
/// Reads one file; sections first, as the names of symbols are needed for the numbers.
class Reader {
public:
  explicit Reader(Elf elf) : elf(std::move(elf)) {}

  llvm::Expected<llvm::StringMap<Resources>> read() {
    auto sections = elf.sections();
    if (!sections)
      return sections.takeError();
    for (const Elf::Elf_Shdr &section : *sections)
      if (llvm::Error error = readSection(section))
        return error;
    for (const Elf::Elf_Shdr &section : *sections)
      if (llvm::Error error = readNumbers(section))
        return error;
    return result;
  }

private:
  llvm::Error readSection(const Elf::Elf_Shdr &section) {
    auto name = elf.getSectionName(section);
    if (!name)
      return name.takeError();
    systemShared |= name->starts_with(".nv.shared.reserved");
    if (name->consume_front(".text."))
      result.try_emplace(*name);
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      return llvm::Error::success();
    auto symbols = elf.symbols(&section);
    auto strings = elf.getStringTableForSymtab(section);
    if (!symbols)
      return symbols.takeError();
    if (!strings)
      return strings.takeError();
    for (const Elf::Elf_Sym &symbol : *symbols) {
      auto text = symbol.getName(*strings);
      if (!text)
        return text.takeError();
      names.push_back(*text);
    }
    return llvm::Error::success();
  }

  llvm::Error readNumbers(const Elf::Elf_Shdr &section) {
    StringRef name = llvm::cantFail(elf.getSectionName(section));
    if (name.consume_front(".nv.shared.")) {
      if (auto kernel = result.find(name); kernel != result.end())
        kernel->second.shared = int64_t(section.sh_size) - (systemShared ? reservedShared : 0);
      return llvm::Error::success();
    }
    if (name != ".nv.info")
      return llvm::Error::success();
    auto bytes = elf.getSectionContents(section);
    if (!bytes)
      return bytes.takeError();
    return readInfo(llvm::toStringRef(*bytes), [&](uint8_t attribute, uint32_t symbol, uint32_t number) {
      auto kernel = symbol < names.size() ? result.find(names[symbol]) : result.end();
      if (kernel == result.end())
        return;
      if (attribute == registerCount)
        kernel->second.registers = number;
      if (attribute == frameSize)
        kernel->second.local = number;
    });
  }

  Elf elf;
  llvm::StringMap<Resources> result;
  std::vector<StringRef> names; // of symbols, by index
  bool systemShared = false;
};
} // namespace

llvm::Expected<llvm::StringMap<Resources>> stretto::codegen::readResources(StringRef cubin) {
  auto elf = Elf::create(cubin);
  if (!elf)
    return elf.takeError();
  if (elf->getHeader().e_machine != cudaMachine)
    return damaged("it is made for another machine");
  return Reader(std::move(*elf)).read();
}
