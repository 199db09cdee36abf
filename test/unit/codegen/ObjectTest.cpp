//===- ObjectTest.cpp - what the machine code of kernels consists of ------------===//
#include "Bodies.h"
#include "KernelLibrary.h"

#include "codegen/rows/Passes.h"
#include "codegen/target/Optimize.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Object/ObjectFile.h"
#include "llvm/PassInfo.h"
#include "llvm/PassRegistry.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace stretto;
using namespace stretto::codegen;
using namespace stretto::test;

namespace {
std::string allBodies(const Sizes &sizes) {
  std::string text;
  for (unsigned i = 0; i < bodyCount; ++i)
    text += fill(bodies[i], sizes);
  return text;
}

std::vector<std::string> undefinedSymbols(const std::string &path) {
  auto file = llvm::object::ObjectFile::createObjectFile(path);
  std::vector<std::string> names;
  if (!file) {
    llvm::consumeError(file.takeError());
    return {"unreadable object"};
  }
  for (const llvm::object::SymbolRef &symbol : file->getBinary()->symbols())
    if (llvm::cantFail(symbol.getFlags()) & llvm::object::SymbolRef::SF_Undefined)
      if (llvm::StringRef name = llvm::cantFail(symbol.getName()); !name.empty())
        names.push_back(name.str());
  return names;
}

TEST(Object, SinglePrecisionCallsNoMathLibrary) {
  if (runsUnderAddressSanitizer)
    GTEST_SKIP() << "kernels call the sanitizer, too";
  for (const char *cpu : {"native", "x86-64", "x86-64-v3", "x86-64-v4"}) {
    auto context = makeContext();
    auto module = parse(*context, allBodies({.columns = 100}));
    KernelLibrary library(*module, {.cpu = cpu});
    for (const std::string &name : undefinedSymbols(library.objectPath()))
      EXPECT_EQ(name, "memset") << cpu;
  }
}

TEST(Object, DoublePrecisionCallsTheMathLibrary) {
  auto context = makeContext();
  auto module = parse(*context, allBodies({.real = "f64"}));
  KernelLibrary library(*module, {});
  auto names = undefinedSymbols(library.objectPath());
  EXPECT_NE(llvm::find(names, "exp"), names.end());
}

/// Text of the machine code of one body.
std::string assembly(const char *cpu, unsigned body) {
  auto context = makeContext();
  auto module = parse(*context, fill(bodies[body], {.columns = 256}));
  auto target = *Target::resolve(cpu, [](const llvm::Twine &) {});
  llvm::SmallVector<KernelInfo> infos;
  rowwiseOf(*module, bodies[body].name).setKernel("kernel");
  PassManager passes(context.get());
  ChooseScheduleOptions options;
  options.cpu = cpu;
  passes.addPass(createChooseSchedule(options));
  passes.addPass(createSplitColumnSums());
  EXPECT_TRUE(succeeded(passes.run(*module)) && succeeded(lowerKernels(*module, target, infos)));
  for (auto function : llvm::make_early_inc_range(module->getOps<func::FuncOp>()))
    function.erase();
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  EXPECT_TRUE(succeeded(emitMachineCode(*module, target, OutputKind::assembly, stream)));
  return text.str().str();
}

TEST(Object, LoopsUseTheWholeVectorWidth) {
  for (unsigned body = 0; body < bodyCount; ++body) {
    EXPECT_NE(assembly("x86-64-v4", body).find("%zmm"), std::string::npos) << bodies[body].name;
    std::string v3 = assembly("x86-64-v3", body);
    EXPECT_NE(v3.find("%ymm"), std::string::npos) << bodies[body].name;
    EXPECT_EQ(v3.find("%zmm"), std::string::npos) << bodies[body].name;
  }
}

TEST(Object, PassesThatDoNotRunAreThoseOfLLVM) {
  (void)assembly("native", 0); // registers the passes of the code generator
  const llvm::PassInfo *pass = llvm::PassRegistry::getPassRegistry()->getPassInfo(llvm::StringRef("loop-reduce"));
  ASSERT_TRUE(pass);
  EXPECT_FALSE(UselessPasses().shouldRunPass(pass->getPassName(), ""));
}

TEST(Target, UnknownCpuNamesTheNearest) {
  auto refusal = [](const char *cpu) {
    std::string message;
    EXPECT_TRUE(failed(Target::resolve(cpu, [&](const llvm::Twine &text) { message = text.str(); })));
    return message;
  };
  EXPECT_EQ(refusal("x86-64-v33"),
            "cpu must be native or a name that LLVM knows, but got 'x86-64-v33'; did you mean 'x86-64-v3'?");
  EXPECT_TRUE(StringRef(refusal("zen4")).ends_with("got 'zen4'; did you mean 'znver4'?"));
  EXPECT_TRUE(StringRef(refusal("sapphire")).ends_with("did you mean 'sapphirerapids'?"));
  EXPECT_TRUE(StringRef(refusal("Nativ")).ends_with("did you mean 'native'?"));
  for (const char *unlike : {"my-laptop", "amd", ""})
    EXPECT_TRUE(StringRef(refusal(unlike)).ends_with("got '" + std::string(unlike) + "'")) << unlike;
}

TEST(Target, FeaturesDecideTheVectorWidth) {
  auto resolve = [](const char *cpu) { return *Target::resolve(cpu, [](const llvm::Twine &) {}); };
  EXPECT_EQ(resolve("x86-64").vectorBits, 128u);
  EXPECT_FALSE(resolve("x86-64").fusedMultiplyAdd);
  EXPECT_EQ(resolve("x86-64-v3").lanes(4), 8u);
  EXPECT_EQ(resolve("x86-64-v4").lanes(8), 8u);
  EXPECT_TRUE(resolve("x86-64-v4").fusedMultiplyAdd);
}
} // namespace
