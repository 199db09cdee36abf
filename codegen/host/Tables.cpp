//===- Tables.cpp - the globals that describe a program -----------------------===//
#include "codegen/host/Tables.h"

#include "codegen/host/GlobalBuilder.h"
#include "codegen/host/Parameters.h"
#include "codegen/host/TensorMaps.h"
#include "codegen/memory/Buckets.h"
#include "codegen/memory/Entries.h"
#include "ir/kern/Attributes.h"
#include "ir/seq/ActivationType.h"
#include "ir/seq/Documents.h"
#include "ir/seq/EntryNames.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/ModelFacts.h"
#include "ir/seq/TensorBytes.h"
#include "runtime/abi/abi.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

// Enumerations of the IR have the numbers of the ABI.
#define SAME_ARENA(number, NAME, name) static_assert(static_cast<int>(kern::Arena::name) == number);
STRETTO_ARENAS(SAME_ARENA)
#undef SAME_ARENA
static_assert(kern::getMaxEnumValForArena() + 1 == STRETTO_ARENA_COUNT);
static_assert(static_cast<int>(kern::ImageKind::ptx) == STRETTO_IMAGE_PTX);
static_assert(static_cast<int>(seq::TableKind::rotary_sin) == STRETTO_TABLE_ROTARY_SIN);
static_assert(static_cast<int>(seq::InitKind::step_bias) == STRETTO_INIT_STEP_BIAS);

namespace {
using Program = stretto_program;

/// Functions of the module, and the fields of the program they are.
template <typename Member> struct EntryPoint {
  llvm::StringLiteral name;
  Member Program::*field;
};
constexpr EntryPoint<void (*)(stretto_context *)> entries[] = {
    {entryname::gradients, &Program::gradients},
    {entryname::accumulate, &Program::accumulate},
    {entryname::takeAccumulated, &Program::take_accumulated},
    {entryname::squares, &Program::squares},
    {entryname::norm, &Program::norm},
    {entryname::apply, &Program::apply},
    {entryname::evaluate, &Program::evaluate},
    {entryname::roundParameters, &Program::round_parameters}};
constexpr EntryPoint<stretto_decode> decodeEntries[] = {{entryname::decodeOne, &Program::decode_one},
                                                        {entryname::decodeChunk, &Program::decode_chunk}};

constexpr llvm::StringLiteral parametersName = "stretto.parameters", tablesName = "stretto.tables",
                              numbersName = "stretto.numbers", siteResultsName = "stretto.site_results",
                              imagesName = "stretto.images", bucketsName = "stretto.buckets",
                              bufferBytesName = "stretto.buffer_bytes", chunkBytesName = "stretto.chunk_bytes",
                              mapsName = "stretto.tensor_maps";

/// The tensor maps of a kernel that is made.
ArrayRef<Attribute> tensorMapsOf(Operation *made) {
  auto device = dyn_cast<kern::DeviceKernelOp>(made);
  return device && device.getTensorMaps() ? device.getTensorMaps()->getValue() : ArrayRef<Attribute>();
}

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
    defineBuckets();
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

  void defineParameters() {
    using Line = stretto_parameter;
    g.defineList<Line>(parametersName, parameters.size(), [&](size_t i) {
      const ParameterEntry &entry = parameters[i];
      return g.start<Line>()
          .set(&Line::name, g.text(entry.name))
          .set(&Line::offset, entry.offset)
          .set(&Line::shape, entry.shape)
          .set(&Line::rank, entry.shape.size())
          .set(&Line::trainable, entry.trainable)
          .set(&Line::init, entry.init)
          .set(&Line::init_a, entry.a)
          .set(&Line::init_b, entry.b)
          .set(&Line::lr_factor, entry.lrFactor)
          .set(&Line::weight_decay_factor, entry.weightDecayFactor)
          .set(&Line::location, g.text(entry.location));
    });
  }

  void defineTables() {
    SmallVector<double> numbers;
    SmallVector<size_t> starts; // of the numbers of each table, in bytes
    for (const ProgramFacts::Table &table : facts.tables) {
      starts.push_back(numbers.size() * sizeof(double));
      if (auto known = dyn_cast<seq::LayerNumbersOp>(table.op))
        llvm::append_range(numbers, known.getNumbers());
    }
    g.defineList(numbersName, numbers);
    g.defineList<stretto_table>(tablesName, facts.tables.size(), [&](size_t i) {
      const ProgramFacts::Table &table = facts.tables[i];
      auto rotary = dyn_cast<seq::TableOp>(table.op);
      return rotary ? describeRotary(rotary, table.slot) : describeNumbers(table, starts[i]);
    });
  }

  AbiStruct<stretto_table> describeRotary(seq::TableOp table, kern::SlotAttr slot) {
    using Line = stretto_table;
    return g.start<Line>()
        .set(&Line::kind, static_cast<int32_t>(table.getKind()))
        .set(&Line::interleaved, static_cast<int32_t>(table.getStyle()))
        .set(&Line::offset, slot.getOffset())
        .set(&Line::rows, table.getType().getDimSize(0))
        .set(&Line::columns, table.getType().getDimSize(1))
        .set(&Line::rotated, table.getRotated())
        .set(&Line::theta, table.getTheta().convertToDouble())
        .set(&Line::numbers, g.null());
  }

  AbiStruct<stretto_table> describeNumbers(const ProgramFacts::Table &table, size_t start) {
    using Line = stretto_table;
    Value stack = table.op->getResult(0);
    return g.start<Line>()
        .set(&Line::kind, static_cast<int32_t>(STRETTO_TABLE_NUMBERS))
        .set(&Line::interleaved, 0)
        .set(&Line::offset, table.slot.getOffset())
        .set(&Line::rows, cast<RankedTensorType>(stack.getType()).getDimSize(0))
        .set(&Line::columns, table.slot.getStride() / elementBytes(stack))
        .set(&Line::rotated, 0)
        .set(&Line::theta, 0.0)
        .set(&Line::numbers, g.address(numbersName, start));
  }

  LogicalResult defineKernels() {
    for (const ProgramFacts::Kernel &kernel : facts.kernels)
      if (Operation *made = module.lookupSymbol(kernel.name);
          !isa<kern::DeviceKernelOp>(made) && !made->hasAttr(kern::chunksAttr))
        return module.emitError() << "kernel '" << kernel.name << "' must say kern.chunks";
    SmallVector<int64_t> bytes, starts, ofChunks, chunkStarts, mapStarts;
    SmallVector<kern::TensorMapAttr> maps;
    for (const ProgramFacts::Kernel &kernel : facts.kernels) {
      mapStarts.push_back(maps.size());
      if (failed(collectMaps(kernel, maps)))
        return failure();
      starts.push_back(bytes.size());
      bytes.append(kernel.bufferBytes);
      chunkStarts.push_back(ofChunks.size());
      ofChunks.append(kernel.chunkBytes);
    }
    g.defineList(bufferBytesName, bytes);
    g.defineList(chunkBytesName, ofChunks);
    defineMaps(maps);
    g.defineList<stretto_kernel>(kernelTableName, facts.kernels.size(), [&](size_t i) {
      const ProgramFacts::Kernel &kernel = facts.kernels[i];
      auto fields = g.start<stretto_kernel>();
      fields.set(&stretto_kernel::name, g.text(kernel.name))
          .set(&stretto_kernel::location, g.text(kernel.location))
          .set(&stretto_kernel::group, g.text(kernel.group))
          .set(&stretto_kernel::buffers, kernel.bufferBytes.size())
          .set(&stretto_kernel::buffer_bytes, g.address(bufferBytesName, starts[i] * sizeof(int64_t)))
          .set(&stretto_kernel::chunk_rows, kernel.chunkRows)
          .set(&stretto_kernel::chunk_bytes,
               kernel.chunkBytes.empty() ? g.null() : g.address(chunkBytesName, chunkStarts[i] * sizeof(int64_t)));
      Operation *made = module.lookupSymbol(kernel.name);
      size_t mapCount = tensorMapsOf(made).size();
      fields.set(&stretto_kernel::map_count, mapCount)
          .set(&stretto_kernel::maps,
               mapCount ? g.address(mapsName, mapStarts[i] * sizeof(stretto_tensor_map)) : g.null());
      if (auto device = dyn_cast<kern::DeviceKernelOp>(made))
        addDeviceKernel(fields, device);
      else
        addHostKernel(fields, made, kernel.name);
      return fields;
    });
    return success();
  }

  LogicalResult collectMaps(const ProgramFacts::Kernel &kernel, SmallVector<kern::TensorMapAttr> &maps) {
    Operation *made = module.lookupSymbol(kernel.name);
    for (auto map : llvm::map_range(tensorMapsOf(made), llvm::CastTo<kern::TensorMapAttr>)) {
      if (failed(checkTensorMap(made, map, kernel.bufferBytes)))
        return failure();
      maps.push_back(map);
    }
    return success();
  }

  void defineMaps(ArrayRef<kern::TensorMapAttr> maps) {
    g.defineList<stretto_tensor_map>(mapsName, maps.size(), [&](size_t i) { return describeTensorMap(maps[i]); });
  }

  void addHostKernel(AbiStruct<stretto_kernel> &fields, Operation *function, StringRef name) {
    auto number = [&](StringRef fact) {
      auto attr = function->getAttrOfType<IntegerAttr>(fact);
      return attr ? attr.getInt() : 0;
    };
    fields.set(&stretto_kernel::function, g.address(name))
        .set(&stretto_kernel::chunks, number(kern::chunksAttr))
        .set(&stretto_kernel::scratch_bytes, number(kern::scratchBytesAttr))
        .set(&stretto_kernel::bytes_moved, number(kern::bytesMovedAttr))
        .set(&stretto_kernel::flops, number(kern::flopsAttr))
        .set(&stretto_kernel::symbol, g.null())
        .set(&stretto_kernel::grid, {})
        .set(&stretto_kernel::block, 0)
        .set(&stretto_kernel::cluster, 0)
        .set(&stretto_kernel::shared_bytes, 0)
        .set(&stretto_kernel::dynamic_shared_bytes, 0)
        .set(&stretto_kernel::registers, 0)
        .set(&stretto_kernel::spill_bytes, 0);
  }

  void addDeviceKernel(AbiStruct<stretto_kernel> &fields, kern::DeviceKernelOp device) {
    ArrayRef<int64_t> grid = device.getGrid();
    fields.set(&stretto_kernel::function, g.null())
        .set(&stretto_kernel::chunks, grid[0] * grid[1])
        .set(&stretto_kernel::scratch_bytes, 0)
        .set(&stretto_kernel::bytes_moved, device.getBytesMoved())
        .set(&stretto_kernel::flops, device.getFlops())
        .set(&stretto_kernel::symbol, g.text(device.getSymbol()))
        .set(&stretto_kernel::grid, grid)
        .set(&stretto_kernel::block, device.getBlock())
        .set(&stretto_kernel::cluster, device.getCluster())
        .set(&stretto_kernel::shared_bytes, device.getSharedBytes())
        .set(&stretto_kernel::dynamic_shared_bytes, device.getDynamicSharedBytes())
        .set(&stretto_kernel::registers, device.getRegisters())
        .set(&stretto_kernel::spill_bytes, device.getSpillBytes());
  }

  int64_t defineImages() {
    auto images = module->getAttrOfType<ArrayAttr>(kern::imagesAttr);
    size_t count = images ? images.size() : 0;
    g.defineList<stretto_image>(imagesName, count, [&](size_t i) {
      auto image = cast<kern::ImageAttr>(images[i]);
      auto global = module.lookupSymbol<LLVM::GlobalOp>(image.getGlobal());
      return g.start<stretto_image>()
          .set(&stretto_image::kind, static_cast<int32_t>(image.getKind()))
          .set(&stretto_image::architecture, g.text(image.getArchitecture()))
          .set(&stretto_image::data, g.address(image.getGlobal().getValue()))
          .set(&stretto_image::bytes, cast<LLVM::LLVMArrayType>(global.getGlobalType()).getNumElements());
    });
    return count;
  }

  void defineBuckets() {
    SmallVector<kern::BucketAttr> buckets = bucketsOf(module);
    g.defineList<stretto_bucket>(bucketsName, buckets.size(), [&](size_t i) {
      return g.start<stretto_bucket>()
          .set(&stretto_bucket::first_row, buckets[i].getFirst())
          .set(&stretto_bucket::rows, buckets[i].getRows());
    });
    bucketCount = buckets.size();
  }

  void defineSites() {
    SmallVector<const SiteResult *> results;
    SmallVector<int64_t> starts;
    for (const Site &site : facts.sites) {
      starts.push_back(results.size());
      for (const SiteResult &result : site)
        results.push_back(&result);
    }
    using Line = stretto_result;
    g.defineList<Line>(siteResultsName, results.size(), [&](size_t i) {
      const SiteResult &result = *results[i];
      return g.start<Line>()
          .set(&Line::operation, g.text(result.operation))
          .set(&Line::location, g.text(result.location))
          .set(&Line::kernel, g.text(result.kernel))
          .set(&Line::buffer, result.buffer)
          .set(&Line::weight, result.weight)
          .set(&Line::rows, result.rows)
          .set(&Line::row_bytes, result.rowBytes)
          .set(&Line::stride, result.stride)
          .set(&Line::shape, result.shape)
          .set(&Line::rank, result.shape.size())
          .set(&Line::arena, result.arena)
          .set(&Line::dtype, result.dtype);
    });
    g.defineList<stretto_site>(siteTableName, facts.sites.size(), [&](size_t i) {
      return g.start<stretto_site>()
          .set(&stretto_site::results, g.address(siteResultsName, starts[i] * sizeof(stretto_result)))
          .set(&stretto_site::count, facts.sites[i].size());
    });
  }

  Value entryAddress(StringRef name) { return g.address(hostFunctionName(name)); }

  void defineProgram() {
    for (const auto &entry : entries)
      provideEntry(entry.name);
    for (const auto &entry : decodeEntries)
      provideEntry(entry.name);
    g.define("stretto_compiled_program", LLVM::Linkage::External, [&] {
      auto fields = g.start<Program>();
      addIdentity(fields);
      addSizes(fields);
      addLists(fields);
      fields.set(&Program::input, inputs(entryname::gradients)).set(&Program::output, outputs());
      for (const auto &entry : entries)
        fields.set(entry.field, entryAddress(entry.name));
      fields.set(&Program::add,
                 facts.add < 0 ? g.null() : g.address(kernelTableName, facts.add * sizeof(stretto_kernel)));
      for (const auto &entry : decodeEntries)
        fields.set(entry.field, decodeEntry(entry.name));
      return g.aggregate(fields);
    });
  }

  void addIdentity(AbiStruct<Program> &fields) {
    fields.set(&Program::abi_version, STRETTO_ABI_VERSION)
        .set(&Program::struct_size, sizeof(Program))
        .set(&Program::model, textOf(modelAttr))
        .set(&Program::spec_text, textOf(specTextAttr))
        .set(&Program::stage, textOf(continuedFromAttr))
        .set(&Program::spec_hash, g.text(hashParameters(module, parameters)))
        .set(&Program::settings, textOf(settingsAttr))
        .set(&Program::plan, g.text(facts.plan))
        .set(&Program::target, textOf(kern::targetAttr))
        .set(&Program::cpu, textOf(kern::cpuAttr))
        .set(&Program::cpu_features, textOf(kern::cpuFeaturesAttr))
        .set(&Program::compiler, g.text("stretto " STRETTO_VERSION));
  }

  void addSizes(AbiStruct<Program> &fields) {
    const LossTerms loss = lossTermsOf(module);
    fields.set(&Program::dtype, dtypeOf(parameterType()))
        .set(&Program::activation_dtype, dtypeOf(activationType()))
        .set(&Program::batch, numberOf(batchAttr))
        .set(&Program::length, numberOf(lengthAttr))
        .set(&Program::vocabulary, numberOf(vocabularyAttr))
        .set(&Program::arena_bytes, module->getAttrOfType<DenseI64ArrayAttr>(kern::arenasAttr).asArrayRef())
        .set(&Program::gradients_begin, numberOf(kern::gradientsBeginAttr))
        .set(&Program::activation_bytes, numberOf(kern::activationBytesAttr))
        .set(&Program::trainable_elements, trainableElements())
        .set(&Program::factor_columns, passes::layoutParameters(module).factorColumns)
        .set(&Program::flops_forward, facts.flopsForward)
        .set(&Program::flops_backward, facts.flopsBackward)
        .set(&Program::nll_square, loss.nllSquare)
        .set(&Program::z_loss, loss.zLoss)
        .set(&Program::lr_factors, textOf(lrFactorsAttr))
        .set(&Program::weight_decay_factors, textOf(weightDecayFactorsAttr));
  }

  void addLists(AbiStruct<Program> &fields) {
    fields.set(&Program::parameters, g.address(parametersName))
        .set(&Program::parameter_count, parameters.size())
        .set(&Program::tables, g.address(tablesName))
        .set(&Program::table_count, facts.tables.size())
        .set(&Program::kernels, g.address(kernelTableName))
        .set(&Program::kernel_count, facts.kernels.size())
        .set(&Program::images, g.address(imagesName))
        .set(&Program::image_count, imageCount)
        .set(&Program::buckets, g.address(bucketsName))
        .set(&Program::bucket_count, bucketCount);
  }

  Type parameterType() { return passes::layoutParameters(module).elementType; }
  Type activationType() {
    Type rounded = roundedActivationType(module);
    return rounded ? rounded : parameterType();
  }
  int64_t trainableElements() {
    return passes::layoutParameters(module).trainableBytes * 8 / parameterType().getIntOrFloatBitWidth();
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
    return !entry || i >= entry.getNumArguments() ? 0 : kern::slotOfArgument(entry, i).getOffset();
  }
  int64_t resultOffset(StringRef name, unsigned i, int64_t otherwise) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function || i >= function.getNumResults())
      return otherwise;
    return kern::slotOfResult(function, i).getOffset();
  }
  AbiStruct<stretto_input> inputs(StringRef name) {
    auto entry = module.lookupSymbol<func::FuncOp>(name);
    SmallVector<unsigned> usual = argumentsFor(entry, ""), positions = argumentsFor(entry, positionsInput),
                          starts = argumentsFor(entry, startsInput), keys = argumentsFor(entry, dropoutKeysInput);
    auto offset = [&](ArrayRef<unsigned> numbers, unsigned i, int64_t otherwise) {
      return i < numbers.size() ? argumentOffset(entry, numbers[i]) : otherwise;
    };
    int64_t documents =
        starts.empty() ? 0 : cast<RankedTensorType>(entry.getArgumentTypes()[starts[0]]).getDimSize(0) - 1;
    return g.start<stretto_input>()
        .set(&stretto_input::tokens, offset(usual, 0, 0))
        .set(&stretto_input::targets, offset(usual, 1, 0))
        .set(&stretto_input::weights, offset(usual, 2, 0))
        .set(&stretto_input::positions, offset(positions, 0, -1))
        .set(&stretto_input::is_masked, documentsOf(module).has_value())
        .set(&stretto_input::starts, offset(starts, 0, -1))
        .set(&stretto_input::documents, documents)
        .set(&stretto_input::dropout_keys, offset(keys, 0, -1));
  }
  AbiStruct<stretto_output> outputs() {
    return g.start<stretto_output>()
        .set(&stretto_output::loss, resultOffset(entryname::gradients, 0, passes::lossOffset))
        .set(&stretto_output::grad_norm, passes::gradNormOffset)
        .set(&stretto_output::grad_squares, passes::gradSquaresOffset)
        .set(&stretto_output::nll, resultOffset(entryname::evaluate, 0, passes::evaluationOffset))
        .set(&stretto_output::predicted, resultOffset(entryname::evaluate, 1, passes::evaluationOffset));
  }

  AbiStruct<stretto_decode> decodeEntry(StringRef name) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    int64_t rows = function ? cast<RankedTensorType>(function.getArgumentTypes()[0]).getDimSize(1) : 0;
    int64_t columns = function ? cast<RankedTensorType>(function.getResultTypes()[0]).getShape().back() : 0;
    return g.start<stretto_decode>()
        .set(&stretto_decode::rows, rows)
        .set(&stretto_decode::tokens, argumentOffset(function, 0))
        .set(&stretto_decode::positions, argumentOffset(function, 1))
        .set(&stretto_decode::counts, argumentOffset(function, 2))
        .set(&stretto_decode::logits, resultOffset(name, 0, passes::evaluationOffset))
        .set(&stretto_decode::columns, columns)
        .set(&stretto_decode::run, entryAddress(name));
  }

  ModuleOp module;
  const ProgramFacts &facts;
  SmallVector<ParameterEntry> parameters;
  int64_t imageCount = 0, bucketCount = 0;
  GlobalBuilder g;
};
} // namespace

LogicalResult stretto::codegen::emitTables(ModuleOp module, const ProgramFacts &facts) {
  return TableEmitter(module, facts).run();
}
