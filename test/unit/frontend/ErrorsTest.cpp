// One case per error of the elaboration: the message, its place, and what the notes say.
#include "TestSupport.h"

#include <gtest/gtest.h>

using namespace stretto;
using namespace stretto::frontend;
using stretto::test::Frontend;
using stretto::test::inModel;

namespace {

/// `text` is a whole file, or statements that are put into a model (their first line is line 3).
struct Case {
  const char *text, *message;
};

class Errors : public testing::TestWithParam<Case> {};

TEST_P(Errors, AreReportedAtTheirPlace) {
  llvm::StringRef text = GetParam().text;
  bool isFile = text.contains("model ");
  Frontend frontend;
  frontend.run(isFile ? text.str() : inModel(text));
  EXPECT_FALSE(frontend.program);
  EXPECT_NE(frontend.errors().find(GetParam().message), std::string::npos) << frontend.errors();
}

INSTANTIATE_TEST_SUITE_P(
    Names, Errors,
    testing::Values(
        Case{"x = rms_nrom(x)",
             "m.stretto:3:5: error: unknown operation, block or def 'rms_nrom'; did you mean 'rms_norm'?"},
        Case{"x = x + xs", "m.stretto:3:9: error: unknown name 'xs'"},
        Case{"x = linear(x, dmi)", "3:15: error: unknown name 'dmi'; did you mean 'dim'?"},
        Case{"repeat 3 as i {\nv = linear(x, dim)\nif i == 0 { v1 = v }\nx = x + 0.5 * v + 0.5 * v1\n}",
             "m.stretto:6:25: error: 'v1' has no value here: it is local to one layer of the repeat\n"},
        Case{"repeat 3 as i {\nv = linear(x, dim)\nif i == 0 { v1 = v }\nx = x + 0.5 * v + 0.5 * v1\n}",
             "5:13: note: 'v1' is assigned here; give it a value before the repeat to carry it on"},
        Case{"repeat 2 {\nprev = x\nx = relu(prev - last)\nlast = prev\n}",
             "5:17: error: 'last' has no value here: it is local to one layer of the repeat\n"},
        Case{"repeat 2 { no_fuse { out = relu(x) } x = out }\nx = out",
             "4:5: error: 'out' has no value here: it is local to one layer of the repeat\n"},
        Case{"block b(y) { return y * n }\nrepeat 2 as i { n = i + 1 x = b(x) }",
             "3:25: error: 'n' has no value here: it is local to one layer of the repeat\n"},
        Case{"block b(y) { return y * n }\nblock c(y) { repeat 2 { n = y y = relu(n) } return y }\nx = c(b(x))",
             "3:25: error: unknown name 'n'\n"},
        Case{"repeat 2 as i { x = i * x }\nx = i * x",
             "4:5: error: 'i' has no value here: it is the index of a repeat, which only the body of the repeat has\n"},
        Case{"repeat 2 as i { x = i * x }\nx = i * x", "3:13: note: 'i' counts the layers here"},
        Case{"block b(y) { return y * n }\nrepeat 2 as n { repeat 2 { x = b(x) } }\nx = n * x",
             "5:5: error: 'n' has no value here: it is the index of a repeat, which only the body of the repeat has\n"},
        Case{"x = linear(x, dim // 2,\n init = zeros)",
             "3:19: error: expected ')' after the arguments of 'linear', but got '//', which begins a comment; "
             "floor(a / b) divides ints, rounding down"},
        Case{"x = linear(x, dim // the width,\n init = zeros)", "4:2: error: expected ')'"},
        Case{"x = linear(x, dim, bias = True)", "unknown name 'True'; did you mean 'true'?"},
        Case{"x = x(3)", "'x' is a variable and cannot be called"},
        Case{"block b(y) { return y }\nx = x + b", "'b' is a block or def; call it with (...)"},
        Case{"block b(y) { return y + x }\nx = b(x)", "'x' is a tensor of another function; pass it as an argument"},
        Case{"n = 1\nblock b(y) { return y * n }\nx = b(x)\nn = x\nx = b(x)",
             "4:25: error: 'n' is a tensor of another function; pass it as an argument"},
        Case{"block b(y) { return b(y) }\nx = b(x)", "3:21: error: 'b' may not call itself"},
        Case{"def b(y) = b(y)\nx = b(x)", "'b' may not call itself"},
        Case{"block linear(y) { return y }", "'linear' is a built-in operation; choose another name"},
        Case{"block b(y) { return y }\nblock b(y) { return y }", "'b' is declared twice"},
        Case{"x = x * linear", "3:9: error: 'linear' is a built-in operation; call it with (...)"},
        Case{"if true { block b(y) { return y } }\nx = b(x)", "unknown operation, block or def 'b'"},
        Case{"block b(y) { def f(z) = z return y }\nx = b(x)", "declared in a file or directly in a model"},
        Case{"block b(y) { z = y }\nx = b(x)", "the block 'b' returns nothing"}));

INSTANTIATE_TEST_SUITE_P(
    Habits, Errors,
    testing::Values(
        Case{"block b(y) = y + y\nx = b(x)",
             "expected '{' before the body of 'b', but got '='; a formula without weights is a def"},
        Case{"x += x", "3:3: error: expected '=' after the name 'x' at the start of a statement; write x = x + ..."},
        Case{"for i in range(3) { x = x + x }",
             "3:5: error: expected '=' after the name 'for' at the start of a statement; did you mean 'repeat'?"},
        Case{"x = x * sigmoid(linear(x, 1))", "[batch=2, length=8, 1]; spread(..., 16) repeats one number"},
        Case{"x = x + linear(x, 32)", "but got [batch=2, length=8, dim=16] and [batch=2, length=8, 32]\n"},
        Case{"x = x * sum(x, 4)", "[batch=2, length=8, 4]; spread(..., 16) repeats each of the 4 numbers"},
        Case{"x = parameter(1) * x", "[1] and [batch=2, length=8, dim=16]; spread(..., 16) repeats one number"},
        Case{"if dim = 16 { x = x + x }",
             "3:8: error: expected '{' before the body of 'if', but got '='; '==' compares"},
        Case{"x = canon(x, activation = \"silu\")",
             "an expression, but got '\"silu\"'; a symbol stands without quotes"},
        Case{"x = RMSNorm(x)", "3:5: error: unknown operation, block or def 'RMSNorm'; did you mean 'rms_norm'?"},
        Case{"x = GELU(x)", "did you mean 'gelu'?"}, Case{"x = cat(x, x)", "did you mean 'concat'?"},
        Case{"x = MultiheadAttention(x, x, x, 2)", "did you mean 'softmax_attention'?"},
        Case{"x = torch_rope(x)", "unknown operation, block or def 'torch_rope'; there are batch_mean, canon,"},
        Case{"x = x * abs(x)", "3:9: error: unknown operation, block or def 'abs'; write max(x, -x)"},
        Case{"x = norm(x)", "'norm'; norms are rms_norm, layer_norm and l2_norm\n"},
        Case{"x = GLU(x)", "'GLU'; write a * sigmoid(b) with a, b = split(x)\n"},
        Case{"x = moe(x, 2)", "'moe'; import \"std/mlp.stretto\" for x, load = experts(x, ffn, count), or use "
                              "expert_linear and expert_sum\n"},
        Case{"x = where(1, x, x)",
             "'where'; write h * a + (1 - h) * b with h = heaviside(x), which is 1 where x > 0\n"},
        Case{"x = one_hot(tokens, 32)", "embed(tokens, weight = ...) takes the row of each token from a table\n"},
        Case{"x = logsumexp(x)", "'logsumexp'; import \"std/formulas.stretto\" for log_sum_exp(x)\n"},
        Case{"x = log_softmax(x)", "'log_softmax'; import \"std/formulas.stretto\" for log_softmax(x)\n"},
        Case{"x = swiglu(x, x)", "'swiglu'; import \"std/mlp.stretto\" for swiglu(gate, up)\n"},
        Case{"repeat range(3) { x = x + x }", "'range'; write repeat n as i\n"},
        Case{"repeat i in 3 { x = i * x }",
             "3:8: error: the index of a repeat stands behind its count; write repeat ... as i\n"},
        Case{"at = {A}\nrepeat A in at { x = x + x }", "the count of 'repeat' must be an int, but got a bool (true)"},
        Case{"x = x if dim > 3 else -x", "3:18: error: expected '{' before the body of 'if', but got 'else'; for a "
                                         "value, write if c then a else b\n"},
        Case{"x = x * (x > 0)", "3:9: error: '>' does not take a tensor and an int; heaviside(x) is 1 where x > 0, and "
                                "what 'if' asks is decided when compiling\n"},
        Case{"x = mean(x)", "'mean'; write sum(x) / width(x)"},
        Case{"x = x ** 2", "3:7: error: '**' is not an operator; write square(x), or exp(p * log(x))"},
        Case{"x = x ^ 2", "3:7: error: '^' is not an operator; write square(x)"},
        Case{"x = x[0]", "3:6: error: a tensor has no elements by number; columns are taken by slice(x,"},
        Case{"xs = [x, x]", "3:6: error: there are no lists; concat puts several tensors side by side\n"
                            "    xs = [x, x]\n         ^~~~~~\n"},
        Case{"dims = [16, 32]", "3:8: error: there are no lists; concat puts"},
        Case{"xs = [[x, x], x]", "    xs = [[x, x], x]\n         ^~~~~~~~~~~\n"},
        Case{"w = parameter(2)[0]", "columns are taken by slice(x, offset, width) or split(x, parts)\n"},
        Case{"x = x * (dim // 2)", "3:14: error: expected ')' after an expression, but got '//', which begins a "
                                   "comment; floor(a / b) divides ints, rounding down\n"},
        Case{"x = linear(x, dim // 2)", "expected ')' after the arguments of 'linear', but got '//', which begins"},
        Case{"repeat dim // 8 { x = x + x }", "3:12: error: expected '{' before the body of 'repeat', but got '//'"},
        Case{"n = if dim // 8 > 1 then 1 else 2", "expected 'then' after the condition, but got '//'"},
        Case{"x = lin(x, dim)", "3:5: error: unknown operation, block or def 'lin'; did you mean 'linear'?"},
        Case{"let x = x", "3:5: error: expected '=' after the name 'let' at the start of a statement; variables are "
                          "made by '=' alone, without 'let'"},
        Case{"x = linear(x, 16, use_bias = true)",
             "3:19: error: 'linear' has no parameter 'use_bias'; did you mean 'bias'?"},
        Case{"x = softmax_attention(x, x, x, 2, KVHeads = 1)", "did you mean 'kv_heads'?"},
        Case{"x = gelu(x, kernel_size = 1)", "'gelu' has no parameter 'kernel_size'; it takes x"},
        Case{"x = linear(x, 16, activation = silu)",
             "'linear' has no parameter 'activation'; apply it to the result, as in silu(linear(x, width))\n"},
        Case{"x = softmax_attention(x, x, x, 2, scale = 0.5)",
             "'softmax_attention' has no parameter 'scale'; write scale * sqrt(head_dim) * q in place of q\n"},
        Case{"x = softmax_attention(x, x, x, 2, soft_cap = 30)",
             "'softmax_attention' has no parameter 'soft_cap'; did you mean 'cap'?\n"},
        Case{"x = softmax_attention(x, x, x, 2, dropout = 0.1)",
             "'softmax_attention' has no parameter 'dropout'; it takes q, k, v, heads, kv_heads, causal, window, "
             "alibi, sinks, cap"}));

INSTANTIATE_TEST_SUITE_P(
    Arguments, Errors,
    testing::Values(
        Case{"block b(y, n: int) { return y }\nx = b(x)", "4:5: error: 'b' needs the argument 'n'"},
        Case{"block b(y) { return y }\nx = b(x, 2)", "'b' takes 1 argument, but got more"},
        Case{"block b(y, size = 1) { return y }\nx = b(x, sise = 2)",
             "'b' has no parameter 'sise'; did you mean 'size'?"},
        Case{"block b(y, n: int) { return y }\nx = b(x, 1.5)", "'n' is an int, but got a float (1.5)"},
        Case{"block b(y, k: {u, v}) { return y }\nx = b(x, w)", "'k' takes u, v, but got 'w'"},
        Case{"block b(y) { return y }\nx = b(x, y = x)", "the argument 'y' is given twice"},
        Case{"x = canon(x, kernal = 3)", "'canon' has no parameter 'kernal'; did you mean 'kernel'?"},
        Case{"x = canon(x, kernel = 5)", "'kernel' of 'canon' must be between 2 and 4, but got 5"},
        Case{"x = canon(x, activation = relu)", "'activation' of 'canon' is one of none, silu, but got 'relu'"},
        Case{"x = canon(x, activation = if dim > 8 then relu else none)",
             "3:27: error: 'activation' of 'canon' is one of none, silu, but got 'relu'"},
        Case{"block b(y, k: {u, v}) { return y }\nx = b(x, if dim > 8 then w else u)", "'k' takes u, v, but got 'w'"},
        Case{"x = linear()", "'linear' needs the argument 'x'"},
        Case{"x = linear(x)", "'linear' needs a width, or a weight"},
        Case{"x = linear(x, weight = parameter(16, 16), init = ones)",
             "3:50: error: 'linear' takes init only without a weight; give it to the parameter that is the weight"},
        Case{"x = embed(tokens, weight = parameter(32, 16), init = ones)", "'embed' takes init only without a weight"},
        Case{"x = linear(x, 16, bias_init = ones)", "'linear' takes bias_init only with bias"},
        Case{"x = canon(x, bias_init = ones)", "'canon' takes bias_init only with bias"},
        Case{"x = linear(x, -3)", "3:15: error: 'width' of 'linear' must be at least 1, but got -3"},
        Case{"x = embed(tokens, 0, dim)", "3:19: error: 'vocabulary' of 'embed' must be at least 1, but got 0"},
        Case{"x = x * parameter(0)", "a dimension of a weight is at least 1, but got [0]"},
        Case{"x = linear(x, 16, init = zeros())",
             "3:26: error: 'zeros' is an initializer without arguments; write it without (...)"},
        Case{"x = linear(x, 16, bias = 1)", "'bias' of 'linear' must be true or false, but got an int (1)"},
        Case{"x = linear(x, 16, init = 0.1)",
             "must be an initializer such as normal(0.02) or zeros, but got a float (0.1)"},
        Case{"x = linear(x, 16, init = normal(0 - 1))", "'normal' takes numbers of at least 0, but got -1.0"},
        Case{"x = linear(tokens, 16)",
             "must be [batch, length, width], but got tokens [batch=2, length=8]; use embed(tokens, ...) first"},
        Case{"x = linear(3, 16)", "'x' of 'linear' must be a tensor, but got an int (3)"},
        Case{"x = embed(x, vocab, dim)", "'tokens' of 'embed' must be the tokens of the model, or positions()"},
        Case{"x = embed(tokens, 16, dim)",
             "the table must have a row for each of the 32 tokens of the task, but got [16, dim=16]"},
        Case{"x = embed(tokens)", "'embed' needs a vocabulary and a width, or a weight"},
        Case{"x = embed(positions())", "'embed' of positions needs a width, or a weight"},
        Case{"x = embed(positions(), 7, dim)",
             "the table must have a row for each of the 8 positions of a sequence, but got [7, dim=16]"},
        Case{"x = linear(positions(), 16)",
             "must be [batch, length, width], but got positions [batch=2, length=8]; use "
             "embed(positions(), ...) first"},
        Case{"x = x + positions()", "positions are not numbers; use embed(positions(), ...) first"},
        Case{"x = shift(x, -1)", "'steps' of 'shift' must be between 0 and 8, but got -1"},
        Case{"x = min(x)", "'min' needs at least two arguments"},
        Case{"x = parameter(1, 2, 3, 4)", "a weight has at most 3 dimensions, but got 4"},
        Case{"x = relu(x, x)", "'relu' takes at most 1 argument, but got more"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, Errors,
    testing::Values(
        Case{"x = x + linear(x, 24)", "3:5: error: the operands of 'add' must have the same shape, but got [batch=2, "
                                      "length=8, dim=16] and [batch=2, length=8, 24]"},
        Case{"ffn = 24\nx = x * linear(x, ffn)", "and [batch=2, length=8, ffn=24]"},
        Case{"ffn = 24\nx = x * linear(x, ffn)", "m.stretto:3:7: note: 'ffn' gets its value here"},
        Case{"x = x + tokens", "tokens are not numbers; use embed(tokens, ...) first"},
        Case{"w = parameter(8)\nx = x * w",
             "the operands of 'mul' must have the same shape, but got [batch=2, length=8, dim=16] and [8]"},
        Case{"w = parameter(8, 8)\nx = linear(x, weight = w)",
             "'weight' of 'linear' must be a weight [width, 16], but got [8, 8]"},
        Case{"w = parameter(24, 16)\nx = linear(x, 8, weight = w)",
             "'weight' of 'linear' must be a weight [8, 16], but got [24, 16]"},
        Case{"w = parameter(16, 24)\nx = embed(tokens, width = 8, weight = w)",
             "'weight' of 'embed' must be a weight [vocabulary, 8], but got [16, 24]"},
        Case{"x = x * -1e300", "3:5: error: tensors of this model hold numbers up to 3.40e+38, but got -1e+300"},
        Case{"x = rms_norm(x, eps = 1e39)", "3:23: error: tensors of this model hold numbers up to 3.40e+38"},
        Case{"x = rms_norm(x, eps = 1e-46)",
             "3:23: error: tensors of this model hold numbers from 1.40e-45, but got 1e-46"},
        Case{"x = x * parameter(16, init = constant(1e39))", "3:39: error: tensors of this model hold numbers up to"},
        Case{"x = x / 0", "3:5: error: division by zero"}, Case{"x = x / (1.0 - 1)", "3:5: error: division by zero"},
        Case{"x = rms_norm(x, eps = -1.0)", "3:23: error: eps must be at least 0, but got -1.0"},
        Case{"x = l2_norm(x, eps = -1)", "3:22: error: eps must be at least 0, but got -1.0"},
        Case{"x = layer_norm(x, eps = -1e-9)", "error: eps must be at least 0, but got -1e-09"},
        Case{"x = rms_norm(x, heads = 3)", "heads must divide the width of [batch=2, length=8, dim=16], but got 3"},
        Case{"x = rotary(x, heads = 3)", "heads must divide the width of [batch=2, length=8, dim=16], but got 3"},
        Case{"x, y = rotary(x, linear(x, 8), heads = 4)",
             "3:40: error: with heads, all arguments of 'rotary' must have one width, but got [batch=2, length=8, "
             "dim=16] and [batch=2, length=8, 8]; give head_dim instead, the width of a head"},
        Case{"x = rotary(x)", "'rotary' needs either heads or head_dim"},
        Case{"x = rotary(linear(x, 30), heads = 2)",
             "3:35: error: each head must have an even number of columns, but got [batch=2, length=8, 30] with 2 heads "
             "of 15\n"},
        Case{"h = 15\nx = rotary(linear(x, 30), head_dim = h)", "m.stretto:3:5: note: 'h' gets its value here"},
        Case{"x = rotary(x, head_dim = 3)", "head_dim must divide the width of [batch=2, length=8, dim=16], but got 3"},
        Case{"x = rotary(x, heads = 4, fraction = 0.25)",
             "fraction must give an even number of the 4 columns of a head, but got 0.25"},
        Case{"x = rotary(x, heads = 4, fraction = 1.5)",
             "fraction must give an even number of the 4 columns of a head, but got 1.5"},
        Case{"x = rotary(x, heads = 4, fraction = -0.5)",
             "fraction must give an even number of the 4 columns of a head, but got -0.5"},
        Case{"x = rotary(x, heads = 4, head_fraction = 0.3)",
             "head_fraction must give a whole number of the 4 heads, but got 0.3"},
        Case{"x = rotary(x, heads = 4, theta = 0)", "theta must be positive, but got 0"},
        Case{"x = softmax_attention(x, x, x, 4, 3)", "kv_heads must divide heads, but got 3 and 4"},
        Case{"x = softmax_attention(x, x, x, 4, 2)", "q must be heads and k kv_heads times as wide as one head"},
        Case{"x = softmax_attention(x, x, linear(x, 9), 4)",
             "the width of v must be a multiple of its 4 heads, but got "},
        Case{"x = softmax_attention(x, x, x, 4, window = -1)",
             "'window' of 'softmax_attention' must be at least 0, but got -1"},
        Case{"x = softmax_attention(x, x, x, 4, causal = false, window = 3)",
             "'softmax_attention' takes window only with causal = true, but got window = 3 and causal = false"},
        Case{"x = softmax_attention(x, x, x, 4, causal = false, alibi = true)",
             "'softmax_attention' takes alibi only with causal = true, but got alibi = true and causal = false"},
        Case{"x = softmax_attention(x, x, x, 4, sinks = parameter(16))",
             "sinks must be a weight [4], a number for each head, but got "},
        Case{"x = softmax_attention(x, x, x, 4, cap = -30)",
             "cap must be 0, which is for none, or between 1e-30 and 1e30, but got -30"},
        Case{"x = softmax_attention(x, x, x, 4, cap = 3e38)", "between 1e-30 and 1e30, but got 3e+38"},
        Case{"x = softmax_attention(x, x, x, 16, sinks = x)", "sinks must be a weight [16], a number for each head, "},
        Case{"repeat 2 { x = linear(x, 24) }", "'x' must keep its shape from one iteration to the next, but changes "
                                               "from [batch=2, length=8, dim=16] to [batch=2, length=8, 24]"},
        Case{"repeat 2 { x = 3 }", "'x' must stay of one kind in a repeat"},
        Case{"repeat 2 { y = relu(x) }", "a repeat must change a tensor or a number that exists before it"},
        Case{"repeat 2 { n = 3 }", "a repeat must change a tensor or a number that exists before it"},
        Case{"n = 1\nrepeat 2 { n = n + 1 y = relu(x) }", "a repeat must change a tensor or a number"},
        Case{"repeat 2 { return x }", "'return' may not stand in a repeat"},
        Case{"repeat 5000 { x = relu(x) }", "a repeat runs 0 to 4096 times, but got 5000"},
        Case{"x = linear(x, 1000000000000)", "a weight has at most 2^40 elements, but got [1000000000000, dim=16]"},
        Case{"a, b = relu(x)", "2 variables take 2 values, but got 1"},
        Case{"a = canon(x, x)", "1 variable takes 1 value, but got 2"},
        Case{"a = relu(x) + canon(x, x)", "one value is expected here, but 'canon' gives 2"},
        Case{"a, a = x, x", "'a' is assigned twice in one statement"}));

INSTANTIATE_TEST_SUITE_P(
    Mixers, Errors,
    testing::Values(
        Case{"x = linear_attention(x, parameter(16), x, 4)",
             "3:25: error: 'k' of 'linear_attention' must be [batch, length, width], but got a weight [16]"},
        Case{"x = linear_attention(x, x, x, 4, beta = parameter(4, 4))",
             "3:41: error: 'beta' of 'linear_attention' must be [batch, length, width] or a weight [width], but got a "
             "weight [4, 4]"},
        Case{"x = linear_attention(x, x, x, 4, beta = parameter(5))",
             "3:41: error: 'beta' of 'linear_attention' must have width 4 (one per head), but got [5]"},
        Case{"y = linear(x, 64)\nx = linear_attention(y, y, linear(x, 1048576), 1048576, 1, erase = "
             "parameter(67108864))",
             "a row has at most 2^24 columns, but got [batch=2, length=8, 67108864]"},
        Case{"x = linear_attention(x, x, x, 4, decay = parameter(4, 4))",
             "3:42: error: 'decay' of 'linear_attention' must be [batch, length, width] or a weight [width], but got a "
             "weight [4, 4]"},
        Case{"x = linear_attention(x, x, x, 4, decay = tokens)",
             "or a weight [width], but got tokens [batch=2, length=8]; use embed(tokens, ...) first"},
        Case{"x = linear_attention(x, x, x, 0)", "'heads' of 'linear_attention' must be at least 1, but got 0"},
        Case{"x = linear_attention(x, x, x, 4, 0)", "'key_heads' of 'linear_attention' must be at least 1, but got 0"},
        Case{"x = linear_attention(x, linear(x, 8), x, 4)",
             "q and k must have the same shape, but got [batch=2, length=8, dim=16] and [batch=2, length=8, 8]"},
        Case{"x = linear_attention(x, x, x, 4, 3)", "3:34: error: key_heads must divide heads, but got 3 and 4"},
        Case{"y = linear(x, 10)\nx = linear_attention(y, y, x, 4)",
             "4:31: error: heads must divide the width of q [batch=2, length=8, 10], but got 4"},
        Case{"y = linear(x, 9)\nx = linear_attention(y, y, x, 4, 2)",
             "4:34: error: key_heads must divide the width of q [batch=2, length=8, 9], but got 2"},
        Case{"h = 4\nx = linear_attention(x, x, linear(x, 18), h)",
             "4:43: error: heads must divide the width of v [batch=2, length=8, 18], but got 4"},
        Case{"h = 4\nx = linear_attention(x, x, linear(x, 18), h)", "m.stretto:3:5: note: 'h' gets its value here"},
        Case{"y = linear(x, 65536)\nx = linear_attention(y, y, y, 1)",
             "the state of 'linear_attention' must have at most 2147483648 numbers, but got 1 heads of 65536 x 65536"},
        Case{"x = linear_attention(x, x, x, 4, decay = linear(x, 5))",
             "3:42: error: 'decay' of 'linear_attention' must have width 4 (one per head) or 16 (one per key column of "
             "each head), but got [batch=2, length=8, 5]"},
        Case{"x = linear_attention(x, x, x, 4, decay = parameter(5))",
             "or 16 (one per key column of each head), but got [5]"},
        Case{"x = linear_attention(x, x, x, 16, decay = linear(x, 4))",
             "'decay' of 'linear_attention' must have width 16 (one per head), but got [batch=2, length=8, 4]"},
        Case{"x = linear_attention(x, x, x, 4, write = x)",
             "'write' of 'linear_attention' must have width 4 (one per head), but got [batch=2, length=8, dim=16]"},
        Case{"x = linear_attention(x, x, x, 4, beta = x)",
             "'beta' of 'linear_attention' must have width 4 (one per head), but got [batch=2, length=8, dim=16]"},
        Case{"x = linear_attention(x, x, x, 4, 1, erase = x)",
             "'erase' of 'linear_attention' must have width 64 (one per key column of each head), but got [batch=2, "
             "length=8, dim=16]"},
        Case{"x = linear_attention(x, x, x, 4, erase = x, erase_write = linear(x, 4))",
             "'erase_write' of 'linear_attention' must have width 16 (one per key column of each head), but got "
             "[batch=2, length=8, 4]"},
        Case{"b = linear(x, 4)\nx = linear_attention(x, x, x, 4, beta = b, write = b)",
             "4:52: error: 'linear_attention' takes either beta or write, but got both"},
        Case{"b = linear(x, 4)\nx = linear_attention(x, x, x, 4, beta = b, erase = x)",
             "'linear_attention' takes either beta or erase, but got both"},
        Case{"b = linear(x, 4)\nx = linear_attention(x, x, x, 4, beta = b, erase_write = x)",
             "'linear_attention' takes either beta or erase_write, but got both"},
        Case{"x = linear_attention(x, x, x, 4, erase_write = x)",
             "3:48: error: 'linear_attention' takes erase_write only with erase"},
        Case{"x = linear_attention(x, x, x, 4, read = before)",
             "3:41: error: 'linear_attention' takes read = before only with beta or erase"},
        Case{"x = linear_attention(x, x, x, 4, erase = x, read = now)",
             "'read' of 'linear_attention' is one of after, before, but got 'now'"},
        Case{"x = linear_attention(x, x, x, 4, scale = true)",
             "'scale' of 'linear_attention' must be a number, but got a bool (true)"}));

INSTANTIATE_TEST_SUITE_P(
    Experts, Errors,
    testing::Values(Case{"x = expert_linear(x, parameter(4), 16)",
                         "'gates' of 'expert_linear' must be [batch, length, width], but got a weight [4]"},
                    Case{"y = expert_linear(x, x, 4, 2)\nz = canon(silu(y)) * y\nx = expert_sum(z, x, 16)",
                         "m.stretto:5:5: error: 'expert_sum' must take as many experts as 'expert_linear' made its "
                         "parts for, 2, but got chosen = 1"},
                    Case{"y = expert_linear(x, x, 4, 2)\nx = expert_sum(y, x, 16, 4)",
                         "m.stretto:3:5: note: the parts are made here"},
                    Case{"x = expert_sum(expert_linear(x, x, 4, weight = parameter(64, 16), init = ones), x, 16)",
                         "'expert_linear' takes init only without a weight"},
                    Case{"x = expert_linear(parameter(16), x, 16)",
                         "'x' of 'expert_linear' must be [batch, length, width], but got a weight [16]"},
                    Case{"x = expert_linear(x, x, 0)", "'width' of 'expert_linear' must be at least 1, but got 0"},
                    Case{"x = expert_linear(x, linear(x, 4), 4611686018427387904)",
                         "a weight has at most 2^40 elements, but got [9223372036854775807, dim=16]"},
                    Case{"x = expert_sum(x, linear(x, 4), 16, 5)",
                         "'chosen' of 'expert_sum' must be between 1 and 4, but got 5"},
                    Case{"x = expert_sum(x, linear(x, 4), 16, 3)",
                         "3:37: error: chosen must divide the width of [batch=2, length=8, dim=16], but got 3"},
                    Case{"x = expert_sum(x, linear(x, 4), 16, 2, weight = parameter(64, 16))",
                         "3:49: error: 'weight' of 'expert_sum' must be a weight [64, 8], the width for each expert, "
                         "but got [64, 16]"},
                    Case{"x = expert_linear(x, linear(x, 4), weight = parameter(64, 16))",
                         "'expert_linear' needs the argument 'width'"}));

INSTANTIATE_TEST_SUITE_P(
    Columns, Errors,
    testing::Values(
        Case{"x = l2_norm(x, 3)", "3:16: error: heads must divide the width of [batch=2, length=8, dim=16], but got 3"},
        Case{"x = softmax(x, 3)", "3:16: error: heads must divide the width of [batch=2, length=8, dim=16], but got 3"},
        Case{"x = keep_top(x, 5, heads = 4)", "'count' of 'keep_top' must be between 1 and 4, but got 5"},
        Case{"x = keep_top(linear(x, 64), 17)", "'count' of 'keep_top' must be between 1 and 16, but got 17"},
        Case{"x = keep_top(x, 1, heads = 5)", "heads must divide the width of [batch=2, length=8, dim=16], but got 5"},
        Case{"x = x * heaviside(tokens)", "tokens are not numbers; use embed(tokens, ...) first"},
        Case{"x = x * batch_mean(parameter(16))",
             "'x' of 'batch_mean' must be [batch, length, width], but got a weight [16]"},
        Case{"x = x * stop_gradient(tokens)",
             "'x' of 'stop_gradient' must be [batch, length, width] or a weight, but got tokens ["},
        Case{"x = detach(x)", "unknown operation, block or def 'detach'; did you mean 'stop_gradient'?"},
        Case{"x = x * full(0, 1)", "3:14: error: 'width' of 'full' must be at least 1, but got 0"},
        Case{"x = x * full(8, 1)", "the operands of 'mul' must have the same shape, but got"},
        Case{"x = top_k(x, 2)", "unknown operation, block or def 'top_k'; did you mean 'keep_top'?"},
        Case{"x = x * spread(sum(x, 5), 16)", "heads must divide the width of [batch=2, length=8, dim=16], but got 5"},
        Case{"x = sum(x, heads = 0)", "'heads' of 'sum' must be at least 1, but got 0"},
        Case{"x = x * shift(parameter(16), 1)", "'x' of 'shift' must be [batch, length, width], but got a weight [16]; "
                                                "full(16, 0) + ... has it at each position\n"},
        Case{"x = x * sum(parameter(16), heads = 5)", "heads must divide the width of [16], but got 5"},
        Case{"x = x * sum(tokens)", "'x' of 'sum' must be [batch, length, width] or a weight, but got tokens ["},
        Case{"x = x * keep_top(parameter(16), 17)", "'count' of 'keep_top' must be between 1 and 16, but got 17"},
        Case{"x = x * rms_norm(parameter(16), heads = 3)", "heads must divide the width of [16], but got 3"},
        Case{"x = concat(x, parameter(2, 16))",
             "3:5: error: the parts of 'concat' must agree in all but their width, but got [batch=2, length=8, dim=16] "
             "and a weight [2, 16]"},
        Case{"x = linear(x, weight = concat(parameter(16, 8), parameter(8, 8)))",
             "3:24: error: the parts of 'concat' must agree in all but their width, but got a weight [16, 8] and a "
             "weight [8, 8]"},
        Case{"x = concat(x, parameter(33554432))",
             "a row has at most 2^24 columns, but got [batch=2, length=8, 33554432]"},
        Case{"a, b, c = split(x, 3)\nx = a * b * c",
             "3:20: error: parts must divide the width of [batch=2, length=8, dim=16], but got 3"},
        Case{"x = concat(x, linear(x, 9), heads = 4)",
             "3:37: error: heads must divide the width of [batch=2, length=8, 9], but got 4"},
        Case{"h = 4\nx = concat(x, linear(x, 9), heads = h)", "m.stretto:3:5: note: 'h' gets its value here"},
        Case{"x = concat(x, heads = 0)", "'heads' of 'concat' must be at least 1, but got 0"},
        Case{"a, b, c = split(x, 3, heads = 2)\nx = a * b * c",
             "parts must divide the width of [batch=2, length=8, dim=16], of each head, but got 3"},
        Case{"x = slice(x, 3, 6, heads = 2)",
             "offset + width must be at most the width of [batch=2, length=8, dim=16], of each head, but got 3 and 6"},
        Case{"x = tile(x, 1600000000000)", "a model has at most 10000 operations when its calls are written out"},
        Case{"x = tile(x, 24)", "width must be a multiple of the width of [batch=2, length=8, dim=16], but got 24"},
        Case{"a = split(x, 0)", "'parts' of 'split' must be at least 1, but got 0"},
        Case{"x = split(x)", "3:1: error: 1 variable takes 1 value, but got 2"},
        Case{"x = x * split(parameter(16), 3)", "parts must divide the width of [16], but got 3"},
        Case{"x = slice(x, 12, 5)",
             "3:5: error: offset + width must be at most the width of [batch=2, length=8, dim=16], but got 12 and 5"},
        Case{"wide = 17\nx = slice(x, 0, wide)", "m.stretto:3:8: note: 'wide' gets its value here"},
        Case{"x = slice(x, -1, 5)", "'offset' of 'slice' must be at least 0, but got -1"},
        Case{"x = slice(x, 0, 0)", "'width' of 'slice' must be at least 1, but got 0"},
        Case{"x = x * slice(parameter(16), 8, 16)",
             "offset + width must be at most the width of [16], but got 8 and 16"},
        Case{"x = spread(x, 24)",
             "3:15: error: width must be a multiple of the width of [batch=2, length=8, dim=16], but got 24"},
        Case{"wide = 10\nx = x * spread(parameter(4), wide)",
             "4:30: error: width must be a multiple of the width of [4], but got 10"},
        Case{"wide = 10\nx = x * spread(parameter(4), wide)", "m.stretto:3:8: note: 'wide' gets its value here"},
        Case{"x = spread(x, 0)", "'width' of 'spread' must be at least 1, but got 0"},
        Case{"x = x * spread(parameter(2, 2), 16)",
             "the operands of 'mul' must have the same shape, but got [batch=2, length=8, dim=16] and [2, 16]"},
        Case{"x = x * spread(tokens, 16)", "but got tokens [batch=2, length=8]; use embed(tokens, ...) first"},
        Case{"x = x * numbers(0)", "3:17: error: 'n' of 'numbers' must be at least 1, but got 0"},
        Case{"x = x * numbers(8)",
             "the operands of 'mul' must have the same shape, but got [batch=2, length=8, dim=16] and [8]"},
        Case{"x = linear(x, 16, init = log_of_uniform(2, 2))",
             "'log_of_uniform' takes numbers 0 <= low < high, but got 2.0 and 2.0"},
        Case{"x = linear(x, 16, init = log_of_uniform(-1, 2))",
             "'log_of_uniform' takes numbers 0 <= low < high, but got -1.0 and 2.0"},
        Case{"x = linear(x, 16, init = step_bias(0, 1))",
             "3:26: error: 'step_bias' takes numbers 0 < low < high, but got 0.0 and 1.0"},
        Case{"x = linear(x, 16, init = step_bias(0.1, 0.001))",
             "'step_bias' takes numbers 0 < low < high, but got 0.1 and 0.001"},
        Case{"x = linear(x, 16, init = truncated_normal(0.02, bound = 1e-9))",
             "3:57: error: bound must be at least 0.01, but got 1e-09"},
        Case{"x = linear(x, 16, init = truncated_normal(0.02, -3))", "bound must be at least 0.01, but got -3.0"},
        Case{"x = linear(x, 16, init = step_bias(0.1))", "'step_bias' needs the argument 'high'"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, Errors,
    testing::Values(
        Case{"def f(y, n = 1) = y * n\nx = f(x, 1 / 4)",
             "the division must be exact for the int 'n', but '1 / 4' is 0.25"},
        Case{"def f(y, n = y) = y * n\nx = f(x, 1 / 4)", "the division must be exact, but '1 / 4' is 0.25"},
        Case{"n = 8 * dim / 3", "3:5: error: the division must be exact, but '8 * dim / 3' is 42.6666666666667; write "
                                "8.0 * dim / 3 for a float, floor(8 * dim / 3), or floor_to(8 * dim / 3, 8)"},
        Case{"n = dim / 3", "write 1.0 * dim / 3 for a float, floor(dim / 3)"},
        Case{"x = linear(x, dim / 3)", "; write floor(dim / 3), or floor_to(dim / 3, 8)"},
        Case{"n = 1 / 0", "division by zero"}, Case{"n = 9223372036854775807 + 1", "the result does not fit an int"},
        Case{"n = 4000000000 * 4000000000", "the result does not fit an int"},
        Case{"n = floor(1 / 4000000000 * 1 / 4000000000)", "the result does not fit an int"},
        Case{"n = floor(1e300)", "the result does not fit an int"},
        Case{"n = ceil_to(-1e19, 8)", "the result does not fit an int"},
        Case{"n = 1e300 * 1e300", "the result is not a finite float"},
        Case{"n = log(0 - 1)", "'log' of -1 is not a finite float"},
        Case{"n = 5 % 0", "'%' takes an int and a positive int, but got 5 and 0"},
        Case{"n = floor_to(8, 0)", "'floor_to' takes a number, and a positive multiple, but got an int (0)"},
        Case{"n = true + 1", "'+' does not take a bool and an int"},
        Case{"n = x < x", "'<' does not take a tensor and a tensor"},
        Case{"n = -true", "'-' takes a number or a tensor, but got a bool"},
        Case{"n = not 3", "the operand of 'not' must be true or false, but got an int (3)"},
        Case{"n = 1 and true", "the left side of 'and' must be true or false"},
        Case{"if dim { x = relu(x) }", "a condition must be true or false, but got an int (16)"},
        Case{"if C in {A, B} { x = x + x }", "3:4: error: unknown name 'C'\n"},
        Case{"model m(at = {A, B}) {\nif C in at { return tokens }\nreturn tokens }",
             "2:4: error: 'at' takes A, B, but got 'C'; a parameter of type set {A, B, C} takes it, too\n"},
        Case{"model m(at = {A, B}) {\nif a in at { return tokens }\nreturn tokens }",
             "2:4: error: 'at' takes A, B, but got 'a'; did you mean 'A'?\n"},
        Case{"model m(kind: {A, B} = A, at = {A, B}) {\nif knd in at { return tokens }\nreturn tokens }",
             "2:4: error: unknown name 'knd'; did you mean 'kind'?\n"},
        Case{"model m(at = {A, B}) {\nx = embed(tokens, 8)\nrepeat 2 { kind = A x = x + x }\n"
             "if kind in at { x = x + x }\nreturn linear(x, vocab) }",
             "4:4: error: 'kind' has no value here: it is local to one layer of the repeat\n"},
        Case{"n = 3 in {A}", "'in' takes a symbol and a set, but got an int and a set"},
        Case{"require dim % 3 == 0", "3:9: error: required: dim % 3 == 0"},
        Case{"require if dim > 3 then dim < 5 else true", "note: 'dim' is 16"},
        Case{"require dim % 3 == 0", "note: 'dim' is 16"},
        Case{"model m(vocab: int) {\n  x = embed(tokens, vocab, 3)\n  return x, linear(x, 1)\n}",
             "3:3: error: the model must return a logit for each"},
        Case{"def f(y) = linear(y, dim)\nx = f(x)", "a def makes no weights; declare 'f' as a block"},
        Case{"block b(y, c) { if c == u { return y } return y }\nblock d(y, c: {u, v}) { return b(y, c) }\nx = d(x, w)",
             "'c' takes u, v, but got 'w'"}));

INSTANTIATE_TEST_SUITE_P(
    Models, Errors,
    testing::Values(
        Case{"// no model here\nblock b(x) { return x }", "the file declares no model"},
        Case{"model a { } model b { }",
             "the file declares several models: say which one to compile, by --model a or --model b"},
        Case{"model m(vocab: int) { x = embed(tokens, vocab, 8) }", "the model 'm' returns nothing"},
        Case{"model m(vocab: int) { return embed(tokens, vocab, 8) }",
             "the model must return a logit for each of the 32 tokens of the task, but returns [batch=2, length=8, 8]"},
        Case{"model m(vocab: int) { x = embed(tokens, vocab, 8) return x, x, x }",
             "1:51: error: a model must return logits, and perhaps what is added to the loss of each token, but "
             "returns 3 "
             "tensors"},
        Case{"model m(vocab: int) { x = embed(tokens, vocab, 40) return x, slice(x, 0, 2) }",
             "1:52: error: what is added to the loss must be a number for each token, [batch, length, 1], but got "
             "[batch=2, length=8, 2]"},
        Case{"model m(vocab: int) { x = embed(tokens, vocab, 40) return x, batch_mean(slice(x, 0, 1)) }",
             "what is added to the loss must be a number for each token, [batch, length, 1], but got a weight [1]"},
        Case{"model m(vocab: int) {\nshared block s(x, n: int) { return linear(linear(x, n), 40) }\n"
             "x = embed(tokens, vocab, 40)\nrepeat 2 { x = s(x, 3) }\nreturn s(x, 4) }",
             "5:8: error: all calls of the shared block 's' have the same weights, but 'linear.weight' is [n=4, 40] "
             "here "
             "and [n=3, 40] in a call before"},
        Case{
            "model m(vocab: int) {\nshared block s(x) { return linear(x, 8) }\nblock g(x) {\nreturn s(linear(x, 4)) }\n"
            "x = s(embed(tokens, vocab, 8))\nreturn linear(g(x), vocab) }",
            "4:8: error: all calls of the shared block 's' have the same weights, but 'linear.weight' is [8, 4] here "
            "and [8, 8] in a call before"},
        Case{
            "model m(vocab: int) {\nshared block s(x, w = parameter(8, 8)) { return linear(x, weight = w) }\n"
            "return s(embed(tokens, vocab, 8)) }",
            "2:23: error: the default of a parameter of a shared block makes no weights: each call would have its own; "
            "make them in the block"},
        Case{
            "model m(vocab: int) {\nshared block s(x, b: float) { return linear(x, 8, init = normal(b)) }\n"
            "x = s(s(embed(tokens, vocab, 8), 0.1), 0.2)\nreturn linear(x, vocab) }",
            "3:5: error: all calls of the shared block 's' have the same weights, but 'linear.weight' begins otherwise "
            "here, or is frozen otherwise, than in a call before"},
        Case{"model m(vocab: int) {\nshared block s(x) { return linear(x, 8) }\ndef twice(x) = s(s(x))\n"
             "x = s(embed(tokens, vocab, 8))\nreturn linear(twice(x), vocab) }",
             "3:18: error: a def makes no weights, but 's' has some; declare it as a block"},
        Case{"shared model m(vocab: int) { return tokens }",
             "1:8: error: expected 'block' after 'shared', but got 'model'"},
        Case{"model m(vocab: int, n = 8) { x = embed(tokens, vocab, n) return linear(x, vocab), next_token_loss(x) }",
             "1:99: error: 'logits' of 'next_token_loss' must have a column for each of the 32 tokens of the task, "
             "but got [batch=2, length=8, "
             "n=8]"},
        Case{"model m(vocab: int) { return 3 }", "'return' takes tensors, but got an int (3)"},
        Case{"model m(dim: int) { return tokens }", "the parameter 'dim' has no default; set it with --set dim=..."},
        Case{"model m(dim = 1, dim = 2) { return tokens }", "the parameter 'dim' is declared twice"},
        Case{"model m(tokens = 1) { return tokens }", "'tokens' is the input of the model; choose another name"},
        Case{"model m(n: int = 7 / 2) { return tokens }",
             "the division must be exact for the int 'n', but '7 / 2' is 3.5"},
        Case{"model m(c: {u, v} = w) { return tokens }", "unknown name 'w'"},
        Case{"model m(vocab: int) { return tokens }",
             "1:23: error: a model must return logits [batch, length, vocabulary], but got tokens [batch=2, length=8]"},
        Case{"import \"\"\nmodel m(vocab: int) { return tokens }",
             "1:8: error: 'import' must name a file, but got \"\""}));

} // namespace
