// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "core/ir/intrinsics/call_type.h"
#include "core/layout/layout.h"
#include "tests/unit/random_ir_generator.h"

namespace tilelab::test {

Expr Generator::random_constant(DType dtype) {
  if (dtype == DType::bool_) return bool_const(chance(50));
  if (!is_float(dtype)) {
    int64_t value = pick<int64_t>({0, 1, -1, 7, min_int(dtype), max_int(dtype), below(1 << 30)});
    return int_const(value, dtype);
  }
  if (chance(30)) return constant({dtype}, random_() & (~uint64_t{0} >> (64 - bits(dtype))));
  return float_const(pick<double>({0.0, -0.0, 1.0, 0.1, -1e30, 1e-42, 65504, 1.4426950408889634,
                                   INFINITY, -INFINITY, NAN, 1e6, 123456789.0}),
                     dtype);
}

Expr Generator::leaf(DType dtype) {
  for (int tries = 0; tries < 4; ++tries) {
    if (chance(50) && !values_.empty()) {
      const Value& v = values_[static_cast<size_t>(below(static_cast<int64_t>(values_.size())))];
      if (v.type == Type{dtype}) return name_ref(v.name, v.type);
    } else if (!buffers_.empty()) {
      const Buffer& b = any_buffer();
      if (b.dtype != dtype) continue;
      std::vector<Expr> at;
      for (size_t d = 0; d < b.shape.size(); ++d) at.push_back(random_constant(index_dtype()));
      return load(b, at);
    }
  }
  return random_constant(dtype);
}

Expr Generator::bool_expr(int depth) {
  switch (below(5)) {
    case 0: return unary(UnOp::lnot, bool_expr(depth - 1));
    case 1:
      return binary(pick({BinOp::land, BinOp::lor}), expr(DType::bool_, depth - 1),
                    expr(DType::bool_, depth - 1));
    case 2: {
      DType of = any_dtype();
      return call(Intrinsic::isnan, {DType::bool_},
                  {expr(is_float(of) ? of : DType::f32, depth - 1)});
    }
    case 3:
      return call(pick({Intrinsic::leader}), {DType::bool_}, {},
                  {attr("scope", pick({"warp", "block"}))});
    default: {
      DType of = any_dtype();
      auto op = static_cast<BinOp>(static_cast<int>(BinOp::eq) + below(6));
      return binary(op, expr(of, depth - 1), expr(of, depth - 1));
    }
  }
}

Expr Generator::float_call(DType dtype, int depth) {
  Intrinsic i = pick({Intrinsic::exp2, Intrinsic::fma, Intrinsic::maximum, Intrinsic::shfl_xor,
                      Intrinsic::ieee_add});
  std::vector<Expr> args;
  for (int n = 0; n < operand_count(i).least; ++n)
    args.push_back(expr(
        operand_info(i, size_t(n))->kind == OperandKind::values ? dtype : DType::i32, depth - 1));
  std::vector<Attr> with;
  if (i == Intrinsic::ieee_add) with.push_back(attr("mode", "rz"));
  return call(i, Type{dtype}, args, with);
}

Expr Generator::expr(DType dtype, int depth) {
  if (depth <= 0 || chance(20)) return leaf(dtype);
  if (dtype == DType::bool_) return bool_expr(depth);
  switch (below(8)) {
    case 0:
      return unary(is_float(dtype) || chance(50) ? UnOp::neg : UnOp::bnot, expr(dtype, depth - 1));
    case 1:
      return select(expr(DType::bool_, depth - 1), expr(dtype, depth - 1), expr(dtype, depth - 1));
    case 2: {
      Cast c;
      c.type = {dtype};
      c.a = expr(any_dtype(), depth - 1);
      return make(std::move(c));
    }
    case 3:
      return is_float(dtype) ? float_call(dtype, depth)
                             : call(Intrinsic::bits, {dtype}, {expr(any_dtype(), depth - 1)});
    case 4:
      return call(Intrinsic::select, {dtype},
                  {expr(DType::bool_, depth - 1), expr(dtype, depth - 1), expr(dtype, depth - 1)});
    default: {
      BinOp op = is_float(dtype) ? pick({BinOp::add, BinOp::sub, BinOp::mul, BinOp::div})
                                 : static_cast<BinOp>(below(static_cast<int>(BinOp::eq)));
      if (op == BinOp::div && !is_float(dtype)) op = BinOp::tdiv;
      return binary(op, expr(dtype, depth - 1), expr(dtype, depth - 1));
    }
  }
}

std::vector<RegionDim> Generator::region_dims(const Buffer& b, bool points) {
  std::vector<RegionDim> dims;
  for (const Expr& extent : b.shape) {
    if (points || chance(40))
      dims.push_back(point(index(2)));
    else if (chance(40) && int_value(extent))
      dims.push_back(slice(int_const(0), *int_value(extent)));
    else
      dims.push_back(slice(index(2), 1 + below(5)));
  }
  return dims;
}

Expr Generator::any_region(bool) {
  const Buffer& b = any_buffer();
  return region(b.name, b.dtype, region_dims(b, chance(20)));
}

Digits Generator::digits() {
  Digits out;
  for (int64_t n = 1 + below(3); n--;)
    out.push_back({pick({'t', 'r', 'a'}), 1 + below(8), below(64)});
  return out;
}

Layout Generator::layout() {
  Layout out;
  if (chance(30)) return out;
  for (int64_t n = 1 + below(2); n--;) {
    out.dims.push_back(digits());
    out.shape.push_back(capacity(out.dims.back()) + (chance(15) ? -1 : 0));
  }
  if (chance(30)) out.rep = digits();
  if (chance(30)) out.base = 128;
  return out;
}

Buffer Generator::buffer(Scope scope) {
  Buffer b;
  b.name = fresh("b");
  b.scope = scope;
  b.dtype = scope == Scope::barrier ? DType::f32 : any_dtype();
  for (int64_t n = 1 + below(3); n--;) {
    b.shape.push_back(chance(85) ? int_const(1 + below(64)) : index(1));
    if (is_const(b.shape.back())) b.shape.back() = int_const(1 + below(64), index_dtype());
  }
  if (chance(20)) b.strides = exprs(static_cast<int64_t>(b.shape.size()));
  if (scope != Scope::barrier) b.layout = layout();
  if (chance(20)) b.swizzle = {16, 256, 15};
  if (chance(30)) b.at = below(1 << 16);
  if (chance(20)) b.ring = "ab";
  if (chance(30)) b.origin = "A_s@1:8";
  if (chance(20)) b.safe = random_constant(b.dtype);
  if (scope == Scope::barrier)
    b.count = below(9), b.unit = pick({Unit::lane, Unit::warp, Unit::group}), b.tx = chance(50);
  if (chance(20)) b.id = below(9);
  return b;
}

Stmt Generator::declaration() {
  switch (below(5)) {
    case 0: {
      Var v;
      v.name = fresh("v");
      v.dtype = any_dtype();
      if (chance(90)) v.init = expr(v.dtype, 2);
      values_.push_back({v.name, {v.dtype}, true});
      return make(std::move(v));
    }
    case 1: {
      Ring r;
      r.name = fresh("ring");
      r.stages = 1 + below(4);
      r.fill = static_cast<RingFill>(below(4));
      r.bytes = below(1 << 20);
      r.producer = "producer", r.consumer = "a \"role\"";
      r.unit = static_cast<Unit>(below(3));
      r.arrivals = below(9), r.lag = below(2);
      rings_.push_back(r.name);
      return make(std::move(r));
    }
    case 2: {
      View v;
      v.name = fresh("view");
      v.buffer = any_buffer().name;
      v.dtype = any_dtype();
      v.shape = {int_const(4), int_const(3)};
      Buffer seen;
      seen.name = v.name, seen.dtype = v.dtype, seen.shape = v.shape;
      buffers_.push_back(seen);
      return make(std::move(v));
    }
    default: {
      buffers_.push_back(buffer(static_cast<Scope>(below(5))));
      return make(Buffer(buffers_.back()));
    }
  }
}

Stmt Generator::effect() {
  switch (below(6)) {
    case 0: {
      Let l;
      l.name = fresh("x");
      DType dtype = any_dtype();
      l.value = expr(dtype, 4);
      if (chance(10))
        l.value = call(Intrinsic::ballot, {pick({DType::u32, DType::u64})}, {bool_expr(2)});
      values_.push_back({l.name, l.value->type});
      return make(std::move(l));
    }
    case 1:
      for (const Value& v : values_)
        if (v.var && chance(50)) {
          Assign a;
          a.name = v.name;
          a.value = expr(v.type.dtype, 3);
          if (a.value->type != v.type) return effect();
          return make(std::move(a));
        }
      return effect();
    case 2: {
      const Buffer& b = any_buffer();
      Expr value = expr(b.dtype, 3);
      if (value->type.dtype != b.dtype) return effect();
      return store(b.name, region_dims(b, true), value);
    }
    case 3: {
      const Buffer& b = any_buffer();
      std::vector<RegionDim> dims = region_dims(b, false);
      Region r;
      r.dims = dims;
      auto lanes = static_cast<int>(elements(r));
      Expr v = region(b.name, b.dtype, dims);
      if (v->kind == Kind::Region && lanes > 1 && is_float(b.dtype))
        v = binary(BinOp::add, chance(50) ? v : binary(BinOp::mul, v, expr(b.dtype, 0)),
                   chance(50) ? broadcast(leaf(b.dtype), lanes) : v);
      else
        v = leaf(b.dtype);
      return store(b.name, dims, v);
    }
    case 4: {
      Let l;
      const Buffer& b = any_buffer();
      l.name = fresh("old");
      l.value = call(Intrinsic::atomic_add, {b.dtype},
                     {region(b.name, b.dtype, region_dims(b, true)), expr(b.dtype, 2)},
                     {attr("order", "relaxed")});
      values_.push_back({l.name, l.value->type});
      return make(std::move(l));
    }
    default:
      switch (below(5)) {
        case 0: return do_call(Intrinsic::block_sync, {}, {attr("mem", "all")});
        case 1: return do_call(Intrinsic::cp_wait, {int_const(below(3))});
        case 2: return do_call(Intrinsic::bar_wait, {index(2), index(1)});
        case 3: return do_call(Intrinsic::cp_async, {any_region(), any_region(), bool_expr(2)});
        default: return do_call(Intrinsic::mma_fence, {any_region(), any_region(), any_region()});
      }
  }
}

Stmt Generator::tile() {
  switch (below(8)) {
    case 0: {
      Copy c;
      c.src = any_region(), c.dst = any_region();
      c.by = static_cast<CopyBy>(below(5));
      c.vec = below(9), c.layout = layout(), c.attrs = attrs();
      return make(std::move(c));
    }
    case 1: {
      Fill f;
      f.dst = any_region();
      f.value = leaf(f.dst->type.dtype);
      f.layout = layout(), f.vec = below(5);
      return make(std::move(f));
    }
    case 2: {
      Gemm g;
      g.a = any_region(), g.b = any_region(), g.c = any_region();
      g.trans_a = chance(50), g.trans_b = chance(50);
      if (chance(70)) g.clear = bool_expr(2);
      g.policy = static_cast<WarpPolicy>(below(3)), g.by = static_cast<GemmBy>(below(7));
      if (chance(50)) g.inst = ints(3), g.warps = ints(2);
      g.wait = below(3) - 1;
      if (chance(30)) g.workspaces = {any_buffer().name, Symbol(), any_buffer().name};
      return make(std::move(g));
    }
    case 3: {
      Reduce r;
      r.src = any_region(), r.dst = any_region();
      r.op = static_cast<ReduceOp>(below(8));
      r.dims = ints(1 + below(2)), r.clear = chance(50), r.nan_propagate = chance(30);
      if (chance(30)) r.workspace = any_buffer().name;
      if (chance(30)) r.order = {"regs", "shfl 16 8"};
      return make(std::move(r));
    }
    case 4: {
      Scan s;
      s.src = any_region(), s.dst = any_region();
      s.op = static_cast<ScanOp>(below(2)), s.dim = below(2), s.reverse = chance(50);
      if (chance(60)) return make(std::move(s));
      Sort sort;
      sort.tile = any_region(), sort.descending = chance(50);
      return make(std::move(sort));
    }
    case 5: {
      Atomic a;
      a.dst = any_region();
      a.value = leaf(a.dst->type.dtype);
      a.op = static_cast<AtomicOp>(below(6));
      a.order = pick({"relaxed", "acq_rel"});
      a.vec = below(3), a.layout = layout();
      return make(std::move(a));
    }
    case 6: {
      if (rings_.empty()) return tile();
      RingOp r;
      r.op = static_cast<RingOpKind>(below(4));
      r.ring = rings_.back();
      if (r.op == RingOpKind::acquire || r.op == RingOpKind::wait) {
        r.slot = fresh("slot");
        values_.push_back({r.slot, {DType::i32}});
      }
      return make(std::move(r));
    }
    default: {
      Record r;
      r.what = static_cast<RecordKind>(below(3));
      r.message = pick({"", "x = ", "a\tb\x01\x7f"});
      if (chance(50)) r.buffer = "A";
      r.values.push_back(expr(any_dtype(), 2));
      if (chance(50)) r.index = exprs(2);
      return make(std::move(r));
    }
  }
}

/// A block in which `values` are visible and whose local names end with it.

}  // namespace tilelab::test
