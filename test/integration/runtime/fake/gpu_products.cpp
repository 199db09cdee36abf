// cuBLASLt on this machine's memory: plain loops over column-major matrices.
#include "runtime/core/bf16.h"
#include "test/integration/runtime/fake/gpu.h"

#include <cstring>
#include <cublasLt.h>

namespace {

// Descriptions as the library keeps them, behind its opaque pointers.
struct Product {
  int32_t transposeA = CUBLAS_OP_N, transposeB = CUBLAS_OP_N;
};
struct Layout {
  cudaDataType_t type;
  int64_t rows, columns, stride;
};

Product *of(cublasLtMatmulDesc_t product) { return reinterpret_cast<Product *>(product); }
const Layout *of(cublasLtMatrixLayout_t layout) { return reinterpret_cast<const Layout *>(layout); }

float load(const void *data, const Layout &layout, bool transpose, int64_t row, int64_t column) {
  const int64_t at = transpose ? row * layout.stride + column : column * layout.stride + row;
  return layout.type == CUDA_R_16BF ? stretto::widenBf16(static_cast<const uint16_t *>(data)[at])
                                    : static_cast<const float *>(data)[at];
}

void store(void *data, const Layout &layout, int64_t row, int64_t column, float value) {
  const int64_t at = column * layout.stride + row;
  if (layout.type == CUDA_R_16BF)
    static_cast<uint16_t *>(data)[at] = stretto::roundToBf16(value);
  else
    static_cast<float *>(data)[at] = value;
}

} // namespace

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t *) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtDestroy(cublasLtHandle_t) { return CUBLAS_STATUS_SUCCESS; }
const char *cublasLtGetStatusString(cublasStatus_t) { return "refused"; }

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *product, cublasComputeType_t, cudaDataType_t) {
  *product = reinterpret_cast<cublasLtMatmulDesc_t>(new Product);
  return CUBLAS_STATUS_SUCCESS;
}
cublasStatus_t cublasLtMatmulDescDestroy(cublasLtMatmulDesc_t product) { return delete of(product), CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulDescSetAttribute(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t which,
                                              const void *value, size_t bytes) {
  int32_t &field = which == CUBLASLT_MATMUL_DESC_TRANSA ? of(product)->transposeA : of(product)->transposeB;
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
cublasStatus_t cublasLtMatrixLayoutDestroy(cublasLtMatrixLayout_t layout) { return delete of(layout), CUBLAS_STATUS_SUCCESS; }

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceDestroy(cublasLtMatmulPreference_t) { return CUBLAS_STATUS_SUCCESS; }
cublasStatus_t cublasLtMatmulPreferenceSetAttribute(cublasLtMatmulPreference_t, cublasLtMatmulPreferenceAttributes_t which,
                                                    const void *, size_t bytes) {
  const bool wide = which == CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES;
  return bytes == (wide ? sizeof(uint64_t) : sizeof(uint32_t)) ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_INVALID_VALUE;
}
cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t, cublasLtMatmulDesc_t, cublasLtMatrixLayout_t,
                                              cublasLtMatrixLayout_t, cublasLtMatrixLayout_t, cublasLtMatrixLayout_t,
                                              cublasLtMatmulPreference_t, int, cublasLtMatmulHeuristicResult_t *results,
                                              int *count) {
  results[0] = {};
  *count = 1;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t, cublasLtMatmulDesc_t product, const void *, const void *a,
                              cublasLtMatrixLayout_t layoutA, const void *b, cublasLtMatrixLayout_t layoutB,
                              const void *beta, const void *c, cublasLtMatrixLayout_t, void *d,
                              cublasLtMatrixLayout_t layoutD, const cublasLtMatmulAlgo_t *, void *, size_t,
                              cudaStream_t stream) {
  const Product operation = *of(product);
  const Layout inA = *of(layoutA), inB = *of(layoutB), out = *of(layoutD);
  const float keep = *static_cast<const float *>(beta);
  const bool ta = operation.transposeA == CUBLAS_OP_T, tb = operation.transposeB == CUBLAS_OP_T;
  const int64_t depth = ta ? inA.rows : inA.columns;
  if (depth != (tb ? inB.columns : inB.rows) || out.rows != (ta ? inA.columns : inA.rows) ||
      out.columns != (tb ? inB.rows : inB.columns) || c != d)
    return CUBLAS_STATUS_INVALID_VALUE;
  const cudaError_t status = enqueue(stream, [=] {
    for (int64_t column = 0; column < out.columns; ++column)
      for (int64_t row = 0; row < out.rows; ++row) {
        float sum = keep == 0 ? 0 : keep * load(d, out, false, row, column);
        for (int64_t l = 0; l < depth; ++l)
          sum += load(a, inA, ta, row, l) * load(b, inB, tb, l, column);
        store(d, out, row, column, sum);
      }
  });
  return status == cudaSuccess ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_EXECUTION_FAILED;
}

} // extern "C"
