// One optimizer step and one evaluation of a compiled program.
#include "runtime/train/step.h"

#include "runtime/train/documents.h"
#include "runtime/train/dropout_keys.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <fmt/format.h>
#include <numeric>
#include <utility>

namespace stretto::runtime {
namespace {

std::vector<std::byte> bytesOf(const void *data, size_t bytes) {
  const std::byte *begin = static_cast<const std::byte *>(data);
  return {begin, begin + bytes};
}

} // namespace

Stepper::~Stepper() {
  if (begun.empty())
    return;
  try {
    state.device.wait();
  } catch (const std::exception &) { // a run that ends has told what it ends of
  }
}

void Stepper::copyReals(stretto_arena arena, int64_t offset, const double *values, int64_t count) {
  void *address = state.arenas.resolve({arena, 0, offset}, count * elementBytes(state.program.dtype));
  if (state.program.dtype == STRETTO_F64) {
    state.device.submit(CopyInOp{address, bytesOf(values, count * sizeof(double))});
    return;
  }
  std::vector<float> narrow(values, values + count);
  state.device.submit(CopyInOp{address, bytesOf(narrow.data(), count * sizeof(float))});
}

void Stepper::setInputs(TokenBlock &block, int64_t microBatch) {
  const stretto_program &program = state.program;
  const int64_t count = program.batch * program.length, first = microBatch * count;
  auto copyInts = [&](int64_t offset, std::span<const int32_t> values) {
    void *address = state.arenas.resolve({STRETTO_ARENA_INPUTS, 0, offset}, values.size_bytes());
    state.device.submit(CopyInOp{address, bytesOf(values.data(), values.size_bytes())});
  };
  const auto ofMicroBatch = [&](const std::vector<int32_t> &values) { return std::span(values).subspan(first, count); };
  copyInts(program.input.tokens, ofMicroBatch(block.tokens));
  copyInts(program.input.targets, ofMicroBatch(block.targets));
  if (!program.input.is_masked && program.input.positions >= 0)
    copyInts(program.input.positions, wholeSequences(count, program.length));
  if (program.input.is_masked) {
    const std::span<const int32_t> positions = ofMicroBatch(block.positions);
    const int64_t room = program.input.starts >= 0 ? program.input.documents : count;
    const std::vector<int32_t> starts = paddedStarts(positions, program.length, room);
    copyInts(program.input.positions, positions);
    if (program.input.starts >= 0)
      copyInts(program.input.starts, starts);
  }
  if (program.input.dropout_keys >= 0)
    copyInts(
        program.input.dropout_keys,
        dropoutKeys(seed, block.first * static_cast<uint64_t>(program.length) + static_cast<uint64_t>(first), count));
  copyReals(STRETTO_ARENA_INPUTS, program.input.weights, &block.weights[first], count);
}

void *Stepper::real(std::vector<std::byte> &storage, int64_t offset, int64_t count) {
  const int64_t bytes = count * elementBytes(state.program.dtype);
  storage.resize(bytes);
  state.device.submit(
      CopyOutOp{storage.data(), state.arenas.resolve({STRETTO_ARENA_OUTPUTS, 0, offset}, bytes), bytes});
  return storage.data();
}

std::vector<double> Stepper::widen(const std::vector<std::byte> &storage) const {
  if (state.program.dtype == STRETTO_F64) {
    std::vector<double> values(storage.size() / sizeof(double));
    std::memcpy(values.data(), storage.data(), storage.size());
    return values;
  }
  std::vector<float> values(storage.size() / sizeof(float));
  std::memcpy(values.data(), storage.data(), storage.size());
  return {values.begin(), values.end()};
}

void Stepper::repeat(Repeated what, std::initializer_list<void (*)(stretto_context *)> entries) {
  state.device.repeat(what, [&] {
    for (auto entry : entries)
      context.run(entry);
  });
}

// The loss of each virtual rank is the sum over its micro-batches, and that of a step the sum over these.
double Stepper::totalOf(const Losses &losses) {
  std::vector<double> ofVirtualRanks(ownVirtualRanks());
  for (size_t i = 0; i < losses.size(); ++i)
    ofVirtualRanks[i / accumulate] += widen(losses[i])[0];
  if (parallel)
    ofVirtualRanks = parallel->gather(ofVirtualRanks);
  lossesOfRanks = ofVirtualRanks;
  return std::accumulate(ofVirtualRanks.begin() + 1, ofVirtualRanks.end(), ofVirtualRanks[0]);
}

// The last micro-batch of all sends its gradients as they come.
void Stepper::runMicroBatch(bool isLast, bool isBehindUpdate) {
  ExchangeHooks hooks;
  if (isBehindUpdate) {
    startUpdate();
    hooks.await = [&](int64_t buckets) { parallel->awaitParameters(buckets); };
  }
  if (isLast) {
    const auto compute = [&](const std::function<void(int64_t)> &ready) {
      hooks.ready = ready;
      context.run(state.program.gradients, hooks);
    };
    parallel->sumLast(compute, accumulate > 1 ? state.arenas.base(STRETTO_ARENA_ACCUMULATOR) : nullptr);
  } else {
    context.run(state.program.gradients, hooks);
    if (accumulate > 1)
      context.run(state.program.accumulate);
  }
  if (isBehindUpdate)
    parallel->finishParameters();
}

void Stepper::submitGradients(TokenBlock &block, Losses &losses) {
  const int64_t count = accumulate * ownVirtualRanks();
  losses.resize(count);
  for (int64_t i = 0; i < count; ++i) {
    const bool isLast = exchanges() && i == count - 1, isBehindUpdate = std::exchange(updateIsOpen, false);
    setInputs(block, i);
    state.device.repeat((isLast ? LastGradients : Gradients) + (isBehindUpdate ? BehindUpdate : 0),
                        [&] { runMicroBatch(isLast, isBehindUpdate); });
    real(losses[i], state.program.output.loss, 1);
    if (isLast || (i + 1) % accumulate != 0)
      continue;
    if (accumulate > 1)
      repeat(TakeAccumulated, {state.program.take_accumulated});
    if (parallel)
      parallel->addVirtualRank(i / accumulate);
  }
}

std::string Stepper::whereLossIsLost() const {
  const auto lost =
      std::find_if(lossesOfRanks.begin(), lossesOfRanks.end(), [](double loss) { return !std::isfinite(loss); });
  if (!parallel || lost == lossesOfRanks.end())
    return "";
  const int64_t number = lost - lossesOfRanks.begin();
  return fmt::format(" (virtual rank {}, computed by rank {})", number, number / parallel->virtualRanks());
}

void Stepper::begin(TokenBlock &block, const Hyper &hyper) {
  const stretto_program &program = state.program;
  Begun &step = begun.emplace_back();
  if (parallel || accumulate > 1) {
    submitGradients(block, step.losses);
    submitUpdate(hyper);
  } else {
    setHyper(hyper);
    setInputs(block, 0);
    repeat(GradientsAndUpdate, {program.gradients, program.squares, program.norm, program.apply});
    step.losses.resize(1);
    real(step.losses[0], program.output.loss, 1);
  }
  real(step.norm, program.output.grad_norm, 1);
  step.mark = state.device.mark();
}

Stepper::Result Stepper::finish() {
  state.device.waitFor(begun.front().mark);
  const Begun step = std::move(begun.front());
  begun.pop_front();
  return {totalOf(step.losses), widen(step.norm)[0]};
}

double Stepper::gradients(TokenBlock &block) {
  Losses losses;
  submitGradients(block, losses);
  state.device.wait();
  return totalOf(losses);
}

std::vector<RowRange> Stepper::ownRows() const {
  return parallel ? parallel->shares().shard.owned : wholeShard(state.program).owned;
}

// 1 - beta^update of the beta that the program has: near 1 its distance from that is another one in f32.
double Stepper::biasCorrection(double beta, int64_t update) const {
  const double ofProgram = state.program.dtype == STRETTO_F64 ? beta : static_cast<float>(beta);
  return -std::expm1(static_cast<double>(update) * std::log(ofProgram));
}

void Stepper::setHyper(const Hyper &hyper) {
  double values[STRETTO_HYPER_COUNT] = {};
  values[STRETTO_HYPER_LEARNING_RATE] = hyper.learningRate;
  values[STRETTO_HYPER_BETA1] = hyper.beta1;
  values[STRETTO_HYPER_BETA2] = hyper.beta2;
  values[STRETTO_HYPER_EPSILON] = hyper.epsilon;
  values[STRETTO_HYPER_WEIGHT_DECAY] = hyper.weightDecay;
  values[STRETTO_HYPER_BIAS_CORRECTION1] = biasCorrection(hyper.beta1, hyper.update);
  values[STRETTO_HYPER_BIAS_CORRECTION2] = biasCorrection(hyper.beta2, hyper.update);
  values[STRETTO_HYPER_CLIP_NORM] = hyper.clip;
  copyReals(STRETTO_ARENA_HYPER, 0, values, STRETTO_HYPER_COUNT);
}

void Stepper::runOnOwnRows(void (*entry)(stretto_context *)) {
  for (const RowRange &rows : ownRows())
    if (rows.begin < rows.end)
      context.run(entry, rows);
}

// Of ranks that exchange it ends with the norm, and the rest goes with the next step, which begins while weights come.
void Stepper::submitUpdate(const Hyper &hyper) {
  setHyper(hyper);
  if (!exchanges()) {
    repeat(Update, {state.program.squares, state.program.norm, state.program.apply});
    return;
  }
  submitNorm();
  updateIsOpen = true;
}

void Stepper::submitNorm() {
  if (!exchanges()) {
    repeat(Norm, {state.program.squares, state.program.norm});
    return;
  }
  state.device.repeat(Norm, [&] {
    runOnOwnRows(state.program.squares);
    parallel->gatherSquares();
    context.run(state.program.norm);
  });
}

void Stepper::startUpdate() {
  runOnOwnRows(state.program.apply);
  const bool rounds = state.program.arena_bytes[STRETTO_ARENA_ROUNDED] > 0;
  parallel->startParameters([&](const RowRange &rows, SideStream &side) {
    if (rounds)
      context.run(state.program.round_parameters, rows, side);
  });
}

void Stepper::finishUpdate() {
  if (!std::exchange(updateIsOpen, false))
    return;
  state.device.repeat(RestOfUpdate, [&] {
    startUpdate();
    parallel->finishParameters();
  });
  state.device.wait();
}

double Stepper::gradientNorm(const Hyper &hyper) {
  setHyper(hyper);
  submitNorm();
  std::vector<std::byte> norm;
  real(norm, state.program.output.grad_norm, 1);
  state.device.wait();
  return widen(norm)[0];
}

void Stepper::applyGradients() {
  updateIsOpen = exchanges();
  if (updateIsOpen)
    return;
  repeat(Apply, {state.program.apply});
  state.device.wait();
}

Stepper::Prediction Stepper::evaluate(TokenBlock &block) {
  const stretto_program &program = state.program;
  const int64_t count = program.batch * program.length;
  setInputs(block, 0);
  repeat(Evaluate, {program.evaluate});
  std::vector<std::byte> nll;
  real(nll, program.output.nll, count);
  Prediction prediction{{}, std::vector<int32_t>(count)};
  void *predicted = state.arenas.resolve({STRETTO_ARENA_OUTPUTS, 0, program.output.predicted}, count * 4);
  state.device.submit(CopyOutOp{prediction.predicted.data(), predicted, count * 4});
  state.device.wait();
  prediction.nll = widen(nll);
  for (int64_t at = 0; at < count; ++at)
    if (std::isnan(prediction.nll[at]))
      prediction.predicted[at] = -1;
  return prediction;
}

std::vector<double> Stepper::logProbabilities(const TokenBlock &block, int64_t tokens) {
  const int64_t count = state.program.batch * state.program.length;
  std::vector<double> all(count * tokens);
  TokenBlock asked = block;
  for (int64_t token = 0; token < tokens; ++token) {
    std::fill(asked.targets.begin(), asked.targets.end(), static_cast<int32_t>(token));
    const std::vector<double> nll = evaluate(asked).nll;
    for (int64_t at = 0; at < count; ++at)
      all[at * tokens + token] = -nll[at];
  }
  return all;
}

} // namespace stretto::runtime
