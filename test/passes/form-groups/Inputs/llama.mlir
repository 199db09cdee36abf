// One llama layer with all four Canon layers, three times; queries, keys and values side by side.
seq.parameter @embed parts [#seq.part<"embed.weight", 512, <normal, 0.0 : f64, 0.02 : f64>>] : tensor<512x64xf32>
seq.parameter @g1 parts [#seq.part<"layers.{}.attention.norm.weight", 64, <constant, 1.0 : f64, 0.0 : f64>>] stacked : tensor<3x64xf32>
seq.parameter @g2 parts [#seq.part<"layers.{}.mlp.norm.weight", 64, <constant, 1.0 : f64, 0.0 : f64>>] stacked : tensor<3x64xf32>
seq.parameter @ca parts [#seq.part<"layers.{}.attention.canonA.weight", 4, <constant, 0.0 : f64, 0.0 : f64>>] stacked : tensor<3x4x64xf32>
seq.parameter @cb parts [#seq.part<"layers.{}.attention.canonB.weight", 4, <constant, 0.0 : f64, 0.0 : f64>>] stacked : tensor<3x4x192xf32>
seq.parameter @cc parts [#seq.part<"layers.{}.mlp.canonC.weight", 4, <constant, 0.0 : f64, 0.0 : f64>>] stacked : tensor<3x4x64xf32>
seq.parameter @cd parts [#seq.part<"layers.{}.mlp.canonD.weight", 4, <constant, 0.0 : f64, 0.0 : f64>>] stacked : tensor<3x4x256xf32>
seq.parameter @q parts [#seq.part<"layers.{}.attention.q.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x64x64xf32>
seq.parameter @k parts [#seq.part<"layers.{}.attention.k.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x64x64xf32>
seq.parameter @v parts [#seq.part<"layers.{}.attention.v.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x64x64xf32>
seq.parameter @o parts [#seq.part<"layers.{}.attention.o.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x64x64xf32>
seq.parameter @gate parts [#seq.part<"layers.{}.mlp.gate.weight", 128, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x128x64xf32>
seq.parameter @up parts [#seq.part<"layers.{}.mlp.up.weight", 128, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x128x64xf32>
seq.parameter @down parts [#seq.part<"layers.{}.mlp.down.weight", 64, <normal, 0.0 : f64, 0.02 : f64>>] stacked : tensor<3x64x128xf32>
seq.parameter @g parts [#seq.part<"norm.weight", 64, <constant, 1.0 : f64, 0.0 : f64>>] : tensor<64xf32>

func.func private @layer(%x: tensor<2x32x64xf32>, %g1: tensor<64xf32>, %ca: tensor<4x64xf32>, %q: tensor<64x64xf32>, %k: tensor<64x64xf32>, %v: tensor<64x64xf32>, %cb: tensor<4x192xf32>, %o: tensor<64x64xf32>, %g2: tensor<64xf32>, %cc: tensor<4x64xf32>, %gate: tensor<128x64xf32>, %up: tensor<128x64xf32>, %cd: tensor<4x256xf32>, %down: tensor<64x128xf32>) -> tensor<2x32x64xf32> {
  %0 = seq.rms_norm %x, %g1 eps 1.0e-5 heads 1 : tensor<2x32x64xf32>, tensor<64xf32>
  %1 = seq.canon %0, %ca residual none : tensor<2x32x64xf32>, tensor<4x64xf32>
  %2 = seq.linear %1, %q : tensor<2x32x64xf32>, tensor<64x64xf32> -> tensor<2x32x64xf32>
  %3 = seq.linear %1, %k : tensor<2x32x64xf32>, tensor<64x64xf32> -> tensor<2x32x64xf32>
  %4 = seq.linear %1, %v : tensor<2x32x64xf32>, tensor<64x64xf32> -> tensor<2x32x64xf32>
  %5 = seq.concat %2, %3, %4 : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32> -> tensor<2x32x192xf32>
  %6 = seq.canon %5, %cb residual none : tensor<2x32x192xf32>, tensor<4x192xf32>
  %q1 = seq.slice %6 at 0 : tensor<2x32x192xf32> -> tensor<2x32x64xf32>
  %k1 = seq.slice %6 at 64 : tensor<2x32x192xf32> -> tensor<2x32x64xf32>
  %v1 = seq.slice %6 at 128 : tensor<2x32x192xf32> -> tensor<2x32x64xf32>
  %q2 = seq.rotary half_split %q1 heads 4 rotated 16 rotated_heads 4 theta 1.0e4 : tensor<2x32x64xf32>
  %k2 = seq.rotary half_split %k1 heads 4 rotated 16 rotated_heads 4 theta 1.0e4 : tensor<2x32x64xf32>
  %a, %lse = seq.attention %q2, %k2, %v1 heads 4 kv_heads 4 scale 0.25 causal : tensor<2x32x64xf32>, tensor<2x32x64xf32>, tensor<2x32x64xf32> -> tensor<2x32x64xf32>, tensor<2x4x32xf32>
  %7 = seq.linear %a, %o : tensor<2x32x64xf32>, tensor<64x64xf32> -> tensor<2x32x64xf32>
  %8 = arith.addf %x, %7 : tensor<2x32x64xf32>
  %9 = seq.rms_norm %8, %g2 eps 1.0e-5 heads 1 : tensor<2x32x64xf32>, tensor<64xf32>
  %10 = seq.canon %9, %cc residual none : tensor<2x32x64xf32>, tensor<4x64xf32>
  %11 = seq.linear %10, %gate : tensor<2x32x64xf32>, tensor<128x64xf32> -> tensor<2x32x128xf32>
  %12 = seq.linear %10, %up : tensor<2x32x64xf32>, tensor<128x64xf32> -> tensor<2x32x128xf32>
  %13 = seq.concat %11, %12 : tensor<2x32x128xf32>, tensor<2x32x128xf32> -> tensor<2x32x256xf32>
  %14 = seq.canon %13, %cd residual none : tensor<2x32x256xf32>, tensor<4x256xf32>
  %15 = seq.slice %14 at 0 : tensor<2x32x256xf32> -> tensor<2x32x128xf32>
  %16 = seq.slice %14 at 128 : tensor<2x32x256xf32> -> tensor<2x32x128xf32>
  %17 = seq.sigmoid %15 : tensor<2x32x128xf32>
  %18 = arith.mulf %15, %17 : tensor<2x32x128xf32>
  %19 = arith.mulf %18, %16 : tensor<2x32x128xf32>
  %20 = seq.linear %19, %down : tensor<2x32x128xf32>, tensor<64x128xf32> -> tensor<2x32x64xf32>
  %21 = arith.addf %8, %20 : tensor<2x32x64xf32>
  return %21 : tensor<2x32x64xf32>
}

func.func @main(%tokens: tensor<2x32xi32>) -> tensor<2x32x512xf32> {
  %e = seq.get_parameter @embed : tensor<512x64xf32>
  %g1 = seq.get_parameter @g1 : tensor<3x64xf32>
  %g2 = seq.get_parameter @g2 : tensor<3x64xf32>
  %ca = seq.get_parameter @ca : tensor<3x4x64xf32>
  %cb = seq.get_parameter @cb : tensor<3x4x192xf32>
  %cc = seq.get_parameter @cc : tensor<3x4x64xf32>
  %cd = seq.get_parameter @cd : tensor<3x4x256xf32>
  %q = seq.get_parameter @q : tensor<3x64x64xf32>
  %k = seq.get_parameter @k : tensor<3x64x64xf32>
  %v = seq.get_parameter @v : tensor<3x64x64xf32>
  %o = seq.get_parameter @o : tensor<3x64x64xf32>
  %gate = seq.get_parameter @gate : tensor<3x128x64xf32>
  %up = seq.get_parameter @up : tensor<3x128x64xf32>
  %down = seq.get_parameter @down : tensor<3x64x128xf32>
  %g = seq.get_parameter @g : tensor<64xf32>
  %x = seq.embed %tokens, %e : tensor<2x32xi32>, tensor<512x64xf32> -> tensor<2x32x64xf32>
  %y = seq.scan @layer trips 3 carry(%x) slices(%g1, %ca, %q, %k, %v, %cb, %o, %g2, %cc, %gate, %up, %cd, %down) invariants() : (tensor<2x32x64xf32>, tensor<3x64xf32>, tensor<3x4x64xf32>, tensor<3x64x64xf32>, tensor<3x64x64xf32>, tensor<3x64x64xf32>, tensor<3x4x192xf32>, tensor<3x64x64xf32>, tensor<3x64xf32>, tensor<3x4x64xf32>, tensor<3x128x64xf32>, tensor<3x128x64xf32>, tensor<3x4x256xf32>, tensor<3x64x128xf32>) -> tensor<2x32x64xf32>
  %n = seq.rms_norm %y, %g eps 1.0e-5 heads 1 : tensor<2x32x64xf32>, tensor<64xf32>
  %l = seq.linear %n, %e : tensor<2x32x64xf32>, tensor<512x64xf32> -> tensor<2x32x512xf32>
  return %l : tensor<2x32x512xf32>
}
