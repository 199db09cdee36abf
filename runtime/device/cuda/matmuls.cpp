// Matmuls by cuBLASLt.
#include "runtime/device/cuda/matmuls.h"

#include "runtime/core/op_table.h"
#include "runtime/device/cuda/check.h"

#include <fmt/format.h>

namespace stretto::runtime {
namespace {

cudaDataType_t dataType(int32_t dtype) {
  return dtype == STRETTO_F64 ? CUDA_R_64F : dtype == STRETTO_BF16 ? CUDA_R_16BF : CUDA_R_32F;
}

cublasLtMatrixLayout_t layoutOf(const ColumnMajor &matrix, int32_t dtype) {
  cublasLtMatrixLayout_t layout = nullptr;
  check(cublasLtMatrixLayoutCreate(&layout, dataType(dtype), static_cast<uint64_t>(matrix.rows),
                                   static_cast<uint64_t>(matrix.columns), matrix.stride),
        "describe a matrix to cuBLASLt");
  return layout;
}

void setOperation(cublasLtMatmulDesc_t matmul, cublasLtMatmulDescAttributes_t which, bool transpose) {
  const int32_t operation = transpose ? CUBLAS_OP_T : CUBLAS_OP_N;
  check(cublasLtMatmulDescSetAttribute(matmul, which, &operation, sizeof(operation)), "describe a matmul to cuBLASLt");
}

// What an algorithm may do and count on.
class Preference {
public:
  Preference() { check(cublasLtMatmulPreferenceCreate(&data), "describe a matmul to cuBLASLt"); }
  ~Preference() { cublasLtMatmulPreferenceDestroy(data); }
  Preference(const Preference &) = delete;
  Preference &operator=(const Preference &) = delete;
  template <typename Value> void set(cublasLtMatmulPreferenceAttributes_t which, Value value) {
    check(cublasLtMatmulPreferenceSetAttribute(data, which, &value, sizeof(value)), "describe a matmul to cuBLASLt");
  }
  cublasLtMatmulPreference_t data = nullptr;
};

} // namespace

Matmuls::Matmuls(cudaStream_t stream, bool tf32) : stream(stream), tf32(tf32) {
  check(cublasLtCreate(&handle), "start cuBLASLt");
}

Matmuls::~Matmuls() {
  plans.clear();
  cudaFree(workspace);
  cublasLtDestroy(handle);
}

Matmuls::Plan::~Plan() {
  for (cublasLtMatrixLayout_t layout : {first, second, residual, result})
    if (layout)
      cublasLtMatrixLayoutDestroy(layout);
  if (matmul)
    cublasLtMatmulDescDestroy(matmul);
}

void Matmuls::describe(Plan &plan, const MatmulOp &op) const {
  const bool wide = op.dtype == STRETTO_F64;
  const cublasComputeType_t compute = wide                              ? CUBLAS_COMPUTE_64F
                                      : tf32 && op.dtype == STRETTO_F32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                                        : CUBLAS_COMPUTE_32F;
  check(cublasLtMatmulDescCreate(&plan.matmul, compute, wide ? CUDA_R_64F : CUDA_R_32F),
        "describe a matmul to cuBLASLt");
  const ColumnMajorMatmul shape = columnMajor(op);
  setOperation(plan.matmul, CUBLASLT_MATMUL_DESC_TRANSA, shape.transposeFirst);
  setOperation(plan.matmul, CUBLASLT_MATMUL_DESC_TRANSB, shape.transposeSecond);
  plan.first = layoutOf(shape.first, op.dtype);
  plan.second = layoutOf(shape.second, op.dtype);
  plan.residual = layoutOf(shape.residual, op.dtype_c);
  plan.result = layoutOf(shape.result, op.dtype_c);
}

void Matmuls::choose(Plan &plan, const MatmulOp &op) const {
  Preference preference;
  preference.set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<uint64_t>(workspaceSize));
  preference.set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
                 static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, static_cast<uint32_t>(alignmentOf(op.b)));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, static_cast<uint32_t>(alignmentOf(op.a)));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, static_cast<uint32_t>(alignmentOf(op.d ? op.d : op.c)));
  preference.set(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, static_cast<uint32_t>(alignmentOf(op.c)));
  cublasLtMatmulHeuristicResult_t found = {};
  int count = 0;
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, plan.matmul, plan.first, plan.second, plan.residual, plan.result, preference.data, 1, &found, &count);
  if (status != CUBLAS_STATUS_SUCCESS || count == 0 || found.state != CUBLAS_STATUS_SUCCESS)
    throw Error(fmt::format("cuBLASLt must know a matmul of {} x {} x {} with strides {}, {}, {} and types {}, {}, but "
                            "says: {}",
                            op.m, op.n, op.k, op.lda, op.ldb, op.ldc, op.dtype, op.dtype_c,
                            cublasLtGetStatusString(status != CUBLAS_STATUS_SUCCESS ? status : found.state)));
  plan.algorithm = found.algo;
}

Matmuls::Plan &Matmuls::planOf(const MatmulOp &op) {
  const auto [found, isNew] = plans.try_emplace(keyOf(op));
  if (!isNew)
    return found->second;
  try {
    describe(found->second, op);
    choose(found->second, op);
  } catch (...) {
    plans.erase(found);
    throw;
  }
  return found->second;
}

void Matmuls::reserve(const std::vector<MatmulOp> &ops) {
  if (!workspace)
    check(cudaMalloc(&workspace, workspaceSize), "take the workspace of matmuls");
  for (const MatmulOp &op : ops)
    if (op.m > 0 && op.n > 0 && op.k > 0)
      planOf(op);
}

void Matmuls::run(const MatmulOp &op) {
  if (op.m == 0 || op.n == 0)
    return;
  if (op.k == 0) {
    const int64_t element = elementBytes(op.dtype_c);
    if (op.d)
      check(cudaMemcpy2DAsync(op.c, op.ldc * element, op.d, op.ldd * element, op.n * element, op.m,
                              cudaMemcpyDeviceToDevice, stream),
            "copy what is added to an empty matmul");
    else if (!op.accumulate)
      check(cudaMemset2DAsync(op.c, op.ldc * element, 0, op.n * element, op.m, stream), "clear an empty matmul");
    return;
  }
  if (!workspace)
    reserve({});
  Plan &plan = planOf(op);
  const float one = 1, beta = op.accumulate || op.d ? 1 : 0;
  const double wideOne = 1, wideBeta = beta;
  const bool wide = op.dtype == STRETTO_F64;
  check(cublasLtMatmul(handle, plan.matmul, wide ? static_cast<const void *>(&wideOne) : &one, op.b, plan.first, op.a,
                       plan.second, wide ? static_cast<const void *>(&wideBeta) : &beta, op.d ? op.d : op.c,
                       plan.residual, op.c, plan.result, &plan.algorithm, workspace, workspaceSize, stream),
        "multiply matrices");
}

} // namespace stretto::runtime
