// cuBLASLt on this machine's memory: plain loops over column-major matrices. It asks of its caller what the library
// does: types that go together, an algorithm that was found for just this matmul and before any capture, a workspace
// aligned to 256 bytes, and matrices aligned as was promised when the algorithm was looked for.
#include "runtime/core/bf16.h"
#include "test/integration/runtime/fake/gpu.h"

#include <array>
#include <cstring>
#include <cublasLt.h>

namespace {

// Descriptions as the library keeps them, behind its opaque pointers.
struct Matmul {
  cublasComputeType_t compute;
  cudaDataType_t scale;
  int32_t transposeA = CUBLAS_OP_N, transposeB = CUBLAS_OP_N;
};
struct Layout {
  cudaDataType_t type;
  int64_t rows, columns, stride;
};
struct Preference {
  uint64_t workspace = 0;
  uint32_t reductions = CUBLASLT_REDUCTION_SCHEME_MASK;
  std::array<uint32_t, 4> alignments = {256, 256, 256, 256}; // of A, B, C, D
};

// What an algorithm was found for.
struct Algorithm {
  uint32_t matmul;
  std::array<uint32_t, 4> alignments;
  uint64_t workspace;
};
static_assert(sizeof(Algorithm) <= sizeof(cublasLtMatmulAlgo_t));

struct Handle {};

Matmul *of(cublasLtMatmulDesc_t matmul) { return reinterpret_cast<Matmul *>(matmul); }
const Layout *of(cublasLtMatrixLayout_t layout) { return reinterpret_cast<const Layout *>(layout); }
Preference *of(cublasLtMatmulPreference_t preference) { return reinterpret_cast<Preference *>(preference); }

int64_t bytesOf(cudaDataType_t type) { return type == CUDA_R_16BF ? 2 : type == CUDA_R_64F ? 8 : 4; }

// A number that another matmul hardly has.
uint32_t digest(const Matmul &matmul, const std::array<const Layout *, 4> &layouts) {
  uint32_t number = 1;
  auto add = [&](int64_t value) { number = (number ^ static_cast<uint32_t>(value)) * 16777619u; };
  for (int64_t value : {int64_t(matmul.compute), int64_t(matmul.transposeA), int64_t(matmul.transposeB)})
    add(value);
  for (const Layout *layout : layouts)
    for (int64_t value : {int64_t(layout->type), layout->rows, layout->columns, layout->stride})
      add(value);
  return number;
}

// The rows of the manual's table that have types of ours.
bool goTogether(const Matmul &matmul, cudaDataType_t a, cudaDataType_t b, cudaDataType_t c) {
  if (matmul.compute == CUBLAS_COMPUTE_64F)
    return matmul.scale == CUDA_R_64F && a == CUDA_R_64F && b == CUDA_R_64F && c == CUDA_R_64F;
  const bool narrow = matmul.compute == CUBLAS_COMPUTE_32F && a == CUDA_R_16BF && b == CUDA_R_16BF &&
                      (c == CUDA_R_16BF || c == CUDA_R_32F);
  const bool single = (matmul.compute == CUBLAS_COMPUTE_32F || matmul.compute == CUBLAS_COMPUTE_32F_FAST_TF32) &&
                      a == CUDA_R_32F && b == CUDA_R_32F && c == CUDA_R_32F;
  return matmul.scale == CUDA_R_32F && (narrow || single);
}

// Whether dimensions of op(A) op(B) = D fit.
bool fit(const Matmul &matmul, const Layout &a, const Layout &b, const Layout &d) {
  const bool ta = matmul.transposeA == CUBLAS_OP_T, tb = matmul.transposeB == CUBLAS_OP_T;
  return (ta ? a.rows : a.columns) == (tb ? b.columns : b.rows) && d.rows == (ta ? a.columns : a.rows) &&
         d.columns == (tb ? b.rows : b.columns);
}

bool isThere(const void *data, const Layout &layout) {
  const int64_t elements = (layout.columns - 1) * layout.stride + layout.rows;
  return isAllocated(data, static_cast<size_t>(elements * bytesOf(layout.type)));
}

double load(const void *data, const Layout &layout, bool transpose, int64_t row, int64_t column) {
  const int64_t at = transpose ? row * layout.stride + column : column * layout.stride + row;
  if (layout.type == CUDA_R_64F)
    return static_cast<const double *>(data)[at];
  return layout.type == CUDA_R_16BF ? stretto::runtime::widenBf16(static_cast<const uint16_t *>(data)[at])
                                    : static_cast<const float *>(data)[at];
}

void store(void *data, const Layout &layout, int64_t row, int64_t column, double value) {
  const int64_t at = column * layout.stride + row;
  if (layout.type == CUDA_R_64F)
    static_cast<double *>(data)[at] = value;
  else if (layout.type == CUDA_R_16BF)
    static_cast<uint16_t *>(data)[at] = stretto::runtime::roundToBf16(static_cast<float>(value));
  else
    static_cast<float *>(data)[at] = static_cast<float>(value);
}

// Sums are kept in the type that is computed in.
template <typename Sum>
void multiply(const Matmul &matmul, const void *a, const Layout &inA, const void *b, const Layout &inB, Sum keep,
              const void *c, const Layout &inC, void *d, const Layout &out) {
  const bool ta = matmul.transposeA == CUBLAS_OP_T, tb = matmul.transposeB == CUBLAS_OP_T;
  const int64_t depth = ta ? inA.rows : inA.columns;
  for (int64_t column = 0; column < out.columns; ++column)
    for (int64_t row = 0; row < out.rows; ++row) {
      Sum sum = keep == 0 ? 0 : keep * static_cast<Sum>(load(c, inC, false, row, column));
      for (int64_t l = 0; l < depth; ++l)
        sum += static_cast<Sum>(load(a, inA, ta, row, l)) * static_cast<Sum>(load(b, inB, tb, l, column));
      store(d, out, row, column, sum);
    }
}

bool aligned(const void *address, uint32_t alignment) { return reinterpret_cast<uintptr_t>(address) % alignment == 0; }

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle) {
  *handle = reinterpret_cast<cublasLtHandle_t>(new Handle);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  delete reinterpret_cast<Handle *>(handle);
  return CUBLAS_STATUS_SUCCESS;
}
const char *cublasLtGetStatusString(cublasStatus_t status) {
  return status == CUBLAS_STATUS_INTERNAL_ERROR  ? "an internal operation failed"
         : status == CUBLAS_STATUS_NOT_SUPPORTED ? "not supported"
                                                 : "refused";
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *matmul, cublasComputeType_t compute,
                                        cudaDataType_t scale) {
  *matmul = reinterpret_cast<cublasLtMatmulDesc_t>(new Matmul{compute, scale});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t matmul) {
  return delete of(matmul), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t matmul, cublasLtMatmulDescAttributes_t which,
                                              const void *value, size_t bytes) {
  int32_t &field = which == CUBLASLT_MATMUL_DESC_TRANSA ? of(matmul)->transposeA : of(matmul)->transposeB;
  std::memcpy(&field, value, bytes);
  return bytes == sizeof(int32_t) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *layout, cudaDataType_t type, uint64_t rows,
                                          uint64_t columns, int64_t stride) {
  if (stride < static_cast<int64_t>(rows))
    return CUBLAS_STATUS_INVALID_VALUE;
  *layout = reinterpret_cast<cublasLtMatrixLayout_t>(
      new Layout{type, static_cast<int64_t>(rows), static_cast<int64_t>(columns), stride});
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) {
  return delete of(layout), CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *preference) {
  *preference = reinterpret_cast<cublasLtMatmulPreference_t>(new Preference);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t preference) {
  return delete of(preference), CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t preference,
                                                    cublasLtMatmulPreferenceAttributes_t which, const void *value,
                                                    size_t bytes) {
  auto set = [&](auto &field) {
    if (bytes != sizeof(field))
      return CUBLAS_STATUS_INVALID_VALUE;
    std::memcpy(&field, value, bytes);
    return CUBLAS_STATUS_SUCCESS;
  };
  if (which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES)
    return set(of(preference)->workspace);
  if (which == CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK)
    return set(of(preference)->reductions);
  return set(of(preference)->alignments.at(which - CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES));
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t *results, int *count) {
  *count = 0;
  if (!handle || wanted < 1)
    return CUBLAS_STATUS_INVALID_VALUE;
  if (isCapturing()) // as cuBLASLt of CUDA 13 does
    return CUBLAS_STATUS_INTERNAL_ERROR;
  if (!fit(*of(matmul), *of(a), *of(b), *of(d)))
    return CUBLAS_STATUS_INVALID_VALUE;
  if (!goTogether(*of(matmul), of(a)->type, of(b)->type, of(d)->type) || of(c)->type != of(d)->type)
    return CUBLAS_STATUS_NOT_SUPPORTED;
  const Algorithm found{digest(*of(matmul), {of(a), of(b), of(c), of(d)}), of(preference)->alignments,
                        of(preference)->workspace};
  results[0] = {};
  std::memcpy(&results[0].algo, &found, sizeof(found));
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t matmul, const void *, const void *a,
                              cublasLtMatrixLayout_t layoutA, const void *b, cublasLtMatrixLayout_t layoutB,
                              const void *beta, const void *c, cublasLtMatrixLayout_t layoutC, void *d,
                              cublasLtMatrixLayout_t layoutD, const cublasLtMatmulAlgo_t *chosen, void *workspace,
                              size_t workspaceBytes, cudaStream_t stream) {
  const Matmul operation = *of(matmul);
  const Layout inA = *of(layoutA), inB = *of(layoutB), inC = *of(layoutC), out = *of(layoutD);
  Algorithm algorithm;
  std::memcpy(&algorithm, chosen, sizeof(algorithm));
  if (!handle || (c == d && inC.stride != out.stride) ||
      algorithm.matmul != digest(operation, {of(layoutA), of(layoutB), of(layoutC), of(layoutD)}) ||
      workspaceBytes < algorithm.workspace || !aligned(workspace, 256) || !isAllocated(workspace, workspaceBytes))
    return CUBLAS_STATUS_INVALID_VALUE;
  const std::array<const void *, 4> matrices = {a, b, c, d};
  bool sound = isThere(a, inA) && isThere(b, inB) && isThere(c, inC) && isThere(d, out);
  for (size_t i = 0; i < matrices.size(); ++i)
    sound = sound && aligned(matrices[i], algorithm.alignments[i]);
  const bool wide = operation.scale == CUDA_R_64F;
  const double keep = wide ? *static_cast<const double *>(beta) : *static_cast<const float *>(beta);
  const cudaError_t status = enqueue(stream, [=] {
    if (!sound)
      breakDevice(cudaErrorMisalignedAddress);
    else if (wide)
      multiply<double>(operation, a, inA, b, inB, keep, c, inC, d, out);
    else
      multiply<float>(operation, a, inA, b, inB, static_cast<float>(keep), c, inC, d, out);
  });
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // extern "C"
