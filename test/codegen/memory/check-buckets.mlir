// RUN: stretto-opt %s --kern-verify-memory --split-input-file --verify-diagnostics

// What kern.ready says must be so when it runs. Flat gradients: @a has row 0, @b rows 1 and 2, an entry each.

// As it should be: the entries of @b from the last to the first, then @a.
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
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// A bucket is told before its last gradient is there.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  // expected-error @below {{says that bucket 0 is final in iteration 1, but the gradient of @b is not}}
  kern.ready [@b](%db) buckets [1, 1] : tensor<512xf32>
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

// A gradient that nobody speaks of.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  kern.ready [@b](%db) buckets [1, 0] : tensor<512xf32>
  return %x, %db : tensor<512xf32>, tensor<512xf32>
}
// expected-error @below {{must say that the gradient of @a is final}}
func.func @gradients(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  %y, %dbs = seq.scan @body trips 2 reverse carry(%x) slices() invariants(%p) {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>, #kern.slot<gradients, 2048, stride 2048, parity 0>]} : (tensor<512xf32>, tensor<2x512xf32>) -> (tensor<512xf32>, tensor<2x512xf32>)
  %da = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// A bucket that is not told in the end.
module attributes {kern.buckets = [#kern.bucket<first 1, rows 2>, #kern.bucket<first 0, rows 1>]} {
seq.parameter @a parts [#seq.part<"a", 512, <normal, 0.0 : f64, 1.0 : f64>>] : tensor<512xf32> {kern.slot = #kern.slot<parameters, 0, stride 0, parity 0>}
seq.parameter @b parts [#seq.part<"layers.{}.b", 512, <normal, 0.0 : f64, 1.0 : f64>>] stacked : tensor<2x512xf32> {kern.slot = #kern.slot<parameters, 2048, stride 2048, parity 0>}
func.func private @body(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32>, tensor<512xf32>) {
  %db = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 2048, stride 2048, parity 0>]}
  kern.ready [@b](%db) buckets [1, 0] : tensor<512xf32>
  return %x, %db : tensor<512xf32>, tensor<512xf32>
}
// expected-error @below {{must have 2 final buckets at its end, but has 1}}
func.func @gradients(%x: tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}, %p: tensor<2x512xf32> {kern.slot = #kern.slot<inputs, 2048, stride 0, parity 0>}) -> (tensor<512xf32> {kern.slot = #kern.slot<inputs, 0, stride 0, parity 0>}) {
  %y, %dbs = seq.scan @body trips 2 reverse carry(%x) slices() invariants(%p) {kern.slots = [#kern.slot<inputs, 0, stride 0, parity 0>, #kern.slot<gradients, 2048, stride 2048, parity 0>]} : (tensor<512xf32>, tensor<2x512xf32>) -> (tensor<512xf32>, tensor<2x512xf32>)
  %da = kern.sum_partials kernel "s" %p : tensor<2x512xf32> -> tensor<512xf32> {kern.slots = [#kern.slot<gradients, 0, stride 0, parity 0>]}
  kern.ready [@a](%da) buckets [1] : tensor<512xf32>
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// Fewer than before.
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
  // expected-error @below {{must tell a number of buckets from 1, which were final before, to 2, but got 0}}
  kern.ready [@a](%da) buckets [0] : tensor<512xf32>
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}

// -----

// More than there are.
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
  // expected-error @below {{must tell a number of buckets from 1, which were final before, to 2, but got 3}}
  kern.ready [@a](%da) buckets [3] : tensor<512xf32>
  seq.gradient @a, %da : tensor<512xf32>
  seq.gradient @b, %dbs : tensor<2x512xf32>
  return %y : tensor<512xf32>
}
}
