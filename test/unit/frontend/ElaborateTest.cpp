// What valid programs elaborate to: names of weights, functions, scans, values of parameters.
#include "TestSupport.h"

#include "frontend/sema/elaborate/Layers.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace stretto;
using namespace stretto::frontend;
using stretto::test::Frontend;
using stretto::test::inModel;

namespace {

using Names = std::vector<std::string>;

Names namesIn(llvm::StringRef statements, llvm::StringRef parameters = "vocab: int, dim = 16") {
  Frontend frontend;
  frontend.run(inModel(statements, parameters));
  EXPECT_TRUE(frontend.program) << frontend.errors();
  Names names = frontend.weightNames();
  if (names.size() < 2)
    return {};
  // Without the embedding and the head of inModel.
  return Names(names.begin() + 1, names.end() - 1);
}

unsigned countOps(const Function &function, llvm::StringRef name) {
  return llvm::count_if(function.ops, [&](const Op &op) { return op.name == name; });
}

TEST(WeightNames, ComeFromWhereTheyAreWritten) {
  EXPECT_EQ(namesIn("q, k = linear(x, 16), rms_norm(x)"), (Names{"q.weight", "k.weight"}));
  EXPECT_EQ(namesIn("y = x + linear(relu(linear(x, 8)), 16)"), (Names{"linear.weight", "linear_1.weight"}));
  EXPECT_EQ(namesIn("h = rms_norm(x)\nh = canon(h)"), (Names{"h.weight", "h_canon.weight"}));
  EXPECT_EQ(namesIn("h = layer_norm(x)"), (Names{"h.weight", "h.bias"}));
  EXPECT_EQ(namesIn("a, b = canon(x, x)"), (Names{"canon.weight"}));
  EXPECT_EQ(namesIn("y = linear(x, 16, bias = true)"), (Names{"y.weight", "y.bias"}));
  EXPECT_EQ(namesIn("y = recompute(linear(x, 16))"), (Names{"y.weight"}));
  EXPECT_EQ(namesIn("g = parameter(16)\nx = x * g"), (Names{"g"}));
}

TEST(WeightNames, BlocksAndLayersAddTheirNames) {
  EXPECT_EQ(namesIn("block f(y) { h = linear(y, 16) return h }\nx = f(f(x))"), (Names{"f.h.weight", "f_1.h.weight"}));
  EXPECT_EQ(
      namesIn("block f(y) { h = linear(y, 16) return h }\nrepeat 3 { x = f(x) }\nrepeat 2 named tail { x = f(x) }"),
      (Names{"layers.{}.f.h.weight", "tail.{}.f.h.weight"}));
  EXPECT_EQ(namesIn("repeat 3 { x = linear(x, 16) }\nrepeat 2 { x = linear(x, 16) }"),
            (Names{"layers.{}.x_linear.weight", "layers_1.{}.x_linear.weight"}));
  EXPECT_EQ(namesIn("repeat 2 { repeat 2 named parts { x = rms_norm(x) } }"),
            (Names{"layers.{}.parts.0.x_rms_norm.weight", "layers.{}.parts.1.x_rms_norm.weight"}));
}

TEST(WeightNames, CallsOfASharedBlockHaveTheSame) {
  EXPECT_EQ(namesIn("shared block f(y) { h = linear(y, 16) return h }\nx = f(f(x))\nrepeat 3 { x = f(x) }"),
            (Names{"f.h.weight"}));
  EXPECT_EQ(namesIn("shared block f(y) { return linear(y, 16) }\nblock g(y) { return linear(f(y), 16) }\n"
                    "repeat 2 { x = g(g(x)) }\nx = f(x)"),
            (Names{"f.linear.weight", "layers.{}.g.linear.weight", "layers.{}.g_1.linear.weight"}));
  EXPECT_EQ(namesIn("shared block f(y) { return linear(y, 16) }\nshared block g(y, n: int) {\n"
                    "repeat n { y = f(linear(y, 16)) }\nreturn y }\nrepeat 4 { x = g(x, 1) }\nx = g(x, 2)"),
            (Names{"f.linear.weight", "g.layers.0.linear.weight", "g.layers.1.linear.weight"}));
}

TEST(Layers, RunsUseAsFewBodiesAsPossible) {
  auto runs = [](std::vector<unsigned> kinds) {
    std::string text;
    for (const LayerRun &run : findLayerRuns(kinds))
      text += std::to_string(run.first) + ":" + std::to_string(run.period) + "x" + std::to_string(run.count) + " ";
    return text;
  };
  EXPECT_EQ(runs({}), "");
  EXPECT_EQ(runs({0}), "0:1x1 ");
  EXPECT_EQ(runs({0, 0, 0, 0}), "0:1x4 ");
  EXPECT_EQ(runs({0, 0, 1, 0, 0, 1}), "0:3x2 ");
  EXPECT_EQ(runs({0, 0, 0, 1, 1}), "0:1x3 3:1x2 ");
  EXPECT_EQ(runs({0, 1, 0, 1, 0}), "0:2x2 4:1x1 ");
  EXPECT_EQ(runs({2, 0, 1, 0, 1}), "0:1x1 1:2x2 ");
}

TEST(Layers, DepthDoesNotChangeTheProgram) {
  auto elaborated = [](const char *layers) {
    Frontend frontend;
    frontend.set("layers", layers)
        .run(inModel("block f(y) { return y + linear(y, dim) }\nrepeat layers { x = f(x) }",
                     "vocab: int, dim = 16, layers = 2"));
    EXPECT_TRUE(frontend.program) << frontend.errors();
    size_t ops = 0;
    for (const Function &function : frontend.program->functions)
      ops += function.ops.size() * 1000 + function.weights.size();
    return ops;
  };
  EXPECT_EQ(elaborated("2"), elaborated("96"));
}

TEST(Layers, ChoicesByLayerBecomeAPeriod) {
  Frontend frontend;
  frontend.run(inModel("block f(y) { return y + linear(y, dim) }\nblock g(y) { return rms_norm(y) }\n"
                       "repeat 8 as i { if i % 4 == 3 { x = g(x) } else { x = f(x) } }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(countOps(frontend.program->main(), "scan"), 1u);
  const Weight *weight = frontend.weight("layers.{}.g.rms_norm.weight");
  ASSERT_TRUE(weight);
  EXPECT_EQ(weight->stacks[0].first, 3);
  EXPECT_EQ(weight->stacks[0].step, 4);
  EXPECT_EQ(weight->stacks[0].count, 2);
  EXPECT_EQ(weight->type.dims[0].size, 2);
}

TEST(Layers, RunsAndSingleLayers) {
  Frontend frontend;
  frontend.run(
      inModel("repeat 6 as i { if i == 0 { x = rms_norm(x) } else if i < 4 { x = canon(x) } else { x = relu(x) } }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(countOps(frontend.program->main(), "scan"), 2u);
  EXPECT_TRUE(frontend.weight("layers.0.x_rms_norm.weight"));
  const Weight *canon = frontend.weight("layers.{}.x_canon.weight");
  ASSERT_TRUE(canon);
  EXPECT_EQ(canon->stacks[0].first, 1);
  EXPECT_EQ(canon->stacks[0].count, 3);
}

/// The numbers that the layers of a model are given, in the order of its operations.
std::vector<std::vector<double>> layerNumbers(const Function &function) {
  std::vector<std::vector<double>> found;
  for (const Op &op : function.ops)
    if (op.name == "layer_numbers")
      found.push_back(op.reals("values"));
  return found;
}

TEST(Layers, ThatDifferByNumbersAreOneLoop) {
  Frontend frontend;
  frontend.run(inModel("block g(y, s: float) { return s * linear(y * s, dim) }\n"
                       "block f(y, s: float) { return y + 2 * g(y, s) + g(y, 0.5) }\n"
                       "repeat 4 as i { x = f(x, 1 / (i + 1)) - i }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(countOps(frontend.program->main(), "scan"), 1u);
  EXPECT_EQ(layerNumbers(frontend.program->main()),
            (std::vector<std::vector<double>>{{1, 0.5, 1 / 3., 0.25}, {0, 1, 2, 3}}));
  Names functions; // of the blocks those that are called, with and without numbers of layers
  for (const Function &function : frontend.program->functions)
    functions.push_back(function.name + "/" + std::to_string(function.numbers.size()));
  EXPECT_EQ(functions, (Names{"g/0", "g_1/1", "f/1", "layers/2", "main/0"}));
}

TEST(Layers, ZeroesOfTwoSignsAreTwoNumbers) {
  Frontend frontend;
  frontend.run(inModel("repeat 2 as i { x = tanh(1.0 / (square(x) * (if i == 0 then 0.0 else -0.0))) }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const std::vector<std::vector<double>> numbers = layerNumbers(frontend.program->main());
  ASSERT_EQ(numbers.size(), 1u);
  EXPECT_TRUE(!std::signbit(numbers[0][0]) && std::signbit(numbers[0][1]));
}

TEST(Layers, NumbersDifferInPeriods) {
  Frontend frontend;
  frontend.run(inModel(
      "w = parameter(3, 16)\n"
      "repeat 6 as i { if i % 2 == 0 { x = x + linear(linear(x, weight = w * i), dim) } else { x = canon(x) } }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(countOps(frontend.program->main(), "scan"), 1u);
  EXPECT_EQ(layerNumbers(frontend.program->main()), (std::vector<std::vector<double>>{{0, 2, 4}}));
}

TEST(Layers, ThatBeginUnlikeAreOneLoop) {
  Frontend frontend;
  frontend.run(inModel("block f(y, std: float) { return y + linear(rms_norm(y), dim, init = normal(std)) }\n"
                       "repeat 4 as i { if i % 2 == 0 { x = f(x, 0.1 * (i + 1)) } else { x = x * parameter(dim) } }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(countOps(frontend.program->main(), "scan"), 1u);
  const Weight *matrix = frontend.weight("layers.{}.f.linear.weight"), *gain = frontend.weight("layers.{}.parameter");
  ASSERT_TRUE(matrix && gain);
  ASSERT_EQ(matrix->inits.size(), 2u);
  EXPECT_DOUBLE_EQ(matrix->inits[0].b, 0.1);
  EXPECT_DOUBLE_EQ(matrix->inits[1].b, 0.3);
  EXPECT_EQ(gain->inits.size(), 1u);
}

TEST(Layers, ThatDifferOtherwiseAreWrittenOut) {
  Frontend frontend;
  frontend.run(inModel("repeat 3 as i { x = (i + 1) * rms_norm(x, eps = 1e-5 * (i + 1)) }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(countOps(frontend.program->main(), "scan"), 0u);
  EXPECT_EQ(countOps(frontend.program->main(), "constant"), 3u);
}

TEST(Layers, NumbersThatChangeMakeLayersDiffer) {
  Frontend frontend;
  frontend.run(inModel("n = 16\nrepeat 3 { n = n * 2  x = x + linear(linear(x, n), dim) }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Weight *last = frontend.weight("layers.2.linear.weight");
  ASSERT_TRUE(last);
  EXPECT_EQ(last->type.dims[0].size, 128);
}

/// The numbers of all constants of a function and of those that it calls, and what loops give their layers, in order.
std::vector<double> constantsOf(const Program &program, const Function &function) {
  std::vector<double> constants;
  for (const Op &op : function.ops) {
    if (op.name == "constant")
      constants.push_back(op.real("value"));
    if (op.name == "layer_numbers")
      llvm::append_range(constants, op.reals("values"));
    if (op.name == "call")
      llvm::append_range(constants, constantsOf(program, program.functions[*op.callee]));
  }
  return constants;
}

std::vector<double> constantsIn(llvm::StringRef statements) {
  Frontend frontend;
  frontend.run(inModel(statements));
  EXPECT_TRUE(frontend.program) << frontend.errors();
  return frontend.program ? constantsOf(*frontend.program, frontend.program->main()) : std::vector<double>();
}

TEST(Layers, ARepeatMayChangeNumbersAlone) {
  Frontend frontend;
  frontend.run(inModel("n = 2\nrepeat 3 { n = n * 2 }\nrepeat 2 { n = max(n, 4) }\n"
                       "repeat 2 { repeat 2 { n = n + width(x) - dim } x = x + linear(linear(x, n), dim) }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.weight("layers.{}.linear.weight")->type.dims[1].size, 16);
}

TEST(Symbols, StandForOptionsOfOperationsInsideIfToo) {
  for (const char *condition : {"true", "false"}) {
    Frontend frontend;
    frontend.run(inModel("use = " + std::string(condition) +
                         "\nx = canon(x, activation = if use then silu else if dim > 8 then none else relu)"));
    ASSERT_TRUE(frontend.program) << frontend.errors();
    EXPECT_NE(toString(*frontend.program).find("activation=" + std::string(condition[0] == 't' ? "silu" : "none")),
              std::string::npos)
        << toString(*frontend.program);
  }
}

TEST(Layers, BlocksAndDefsSeeTheNumbersOfTheirLayer) {
  using Numbers = std::vector<double>;
  std::string callees = "n = 1\nblock scaled(y) { return y * n }\ndef plus(y) = y + n\n";
  EXPECT_EQ(constantsIn(callees + "repeat 2 { n = n + 1  x = scaled(x)  x = plus(x)  x = x - n }"), (Numbers{2, 3}));
  EXPECT_EQ(constantsIn(callees + "repeat 2 { x = scaled(x)  n = n + 1 }\nx = scaled(x)"), (Numbers{1, 2, 3}));
  EXPECT_EQ(constantsIn(callees + "repeat 2 { repeat 2 { n = n + 1  x = scaled(x) } }"), (Numbers{2, 4, 3, 5}));
}

TEST(Layers, DefsSeeTheTensorsOfTheirLayer) {
  Frontend frontend;
  frontend.run(inModel("def twice(y) = y + x\nrepeat 2 { x = silu(x)  x = twice(x) }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Function &body = frontend.program->functions[0];
  ASSERT_EQ(body.ops.size(), 2u);
  EXPECT_EQ(body.ops[1].operands[0], body.ops[0].results[0]);
  EXPECT_EQ(body.ops[1].operands[1], body.ops[0].results[0]);
}

TEST(Layers, OuterValuesAreInvariants) {
  Frontend frontend;
  frontend.run(inModel("y = x\nw = parameter(16)\nrepeat 3 { x = (x + y) * w }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Function &body = frontend.program->functions[0];
  EXPECT_EQ(body.arguments.size(), 1u);
  EXPECT_EQ(body.invariants.size(), 2u);
  EXPECT_EQ(body.results.size(), 1u);
}

TEST(Layers, ACopyOfACarriedValueKeepsItsOldValue) {
  // y is x before the loop; the second iteration must still read the old x as y.
  Frontend frontend;
  frontend.run(inModel("y = x\nrepeat 2 { x = x + y }"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Function &body = frontend.program->functions[0];
  ASSERT_EQ(body.ops.size(), 1u);
  EXPECT_NE(body.ops[0].operands[0], body.ops[0].operands[1]);
}

TEST(Blocks, EqualCallsShareOneFunction) {
  Frontend frontend;
  frontend.run(inModel("block f(y, n: int) { return y + linear(linear(y, n), dim) }\nx = f(f(f(x, 8), 8), 4)"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.program->functions.size(), 3u);
  EXPECT_EQ(countOps(frontend.program->main(), "call"), 3u);
}

TEST(Blocks, InitializersAreArguments) {
  Frontend frontend;
  frontend.run(inModel("block f(y, init) { return linear(y, dim, init = init) }\nx = f(f(x, zeros), normal(0.1))"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.weight("f.linear.weight")->inits[0].kind, Initializer::Kind::Constant);
  EXPECT_EQ(frontend.weight("f_1.linear.weight")->inits[0].kind, Initializer::Kind::Normal);
}

TEST(Blocks, ReturnSeveralValuesAndTakeDefaults) {
  Frontend frontend;
  frontend.run(inModel("block f(y, n = dim / 2) { return linear(y, n), y }\na, b = f(x)\nx = b + linear(a, dim)"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.weight("f.linear.weight")->type.dims[0].size, 8);
}

TEST(Blocks, AnnotationsReachTheOperationsInside) {
  Frontend frontend;
  frontend.run(
      inModel("block f(y) { return exp(y) }\nno_fuse { a = f(x) }\nb = f(x)\nc = recompute(tanh(b) + a)\nx = c"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const auto &functions = frontend.program->functions;
  EXPECT_TRUE(functions[0].ops[0].noFuse);
  EXPECT_FALSE(functions[1].ops[0].noFuse);
  for (const Op &op : functions.back().ops)
    EXPECT_EQ(op.recompute, op.name == "tanh" || op.name == "add") << op.name.str();
}

TEST(Weights, TiedAndFrozenAndInitialised) {
  Frontend frontend;
  frontend.run("model m(vocab: int) {\n  table = parameter(vocab, 8, init = truncated_normal(0.1, 2))\n"
               "  x = embed(tokens, weight = table)\n  x = canon(x, kernel = 3, frozen = true)\n"
               "  x = linear(x, 8, bias = true, init = uniform(0.5), bias_init = constant(2))\n"
               "  return linear(x, weight = table)\n}");
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.weightNames(), (Names{"table", "x_canon.weight", "x_linear.weight", "x_linear.bias"}));
  EXPECT_EQ(frontend.weight("table")->inits[0].kind, Initializer::Kind::TruncatedNormal);
  EXPECT_EQ(frontend.weight("table")->inits[0].b, 2);
  const Weight *canon = frontend.weight("x_canon.weight");
  EXPECT_TRUE(canon->frozen);
  EXPECT_EQ(canon->type.dims[0].size, 3);
  EXPECT_NEAR(canon->inits[0].b, 0.57735, 1e-5);
  EXPECT_EQ(frontend.weight("x_linear.bias")->inits[0].a, 2);
}

TEST(Weights, FactorsMayDifferByLayer) {
  Frontend frontend;
  frontend.run(inModel("repeat 3 as i {\n  a = parameter(dim, lr_factor = 1 / (i + 1))\n"
                       "  b = parameter(dim, weight_decay_factor = 0)\n  x = a * x + b\n}"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const auto factors = frontend.weight("layers.{}.a")->factors;
  ASSERT_EQ(factors.size(), 3u);
  EXPECT_EQ(factors[2], (Factors{1.0 / 3, 1}));
  ASSERT_EQ(frontend.weight("layers.{}.b")->factors.size(), 1u);
  EXPECT_EQ(frontend.weight("layers.{}.b")->factors[0], (Factors{1, 0}));
}

TEST(Weights, InitialisedAsDecaysAre) {
  Frontend frontend;
  frontend.run(inModel("a = parameter(dim, init = log_of_uniform(0, 16))\n"
                       "b = parameter(dim, init = step_bias(0.001, 0.1))\nx = a * x + b"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Initializer a = frontend.weight("a")->inits[0], b = frontend.weight("b")->inits[0];
  EXPECT_EQ(a.kind, Initializer::Kind::LogOfUniform);
  EXPECT_EQ(a.a, 0);
  EXPECT_EQ(a.b, 16);
  EXPECT_EQ(b.kind, Initializer::Kind::StepBias);
  EXPECT_EQ(b.a, 0.001);
  EXPECT_EQ(b.b, 0.1);
}

/// The only operation of that name in main.
const Op &onlyOp(const Frontend &frontend, llvm::StringRef name) {
  const Function &main = frontend.program->main();
  EXPECT_EQ(countOps(main, name), 1u);
  return *llvm::find_if(main.ops, [&](const Op &op) { return op.name == name; });
}

TEST(Mixers, OperandsStandInTheOrderOfTheOperation) {
  Frontend frontend;
  frontend.run(inModel("q = linear(x, 8)\nv = linear(x, 32)\ng = linear(x, 4)\nr = linear(x, 16)\np = -r\n"
                       "o = linear_attention(q, q, v, 4, 2, erase_write = p, read = before, erase = r, decay = g)\n"
                       "x = linear(o, dim)"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Op &mixer = onlyOp(frontend, "linear_attention");
  const std::vector<ValueInfo> &values = frontend.program->main().values;
  std::string operands;
  for (ValueId operand : mixer.operands)
    operands += values[operand].name + " ";
  EXPECT_EQ(operands, "q q v g r p ");
  EXPECT_TRUE(values[mixer.results[0]].type == values[mixer.operands[2]].type);
  for (llvm::StringRef given : {"has_decay", "has_erase", "has_erase_write", "read_before"})
    EXPECT_TRUE(mixer.flag(given)) << given.str();
  for (llvm::StringRef absent : {"has_write", "has_beta"})
    EXPECT_FALSE(mixer.flag(absent)) << absent.str();
  EXPECT_EQ(mixer.integer("heads"), 4);
  EXPECT_EQ(mixer.integer("key_heads"), 2);
  EXPECT_EQ(mixer.real("scale"), 0.5); // of 4 key columns
}

TEST(Mixers, Defaults) {
  Frontend frontend;
  frontend.run(inModel("x = linear_attention(x, x, x, 4)"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const Op &mixer = onlyOp(frontend, "linear_attention");
  EXPECT_EQ(mixer.operands.size(), 3u);
  EXPECT_EQ(mixer.integer("key_heads"), 4);
  EXPECT_EQ(mixer.real("scale"), 0.5);
  EXPECT_FALSE(mixer.flag("read_before"));
}

TEST(Columns, OfWeightsAreWeights) {
  Frontend frontend;
  frontend.run(inModel("w = parameter(4)\nx = x * spread(-exp(w), dim) + log(1 - exp(-log(2) * (5 + numbers(dim))))\n"
                       "x = x + linear(spread(x, 2 * dim), dim)"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.weightNames().size(), 4u); // of the embedding, w, of the linear layer and of the logits
  const Function &main = frontend.program->main();
  std::string types;
  for (const Op &op : main.ops)
    if (op.name == "spread" || op.name == "numbers")
      types += main.values[op.results[0]].type.str() + " ";
  EXPECT_EQ(types, "[dim=16] [dim=16] [batch=2, length=8, 2 * dim=32] ");
}

/// The right side is evaluated only where the left side leaves the answer open.
TEST(Logic, AndOrAndNot) {
  for (llvm::StringRef holds :
       {"true and true", "not (true and false)", "not (false and true)", "not (false and false)", "true or true",
        "true or false", "false or true", "not (false or false)", "false and true or true",
        "not (dim > 1 and dim > 16)", "true or 1 / 0 > 1", "not (false and 1 / 0 > 1)"}) {
    Frontend frontend;
    frontend.run(inModel(("require " + holds).str()));
    EXPECT_TRUE(frontend.program) << holds.str() << ": " << frontend.errors();
  }
}

TEST(Numbers, RemaindersAreExact) {
  EXPECT_EQ(constantsIn("x = x * ((9223372036854775806 % 9223372036854775807) / 9223372036854775806)\n"
                        "x = x * (-7 % 4)"),
            (std::vector<double>{1, 1}));
}

TEST(Numbers, AreExact) {
  Frontend frontend;
  frontend.run(inModel("x = relu(x)",
                       "vocab: int, dim = 16, a = floor_to(8 * 512 / 3, 8), b = ceil_to(10 / 3, 4), "
                       "c = 10 / 4 * 2, d: float = 1 / 4, e = max(1, floor(7 / 2)), f = -7 % 4, "
                       "g = floor(-7 / 2), h = if 1 / 3 < 0.34 then 1 else 2, s = {B, A, B}, t = not true, "
                       "u = floor(7 / -2), w = 6 / -3, p = if 1 / -2 < 0 then 1 else 2, "
                       "q = 5000000000000000001 / 2 * 2, r = 1 / 4000000000 * 8000000000"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  std::string values;
  for (const ResolvedParameter &parameter : frontend.program->parameters)
    values += parameter.name + "=" + parameter.value + " ";
  EXPECT_EQ(values, "vocab=32 dim=16 a=1360 b=4 c=5 d=0.25 e=3 f=1 g=-4 h=1 s={A, B} t=false u=-4 w=-2 p=1 "
                    "q=5000000000000000001 r=2 ");
}

TEST(Numbers, FunctionsTakeThemAsWell) {
  const std::tuple<llvm::StringRef, double, double> values[] = {
      // of 3/4 and of -3/4
      {"exp", 2.117000016612675, 0.4723665527410147},
      {"tanh", 0.6351489523872873, -0.6351489523872873},
      {"sin", 0.6816387600233341, -0.6816387600233341},
      {"cos", 0.7316888688738209, 0.7316888688738209},
      {"sigmoid", 0.679178699175393, 0.320821300824607},
      {"silu", 0.5093840243815447, -0.24061597561845527},
      {"gelu", 0.5800294857173488, -0.16997051428265114},
      {"relu", 0.75, 0},
      {"square", 0.5625, 0.5625},
      {"softplus", 1.1368710061148999, 0.3868710061149},
  };
  for (const auto &[function, ofPositive, ofNegative] : values) {
    const std::vector<double> got = constantsIn(("x = x * " + function + "(0.75) * " + function + "(-0.75)").str());
    ASSERT_EQ(got.size(), 2u) << function.str();
    EXPECT_NEAR(got[0], ofPositive, 1e-12) << function.str();
    EXPECT_NEAR(got[1], ofNegative, 1e-12) << function.str();
  }
  const std::vector<double> roots = constantsIn("x = x * log(0.75) * sqrt(0.75) * rsqrt(0.75)");
  ASSERT_EQ(roots.size(), 3u);
  EXPECT_NEAR(roots[0], -0.2876820724517809, 1e-12);
  EXPECT_NEAR(roots[1], 0.8660254037844386, 1e-12);
  EXPECT_NEAR(roots[2], 1.1547005383792517, 1e-12);
  EXPECT_EQ(constantsIn("x = x * min(3, 1.5, 2) * max(2, 3.5, 3)"), (std::vector<double>{1.5, 3.5}));
}

TEST(Numbers, FractionsAreFloatsWhereTheDefaultIsOne) {
  EXPECT_EQ(constantsIn("def f(y, s = 1.0) = y * s\nx = f(x, 1 / 4)"), (std::vector<double>{0.25}));
  EXPECT_EQ(constantsIn("block f(y, t = 2.0, s = t) { return y * (s / t) }\nx = f(x, s = 1 / 4)"),
            (std::vector<double>{0.125}));
}

TEST(Parameters, OriginsAreKnown) {
  Frontend frontend;
  frontend.set("dim", "8").set("dim", "24").run(inModel("x = relu(x)", "vocab: int, dim = 16, n = dim / 2"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  const auto &parameters = frontend.program->parameters;
  EXPECT_EQ(parameters[0].origin, "task");
  EXPECT_EQ(parameters[1].origin, "--set");
  EXPECT_EQ(parameters[1].value, "24");
  EXPECT_EQ(parameters[2].origin, "default m.stretto:1:35");
  EXPECT_EQ(parameters[2].value, "12");
  EXPECT_EQ(parameters[2].type, "int");
}

TEST(Imports, ModelsOfOtherFilesAreLeftOut) {
  Frontend frontend;
  frontend.addFile("a.stretto", "block f(x) { return relu(x) }\nmodel other { return tokens }\ndef g(x) = -x");
  frontend.run("import \"a.stretto\"\n" + inModel("x = g(f(x))"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(inlinedText(*frontend.loaded, frontend.sources).find("other"), std::string::npos);
}

TEST(Imports, AFileIsReadOnceWhateverItsPath) {
  Frontend frontend;
  frontend.addFile("/d/inc/a.stretto", "import \"/d/inc/../inc/./b.stretto\"\nblock f(x) { return g(x) }")
      .addFile("/d/inc/b.stretto", "block g(x) { return relu(x) }");
  frontend.run("import \"inc/a.stretto\"\nimport \"inc/b.stretto\"\n" + inModel("x = g(f(x))"), "/d/m.stretto");
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.loaded->files.size(), 3u);
}

TEST(Imports, BlocksSeeTheirOwnFile) {
  Frontend frontend;
  frontend.addFile("lib/a.stretto", "import \"b.stretto\"\ndef twice(x) = x + x\nblock f(x) { return twice(g(x)) }")
      .addFile("lib/b.stretto", "block g(x) { return relu(x) }");
  frontend.run("import \"lib/a.stretto\"\n" + inModel("x = f(x)"));
  ASSERT_TRUE(frontend.program) << frontend.errors();
  EXPECT_EQ(frontend.program->functions.size(), 3u);
  std::string text = inlinedText(*frontend.loaded, frontend.sources);
  EXPECT_EQ(text.find("import"), std::string::npos);
  Frontend alone;
  alone.run(text);
  ASSERT_TRUE(alone.program) << alone.errors();
  EXPECT_EQ(toString(*alone.program), toString(*frontend.program));
}

} // namespace
