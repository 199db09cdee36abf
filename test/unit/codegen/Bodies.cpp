//===- Bodies.cpp - the fused kernels that the tests run ------------------------===//
#include "Bodies.h"

#include <vector>

using namespace stretto::test;

const Body stretto::test::bodies[] = {
    {"norm_canon", R"(
func.func @norm_canon(%x: tensor<$Bx$Tx$Dx$R>, %f: tensor<$Bx$Tx$Dx$R>, %g: tensor<$Dx$R>, %c: tensor<4x$Dx$R>) {
  %r:3 = kern.rowwise(%x, %f, %g, %c) maps [row, row, shared, shared] {
  ^bb0(%a: tensor<$Dx$R>, %b: tensor<$Dx$R>, %gain: tensor<$Dx$R>, %taps: tensor<4x$Dx$R>):
    %n = arith.constant dense<$D.0> : tensor<$R>
    %eps = arith.constant dense<1.0e-5> : tensor<$R>
    %x1 = arith.addf %a, %b : tensor<$Dx$R>
    %sq = arith.mulf %x1, %x1 : tensor<$Dx$R>
    %s = seq.reduce add %sq : tensor<$Dx$R> -> tensor<$R>
    %m = arith.divf %s, %n : tensor<$R>
    %me = arith.addf %m, %eps : tensor<$R>
    %rs = math.rsqrt %me : tensor<$R>
    %rb = seq.broadcast %rs dims [] : tensor<$R> -> tensor<$Dx$R>
    %xr = arith.mulf %x1, %rb : tensor<$Dx$R>
    %z = arith.mulf %xr, %gain : tensor<$Dx$R>
    %flat = seq.reshape %taps : tensor<4x$Dx$R> -> tensor<$4Dx$R>
    %c0 = seq.slice %flat at 0 : tensor<$4Dx$R> -> tensor<$Dx$R>
    %c1 = seq.slice %flat at $D : tensor<$4Dx$R> -> tensor<$Dx$R>
    %c3 = seq.slice %flat at $3D : tensor<$4Dx$R> -> tensor<$Dx$R>
    %z1 = seq.tap %z by -1 : tensor<$Dx$R>
    %z3 = seq.tap %z by -3 : tensor<$Dx$R>
    %p0 = arith.mulf %c0, %z : tensor<$Dx$R>
    %p1 = arith.mulf %c1, %z1 : tensor<$Dx$R>
    %p3 = arith.mulf %c3, %z3 : tensor<$Dx$R>
    %y0 = arith.addf %z, %p0 : tensor<$Dx$R>
    %y1 = arith.addf %y0, %p1 : tensor<$Dx$R>
    %y = arith.addf %y1, %p3 : tensor<$Dx$R>
    kern.yield %x1, %y, %rs : tensor<$Dx$R>, tensor<$Dx$R>, tensor<$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Dx$R>, tensor<4x$Dx$R>)
    -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$R>)
  return
})"},
    // dz = (1 + c0) dy + c2 dy[t+2];  dc, dg by column sums;  dx = dz g r - x r^3 / D sum(dz g x)
    {"norm_canon_backward", R"(
func.func @norm_canon_backward(%dy: tensor<$Bx$Tx$Dx$R>, %x: tensor<$Bx$Tx$Dx$R>, %r: tensor<$Bx$Tx$R>, %g: tensor<$Dx$R>, %c: tensor<$2Dx$R>) {
  %o:3 = kern.rowwise(%dy, %x, %r, %g, %c) maps [row, row, row, shared, shared] {
  ^bb0(%d: tensor<$Dx$R>, %a: tensor<$Dx$R>, %rs: tensor<$R>, %gain: tensor<$Dx$R>, %taps: tensor<$2Dx$R>):
    %n = arith.constant dense<$D.0> : tensor<$R>
    %c0 = seq.slice %taps at 0 : tensor<$2Dx$R> -> tensor<$Dx$R>
    %c2 = seq.slice %taps at $D : tensor<$2Dx$R> -> tensor<$Dx$R>
    %d2 = seq.tap %d by 2 : tensor<$Dx$R>
    %p0 = arith.mulf %c0, %d : tensor<$Dx$R>
    %p2 = arith.mulf %c2, %d2 : tensor<$Dx$R>
    %dz0 = arith.addf %d, %p0 : tensor<$Dx$R>
    %dz = arith.addf %dz0, %p2 : tensor<$Dx$R>
    %rb = seq.broadcast %rs dims [] : tensor<$R> -> tensor<$Dx$R>
    %xr = arith.mulf %a, %rb : tensor<$Dx$R>
    %z = arith.mulf %xr, %gain : tensor<$Dx$R>
    %q0 = arith.mulf %d, %z : tensor<$Dx$R>
    %q2 = arith.mulf %d2, %z : tensor<$Dx$R>
    %q = seq.concat %q0, %q2 : tensor<$Dx$R>, tensor<$Dx$R> -> tensor<$2Dx$R>
    %dc = seq.column_sum %q : tensor<$2Dx$R> -> tensor<$2Dx$R>
    %dgr = arith.mulf %dz, %xr : tensor<$Dx$R>
    %dg = seq.column_sum %dgr : tensor<$Dx$R> -> tensor<$Dx$R>
    %dzg = arith.mulf %dz, %gain : tensor<$Dx$R>
    %dzgx = arith.mulf %dzg, %a : tensor<$Dx$R>
    %p = seq.reduce add %dzgx : tensor<$Dx$R> -> tensor<$R>
    %r2 = arith.mulf %rs, %rs : tensor<$R>
    %r3 = arith.mulf %r2, %rs : tensor<$R>
    %pr = arith.mulf %p, %r3 : tensor<$R>
    %k = arith.divf %pr, %n : tensor<$R>
    %kb = seq.broadcast %k dims [] : tensor<$R> -> tensor<$Dx$R>
    %u = arith.mulf %dzg, %rb : tensor<$Dx$R>
    %v = arith.mulf %a, %kb : tensor<$Dx$R>
    %dx = arith.subf %u, %v : tensor<$Dx$R>
    kern.yield %dx, %dc, %dg : tensor<$Dx$R>, tensor<$2Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$R>, tensor<$Dx$R>, tensor<$2Dx$R>)
    -> (tensor<$Bx$Tx$Dx$R>, tensor<$2Dx$R>, tensor<$Dx$R>)
  return
})"},
    // Canon on gate and up side by side, then silu(gate) * up.
    {"swiglu", R"(
func.func @swiglu(%x: tensor<$Bx$Tx$2Dx$R>, %c: tensor<$2Dx$R>) {
  %o = kern.rowwise(%x, %c) maps [row, shared] {
  ^bb0(%a: tensor<$2Dx$R>, %taps: tensor<$2Dx$R>):
    %g = seq.slice %a at 0 : tensor<$2Dx$R> -> tensor<$Dx$R>
    %u = seq.slice %a at $D : tensor<$2Dx$R> -> tensor<$Dx$R>
    %gu = seq.concat %g, %u : tensor<$Dx$R>, tensor<$Dx$R> -> tensor<$2Dx$R>
    %t1 = seq.tap %gu by -1 : tensor<$2Dx$R>
    %p = arith.mulf %t1, %taps : tensor<$2Dx$R>
    %y = arith.addf %gu, %p : tensor<$2Dx$R>
    %yg = seq.slice %y at 0 : tensor<$2Dx$R> -> tensor<$Dx$R>
    %yu = seq.slice %y at $D : tensor<$2Dx$R> -> tensor<$Dx$R>
    %s = seq.sigmoid %yg : tensor<$Dx$R>
    %sg = arith.mulf %yg, %s : tensor<$Dx$R>
    %h = arith.mulf %sg, %yu : tensor<$Dx$R>
    kern.yield %h : tensor<$Dx$R>
  } : (tensor<$Bx$Tx$2Dx$R>, tensor<$2Dx$R>) -> tensor<$Bx$Tx$Dx$R>
  return
})"},
    // The backward of silu(canon(gate)) * canon(up): a sigmoid between taps in both directions.
    {"swiglu_backward", R"(
func.func @swiglu_backward(%x: tensor<$Bx$Tx$2Dx$R>, %dh: tensor<$Bx$Tx$Dx$R>) {
  %o:3 = kern.rowwise(%x, %dh) maps [row, row] {
  ^bb0(%a: tensor<$2Dx$R>, %d: tensor<$Dx$R>):
    %a1 = seq.tap %a by -1 : tensor<$2Dx$R>
    %a3 = seq.tap %a by -3 : tensor<$2Dx$R>
    %y0 = arith.addf %a, %a1 : tensor<$2Dx$R>
    %y = arith.subf %y0, %a3 : tensor<$2Dx$R>
    %g = seq.slice %y at 0 : tensor<$2Dx$R> -> tensor<$Dx$R>
    %u = seq.slice %y at $D : tensor<$2Dx$R> -> tensor<$Dx$R>
    %s = seq.sigmoid %g : tensor<$Dx$R>
    %gs = arith.mulf %g, %s : tensor<$Dx$R>
    %h = arith.mulf %gs, %u : tensor<$Dx$R>
    %du = arith.mulf %d, %gs : tensor<$Dx$R>
    %dgs = arith.mulf %d, %u : tensor<$Dx$R>
    %dg = arith.mulf %dgs, %s : tensor<$Dx$R>
    %e = seq.concat %dg, %du : tensor<$Dx$R>, tensor<$Dx$R> -> tensor<$2Dx$R>
    %e1 = seq.tap %e by 1 : tensor<$2Dx$R>
    %e3 = seq.tap %e by 3 : tensor<$2Dx$R>
    %x0 = arith.addf %e, %e1 : tensor<$2Dx$R>
    %dx = arith.subf %x0, %e3 : tensor<$2Dx$R>
    %q = arith.mulf %e3, %a : tensor<$2Dx$R>
    %dc = seq.column_sum %q : tensor<$2Dx$R> -> tensor<$2Dx$R>
    kern.yield %h, %dx, %dc : tensor<$Dx$R>, tensor<$2Dx$R>, tensor<$2Dx$R>
  } : (tensor<$Bx$Tx$2Dx$R>, tensor<$Bx$Tx$Dx$R>)
    -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$2Dx$R>, tensor<$2Dx$R>)
  return
})"},
    // The norm of each head, then rotary with halves, then a partial rotary with neighbours; stored per head.
    {"head_norm_rotary", R"(
func.func @head_norm_rotary(%x: tensor<$Bx$Tx$Dx$R>, %g: tensor<$Kx$R>, %cos: tensor<$Tx$Kx$R>, %sin: tensor<$Tx$Kx$R>) {
  %o:4 = kern.rowwise(%x, %g, %cos, %sin) maps [row, shared, time, time] {
  ^bb0(%a: tensor<$Dx$R>, %gain: tensor<$Kx$R>, %c: tensor<$Kx$R>, %s: tensor<$Kx$R>):
    %h = seq.reshape %a : tensor<$Dx$R> -> tensor<$Hx$Kx$R>
    %sq = arith.mulf %h, %h : tensor<$Hx$Kx$R>
    %ss = seq.reduce add %sq : tensor<$Hx$Kx$R> -> tensor<$Hx$R>
    %one = arith.constant dense<1.0> : tensor<$Hx$R>
    %s1 = arith.addf %ss, %one : tensor<$Hx$R>
    %r = math.rsqrt %s1 : tensor<$Hx$R>
    %rb = seq.broadcast %r dims [0] : tensor<$Hx$R> -> tensor<$Hx$Kx$R>
    %gb = seq.broadcast %gain dims [1] : tensor<$Kx$R> -> tensor<$Hx$Kx$R>
    %hr = arith.mulf %h, %rb : tensor<$Hx$Kx$R>
    %z = arith.mulf %hr, %gb : tensor<$Hx$Kx$R>
    %cb = seq.broadcast %c dims [1] : tensor<$Kx$R> -> tensor<$Hx$Kx$R>
    %sb = seq.broadcast %s dims [1] : tensor<$Kx$R> -> tensor<$Hx$Kx$R>
    %pz = seq.permute half_split %z rotated $E : tensor<$Hx$Kx$R>
    %zc = arith.mulf %z, %cb : tensor<$Hx$Kx$R>
    %zs = arith.mulf %pz, %sb : tensor<$Hx$Kx$R>
    %y = arith.addf %zc, %zs : tensor<$Hx$Kx$R>
    %pi = seq.permute interleaved %y rotated $P : tensor<$Hx$Kx$R>
    %w = seq.reshape %pi : tensor<$Hx$Kx$R> -> tensor<$Dx$R>
    %dgk = arith.mulf %y, %h : tensor<$Hx$Kx$R>
    %dg = seq.column_sum %dgk : tensor<$Hx$Kx$R> -> tensor<$Kx$R>
    kern.yield %y, %w, %r, %dg : tensor<$Hx$Kx$R>, tensor<$Dx$R>, tensor<$Hx$R>, tensor<$Kx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Kx$R>, tensor<$Tx$Kx$R>, tensor<$Tx$Kx$R>)
    -> (tensor<$Bx$Tx$Hx$Kx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Hx$R>, tensor<$Kx$R>)
  return
})"},
    // A reduction over the whole row of values that are made head by head.
    {"wide_norm_rotary", R"(
func.func @wide_norm_rotary(%x: tensor<$Bx$Tx$Dx$R>, %cos: tensor<$Tx$Kx$R>) {
  %o:2 = kern.rowwise(%x, %cos) maps [row, time] {
  ^bb0(%a: tensor<$Dx$R>, %c: tensor<$Kx$R>):
    %h = seq.reshape %a : tensor<$Dx$R> -> tensor<$Hx$Kx$R>
    %cb = seq.broadcast %c dims [1] : tensor<$Kx$R> -> tensor<$Hx$Kx$R>
    %p = seq.permute half_split %h rotated $E : tensor<$Hx$Kx$R>
    %m = arith.mulf %p, %cb : tensor<$Hx$Kx$R>
    %f = seq.reshape %m : tensor<$Hx$Kx$R> -> tensor<$Dx$R>
    %fa = arith.mulf %f, %a : tensor<$Dx$R>
    %s = seq.reduce add %fa : tensor<$Dx$R> -> tensor<$R>
    %top = seq.reduce max %f : tensor<$Dx$R> -> tensor<$R>
    %d = arith.subf %top, %s : tensor<$R>
    %db = seq.broadcast %d dims [] : tensor<$R> -> tensor<$Dx$R>
    %y = arith.addf %f, %db : tensor<$Dx$R>
    kern.yield %y, %s : tensor<$Dx$R>, tensor<$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Tx$Kx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$R>)
  return
})"},
    // The zero of a tap is selected on the tapped value: exp of it would be 1.
    {"tap_of_exp", R"(
func.func @tap_of_exp(%x: tensor<$Bx$Tx$Dx$R>) {
  %o:2 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<$Dx$R>):
    %e = math.exp %a : tensor<$Dx$R>
    %p = seq.tap %e by -2 : tensor<$Dx$R>
    %n = seq.tap %p by 3 : tensor<$Dx$R>
    %m = seq.tap %e by 1 : tensor<$Dx$R>
    %q = seq.tap %m by -1 : tensor<$Dx$R>
    %s = arith.addf %p, %n : tensor<$Dx$R>
    kern.yield %s, %q : tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>)
  return
})"},
    // Taps that end at documents, of a sum of masked rows that runs ahead of its reader.
    {"masked", R"(
func.func @masked(%x: tensor<$Bx$Tx$Dx$R>, %y: tensor<$Bx$Txi32>) {
  %o:2 = kern.rowwise(%x, %y) maps [row, row] {
  ^bb0(%a: tensor<$Dx$R>, %place: tensor<i32>):
    %p = arith.sitofp %place : tensor<i32> to tensor<$R>
    %none = arith.constant dense<0.0> : tensor<$R>
    %seven = arith.constant dense<7.0> : tensor<$R>
    %zero = arith.constant dense<0.0> : tensor<$Dx$R>
    %c1 = arith.cmpf olt, %p, %seven : tensor<$R>
    %m1 = seq.broadcast %c1 dims [] : tensor<i1> -> tensor<$Dxi1>
    %t1 = seq.tap %a by -1 : tensor<$Dx$R>
    %s1 = arith.select %m1, %t1, %zero : tensor<$Dxi1>, tensor<$Dx$R>
    %sum = seq.reduce add %s1 : tensor<$Dx$R> -> tensor<$R>
    %wide = seq.broadcast %sum dims [] : tensor<$R> -> tensor<$Dx$R>
    %n = arith.mulf %a, %wide : tensor<$Dx$R>
    %t2 = seq.tap %n by 2 : tensor<$Dx$R>
    %p2 = seq.tap %p by 2 : tensor<$R>
    %c2 = arith.cmpf ogt, %p2, %none : tensor<$R>
    %m2 = seq.broadcast %c2 dims [] : tensor<i1> -> tensor<$Dxi1>
    %s2 = arith.select %m2, %t2, %zero : tensor<$Dxi1>, tensor<$Dx$R>
    %y1 = arith.addf %s1, %s2 : tensor<$Dx$R>
    %y2 = arith.subf %a, %s2 : tensor<$Dx$R>
    %g = seq.column_sum %y2 : tensor<$Dx$R> -> tensor<$Dx$R>
    kern.yield %y1, %g : tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Txi32>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Dx$R>)
  return
})"},
    // Numbers that are dropped out: of rows, of sums of them, and of those that taps read.
    {"dropout", R"(
func.func @dropout(%x: tensor<$Bx$Tx$Dx$R>, %k: tensor<$Bx$Txi32>) {
  %o:3 = kern.rowwise(%x, %k) maps [row, row] {
  ^bb0(%a: tensor<$Dx$R>, %key: tensor<i32>):
    %one = arith.constant dense<1.0> : tensor<$Dx$R>
    %many = arith.constant dense<16777215.0> : tensor<$Dx$R>
    %nine = arith.constant dense<9.0> : tensor<1x$R>
    %keys = seq.broadcast %key dims [] : tensor<i32> -> tensor<$Dxi32>
    %y = seq.dropout %a at %one keys %keys rate 0.1 : tensor<$Dx$R>, tensor<$Dxi32>
    %z = seq.dropout %y at %many keys %keys rate 0.5 : tensor<$Dx$R>, tensor<$Dxi32>
    %before = seq.tap %z by -1 : tensor<$Dx$R>
    %sum = seq.reduce add %before : tensor<$Dx$R> -> tensor<$R>
    %column = seq.reshape %sum : tensor<$R> -> tensor<1x$R>
    %own = seq.reshape %key : tensor<i32> -> tensor<1xi32>
    %kept = seq.dropout %column at %nine keys %own rate 0.75 : tensor<1x$R>, tensor<1xi32>
    %wide = seq.broadcast %kept dims [0] : tensor<1x$R> -> tensor<1x$Dx$R>
    %row = seq.reshape %wide : tensor<1x$Dx$R> -> tensor<$Dx$R>
    %c = seq.column_sum %y : tensor<$Dx$R> -> tensor<$Dx$R>
    kern.yield %z, %row, %c : tensor<$Dx$R>, tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Txi32>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Dx$R>)
  return
})"},
    // Cross-entropy of a row, its most likely column and its gradient.
    {"cross_entropy", R"(
func.func @cross_entropy(%x: tensor<$Bx$Tx$Dx$R>, %y: tensor<$Bx$Txi32>, %w: tensor<$Bx$Tx$R>) {
  %o:3 = kern.rowwise(%x, %y, %w) maps [row, row, row] {
  ^bb0(%a: tensor<$Dx$R>, %target: tensor<i32>, %weight: tensor<$R>):
    %top = seq.reduce max %a : tensor<$Dx$R> -> tensor<$R>
    %tb = seq.broadcast %top dims [] : tensor<$R> -> tensor<$Dx$R>
    %d = arith.subf %a, %tb : tensor<$Dx$R>
    %e = math.exp %d : tensor<$Dx$R>
    %s = seq.reduce add %e : tensor<$Dx$R> -> tensor<$R>
    %ls = math.log %s : tensor<$R>
    %lse = arith.addf %ls, %top : tensor<$R>
    %i = seq.column_index : tensor<$Dx$R>
    %tr = arith.sitofp %target : tensor<i32> to tensor<$R>
    %trb = seq.broadcast %tr dims [] : tensor<$R> -> tensor<$Dx$R>
    %hit = arith.cmpf oeq, %i, %trb : tensor<$Dx$R>
    %zero = arith.constant dense<0.0> : tensor<$Dx$R>
    %one = arith.constant dense<1.0> : tensor<$Dx$R>
    %mine = arith.select %hit, %a, %zero : tensor<$Dxi1>, tensor<$Dx$R>
    %score = seq.reduce add %mine : tensor<$Dx$R> -> tensor<$R>
    %nll = arith.subf %lse, %score : tensor<$R>
    %isTop = arith.cmpf oge, %a, %tb : tensor<$Dx$R>
    %far = arith.constant dense<1.0e6> : tensor<$Dx$R>
    %where = arith.select %isTop, %i, %far : tensor<$Dxi1>, tensor<$Dx$R>
    %first = seq.reduce min %where : tensor<$Dx$R> -> tensor<$R>
    %predicted = arith.fptosi %first : tensor<$R> to tensor<i32>
    %lb = seq.broadcast %lse dims [] : tensor<$R> -> tensor<$Dx$R>
    %dl = arith.subf %a, %lb : tensor<$Dx$R>
    %p = math.exp %dl : tensor<$Dx$R>
    %hot = arith.select %hit, %one, %zero : tensor<$Dxi1>, tensor<$Dx$R>
    %pg = arith.subf %p, %hot : tensor<$Dx$R>
    %wb = seq.broadcast %weight dims [] : tensor<$R> -> tensor<$Dx$R>
    %grad = arith.mulf %pg, %wb : tensor<$Dx$R>
    kern.yield %nll, %predicted, %grad : tensor<$R>, tensor<i32>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Txi32>, tensor<$Bx$Tx$R>)
    -> (tensor<$Bx$Tx$R>, tensor<$Bx$Txi32>, tensor<$Bx$Tx$Dx$R>)
  return
})"},
    // Canon, then a norm, then taps in both directions: the scalars of other rows are needed.
    {"tap_behind_reduction", R"(
func.func @tap_behind_reduction(%x: tensor<$Bx$Tx$Dx$R>) {
  %o:2 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<$Dx$R>):
    %a1 = seq.tap %a by -1 : tensor<$Dx$R>
    %a2 = seq.tap %a by 2 : tensor<$Dx$R>
    %y0 = arith.addf %a, %a1 : tensor<$Dx$R>
    %y = arith.subf %y0, %a2 : tensor<$Dx$R>
    %sq = arith.mulf %y, %y : tensor<$Dx$R>
    %s = seq.reduce add %sq : tensor<$Dx$R> -> tensor<$R>
    %one = arith.constant dense<1.0> : tensor<$R>
    %s1 = arith.addf %s, %one : tensor<$R>
    %r = math.rsqrt %s1 : tensor<$R>
    %rb = seq.broadcast %r dims [] : tensor<$R> -> tensor<$Dx$R>
    %n = arith.mulf %y, %rb : tensor<$Dx$R>
    %n1 = seq.tap %n by -2 : tensor<$Dx$R>
    %n2 = seq.tap %n by 3 : tensor<$Dx$R>
    %z = arith.addf %n1, %n2 : tensor<$Dx$R>
    %zz = arith.mulf %z, %n : tensor<$Dx$R>
    %q = seq.reduce add %zz : tensor<$Dx$R> -> tensor<$R>
    %q1 = seq.tap %q by 1 : tensor<$R>
    %qb = seq.broadcast %q1 dims [] : tensor<$R> -> tensor<$Dx$R>
    %w = arith.mulf %z, %qb : tensor<$Dx$R>
    %cs = seq.column_sum %w : tensor<$Dx$R> -> tensor<$Dx$R>
    kern.yield %w, %cs : tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Dx$R>)
  return
})"},
    {"turns", R"(
func.func @turns(%x: tensor<$Bx$Tx$Dx$R>) {
  %o:3 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<$Dx$R>):
    %many = arith.constant dense<1024.0> : tensor<$Dx$R>
    %angle = arith.mulf %a, %many : tensor<$Dx$R>
    %sin = math.sin %angle : tensor<$Dx$R>
    %cos = math.cos %angle : tensor<$Dx$R>
    %small = math.sin %a : tensor<$Dx$R>
    kern.yield %sin, %cos, %small : tensor<$Dx$R>, tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>)
  return
})"},
    {"functions", R"(
func.func @functions(%x: tensor<$Bx$Tx$Dx$R>) {
  %o:3 = kern.rowwise(%x) maps [row] {
  ^bb0(%a: tensor<$Dx$R>):
    %abs = math.absf %a : tensor<$Dx$R>
    %sqrt = math.sqrt %abs : tensor<$Dx$R>
    %log1p = math.log1p %abs : tensor<$Dx$R>
    %erf = math.erf %a : tensor<$Dx$R>
    %tanh = math.tanh %a : tensor<$Dx$R>
    %sp = seq.softplus %a : tensor<$Dx$R>
    %big = arith.maximumf %erf, %tanh : tensor<$Dx$R>
    %small = arith.minimumf %sp, %sqrt : tensor<$Dx$R>
    %neg = arith.negf %log1p : tensor<$Dx$R>
    %sum = arith.addf %big, %neg : tensor<$Dx$R>
    kern.yield %sum, %small, %sp : tensor<$Dx$R>, tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>)
  return
})"},
    // Results that share an operand, but not its loops: a row is divided otherwise.
    {"divided_otherwise", R"(
func.func @divided_otherwise(%x: tensor<$Bx$Tx$Dx$R>, %g: tensor<$Dx$R>) {
  %o:2 = kern.rowwise(%x, %g) maps [row, shared] {
  ^bb0(%a: tensor<$Dx$R>, %gain: tensor<$Dx$R>):
    %twice = seq.concat %gain, %gain : tensor<$Dx$R>, tensor<$Dx$R> -> tensor<$2Dx$R>
    %turned = seq.slice %twice at 1 : tensor<$2Dx$R> -> tensor<$Dx$R>
    %p = arith.mulf %a, %turned : tensor<$Dx$R>
    %q = arith.mulf %a, %a : tensor<$Dx$R>
    kern.yield %q, %p : tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Dx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>)
  return
})"},
    // Or one waits for a sum.
    {"two_stages", R"(
func.func @two_stages(%x: tensor<$Bx$Tx$Dx$R>, %t: tensor<$Tx$Dx$R>) {
  %o:2 = kern.rowwise(%x, %t) maps [row, time] {
  ^bb0(%a: tensor<$Dx$R>, %table: tensor<$Dx$R>):
    %s = seq.reduce max %table : tensor<$Dx$R> -> tensor<$R>
    %b = seq.broadcast %s dims [] : tensor<$R> -> tensor<$Dx$R>
    %p = arith.addf %a, %a : tensor<$Dx$R>
    %q = arith.mulf %a, %b : tensor<$Dx$R>
    kern.yield %p, %q : tensor<$Dx$R>, tensor<$Dx$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Tx$Dx$R>) -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>)
  return
})"},
    // Results that have nothing in common, and some that share a number of each row.
    {"apart", R"(
func.func @apart(%x: tensor<$Bx$Tx$Dx$R>, %y: tensor<$Bx$Tx$Dx$R>, %s: tensor<$Bx$Tx$R>) {
  %o:4 = kern.rowwise(%x, %y, %s) maps [row, row, row] {
  ^bb0(%a: tensor<$Dx$R>, %b: tensor<$Dx$R>, %c: tensor<$R>):
    %p = arith.mulf %a, %a : tensor<$Dx$R>
    %q = arith.addf %b, %b : tensor<$Dx$R>
    %r = arith.mulf %c, %c : tensor<$R>
    %t = arith.addf %c, %c : tensor<$R>
    kern.yield %p, %q, %r, %t : tensor<$Dx$R>, tensor<$Dx$R>, tensor<$R>, tensor<$R>
  } : (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$R>)
    -> (tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$Dx$R>, tensor<$Bx$Tx$R>, tensor<$Bx$Tx$R>)
  return
})"},
};
const unsigned stretto::test::bodyCount = sizeof(bodies) / sizeof(bodies[0]);

static void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

std::string stretto::test::fill(const Body &body, const Sizes &sizes) {
  std::string text = body.text;
  int64_t columns = sizes.columns, headColumns = columns / sizes.heads, even = headColumns / 2 * 2;
  std::vector<std::pair<std::string, std::string>> words = {
      {"$R", sizes.real},
      {"$B", std::to_string(sizes.batch)},
      {"$T", std::to_string(sizes.time)},
      {"$2D", std::to_string(2 * columns)},
      {"$3D", std::to_string(3 * columns)},
      {"$4D", std::to_string(4 * columns)},
      {"$D", std::to_string(columns)},
      {"$H", std::to_string(sizes.heads)},
      {"$K", std::to_string(headColumns)},
      {"$E", std::to_string(even)},                           // rotated columns: all of a head
      {"$P", std::to_string(std::max<int64_t>(even - 2, 0))}, // some of a head
  };
  for (auto &[from, to] : words)
    replaceAll(text, from, to);
  return text;
}
