//===- StepTime.cpp - how long a device works on a step, estimated ----------------===//
#include "codegen/scaling/StepTime.h"

#include <algorithm>

using namespace stretto::codegen;

static double matmulRate(const std::string &type, const Device &device) {
  return (type == "bf16" ? device.matmulBf16 : type == "f64" ? device.matmulF64 : device.matmulF32).value;
}

/// FLOP/s of an operation that multiplies.
static double rateOf(const Work &work, const Device &device) {
  const double matmul = matmulRate(work.type, device), share = matmul / device.matmulBf16.value;
  if (work.kind == WorkKind::attention)
    return share * (work.isBackward ? device.attentionBackward : device.attention).value;
  return work.kind == WorkKind::mixer ? share * device.mixer.value : matmul;
}

double stretto::codegen::secondsToMove(double bytes, const Device &device) {
  return bytes / (device.copyRate.value * device.kernelShare.value);
}

static double secondsOf(const Work &work, const Device &device) {
  const auto bytes = static_cast<double>(work.bytes);
  const double memory = work.kind == WorkKind::memory ? secondsToMove(bytes, device) : bytes / device.copyRate.value;
  const double arithmetic = work.kind == WorkKind::memory ? 0 : work.flops / rateOf(work, device);
  return static_cast<double>(work.runs) *
         (std::max({memory, arithmetic, device.leastKernel.value}) + device.betweenKernels.value);
}

double stretto::codegen::secondsOf(const std::vector<Work> &work, const Device &device) {
  double seconds = 0;
  for (const Work &one : work)
    seconds += ::secondsOf(one, device);
  return seconds;
}
