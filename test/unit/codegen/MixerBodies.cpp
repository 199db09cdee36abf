//===- MixerBodies.cpp - walks that the compiler makes of mixers ---------------===//
#include "MixerBodies.h"

#include "KernelLibrary.h"

#include "codegen/cuda/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;
using namespace stretto::codegen;
using namespace stretto::test;

static void replaceAll(std::string &text, StringRef name, StringRef value) {
  for (size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + value.size()))
    text.replace(at, name.size(), value);
}

/// $S are stored rows of 16 columns, $N what is exact, $G the columns of the decay.
static std::string mixer(const MixerKind &kind) {
  std::string text = R"(
func.func @mixer(%q: $S, %k: $S, %v: $S, %g: tensor<2x130x$Gx$N>, %b: tensor<2x130x1x$N>, %at: tensor<2x130xi32>,
                 %d: $S) {
  %o, %s = seq.mixer %q, %k, %v decay %g : tensor<2x130x$Gx$N> beta %b : tensor<2x130x1x$N>
    positions %at : tensor<2x130xi32> heads 1 key_heads 1 scale 0.25 segment 128 : $S, $S -> tensor<2x1x2x256x$N>
  %r:5 = seq.mixer_grad %d, %q, %k, %v decay %g : tensor<2x130x$Gx$N> beta %b : tensor<2x130x1x$N>
    positions %at : tensor<2x130xi32> states %s heads 1 key_heads 1 scale 0.25 segment 128
    : $S, $S, tensor<2x1x2x256x$N> -> $S decay tensor<2x130x$Gx$N> beta tensor<2x130x1x$N>
  return
})";
  replaceAll(text, "$S", "tensor<2x130x16x" + kind.stored + ">");
  replaceAll(text, "$N", kind.stored == "f64" ? "f64" : "f32");
  replaceAll(text, "$G", kind.byChannel ? "16" : "1");
  return text;
}

std::string stretto::test::mixerWalks(const MixerKind &kind) {
  auto context = makeContext();
  OwningOpRef<ModuleOp> module = parse(*context, mixer(kind));
  PassManager expand(context.get());
  expand.addPass(createExpandMixers());
  if (!module || failed(expand.run(*module)))
    llvm::report_fatal_error("the mixer is not expanded");
  std::string text;
  llvm::raw_string_ostream(text) << *module;
  return text;
}
