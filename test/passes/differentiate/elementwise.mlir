// RUN: stretto-opt %s --seq-differentiate | FileCheck %s

seq.parameter @a parts [#seq.part<"a", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>
seq.parameter @f parts [#seq.part<"f", 4, <normal, 0.0 : f64, 1.0 : f64>>] frozen : tensor<4xf32>
seq.parameter @u parts [#seq.part<"u", 4, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<4xf32>

// y = tanh(a) * f: da = dy * f * (1 - tanh(a)^2); nothing for the frozen f, zero for the unused u.
// CHECK-LABEL: func @gradients
func.func @gradients(%dy: tensor<4xf32>) {
  %a = seq.get_parameter @a : tensor<4xf32>
  %f = seq.get_parameter @f : tensor<4xf32>
  // CHECK: math.tanh
  %t = math.tanh %a : tensor<4xf32>
  %y = arith.mulf %t, %f : tensor<4xf32>
  // CHECK: %[[T:.*]] = math.tanh %{{.*}} {{{.*}}seq.recomputed} : tensor<4xf32>
  // CHECK: %[[DT:.*]] = arith.mulf %arg0, %{{.*}} : tensor<4xf32>
  // CHECK: %[[T2:.*]] = arith.mulf %[[T]], %[[T]] : tensor<4xf32>
  // CHECK: %[[S:.*]] = arith.subf %{{.*}}, %[[T2]] : tensor<4xf32>
  // CHECK: %[[DA:.*]] = arith.mulf %[[DT]], %[[S]] : tensor<4xf32>
  // CHECK: seq.gradient @a, %[[DA]]
  // CHECK-NOT: seq.gradient @f
  // CHECK: %[[Z:.*]] = arith.constant dense<0.000000e+00> : tensor<4xf32>
  // CHECK: seq.gradient @u, %[[Z]]
  // CHECK-NOT: seq.backward
  seq.backward of(%y) from(%dy) : tensor<4xf32>
  return
}
