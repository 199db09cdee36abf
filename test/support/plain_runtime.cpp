// The C functions of runtime/abi/abi.h written plainly, and a driver that runs a compiled f64 program with them:
//   plain_runtime check-gradients   compares GRADIENTS with finite differences of the loss, prints the worst error
//   plain_runtime table             prints what the program says about itself
//   plain_runtime check-update      compares five steps of gradients and update with AdamW written plainly
//   plain_runtime check-accumulate  adds up two micro-batches and takes the sum
//   plain_runtime sites             prints what each call of a step writes, and which buffers that and the weight are
// Linked with the object of the program; tests of the compiler need no other runtime.
#include "runtime/abi/abi.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static const stretto_program &program = stretto_compiled_program;
static std::vector<double> arenas[STRETTO_ARENA_COUNT];
static bool tellsSites = false;

static double *gradientsArena() { return arenas[STRETTO_ARENA_ACTIVATIONS].data() + program.gradients_begin / 8; }
static char *address(const stretto_buffer &buffer) {
  if (buffer.arena == STRETTO_ARENA_GRADIENTS)
    return reinterpret_cast<char *>(gradientsArena()) + buffer.offset;
  return reinterpret_cast<char *>(arenas[buffer.arena].data()) + buffer.offset;
}
static double *reals(const stretto_buffer &buffer) { return reinterpret_cast<double *>(address(buffer)); }

extern "C" {
void stretto_at(stretto_context *, const stretto_site *site, int64_t) {
  for (int64_t i = 0; tellsSites && i < site->count; ++i) {
    const stretto_result &result = site->results[i];
    std::printf("%s writes buffer %d, weight %d\n", result.operation, result.buffer, result.weight);
  }
}

void stretto_launch(stretto_context *, const stretto_kernel *kernel, const stretto_buffer *buffers) {
  std::vector<void *> resolved;
  for (int64_t i = 0; i < kernel->buffers; ++i)
    resolved.push_back(address(buffers[i]));
  std::vector<double> scratch(kernel->scratch_bytes / 8 + 8);
  for (int64_t chunk = 0; chunk < kernel->chunks; ++chunk)
    kernel->function(resolved.data(), chunk, chunk + 1, scratch.data());
}

void stretto_matmul(stretto_context *, const stretto_matmul_args *args) {
  const double *a = reals(args->a), *b = reals(args->b);
  double *c = reals(args->c);
  const double *d = args->has_residual ? reals(args->d) : nullptr;
  for (int64_t i = 0; i < args->m; ++i)
    for (int64_t j = 0; j < args->n; ++j) {
      double sum = args->accumulate ? c[i * args->ldc + j] : d ? d[i * args->ldd + j] : 0;
      for (int64_t k = 0; k < args->k; ++k)
        sum += (args->transpose_a ? a[k * args->lda + i] : a[i * args->lda + k]) *
               (args->transpose_b ? b[j * args->ldb + k] : b[k * args->ldb + j]);
      c[i * args->ldc + j] = sum;
    }
}

// Weights of position t of head h of sequence b; `slopes`: derivatives of scores by what they are before they are
// capped.
static std::vector<double> attend(const stretto_attention_args &a, int64_t b, int64_t h, int64_t t, double *lse,
                                  std::vector<double> &slopes) {
  int64_t kvHead = h / (a.heads / a.kv_heads), last = a.causal ? t : a.length - 1;
  int64_t first = a.window ? std::max<int64_t>(0, t + 1 - a.window) : 0;
  const double *q = reals(a.q) + (b * a.length + t) * a.q_stride + h * a.head_dim;
  std::vector<double> weights(last + 1);
  slopes.assign(last + 1, 1);
  double sum = 0;
  std::vector<double> behind(last + 1); // sums of the decay from the token behind a key up to the query
  for (int64_t s = t; a.has_decay && s > 0; --s)
    behind[s - 1] = behind[s] + reals(a.decay)[(b * a.length + s) * a.heads + h];
  for (int64_t s = first; s <= last; ++s) {
    const double *k = reals(a.k) + (b * a.length + s) * a.k_stride + kvHead * a.head_dim;
    double score = 0;
    for (int64_t d = 0; d < a.head_dim; ++d)
      score += q[d] * k[d];
    const double slope = a.alibi ? std::exp2(-8.0 * (h + 1) / a.heads) : 0;
    score *= a.scale;
    if (a.cap > 0) {
      const double part = std::tanh(score / a.cap);
      score = a.cap * part, slopes[s] = 1 - part * part;
    }
    const double near = a.reach ? reals(a.bias)[h * a.reach + std::min(t - s, a.reach - 1)] : 0;
    weights[s] = std::exp(score - slope * (t - s) + behind[s] + near);
    sum += weights[s];
  }
  if (a.has_sinks)
    sum += std::exp(reals(a.sinks)[h]);
  for (double &weight : weights)
    weight /= sum;
  *lse = std::log(sum);
  return weights;
}

void stretto_attention(stretto_context *, const stretto_attention_args *args) {
  const stretto_attention_args &a = *args;
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t t = 0; t < a.length; ++t) {
        double *lse = reals(a.lse) + (b * a.heads + h) * a.length + t;
        std::vector<double> slopes, weights = attend(a, b, h, t, lse, slopes);
        if (a.has_sinks)
          reals(a.share)[(b * a.length + t) * a.heads + h] = std::exp(reals(a.sinks)[h] - *lse);
        double *o = reals(a.o) + (b * a.length + t) * a.o_stride + h * a.value_dim;
        for (int64_t d = 0; d < a.value_dim; ++d) {
          o[d] = 0;
          for (size_t s = 0; s < weights.size(); ++s)
            o[d] +=
                weights[s] * reals(a.v)[(b * a.length + s) * a.v_stride + h / (a.heads / a.kv_heads) * a.value_dim + d];
        }
      }
}

void stretto_attention_grad(stretto_context *, const stretto_attention_grad_args *args) {
  const stretto_attention_args &a = args->forward;
  auto clear = [&](const stretto_buffer &buffer, int64_t stride, int64_t columns) {
    for (int64_t row = 0; row < a.batch * a.length; ++row)
      std::fill_n(reals(buffer) + row * stride, columns, 0.0);
  };
  clear(args->d_q, args->dq_stride, a.heads * a.head_dim);
  clear(args->d_k, args->dk_stride, a.kv_heads * a.head_dim);
  clear(args->d_v, args->dv_stride, a.kv_heads * a.value_dim);
  if (a.has_decay)
    clear(args->d_decay, a.heads, a.heads);
  if (a.reach)
    std::fill_n(reals(args->d_bias), a.heads * a.reach, 0.0);
  for (int64_t b = 0; b < a.batch; ++b)
    for (int64_t h = 0; h < a.heads; ++h)
      for (int64_t t = 0; t < a.length; ++t) {
        double lseHere, lse = reals(a.lse)[(b * a.heads + h) * a.length + t];
        std::vector<double> slopes, weights = attend(a, b, h, t, &lseHere, slopes), slope(weights.size());
        for (double &weight : weights) // sinks are in the forward's sum alone
          weight *= std::exp(lseHere - lse);
        int64_t kvHead = h / (a.heads / a.kv_heads), row = b * a.length + t;
        int64_t keyColumn = kvHead * a.head_dim, valueColumn = kvHead * a.value_dim;
        const double *dOut = reals(args->d_o) + row * args->do_stride + h * a.value_dim;
        double mean = 0;
        for (size_t s = 0; s < weights.size(); ++s) {
          const double *v = reals(a.v) + (b * a.length + s) * a.v_stride + valueColumn;
          double *dv = reals(args->d_v) + (b * a.length + s) * args->dv_stride + valueColumn;
          for (int64_t d = 0; d < a.value_dim; ++d) {
            slope[s] += dOut[d] * v[d];
            dv[d] += weights[s] * dOut[d];
          }
          mean += weights[s] * slope[s];
        }
        double ofScores = 0; // of keys so far
        for (size_t s = 0; s < weights.size(); ++s) {
          double score = weights[s] * (slope[s] - mean) * slopes[s] * a.scale;
          ofScores += weights[s] * (slope[s] - mean);
          if (a.has_decay && static_cast<int64_t>(s) < t)
            reals(args->d_decay)[(b * a.length + s + 1) * a.heads + h] += ofScores;
          if (a.reach)
            reals(args->d_bias)[h * a.reach + std::min<int64_t>(t - s, a.reach - 1)] += weights[s] * (slope[s] - mean);
          for (int64_t d = 0; d < a.head_dim; ++d) {
            reals(args->d_q)[row * args->dq_stride + h * a.head_dim + d] +=
                score * reals(a.k)[(b * a.length + s) * a.k_stride + keyColumn + d];
            reals(args->d_k)[(b * a.length + s) * args->dk_stride + keyColumn + d] +=
                score * reals(a.q)[row * a.q_stride + h * a.head_dim + d];
          }
        }
      }
}

void stretto_embed(stretto_context *, const stretto_embed_args *args) {
  const int32_t *tokens = reinterpret_cast<int32_t *>(address(args->tokens));
  for (int64_t row = 0; row < args->rows; ++row)
    std::copy_n(reals(args->table) + tokens[row] * args->width, args->width, reals(args->out) + row * args->width);
}

void stretto_embed_grad(stretto_context *, const stretto_embed_grad_args *args) {
  const int32_t *tokens = reinterpret_cast<int32_t *>(address(args->tokens));
  if (!args->accumulate)
    std::fill_n(reals(args->d_table), args->vocabulary * args->width, 0.0);
  for (int64_t row = 0; row < args->rows; ++row)
    for (int64_t c = 0; c < args->width; ++c)
      reals(args->d_table)[tokens[row] * args->width + c] += reals(args->d_out)[row * args->width + c];
}

void stretto_ready(stretto_context *, int64_t) {}
void stretto_await(stretto_context *, int64_t) {}

void stretto_zero(stretto_context *, const stretto_buffer *buffer, int64_t bytes) {
  std::memset(address(*buffer), 0, bytes);
}

void stretto_copy(stretto_context *, const stretto_copy_args *args) {
  for (int64_t row = 0; row < args->rows; ++row)
    std::memcpy(address(args->to) + row * args->to_stride, address(args->from) + row * args->from_stride,
                args->row_bytes);
}
}

static void start() {
  // Activations hold no number at first: reading one too early shows.
  for (int i = 0; i < STRETTO_ARENA_COUNT; ++i)
    arenas[i].assign(program.arena_bytes[i] / 8 + 8, i == STRETTO_ARENA_ACTIVATIONS ? NAN : 0.0);
  double *const flat = gradientsArena();
  std::fill_n(flat, program.trainable_elements, 0.0); // padding between gradients is zero
  for (int64_t p = 0; p < program.parameter_count; ++p) {
    const stretto_parameter &parameter = program.parameters[p];
    int64_t size = 1;
    for (int d = 0; d < parameter.rank; ++d)
      size *= parameter.shape[d];
    if (parameter.trainable)
      std::fill_n(flat + parameter.offset, size, NAN);
    for (int64_t i = 0; i < size; ++i)
      arenas[STRETTO_ARENA_PARAMETERS][parameter.offset + i] = 0.4 * std::sin(1.7 * i + 0.9 * p) + 0.1;
  }
  for (int64_t t = 0; t < program.table_count; ++t) {
    const stretto_table &table = program.tables[t];
    for (int64_t row = 0; row < table.rows; ++row)
      for (int64_t column = 0; column < table.columns; ++column) {
        int64_t half = table.rotated / 2, pair = table.interleaved ? column / 2 : half ? column % half : 0;
        double angle = row * std::pow(table.theta, -2.0 * pair / table.rotated);
        bool first = table.interleaved ? column % 2 == 0 : column < half, outside = column >= table.rotated;
        double value = table.kind == STRETTO_TABLE_NUMBERS      ? table.numbers[row]
                       : table.kind == STRETTO_TABLE_ROTARY_COS ? (outside ? 1 : std::cos(angle))
                                                                : (outside ? 0
                                                                   : first ? -std::sin(angle)
                                                                           : std::sin(angle));
        arenas[STRETTO_ARENA_TABLES][table.offset / 8 + row * table.columns + column] = value;
      }
  }
  auto tokens = reinterpret_cast<int32_t *>(arenas[STRETTO_ARENA_INPUTS].data());
  for (int64_t i = 0; i < program.batch * program.length; ++i) {
    tokens[program.input.tokens / 4 + i] = (i * 7 + i * i / 3) % program.vocabulary;
    tokens[program.input.targets / 4 + i] = (i * 5 + 1) % program.vocabulary;
    arenas[STRETTO_ARENA_INPUTS][program.input.weights / 8 + i] =
        (i % 3 ? 1.0 : 0.5) / (program.batch * program.length);
  }
}

static std::vector<double> gradients() {
  const double *start = gradientsArena();
  return {start, start + program.trainable_elements};
}

static double loss() {
  program.gradients(nullptr);
  return arenas[STRETTO_ARENA_OUTPUTS][program.output.loss / 8];
}

static int checkGradients() {
  double first = loss(), worst = 0;
  std::vector<double> analytic = gradients();
  for (int64_t p = 0; p < program.parameter_count; ++p) {
    const stretto_parameter &parameter = program.parameters[p];
    int64_t size = 1;
    for (int d = 0; d < parameter.rank; ++d)
      size *= parameter.shape[d];
    for (int64_t i = 0; parameter.trainable && i < size; i += std::max<int64_t>(size / 7, 1)) {
      double &value = arenas[STRETTO_ARENA_PARAMETERS][parameter.offset + i], old = value, step = 1e-4;
      auto at = [&](double steps) {
        value = old + steps * step;
        return loss();
      };
      double slope = (8 * (at(1) - at(-1)) - (at(2) - at(-2))) / (12 * step);
      value = old;
      double error = std::fabs(slope - analytic[parameter.offset + i]) / (1e-6 + std::fabs(slope));
      if (error > 1e-5)
        std::printf("%s[%ld]: gradient %.10g, differences %.10g\n", parameter.name, (long)i,
                    analytic[parameter.offset + i], slope);
      worst = std::max(worst, error);
    }
  }
  std::printf("loss %.10f\n%s\n", first, worst < 1e-5 ? "gradients agree" : "gradients differ");
  return worst < 1e-5 ? 0 : 1;
}

static void printTable() {
  std::printf("model %s cpu %s dtype %d batch %ld length %ld vocabulary %ld hash %zu\n", program.model, program.cpu,
              program.dtype, (long)program.batch, (long)program.length, (long)program.vocabulary,
              std::strlen(program.spec_hash));
  for (int64_t p = 0; p < program.parameter_count; ++p) {
    const stretto_parameter &parameter = program.parameters[p];
    std::printf("%s at %ld rank %d [%ld, %ld] init %d %g %g trainable %d\n", parameter.name, (long)parameter.offset,
                parameter.rank, (long)parameter.shape[0], (long)parameter.shape[1], parameter.init, parameter.init_a,
                parameter.init_b, parameter.trainable);
  }
  for (int64_t k = 0; k < program.kernel_count; ++k)
    std::printf("kernel %s group %s chunks %ld buffers %ld\n", program.kernels[k].name, program.kernels[k].group,
                (long)program.kernels[k].chunks, (long)program.kernels[k].buffers);
}

static double largestDifference(const std::vector<double> &a, const std::vector<double> &b) {
  double worst = 0;
  for (size_t i = 0; i < a.size(); ++i)
    worst = std::max(worst, std::fabs(a[i] - b[i]) / (1 + std::fabs(b[i])));
  return worst;
}

// AdamW and clipping as PyTorch documents them, on all numbers of the trainable part.
static int checkUpdate(int steps) {
  const double rate = 0.01, beta1 = 0.9, beta2 = 0.98, epsilon = 1e-8, decay = 0.1, clip = 0.5;
  std::vector<double> &hyper = arenas[STRETTO_ARENA_HYPER];
  hyper[STRETTO_HYPER_LEARNING_RATE] = rate, hyper[STRETTO_HYPER_BETA1] = beta1, hyper[STRETTO_HYPER_BETA2] = beta2;
  hyper[STRETTO_HYPER_EPSILON] = epsilon, hyper[STRETTO_HYPER_WEIGHT_DECAY] = decay,
  hyper[STRETTO_HYPER_CLIP_NORM] = clip;
  std::vector<double> p = arenas[STRETTO_ARENA_PARAMETERS], m(p.size()), v(p.size());
  double worst = 0, first = 0, last = 0;
  for (int step = 1; step <= steps; ++step) {
    last = loss();
    first = step == 1 ? last : first;
    const std::vector<double> g = gradients();
    double squares = 0;
    for (double value : g)
      squares += value * value;
    double norm = std::sqrt(squares), scale = std::min(1.0, clip / (norm + 1e-6));
    double c1 = 1 - std::pow(beta1, step), c2 = 1 - std::pow(beta2, step);
    for (int64_t i = 0; i < program.trainable_elements; ++i) {
      p[i] *= 1 - rate * decay;
      m[i] = beta1 * m[i] + (1 - beta1) * scale * g[i];
      v[i] = beta2 * v[i] + (1 - beta2) * scale * g[i] * scale * g[i];
      p[i] -= rate / c1 * m[i] / (std::sqrt(v[i]) / std::sqrt(c2) + epsilon);
    }
    hyper[STRETTO_HYPER_BIAS_CORRECTION1] = c1;
    hyper[STRETTO_HYPER_BIAS_CORRECTION2] = c2;
    program.squares(nullptr);
    program.norm(nullptr);
    program.apply(nullptr);
    worst = std::max({worst, largestDifference(arenas[STRETTO_ARENA_PARAMETERS], p),
                      std::fabs(arenas[STRETTO_ARENA_OUTPUTS][program.output.grad_norm / 8] - norm)});
  }
  std::printf("loss from %.6f to %.6f\n%s\n", first, last, worst < 1e-9 ? "updates agree" : "updates differ");
  return worst < 1e-9 && last < first ? 0 : 1;
}

static int checkAccumulate() {
  loss();
  std::vector<double> once = gradients();
  program.accumulate(nullptr);
  loss();
  program.accumulate(nullptr);
  program.take_accumulated(nullptr);
  for (double &value : once)
    value *= 2;
  double worst = largestDifference(gradients(), once);
  for (double value : arenas[STRETTO_ARENA_ACCUMULATOR])
    worst = std::max(worst, std::fabs(value));
  std::printf("%s\n", worst < 1e-12 ? "sums agree" : "sums differ");
  return worst < 1e-12 ? 0 : 1;
}

int main(int argc, char **argv) {
  std::string mode = argc > 1 ? argv[1] : "";
  start();
  if (mode == "check-gradients")
    return checkGradients();
  if (mode == "table")
    printTable();
  if (mode == "sites") {
    tellsSites = true;
    program.gradients(nullptr);
  }
  if (mode == "check-update")
    return checkUpdate(5);
  if (mode == "check-accumulate")
    return checkAccumulate();
  return 0;
}
