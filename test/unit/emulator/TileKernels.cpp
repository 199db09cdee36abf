//===- TileKernels.cpp - CUDA kernels of matmuls of warps, as text -------===//
#include "TileKernels.h"

#include "Kernels.h"

#include <vector>

using namespace stretto;
using namespace stretto::test;

using Names = std::vector<std::string>;

/// `text` with the number in place of each $.
static std::string numbered(const std::string &text, int number) {
  std::string result;
  for (char c : text)
    result += c == '$' ? std::to_string(number) : std::string(1, c);
  return result;
}

static std::string list(const Names &names) {
  std::string text;
  for (const std::string &name : names)
    text += (text.empty() ? "%" : ", %") + name;
  return text;
}

/// A struct of so many values of a type; the type itself for one.
static std::string group(size_t count, const std::string &type) {
  std::string types = type;
  for (size_t i = 1; i < count; ++i)
    types += ", " + type;
  return count == 1 ? type : "!llvm.struct<(" + types + ")>";
}

/// The values of a struct, as `name`0, `name`1, ...
static std::string extract(const std::string &name, const std::string &from, size_t count, const std::string &type) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    std::string n = std::to_string(i);
    text += "    %" + name + n + " = llvm.extractvalue %" + from + "[" + n + "] : " + group(count, type) + "\n";
  }
  return text;
}

/// `name`0 ...: a register of each of `count` matrices; `row` points to the lane's row.
static std::string loadMatrices(const std::string &name, const std::string &row, size_t count, bool transposed) {
  std::string layout = transposed ? "col" : "row", all = count == 1 ? name + "0" : name;
  std::string text = "    %" + all + " = nvvm.ldmatrix %" + row + " {num = " + std::to_string(count) +
                     " : i32, layout = #nvvm.mma_layout<" + layout +
                     ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
                     "(!llvm.ptr<3>) -> " +
                     group(count, "i32") + "\n";
  return count == 1 ? text : text + extract(name, name, count, "i32");
}

/// `name`0 ...: c + a b. `shape`: "m = 16, n = 8, k = 16"; `type` of the factors: "bf16".
static std::string multiply(const std::string &name, const Names &a, const Names &b, const Names &c,
                            const std::string &shape, const std::string &type) {
  bool isDouble = type == "f64";
  std::string factor = isDouble ? "f64" : "i32", sum = isDouble ? "f64" : "f32";
  return "    %" + name + " = nvvm.mma.sync A[" + list(a) + "] B[" + list(b) + "] C[" + list(c) +
         "] {layoutA = #nvvm.mma_layout<row>, layoutB = #nvvm.mma_layout<col>, multiplicandAPtxType = #nvvm.mma_type<" +
         type + ">, multiplicandBPtxType = #nvvm.mma_type<" + type + ">, shape = #nvvm.shape<" + shape + ">} : (" +
         factor + ", " + factor + ", " + sum + ") -> " + group(c.size(), sum) + "\n" +
         extract(name, name, c.size(), sum);
}

/// The places of a lane: %g, %t, %row (of 16) and %half (of 32 bytes).
static const std::string laneText = R"(
    %i2 = llvm.mlir.constant(2 : i32) : i32
    %i3 = llvm.mlir.constant(3 : i32) : i32
    %i4 = llvm.mlir.constant(4 : i32) : i32
    %i15 = llvm.mlir.constant(15 : i32) : i32
    %lane = llvm.and %tid, %i31 : i32
    %g = llvm.lshr %lane, %i2 : i32
    %t = llvm.and %lane, %i3 : i32
    %row = llvm.and %lane, %i15 : i32
    %half = llvm.lshr %lane, %i4 : i32
    %zero = llvm.mlir.constant(0.0 : f32) : f32
)";

/// The same, and %memory, which is shared.
static const std::string memoryText = laneText + "    %memory = llvm.mlir.addressof @dynamic : !llvm.ptr<3>\n";

/// Address `name`: `count` (a number, or a value) places of `bytes` bytes behind `base`.
static std::string place(const std::string &name, const std::string &base, const std::string &count, int bytes,
                         int space) {
  std::string pointer = "!llvm.ptr<" + std::to_string(space) + ">", index = count.front() == '%' ? ", i32" : "";
  return "    %" + name + " = llvm.getelementptr %" + base + "[" + count + "] : (" + pointer + index + ") -> " +
         pointer + ", !llvm.array<" + std::to_string(bytes) + " x i8>\n";
}

static std::string copyRow(const std::string &to, const std::string &from, const std::string &bytes = "") {
  return "    nvvm.cp.async.shared.global %" + to + ", %" + from + ", 16, cache = cg" +
         (bytes.empty() ? "" : ", %" + bytes) + " : !llvm.ptr<3>, !llvm.ptr<1>" + (bytes.empty() ? "\n" : ", i32\n");
}

static std::string store(const std::string &value, const std::string &pointer, const std::string &type) {
  return "    llvm.store %" + value + ", %" + pointer + " : " + type + ", !llvm.ptr<1>\n";
}

//===- Loads --------------------------------------------------------------------===//

static std::string makeMatrixLoads() {
  std::string body = memoryText + place("to", "memory", "%tid", 16, 3) + place("from", "a0", "%tid", 16, 1) +
                     copyRow("to", "from") +
                     "    nvvm.cp.async.commit.group\n    nvvm.cp.async.wait.group 0\n    nvvm.bar.warp.sync %all : "
                     "i32\n" +
                     place("mine", "a1", "%tid", 4, 1);
  int number = 0;
  for (bool transposed : {false, true})
    for (size_t count : {1, 2, 4}) {
      std::string name = (transposed ? "t" : "p") + std::to_string(count) + "x";
      body += loadMatrices(name, "to", count, transposed);
      for (size_t i = 0; i < count; ++i, ++number)
        body += place("r" + std::to_string(number), "mine", std::to_string(number), 128, 1) +
                store(name + std::to_string(i), "r" + std::to_string(number), "i32");
    }
  return kernel(1, 32, "512, 1792", 2, body, 512);
}

const std::string test::matrixLoads = makeMatrixLoads();

/// Stores registers %r`first` ... as matrices whose rows lie from %`row` on.
static std::string storeMatrices(const std::string &row, int first, int count, bool transposed) {
  Names registers;
  std::string types;
  for (int i = 0; i < count; ++i) {
    registers.push_back("x" + std::to_string(first + i));
    types += ", i32";
  }
  return "    nvvm.stmatrix %" + row + ", " + list(registers) + " {layout = #nvvm.mma_layout<" +
         (transposed ? "col" : "row") +
         ">, shape = #nvvm.ld_st_matrix_shape<m = 8, n = 8>, eltType = #nvvm.ld_st_matrix_elt_type<b16>} : "
         "!llvm.ptr<3>" +
         types + "\n";
}

static std::string makeMatrixStores() {
  std::string body = memoryText + place("to", "memory", "%tid", 16, 3) + place("mine", "a0", "%tid", 4, 1);
  int number = 0;
  for (bool transposed : {false, true})
    for (int count : {1, 2, 4}) {
      std::string row = "to" + std::to_string(number);
      body += place(row, "to", std::to_string(number), 128, 3);
      for (int i = number; i < number + count; ++i) {
        std::string n = std::to_string(i);
        body += place("p" + n, "mine", n, 128, 1) + "    %x" + n + " = llvm.load %p" + n + " : !llvm.ptr<1> -> i32\n";
      }
      body += storeMatrices(row, number, count, transposed);
      number += count;
    }
  body += "    nvvm.bar.warp.sync %all : i32\n" + place("out", "a1", "%tid", 16, 1);
  for (int quarter = 0; quarter < 4; ++quarter) { // 32 rows each; of the last 16 there are none
    std::string n = std::to_string(quarter), bytes = std::to_string(512 * quarter);
    if (quarter == 3)
      body += "    %isRow = llvm.icmp \"ult\" %tid, %i16 : i32\n    llvm.cond_br %isRow, ^last, ^end\n  ^last:\n";
    body += place("from" + n, "to", bytes, 1, 3) + place("out" + n, "out", bytes, 1, 1) + "    %v" + n +
            " = llvm.load %from" + n + " {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>\n    llvm.store %v" +
            n + ", %out" + n + " {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<1>\n";
  }
  return kernel(1, 32, "1792, 1792", 2, body + "    llvm.br ^end\n  ^end:\n", 1792);
}

const std::string test::matrixStores = makeMatrixStores();

//===- Matmuls of one warp -----------------------------------------------------===//

const std::string test::smallMatmul =
    kernel(1, 32, "512, 256, 512", 3,
           memoryText + place("toA", "memory", "%tid", 16, 3) + place("fromA", "a0", "%tid", 16, 1) +
               copyRow("toA", "fromA") + place("rowsB", "memory", "32", 16, 3) + R"(
    %isB = llvm.icmp "ult" %tid, %i16 : i32
    llvm.cond_br %isB, ^more, ^copied
  ^more:
)" + place("toB", "rowsB", "%tid", 16, 3) +
               place("fromB", "a1", "%tid", 16, 1) + copyRow("toB", "fromB") + R"(
    llvm.br ^copied
  ^copied:
    nvvm.cp.async.commit.group
    nvvm.cp.async.wait.group 0
    nvvm.bar.warp.sync %all : i32
)" + place("rowA", "memory", "%row", 32, 3) +
               place("partA", "rowA", "%half", 16, 3) + loadMatrices("fa", "partA", 4, false) +
               place("rowB", "rowsB", "%row", 16, 3) + loadMatrices("fb", "rowB", 2, true) +
               multiply("c", {"fa0", "fa1", "fa2", "fa3"}, {"fb0", "fb1"}, {"zero", "zero", "zero", "zero"},
                        "m = 16, n = 8, k = 16", "bf16") +
               place("out0", "a2", "%lane", 8, 1) + place("out1", "out0", "1", 4, 1) +
               place("out2", "out0", "64", 4, 1) + place("out3", "out0", "65", 4, 1) + store("c0", "out0", "f32") +
               store("c1", "out1", "f32") + store("c2", "out2", "f32") + store("c3", "out3", "f32"),
           768);

/// How one warp holds a matmul of numbers that fill their registers.
struct DirectMatmul {
  int rows, inner, bytes;
  std::string type, factor; // of memory, of the matmul

  std::string text() const {
    std::string width = std::to_string(inner);
    std::string body = laneText + "    %width = llvm.mlir.constant(" + width + " : i32) : i32\n" +
                       "    %firstA = llvm.mul %g, %width : i32\n    %atA = llvm.add %firstA, %t : i32\n" +
                       "    %i8 = llvm.mlir.constant(8 : i32) : i32\n" +
                       "    %firstB = llvm.mul %t, %i8 : i32\n    %atB = llvm.add %firstB, %g : i32\n" +
                       place("mineA", "a0", "%atA", bytes, 1) + place("mineB", "a1", "%atB", bytes, 1) +
                       place("mineC", "a2", "%lane", 2 * bytes, 1);
    Names a, b, c;
    for (int column = 0; column < inner; column += 4)
      for (int row = 0; row < rows; row += 8)
        body += read("fa", "mineA", row * inner + column, a, /*rounds=*/true);
    for (int row = 0; row < inner; row += 4)
      body += read("fb", "mineB", row * 8, b, /*rounds=*/false);
    for (int row = 0; row < rows; row += 8)
      for (int column : {0, 1})
        body += readPlain("fc", "mineC", row * 8 + column, c);
    body += multiply("sum", a, b, c, "m = " + std::to_string(rows) + ", n = 8, k = " + width, factor);
    for (size_t i = 0; i < c.size(); ++i)
      body += store("sum" + std::to_string(i), c[i] + "p", type);
    auto bytesOf = [&](int count) { return std::to_string(count * bytes); };
    return kernel(1, 32, bytesOf(rows * inner) + ", " + bytesOf(8 * inner) + ", " + bytesOf(8 * rows), 3, body);
  }

private:
  /// A number behind `base`, as the next of `names`.
  std::string readPlain(const std::string &name, const std::string &base, int offset, Names &names) const {
    names.push_back(name + std::to_string(names.size()));
    const std::string &last = names.back();
    return place(last + "p", base, std::to_string(offset), bytes, 1) + "    %" + last + " = llvm.load %" + last +
           "p : !llvm.ptr<1> -> " + type + "\n";
  }

  /// The same as a factor: its bits, or rounded to the factor's type.
  std::string read(const std::string &name, const std::string &base, int offset, Names &names, bool rounds) const {
    std::string text = readPlain(name, base, offset, names);
    if (type == factor)
      return text;
    const std::string number = names.back();
    names.back() += "r";
    return text + "    %" + number + "r = " +
           (rounds ? "nvvm.convert.float.to.tf32 %" + number + " {rnd = #nvvm.fp_rnd_mode<rna>}\n"
                   : "llvm.bitcast %" + number + " : f32 to i32\n");
  }
};

const std::string test::tf32Matmul = DirectMatmul{16, 8, 4, "f32", "tf32"}.text();
const std::string test::f64Matmul = DirectMatmul{8, 4, 8, "f64", "f64"}.text();

//===- A matmul of several warps -----------------------------------------------===//

static constexpr int turns = 4, tiles = 8; // tiles of 8 columns
static constexpr int bufferBytes = 64 << 10, tileBytes = 2048;

static const std::string tiledBegin = memoryText + R"(
    %i1row = llvm.lshr %tid, %i1 : i32
    %part = llvm.and %tid, %i1 : i32
    %warp = llvm.lshr %tid, %i5 : i32
    %firstRow = llvm.shl %warp, %i4 : i32
    %i60 = llvm.mlir.constant(60 : i32) : i32
    %exists = llvm.icmp "ult" %i1row, %i60 : i32
    %bytes = llvm.select %exists, %i16, %i0 : i1, i32
)" + place("to", "memory", "%tid", 16, 3) +
                                      place("rowA", "a0", "%i1row", 128, 1) + place("fromA", "rowA", "%part", 16, 1) +
                                      place("fromB", "a1", "%tid", 16, 1) +
                                      place("warpA", "memory", "%firstRow", 32, 3) +
                                      place("laneA", "warpA", "%row", 32, 3) + place("partA", "laneA", "%half", 16, 3) +
                                      place("tileB", "memory", "1", tileBytes, 3) +
                                      place("laneB", "tileB", "%row", 128, 3) + place("partB", "laneB", "%half", 16, 3);

/// Copies the tiles of a turn.
static std::string fill(int turn) {
  std::string offset = std::to_string(turn % 2 * bufferBytes),
              behind = std::to_string(turn % 2 * bufferBytes + tileBytes);
  return numbered(place("toA$", "to", offset, 1, 3) + place("fromA$", "fromA", std::to_string(turn), 32, 1) +
                      copyRow("toA$", "fromA$", "bytes") + place("toB$", "to", behind, 1, 3) +
                      place("fromB$", "fromB", std::to_string(turn), tileBytes, 1) + copyRow("toB$", "fromB$") +
                      "    nvvm.cp.async.commit.group // of $\n",
                  turn);
}

/// The four sums of a tile of columns before a turn.
static Names sumsOf(int tile, int turn) {
  std::string name = "c" + std::to_string(tile) + "t" + std::to_string(turn - 1) + "x";
  return turn == 0 ? Names(4, "zero") : Names{name + "0", name + "1", name + "2", name + "3"};
}

/// Multiplies the tiles of a turn.
static std::string work(int turn) {
  std::string offset = std::to_string(turn % 2 * bufferBytes);
  std::string text = numbered(place("pA$", "partA", offset, 1, 3) + loadMatrices("fA$x", "pA$", 4, false) +
                                  place("pB$", "partB", offset, 1, 3),
                              turn);
  for (int pair = 0; pair < tiles / 2; ++pair) {
    std::string b = numbered("fB$x", turn) + std::to_string(pair) + "x", row = b + "p", a = numbered("fA$x", turn);
    text += place(row, numbered("pB$", turn), std::to_string(pair), 32, 3) + loadMatrices(b, row, 4, true);
    for (int i : {0, 1}) {
      int tile = 2 * pair + i;
      std::string first = b + std::to_string(2 * i), second = b + std::to_string(2 * i + 1);
      text +=
          multiply("c" + std::to_string(tile) + "t" + std::to_string(turn) + "x", {a + "0", a + "1", a + "2", a + "3"},
                   {first, second}, sumsOf(tile, turn), "m = 16, n = 8, k = 16", "bf16");
    }
  }
  return text;
}

/// Stores the sums of row %g (`part` 0) or %g + 8 (1) of the warp's rows, where it exists.
static std::string finish(int part) {
  std::string text = numbered("    %first$ = llvm.mlir.constant(" + std::to_string(8 * part) + R"( : i32) : i32
    %inTile$ = llvm.add %g, %first$ : i32
    %out$ = llvm.add %firstRow, %inTile$ : i32
    %isRow$ = llvm.icmp "ult" %out$, %i60 : i32
    llvm.cond_br %isRow$, ^store$, ^stored$
  ^store$:
)" + place("outRow$", "a2", "%out$", 256, 1) +
                                  place("outLane$", "outRow$", "%t", 8, 1),
                              part);
  for (int tile = 0; tile < tiles; ++tile)
    for (int i : {0, 1}) {
      std::string pointer = numbered("o$x", part) + std::to_string(2 * tile + i);
      text += place(pointer, numbered("outLane$", part), std::to_string(8 * tile + i), 4, 1) +
              store(sumsOf(tile, turns)[2 * part + i], pointer, "f32");
    }
  return text + numbered("    llvm.br ^stored$\n  ^stored$:\n", part);
}

static std::string makeTiledMatmul() {
  std::string body = tiledBegin + fill(0);
  for (int turn = 0; turn < turns; ++turn) {
    bool isLast = turn + 1 == turns;
    body += (isLast ? "" : fill(turn + 1)) +
            numbered("    nvvm.cp.async.wait.group " + std::string(isLast ? "0" : "1") +
                         " // of $\n    nvvm.barrier0 // filled $\n",
                     turn) +
            work(turn) + numbered("    nvvm.barrier0 // drained $\n", turn);
  }
  return kernel(1, 128, "7680, 8192, 15360", 3, body + finish(0) + finish(1), bufferBytes + 2 * tileBytes);
}

const std::string test::tiledMatmul = makeTiledMatmul();
