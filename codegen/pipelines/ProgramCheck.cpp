//===- ProgramCheck.cpp - whether a module is what a program is made of -------===//
#include "codegen/pipelines/ProgramCheck.h"

#include "codegen/memory/ParameterArenas.h"
#include "ir/kern/Attributes.h"
#include "ir/kern/KernOps.h"
#include "ir/seq/ActivationType.h"
#include "ir/seq/Documents.h"
#include "ir/seq/EntryNames.h"
#include "ir/seq/LossTerms.h"
#include "ir/seq/ModelFacts.h"
#include "ir/seq/Purpose.h"
#include "passes/support/ParameterLayout.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {
/// An entry point as programs know it.
struct EntryForm {
  StringLiteral name;
  seq::EntryKind kind;
  StringLiteral arguments = ""; ///< what they are, in words; empty where slots say in which memory they lie
  unsigned results = 0;         ///< how many, where there are words for the arguments
};
constexpr EntryForm entryForms[] = {
    {entryname::evaluate, seq::EntryKind::evaluation, "tokens and targets", 2},
    {entryname::gradients, seq::EntryKind::training, "tokens, targets and weights", 1},
    {entryname::decodeOne, seq::EntryKind::decoding, "tokens, positions and counts", 1},
    {entryname::decodeChunk, seq::EntryKind::decoding, "tokens, positions and counts", 1},
    {entryname::squares, seq::EntryKind::optimizer},
    {entryname::norm, seq::EntryKind::optimizer},
    {entryname::apply, seq::EntryKind::optimizer},
    {entryname::accumulate, seq::EntryKind::optimizer},
    {entryname::takeAccumulated, seq::EntryKind::optimizer},
    {entryname::roundParameters, seq::EntryKind::optimizer},
};

class ProgramCheck {
public:
  ProgramCheck(ModuleOp module, std::optional<Phase> phase) : module(module), phase(phase) {}

  LogicalResult run() {
    for (StringRef name : {batchAttr, lengthAttr, vocabularyAttr})
      if (!module->hasAttr(name))
        return module.emitError() << "the module must state " << name << ", as the stage seq does";
    batch = countOf(module, batchAttr), length = countOf(module, lengthAttr);
    return phase ? checkEntries() : checkMain();
  }

private:
  RankedTensorType tokens(int64_t rows) {
    return RankedTensorType::get({batch, rows}, IntegerType::get(module.getContext(), 32));
  }

  LogicalResult checkMain() {
    auto main = module.lookupSymbol<func::FuncOp>("main");
    if (!main || main.getNumArguments() == 0 || main.getNumResults() == 0)
      return success(); // the phases refuse it
    if (main.getArgumentTypes()[0] != tokens(length))
      return main.emitError() << "the tokens of @main must be " << tokens(length) << ", as " << batchAttr << " and "
                              << lengthAttr << " say, but are " << main.getArgumentTypes()[0];
    auto logits = dyn_cast<RankedTensorType>(main.getResultTypes()[0]);
    if (int64_t vocabulary = countOf(module, vocabularyAttr); logits && logits.getShape().back() < vocabulary)
      return main.emitError() << "the logits of @main must have at least " << vocabulary << " columns, as "
                              << vocabularyAttr << " says, but are " << logits;
    return success();
  }

  LogicalResult checkEntries() {
    for (auto function : module.getOps<func::FuncOp>())
      if (failed(checkEntry(function)))
        return failure();
    for (StringRef name : {entryname::evaluate, entryname::gradients})
      if (!has(name))
        return reportLack(name);
    if (*phase >= Phase::fused)
      for (const EntryForm &form : entryForms)
        if (form.kind == seq::EntryKind::optimizer && !has(form.name) && isNeeded(form.name))
          return reportLack(form.name);
    if (has(entryname::decodeOne) != has(entryname::decodeChunk))
      return reportLack(has(entryname::decodeOne) ? entryname::decodeChunk : entryname::decodeOne);
    if (failed(checkLogits()) || failed(checkLossTerms()))
      return failure();
    return *phase == Phase::kernels ? checkArenas() : success();
  }

  /// Columns of the logits that an operation of the loss compares with targets, padded ones included: in a kernel by
  /// their index, before that as a value. 0: a kernel that does not say.
  static int64_t comparedColumns(Operation *op) {
    if (!isa<kern::RowwiseOp>(op))
      return cast<RankedTensorType>(op->getResult(0).getType()).getShape().back();
    int64_t columns = 0;
    op->walk([&](seq::ColumnIndexOp index) { columns = std::max(columns, index.getType().getShape().back()); });
    return columns;
  }

  LogicalResult checkLogits() {
    int64_t vocabulary = countOf(module, vocabularyAttr);
    WalkResult result = module.walk([&](Operation *op) {
      const int64_t columns = op->hasAttr(lossAttr) ? comparedColumns(op) : 0;
      if (columns == 0 || columns >= vocabulary)
        return WalkResult::advance();
      op->emitOpError() << "must compare targets with logits of at least " << vocabulary << " columns, as "
                        << vocabularyAttr << " says, but has " << columns;
      return WalkResult::interrupt();
    });
    return failure(result.wasInterrupted());
  }

  /// The terms that the program tells are those that its loss was made with.
  LogicalResult checkLossTerms() {
    LossTerms made;
    module.walk([&](Operation *op) {
      if (LossTerms terms = lossTermsOf(op); op->hasAttr(lossAttr) && terms != LossTerms())
        made = terms;
    });
    const LossTerms stated = lossTermsOf(module);
    for (auto [name, found, expected] :
         {std::tuple(nllSquareAttr, stated.nllSquare, made.nllSquare), {zLossAttr, stated.zLoss, made.zLoss}})
      if (found != expected)
        return module.emitError() << name << " must be " << expected << ", as the loss was made with it, but is "
                                  << found;
    return success();
  }

  /// Arenas of parameters have the bytes that these take.
  LogicalResult checkArenas() {
    const auto bytes = module->getAttrOfType<DenseI64ArrayAttr>(kern::arenasAttr).asArrayRef();
    const passes::ParameterLayout layout = passes::layoutParameters(module);
    for (auto [arena, expected] : parameterArenas(layout))
      if (int64_t found = bytes[static_cast<unsigned>(arena)]; found != expected)
        return module.emitError() << "the arena " << kern::stringifyArena(arena) << " must have " << expected
                                  << " bytes, as parameters take, but has " << found << " in " << kern::arenasAttr;
    return checkActivations(bytes, layout.trainableBytes);
  }

  /// Gradients lie in the activations, which would not take more without them.
  LogicalResult checkActivations(ArrayRef<int64_t> bytes, int64_t gradients) {
    const int64_t activations = bytes[static_cast<unsigned>(kern::Arena::activations)], last = activations - gradients;
    if (last < 0)
      return module.emitError() << "the arena activations must have at least " << gradients
                                << " bytes, as gradients lie in it, but has " << activations << " in "
                                << kern::arenasAttr;
    auto report = [&](StringRef name, const Twine &expected) -> LogicalResult {
      auto error = module.emitError() << name << " must be " << expected << ", but ";
      auto found = module->getAttrOfType<IntegerAttr>(name);
      return found ? error << "is " << found.getInt() : error << "is missing";
    };
    const int64_t begin = numberOf(kern::gradientsBeginAttr), alone = numberOf(kern::activationBytesAttr);
    if (begin < 0 || begin > last || begin % passes::slotAlignment != 0)
      return report(kern::gradientsBeginAttr, "a multiple of " + Twine(passes::slotAlignment) + " of at most " +
                                                  Twine(last) + ", where gradients end with the activations");
    if (alone < 0 || alone > activations)
      return report(kern::activationBytesAttr,
                    "from 0 to " + Twine(activations) + ", what activations take with gradients in them");
    return success();
  }

  /// A number of the module; -1 where it is missing.
  int64_t numberOf(StringRef name) {
    auto number = module->getAttrOfType<IntegerAttr>(name);
    return number ? number.getInt() : -1;
  }

  /// Whether the optimizer has the entry.
  bool isNeeded(StringRef name) { return name != entryname::roundParameters || roundedActivationType(module); }
  bool has(StringRef name) { return module.lookupSymbol<func::FuncOp>(name) != nullptr; }
  LogicalResult reportLack(StringRef name) { return module.emitError() << "the module must have the entry @" << name; }

  LogicalResult checkEntry(func::FuncOp function) {
    auto kind = function->getAttrOfType<seq::EntryKindAttr>(entryAttr);
    const EntryForm *form =
        llvm::find_if(entryForms, [&](const EntryForm &known) { return known.name == function.getName(); });
    bool isKnown = form != std::end(entryForms);
    if (!kind && !isKnown)
      return success();
    if (!kind)
      return function.emitError() << "@" << form->name << " must be marked " << entryAttr << " = #seq<entry_kind "
                                  << seq::stringifyEntryKind(form->kind) << ">";
    if (!isKnown || form->kind != kind.getValue())
      return reportName(function, kind.getValue());
    if (!form->arguments.empty() && failed(checkSignature(function, *form)))
      return failure();
    return form->kind == seq::EntryKind::training ? checkGradients(function) : success();
  }

  static LogicalResult reportName(func::FuncOp function, seq::EntryKind kind) {
    SmallVector<std::string> names;
    for (const EntryForm &form : entryForms)
      if (form.kind == kind)
        names.push_back(("@" + form.name).str());
    return function.emitError() << "an entry of the kind " << seq::stringifyEntryKind(kind) << " must be called "
                                << llvm::join(names, " or ") << ", but is called @" << function.getName();
  }

  /// Arguments that say by an attribute what they are may stand among the others.
  LogicalResult checkSignature(func::FuncOp function, const EntryForm &form) {
    SmallVector<Type> given;
    bool hasPositions = false;
    for (unsigned i = 0; i < function.getNumArguments(); ++i) {
      auto input = function.getArgAttrOfType<StringAttr>(i, inputAttr);
      if (!input)
        given.push_back(function.getArgumentTypes()[i]);
      hasPositions |= input && input.getValue() == positionsInput;
    }
    SmallVector<Type> expected = argumentsOf(form, given);
    if (given != expected) {
      auto error = function.emitError() << "@" << form.name << " must take " << form.arguments << ", ";
      llvm::interleaveComma(expected, error);
      error << ", but takes ";
      llvm::interleaveComma(given, error);
      return error;
    }
    if (function.getNumResults() != form.results)
      return function.emitError() << "@" << form.name << " must have " << form.results
                                  << (form.results == 1 ? " result" : " results") << ", but has "
                                  << function.getNumResults();
    if (documentsOf(module) && form.kind != seq::EntryKind::decoding && !hasPositions)
      return function.emitError() << "@" << form.name << " of masked documents must have an argument with " << inputAttr
                                  << " = \"" << positionsInput << "\"";
    return success();
  }

  SmallVector<Type> argumentsOf(const EntryForm &form, ArrayRef<Type> given) {
    auto first = given.empty() ? RankedTensorType() : dyn_cast<RankedTensorType>(given.front());
    if (form.kind == seq::EntryKind::decoding) {
      RankedTensorType rows = tokens(first && first.getRank() == 2 ? first.getDimSize(1) : 1);
      return {rows, rows, RankedTensorType::get({batch}, rows.getElementType())};
    }
    SmallVector<Type> expected{tokens(length), tokens(length)};
    if (form.kind == seq::EntryKind::training)
      expected.push_back(tokens(length).clone(passes::layoutParameters(module).elementType));
    return expected;
  }

  static LogicalResult checkGradients(func::FuncOp function) {
    llvm::DenseMap<StringAttr, seq::GradientOp> first;
    for (auto gradient : function.getOps<seq::GradientOp>()) {
      auto [known, isNew] = first.try_emplace(gradient.getParameterAttr().getAttr(), gradient);
      if (isNew)
        continue;
      auto error = gradient.emitOpError() << "must be the only one of " << gradient.getParameterAttr();
      error.attachNote(known->second.getLoc()) << "the other one is here";
      return error;
    }
    return success();
  }

  ModuleOp module;
  std::optional<Phase> phase;
  int64_t batch = 0, length = 0;
};
} // namespace

LogicalResult stretto::codegen::checkProgram(ModuleOp module, std::optional<Phase> phase) {
  if (phase && *phase > Phase::kernels)
    return success();
  return ProgramCheck(module, phase).run();
}
