//===- Tables.cpp - the globals that describe a program -----------------------===//
#include "codegen/host/Tables.h"

#include "codegen/host/GlobalBuilder.h"
#include "codegen/host/Parameters.h"
#include "codegen/memory/Entries.h"
#include "ir/Seq/ActivationType.h"
#include "ir/Seq/Documents.h"
#include "runtime/abi/abi.h"

using namespace mlir;
using namespace stretto;

namespace {
/// In the order of stretto_program.
constexpr llvm::StringLiteral entryNames[] = {"gradients", "accumulate", "take_accumulated",
                                              "update",    "evaluate",   "round_parameters"};
constexpr llvm::StringLiteral decodeNames[] = {"decode_one", "decode_chunk"};

constexpr llvm::StringLiteral parametersName = "stretto.parameters", tablesName = "stretto.tables",
                              siteResultsName = "stretto.site_results", imagesName = "stretto.images",
                              bufferBytesName = "stretto.buffer_bytes";

class TableEmitter {
public:
  TableEmitter(ModuleOp module, const ProgramFacts &facts)
      : module(module), facts(facts), parameters(listParameters(module)), g(module) {}

  LogicalResult run() {
    defineParameters();
    defineTables();
    if (failed(defineKernels()))
      return failure();
    defineSites();
    imageCount = defineImages();
    defineProgram();
    g.finish();
    return success();
  }

private:
  int64_t numberOf(StringRef name) {
    auto attr = module->getAttrOfType<IntegerAttr>(name);
    return attr ? attr.getInt() : 0;
  }
  Value textOf(StringRef name) {
    auto attr = module->getAttrOfType<StringAttr>(name);
    return g.text(attr ? attr.getValue() : "");
  }

  void defineList(StringRef name, Type element, size_t count, llvm::function_ref<Value(size_t)> make) {
    auto type = LLVM::LLVMArrayType::get(element, count);
    g.define(name, type, LLVM::Linkage::Internal, [&] {
      SmallVector<Value> values;
      for (size_t i = 0; i < count; ++i)
        values.push_back(make(i));
      return g.aggregate(type, values);
    });
  }

  /// An array of four numbers, zeros behind the dimensions.
  Value extents(Type type, ArrayRef<int64_t> shape) {
    SmallVector<Value> dims;
    for (size_t d = 0; d < 4; ++d)
      dims.push_back(g.i64(d < shape.size() ? shape[d] : 0));
    return g.aggregate(type, dims);
  }

  void defineParameters() {
    auto shape = LLVM::LLVMArrayType::get(g.number(), 4);
    auto type = g.structOf({g.pointer(), g.number(), shape, g.word(), g.word(), g.word(), g.word(), g.real(), g.real(), g.pointer()});
    defineList(parametersName, type, parameters.size(), [&](size_t i) {
      const ParameterEntry &entry = parameters[i];
      return g.aggregate(type, {g.text(entry.name), g.i64(entry.offset), extents(shape, entry.shape),
                                g.i32(entry.shape.size()), g.i32(entry.trainable), g.i32(entry.init), g.i32(0),
                                g.f64(entry.a), g.f64(entry.b), g.text(entry.location)});
    });
  }

  void defineTables() {
    auto type = g.structOf({g.word(), g.word(), g.number(), g.number(), g.number(), g.number(), g.real()});
    defineList(tablesName, type, facts.tables.size(), [&](size_t i) {
      auto [table, offset] = facts.tables[i];
      return g.aggregate(type, {g.i32(static_cast<int32_t>(table.getKind())), g.i32(static_cast<int32_t>(table.getStyle())),
                                g.i64(offset), g.i64(table.getType().getDimSize(0)),
                                g.i64(table.getType().getDimSize(1)), g.i64(table.getRotated()),
                                g.f64(table.getTheta().convertToDouble())});
    });
  }

  LogicalResult defineKernels() {
    for (const ProgramFacts::Kernel &kernel : facts.kernels)
      if (Operation *made = module.lookupSymbol(kernel.name); !isa<kern::DeviceKernelOp>(made) && !made->hasAttr("kern.chunks"))
        return module.emitError() << "kernel '" << kernel.name << "' must say kern.chunks";
    SmallVector<int64_t> bytes, starts;
    for (const ProgramFacts::Kernel &kernel : facts.kernels) {
      starts.push_back(bytes.size());
      bytes.append(kernel.bufferBytes);
    }
    defineList(bufferBytesName, g.number(), bytes.size(), [&](size_t i) { return g.i64(bytes[i]); });
    defineList(kernelTableName, kernelType(module.getContext()), facts.kernels.size(), [&](size_t i) {
      const ProgramFacts::Kernel &kernel = facts.kernels[i];
      Operation *made = module.lookupSymbol(kernel.name);
      auto device = dyn_cast<kern::DeviceKernelOp>(made);
      Value ofBuffers = g.address(bufferBytesName, g.number(), starts[i]);
      return device ? deviceKernel(kernel, device, ofBuffers) : hostKernel(kernel, made, ofBuffers);
    });
    return success();
  }

  Value gridOf(int64_t x, int64_t y) {
    return g.aggregate(LLVM::LLVMArrayType::get(g.number(), 2), {g.i64(x), g.i64(y)});
  }

  Value hostKernel(const ProgramFacts::Kernel &kernel, Operation *function, Value bufferBytes) {
    auto number = [&](StringRef name) {
      auto attr = function->getAttrOfType<IntegerAttr>(name);
      return g.i64(attr ? attr.getInt() : 0);
    };
    Value none = g.i64(0);
    return g.aggregate(kernelType(module.getContext()),
                       {g.text(kernel.name), g.text(kernel.location), g.text(kernel.group), g.address(kernel.name),
                        number("kern.chunks"), g.i64(kernel.bufferBytes.size()), number("kern.scratch_bytes"),
                        number("kern.bytes_moved"), number("kern.flops"), g.null(), gridOf(0, 0), none, none, none, none,
                        bufferBytes});
  }

  Value deviceKernel(const ProgramFacts::Kernel &kernel, kern::DeviceKernelOp device, Value bufferBytes) {
    ArrayRef<int64_t> grid = device.getGrid();
    return g.aggregate(kernelType(module.getContext()),
                       {g.text(kernel.name), g.text(kernel.location), g.text(kernel.group), g.null(),
                        g.i64(grid[0] * grid[1]), g.i64(kernel.bufferBytes.size()), g.i64(0), g.i64(device.getBytesMoved()),
                        g.i64(device.getFlops()), g.text(device.getSymbol()), gridOf(grid[0], grid[1]),
                        g.i64(device.getBlock()), g.i64(device.getSharedBytes()), g.i64(device.getRegisters()),
                        g.i64(device.getSpillBytes()), bufferBytes});
  }

  int64_t defineImages() {
    auto images = module->getAttrOfType<ArrayAttr>("kern.images");
    auto type = g.structOf({g.word(), g.word(), g.pointer(), g.pointer(), g.number()});
    defineList(imagesName, type, images ? images.size() : 0, [&](size_t i) {
      auto image = cast<kern::ImageAttr>(images[i]);
      auto global = module.lookupSymbol<LLVM::GlobalOp>(image.getGlobal());
      int64_t bytes = cast<LLVM::LLVMArrayType>(global.getGlobalType()).getNumElements();
      return g.aggregate(type, {g.i32(static_cast<int32_t>(image.getKind())), g.i32(0), g.text(image.getArchitecture()),
                                g.address(image.getGlobal().getValue()), g.i64(bytes)});
    });
    return images ? images.size() : 0;
  }

  void defineSites() {
    auto shape = LLVM::LLVMArrayType::get(g.number(), 4);
    auto type = g.structOf({g.pointer(), g.pointer(), g.pointer(), g.word(), g.word(), g.number(), g.number(),
                            g.number(), shape, g.word(), g.word(), g.word(), g.word()});
    SmallVector<const SiteResult *> results;
    SmallVector<int64_t> starts;
    for (const Site &site : facts.sites) {
      starts.push_back(results.size());
      for (const SiteResult &result : site)
        results.push_back(&result);
    }
    defineList(siteResultsName, type, results.size(), [&](size_t i) {
      const SiteResult &result = *results[i];
      return g.aggregate(type, {g.text(result.operation), g.text(result.location), g.text(result.kernel),
                                g.i32(result.buffer), g.i32(result.weight), g.i64(result.rows), g.i64(result.rowBytes),
                                g.i64(result.stride), extents(shape, result.shape), g.i32(result.shape.size()),
                                g.i32(result.arena), g.i32(result.dtype), g.i32(0)});
    });
    LLVM::LLVMStructType site = siteType(module.getContext());
    defineList(siteTableName, site, facts.sites.size(), [&](size_t i) {
      return g.aggregate(site, {g.address(siteResultsName, type, starts[i]), g.i64(facts.sites[i].size())});
    });
  }

  Value entry(StringRef name) {
    return g.address(hostFunctionName(name));
  }

  void defineProgram() {
    Type p = g.pointer(), n = g.number(), w = g.word(), r = g.real();
    auto arenas = LLVM::LLVMArrayType::get(n, STRETTO_ARENA_COUNT);
    auto input = g.structOf({n, n, n, n, n, n}), output = g.structOf({n, n, n, n});
    auto decode = g.structOf({n, n, n, n, n, p});
    auto type = g.structOf({w, w, p, p, p, p, p, p, p, p, p, w, w, n, n, n, arenas, n, n, r, r, p, n, p, n, p, n,
                            p, n, input, output, p, p, p, p, p, p, decode, decode});
    for (StringRef name : llvm::concat<const llvm::StringLiteral>(entryNames, decodeNames))
      provideEntry(name);
    g.define("stretto_compiled_program", type, LLVM::Linkage::External, [&] {
      SmallVector<Value> sizes;
      for (int64_t bytes : module->getAttrOfType<DenseI64ArrayAttr>("kern.arenas").asArrayRef())
        sizes.push_back(g.i64(bytes));
      SmallVector<Value> values = identity();
      int64_t alone = module->getAttrOfType<IntegerAttr>("kern.activation_bytes").getInt();
      llvm::append_range(values, ArrayRef<Value>{g.aggregate(arenas, sizes), g.i64(alone), g.i64(trainableElements()),
                                                 g.f64(facts.flopsForward), g.f64(facts.flopsBackward)});
      llvm::append_range(values, ArrayRef<Value>{g.address(parametersName), g.i64(parameters.size()),
                                                 g.address(tablesName), g.i64(facts.tables.size()),
                                                 g.address(kernelTableName), g.i64(facts.kernels.size()),
                                                 g.address(imagesName), g.i64(imageCount)});
      llvm::append_range(values, ArrayRef<Value>{interface(input, "gradients"), outputs(output)});
      for (StringRef name : entryNames)
        values.push_back(entry(name));
      for (StringRef name : decodeNames)
        values.push_back(decodeEntry(decode, name));
      return g.aggregate(type, values);
    });
  }

  /// From abi_version to vocabulary.
  SmallVector<Value> identity() {
    return {g.i32(STRETTO_ABI_VERSION), g.i32(sizeof(stretto_program)), textOf("seq.model"), textOf("seq.spec_text"),
            g.text(hashParameters(module, parameters)), textOf("seq.settings"), g.text(facts.plan),
            textOf("kern.target"), textOf("kern.cpu"), textOf("kern.cpu_features"), g.text("stretto " STRETTO_VERSION),
            g.i32(dtypeOf(parameterType())), g.i32(dtypeOf(activationType())), g.i64(numberOf("seq.batch")),
            g.i64(numberOf("seq.length")), g.i64(numberOf("seq.vocabulary"))};
  }

  Type parameterType() { return layoutParameters(module).elementType; }
  Type activationType() {
    Type rounded = roundedActivationType(module);
    return rounded ? rounded : parameterType();
  }
  int64_t trainableElements() {
    return layoutParameters(module).trainableBytes * 8 / parameterType().getIntOrFloatBitWidth();
  }

  /// An entry point that the module lacks does nothing.
  void provideEntry(StringRef name) {
    if (module.lookupSymbol(hostFunctionName(name)))
      return;
    HostBuilder b(module, module.getLoc(), hostFunctionName(name), /*isBody=*/false);
    b.finish();
  }

  /// The numbers of the arguments of an entry that are `input` (empty: tokens, targets and weights).
  SmallVector<unsigned> argumentsFor(func::FuncOp entry, StringRef input) {
    SmallVector<unsigned> numbers;
    for (unsigned i = 0; entry && i < entry.getNumArguments(); ++i) {
      auto name = entry.getArgAttrOfType<StringAttr>(i, inputAttr);
      if ((name ? name.getValue() : "") == input)
        numbers.push_back(i);
    }
    return numbers;
  }
  int64_t argumentOffset(func::FuncOp entry, unsigned i) {
    return !entry || i >= entry.getNumArguments() ? 0 : entry.getArgAttrOfType<kern::PlaceAttr>(i, "kern.place").getOffset();
  }
  int64_t resultOffset(StringRef name, unsigned i, int64_t otherwise) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function || i >= function.getNumResults())
      return otherwise;
    return function.getResultAttrOfType<kern::PlaceAttr>(i, "kern.place").getOffset();
  }
  Value interface(Type type, StringRef name) {
    auto entry = module.lookupSymbol<func::FuncOp>(name);
    SmallVector<unsigned> usual = argumentsFor(entry, "");
    SmallVector<Value> fields;
    for (unsigned i = 0; i < 3; ++i)
      fields.push_back(g.i64(i < usual.size() ? argumentOffset(entry, usual[i]) : 0));
    int64_t documents = 0;
    for (StringRef input : {positionsInput, startsInput}) {
      SmallVector<unsigned> number = argumentsFor(entry, input);
      fields.push_back(g.i64(number.empty() ? -1 : argumentOffset(entry, number[0])));
      if (input == startsInput && !number.empty())
        documents = cast<RankedTensorType>(entry.getArgumentTypes()[number[0]]).getDimSize(0) - 1;
    }
    fields.push_back(g.i64(documents));
    return g.aggregate(type, fields);
  }
  Value outputs(Type type) {
    return g.aggregate(type, {g.i64(resultOffset("gradients", 0, lossOffset)), g.i64(gradNormOffset),
                              g.i64(resultOffset("evaluate", 0, evaluationOffset)),
                              g.i64(resultOffset("evaluate", 1, evaluationOffset))});
  }

  /// See stretto_decode.
  Value decodeEntry(Type type, StringRef name) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    int64_t rows = function ? cast<RankedTensorType>(function.getArgumentTypes()[0]).getDimSize(1) : 0;
    return g.aggregate(type, {g.i64(rows), g.i64(argumentOffset(function, 0)), g.i64(argumentOffset(function, 1)),
                              g.i64(argumentOffset(function, 2)), g.i64(resultOffset(name, 0, evaluationOffset)), entry(name)});
  }

  ModuleOp module;
  const ProgramFacts &facts;
  SmallVector<ParameterEntry> parameters;
  int64_t imageCount = 0;
  GlobalBuilder g;
};
} // namespace

LogicalResult stretto::emitTables(ModuleOp module, const ProgramFacts &facts) {
  return TableEmitter(module, facts).run();
}
