// Built-in functions of experts, which only rows with a gate that is not zero go to: expert_linear, expert_sum.
#include "frontend/sema/builtins/BuiltinCall.h"
#include "frontend/sema/builtins/Families.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace stretto;
using namespace stretto::frontend;

namespace {

/// The most that there is where a product is more: no tensor is as large.
int64_t times(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? INT64_MAX : product;
}

bool expectExperts(BuiltinCall &call) {
  return call.expectRows("x") && call.expectRows("gates") && call.expectOwnInit() && call.expectInRange("width", 1) &&
         call.expectInRange("chosen", 1, call.type("gates").width().size);
}

/// The weights of all experts, [experts * width, input], that are given, or made.
Value expertWeights(BuiltinCall &call, Dim input) {
  const Dim width = call.dim("width");
  const Dim rows{times(call.type("gates").width().size, width.size), width.provenance};
  if (!call.has("weight"))
    return call.weight(call.weightScope() + ".weight", {rows, input}, call.initializer("init", normal02));
  const Type &type = call.type("weight");
  if (type.isWeight() && type.dims.size() == 2 && type.dims[0].size == rows.size && type.dims[1].size == input.size)
    return call.value("weight");
  Diagnostic &diagnostic =
      call.errorAt("weight", "'weight' of '" + call.name() + "' must be a weight [" + llvm::Twine(rows.size) + ", " +
                                 llvm::Twine(input.size) + "], the width for each expert, but got " + type.str());
  noteOrigin(diagnostic, input.provenance);
  return {};
}

/// `input`: columns that one expert reads; `columns`: of the result.
Values byExperts(BuiltinCall &call, Dim input, Dim columns) {
  const Value weights = expertWeights(call, input);
  if (weights.isError())
    return {Value()};
  return {call.operation({call.value("x"), call.value("gates"), weights}, call.emitter.rowsType(columns),
                         {{"chosen", call.integer("chosen", 1)}})};
}

Values expertLinear(BuiltinCall &call) {
  if (!expectExperts(call))
    return {Value()};
  const Dim width = call.dim("width");
  return byExperts(call, call.type("x").width(), {times(width.size, call.integer("chosen", 1)), width.provenance});
}

/// The expert_linear whose parts a value is made of, perhaps by operations that leave columns where they are; or null.
const Op *findExperts(const Function &function, ValueId value) {
  std::vector<bool> reached(function.values.size());
  reached[value] = true;
  for (const Op &op : llvm::reverse(function.ops)) {
    if (!llvm::any_of(op.results, [&](ValueId result) { return reached[result]; }))
      continue;
    if (op.name == "expert_linear")
      return &op;
    const int64_t width = function.values[op.results[0]].type.width().size;
    const bool mixes = llvm::is_contained({"linear", "expert_sum", "softmax_attention", "linear_attention"}, op.name);
    for (ValueId operand : op.operands)
      if (const Type &type = function.values[operand].type; !mixes && type.isRows() && type.width().size == width)
        reached[operand] = true;
  }
  return nullptr;
}

/// Reports parts of x that are those of another number of experts.
bool expectPartsOfExperts(BuiltinCall &call) {
  const int64_t chosen = call.integer("chosen", 1);
  const Tensor x = *call.value("x").get<Tensor>();
  const Op *experts = findExperts(x.owner->function, x.id);
  if (!experts || experts->integer("chosen") == chosen)
    return true;
  Diagnostic &diagnostic =
      call.errorAt("chosen", "'expert_sum' must take as many experts as 'expert_linear' made its parts for, " +
                                 llvm::Twine(experts->integer("chosen")) + ", but got chosen = " + llvm::Twine(chosen));
  diagnostic.notes.push_back({experts->range, "the parts are made here"});
  return false;
}

Values expertSum(BuiltinCall &call) {
  if (!expectExperts(call) || !call.expectParts("chosen", 1) || !expectPartsOfExperts(call))
    return {Value()};
  const Dim whole = call.type("x").width();
  return byExperts(call, {whole.size / call.integer("chosen", 1), whole.provenance}, call.dim("width"));
}

} // namespace

llvm::ArrayRef<Builtin> frontend::expertBuiltins() {
  using K = ArgumentKind;
  static const std::vector<BuiltinParameter> parameters = {{"x", K::Tensor, required},  {"gates", K::Tensor, required},
                                                           {"width", K::Int, required}, {"chosen", K::Int},
                                                           {"weight", K::Tensor},       {"init", K::Initializer}};
  static const Builtin table[] = {
      {.name = "expert_linear", .parameters = parameters, .meaning = expertLinear, .hasOperation = true},
      {.name = "expert_sum", .parameters = parameters, .meaning = expertSum, .hasOperation = true},
  };
  return table;
}
