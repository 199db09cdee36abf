//===- AbiStructTest.cpp - structs of the ABI as LLVM types and values ----------===//
#include "codegen/host/AbiStruct.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;

namespace {

struct Inner {
  int32_t kind, unused;
  double share;
};
struct Outer {
  const char *text;
  int64_t sizes[3];
  uint32_t version;
  int32_t flag;
  Inner inner;
  void (*run)(int);
};

class AbiStructTest : public testing::Test {
protected:
  AbiStructTest() : context(MLIRContext::Threading::DISABLED) {
    context.loadDialect<LLVM::LLVMDialect>();
    module = ModuleOp::create(UnknownLoc::get(&context));
  }

  Value pointer() {
    return makeAtEnd([](auto &b) { return LLVM::ZeroOp::create(b, abiType<void *>(b.getContext())); });
  }
  Value number() {
    return makeAtEnd([](auto &b) { return LLVM::ConstantOp::create(b, b.getI64Type(), b.getI64IntegerAttr(7)); });
  }

  /// Each field as it would be printed; "value" where it is none of the constants.
  std::string textOf(const AbiFields &fields) {
    std::string text;
    llvm::raw_string_ostream os(text);
    for (OpFoldResult field : fields.inOrder()) {
      if (auto attribute = dyn_cast<Attribute>(field))
        os << attribute << "; ";
      else
        os << "value : " << cast<Value>(field).getType() << "; ";
    }
    return text;
  }

  AbiStruct<Inner> inner() { return AbiStruct<Inner>(&context).set(&Inner::kind, 3).set(&Inner::share, 0.5); }
  AbiStruct<Outer> allButTheFlag() {
    return AbiStruct<Outer>(&context)
        .set(&Outer::run, pointer())
        .set(&Outer::inner, inner())
        .set(&Outer::version, 4000000000u)
        .set(&Outer::sizes, {8, 9})
        .set(&Outer::text, pointer());
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;

private:
  template <typename Make> Value makeAtEnd(Make make) {
    auto b = ImplicitLocOpBuilder::atBlockEnd(module->getLoc(), module->getBody());
    return make(b);
  }
};

} // namespace

TEST_F(AbiStructTest, FieldsHaveTheTypesAndTheOrderOfTheMembers) {
  EXPECT_EQ(textOf(allButTheFlag().set(&Outer::flag, true)),
            "value : !llvm.ptr; 8 : i64; 9 : i64; 0 : i64; -294967296 : i32; 1 : i32; 3 : i32; 0 : i32; "
            "5.000000e-01 : f64; value : !llvm.ptr; ");
}

TEST_F(AbiStructTest, NumbersMayBeComputed) {
  auto copy = AbiStruct<stretto_buffer>(&context).set(&stretto_buffer::offset, number()).set(&stretto_buffer::arena, 2);
  EXPECT_EQ(textOf(copy), "2 : i32; 0 : i32; value : i64; ");
}

TEST_F(AbiStructTest, MemoryIsLaidOutAsInC) {
  auto types = llvm::map_to_vector(allButTheFlag().set(&Outer::flag, 0).inOrder(), [](OpFoldResult field) {
    auto value = dyn_cast<Value>(field);
    return value ? value.getType() : cast<TypedAttr>(cast<Attribute>(field)).getType();
  });
  EXPECT_EQ(DataLayout(*module).getTypeSize(LLVM::LLVMStructType::getLiteral(&context, types)), sizeof(Outer));
}

TEST_F(AbiStructTest, AForgottenFieldIsNoticed) {
  EXPECT_DEATH((void)allButTheFlag().inOrder(), "Outer: not set: byte 36");
  EXPECT_DEATH((void)AbiStruct<Inner>(&context).set(&Inner::kind, 3).inOrder(), "Inner: not set: byte 8");
}

TEST_F(AbiStructTest, AFieldThatIsSetTwiceIsNoticed) {
  EXPECT_DEATH((void)inner().set(&Inner::kind, 4).inOrder(), "Inner: set twice: byte 0");
}

TEST_F(AbiStructTest, ValuesThatDoNotFitAreNoticed) {
  EXPECT_DEATH(AbiStruct<Inner>(&context).set(&Inner::kind, number()), "another type than its field");
  EXPECT_DEATH(AbiStruct<Outer>(&context).set(&Outer::sizes, {1, 2, 3, 4}), "no room for its values");
}

// In whichever order they are set; absent ones count.
TEST_F(AbiStructTest, BuffersAreNumberedInTheOrderOfTheStruct) {
  auto buffer = [&](Value tensor) { return AbiStruct<stretto_buffer>(&context).holds(tensor); };
  using Forward = stretto_attention_args;
  using Args = stretto_attention_grad_args;
  Value q = number(), o = number(), dOut = number(), dv = number();
  auto forward = AbiStruct<Forward>(&context)
                     .set(&Forward::starts, buffer({}))
                     .set(&Forward::o, buffer(o))
                     .set(&Forward::v, buffer(q))
                     .set(&Forward::q, buffer(q));
  auto grad =
      AbiStruct<Args>(&context).set(&Args::d_v, buffer(dv)).set(&Args::d_o, buffer(dOut)).set(&Args::forward, forward);
  EXPECT_EQ(grad.tensors(), (SmallVector<Value>{q, q, o, {}, dOut, dv}));
}
