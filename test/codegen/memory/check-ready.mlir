// RUN: stretto-opt %s --kern-verify-memory --split-input-file --verify-diagnostics

// A number for each iteration.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  // expected-error @below {{must tell how many buckets are final in iteration 1}}
  kern.ready [@b](%db) buckets [1] : tensor<512xf32>
  return %x, %db : tensor<512xf32>, tensor<512xf32>
}
func.func @gradients(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  %y, %dbs = seq.scan @body trips 2 reverse carry(%x) slices() invariants(%p) {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>, #kern.slot<gradients, 2048, stride 2048, parity 0>]} : (tensor<512xf32>, tensor<2x512xf32>) -> (tensor<512xf32>, tensor<2x512xf32>)
  %da = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  kern.ready [@a](%da) buckets [2] : tensor<512xf32>
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// Twice.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  kern.ready [@b](%db) buckets [1, 0] : tensor<512xf32>
  return %x, %db : tensor<512xf32>, tensor<512xf32>
}
func.func @gradients(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  %y, %dbs = seq.scan @body trips 2 reverse carry(%x) slices() invariants(%p) {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>, #kern.slot<gradients, 2048, stride 2048, parity 0>]} : (tensor<512xf32>, tensor<2x512xf32>) -> (tensor<512xf32>, tensor<2x512xf32>)
  %da = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  kern.ready [@a](%da) buckets [2] : tensor<512xf32>
  // expected-error @below {{must say once that the gradient of @a is final, but says it again}}
  kern.ready [@a](%da) buckets [2] : tensor<512xf32>
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// The gradient is somewhere else.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  kern.ready [@b](%db) buckets [1, 0] : tensor<512xf32>
  return %x, %db : tensor<512xf32>, tensor<512xf32>
}
func.func @gradients(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  %y, %dbs = seq.scan @body trips 2 reverse carry(%x) slices() invariants(%p) {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>, #kern.slot<gradients, 2048, stride 2048, parity 0>]} : (tensor<512xf32>, tensor<2x512xf32>) -> (tensor<512xf32>, tensor<2x512xf32>)
  %far = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<activations, 65536, stride 0, parity 0>]}
  // expected-error @below {{does not find the gradient of @a in iteration 0}}
  kern.ready [@a](%far) buckets [1] : tensor<512xf32>
  %da = kern.copy %far : tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  kern.ready [@a](%da) buckets [2] : tensor<512xf32>
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// Somebody writes there afterwards.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  kern.ready [@b](%db) buckets [1, 0] : tensor<512xf32>
  return %x, %db : tensor<512xf32>, tensor<512xf32>
}
func.func @gradients(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  %y, %dbs = seq.scan @body trips 2 reverse carry(%x) slices() invariants(%p) {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>, #kern.slot<gradients, 2048, stride 2048, parity 0>]} : (tensor<512xf32>, tensor<2x512xf32>) -> (tensor<512xf32>, tensor<2x512xf32>)
  %da = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  kern.ready [@a](%da) buckets [2] : tensor<512xf32>
  // expected-note @below {{what lies there was written here}}
  %z = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 1024, stride 0, parity 0>]}
  // expected-error @below {{does not find operand 0 in iteration 0}}
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// Weights are read before their bucket has come: the first row is in the second bucket, which comes first.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"b", 2, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 0, parity 0>}
func.func @gradients() -> (tensor<2x512xf32> {kern.slot = #kern.slot<gradients, 2048, stride 0, parity 0>}) {
  kern.await buckets [1]
  %a = seq.get_parameter @a : tensor<512xf32> {kern.slots = [#kern.slot<parameters, 0, stride 0, parity 0>]}
  %b = seq.get_parameter @b : tensor<2x512xf32> {kern.slots = [#kern.slot<parameters, 2048, stride 0, parity 0>]}
  %da = kern.copy %a : tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  // expected-error @below {{reads weights in iteration 0 for which 2 buckets must have come, but only 1 were waited for}}
  %db = kern.copy %b : tensor<2x512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 0, parity 0>]}
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %db : tensor<2x512xf32>
  return %db : tensor<2x512xf32>
}
}

// -----

module attributes {kern.buckets = [#kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
func.func @gradients(%g: tensor<512xf32> {kern.slot = #kern.slot<gradients, 0, stride 0, parity 0>}) {
  // expected-error @below {{must wait for at most 1 buckets, but got 2}}
  kern.await buckets [2]
  seq.gradient @a, %g : tensor<512xf32>
  return
}
}
