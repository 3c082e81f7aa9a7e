// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics/call_type.h"
#include "core/layout/layout.h"
#include "tests/unit/random_ir_generator.h"

namespace tilelab::test {

Stmt Generator::scoped(int depth, std::vector<Value> values) {
  auto old_values = values_;
  size_t old_buffers = buffers_.size();
  auto old_rings = rings_;
  values_.insert(values_.end(), values.begin(), values.end());
  Stmt out = block(depth);
  values_ = old_values, rings_ = old_rings;
  while (buffers_.size() > old_buffers) buffers_.pop_back();
  return out;
}

Stmt Generator::loop(int depth) {
  if (chance(30)) {
    Parallel p;
    p.vars = {fresh("i"), fresh("j")};
    DType dtype = index_dtype();
    p.extents = {expr(dtype, 1), expr(dtype, 1)};
    p.layout = layout(), p.vec = below(5), p.attrs = attrs();
    p.body = scoped(depth - 1, {{p.vars[0], {dtype}}, {p.vars[1], {dtype}}});
    return make(std::move(p));
  }
  if (chance(20)) {
    TileLoop t;
    t.vars = {fresh("i")};
    t.domain = {index(2)};
    t.source = static_cast<TileSource>(below(2));
    if (chance(50)) t.stride = index(2);
    if (chance(50)) t.ring = "r", t.counter = "c";
    t.order = static_cast<TileOrder>(below(2)), t.group = below(9);
    t.body = scoped(depth - 1, {{t.vars[0], t.domain[0]->type}});
    return make(std::move(t));
  }
  For f;
  f.var = fresh("k");
  f.mode = static_cast<LoopMode>(below(3));
  if (chance(20)) {
    f.mode = LoopMode::unroll;
    f.steps = ints(1 + below(4), 99);
    f.lo = f.hi = int_const(0);
    f.step = int_const(1);
    f.body = scoped(depth - 1, {{f.var, {DType::i32}}});
  } else {
    DType dtype = index_dtype();
    f.lo = chance(50) ? int_const(0, dtype) : expr(dtype, 1);
    f.hi = expr(dtype, 2);
    f.step = chance(70) ? int_const(1, dtype) : expr(dtype, 1);
    f.stages = chance(20) ? 3 : 0;
    f.attrs = attrs();
    f.body = scoped(depth - 1, {{f.var, {dtype}}});
  }
  return make(std::move(f));
}

Stmt Generator::structure(int depth) {
  switch (below(4)) {
    case 0: {
      While w;
      w.cond = bool_expr(2);
      w.body = scoped(depth - 1, {});
      return make(std::move(w));
    }
    case 1: {
      Role r;
      r.name = "consumer";
      r.lo = below(128), r.hi = 256;
      r.regs = below(2) * 40, r.copies = 1 + below(2);
      r.body = scoped(depth - 1, {});
      return make(std::move(r));
    }
    default: {
      Stmt then = scoped(depth - 1, {});
      Stmt other = chance(50) ? scoped(depth - 1, {}) : nullptr;
      if (chance(30)) other = if_then(bool_expr(2), scoped(depth - 1, {}), other);
      return if_then(bool_expr(3), then, other);
    }
  }
}

Stmt Generator::stmt(int depth) {
  if (depth > 0 && chance(25)) return chance(60) ? loop(depth) : structure(depth);
  if (chance(25)) return declaration();
  if (chance(5)) return make(Break());
  return chance(60) ? effect() : tile();
}

Stmt Generator::block(int depth) {
  std::vector<Stmt> out;
  for (int64_t n = below(6); n--;) out.push_back(stmt(depth));
  if (out.size() == 1 && chance(50)) return out[0];
  return seq(out);
}

Stmt Generator::kernel(Symbol map) {
  Kernel k;
  k.name = "k0";
  k.grid = exprs(3);
  k.block = 32 * (1 + below(8));
  if (chance(50)) k.smem = below(1 << 16);
  std::vector<Value> indices;
  for (int64_t i = below(4); i--;) indices.push_back({fresh("bx"), {DType::i32}});
  for (const Value& v : indices) k.indices.push_back(v.name);
  if (chance(50)) k.params = {map, buffers_[0].name};
  k.attrs = attrs();
  k.body = scoped(3, indices);
  return make(std::move(k));
}

FuncRef Generator::func() {
  Func f;
  f.name = "kernel";
  f.level = static_cast<Level>(below(3));
  f.target = "sm_90a";
  if (chance(50)) f.after = "canonicalize";
  f.configs = attrs();
  for (int64_t n = below(3); n--;) {
    Dim d;
    d.name = fresh("N");
    d.dtype = index_dtype();
    d.multiple = 1 + below(2) * 7;
    values_.push_back({d.name, {d.dtype}});
    f.dims.push_back(make(std::move(d)));
  }
  for (int64_t n = 1 + below(3); n--;) {
    Param p;
    if (chance(70) || buffers_.empty()) {
      buffers_.push_back(buffer(Scope::global));
      p.name = buffers_.back().name;
      p.dtype = buffers_.back().dtype;
      p.tensor = make(Buffer(buffers_.back()));
    } else {
      p.name = fresh("n");
      p.dtype = any_dtype();
      values_.push_back({p.name, {p.dtype}});
    }
    f.params.push_back(make(std::move(p)));
  }
  if (chance(40)) f.outputs = {0};
  std::vector<Stmt> body;
  if (!f.dims.empty()) {
    Bind b;
    b.name = to<Dim>(f.dims[0]).name, b.buffer = buffers_[0].name, b.dim = below(3);
    b.stride = chance(30), b.times = 1 + below(3), b.plus = below(3) - 1;
    body.push_back(make(std::move(b)));
  }
  CheckTensor check;
  check.buffer = buffers_[0].name, check.write = chance(50);
  body.push_back(make(std::move(check)));
  Check cond;
  cond.cond = bool_expr(3), cond.message = "arg-shape";
  body.push_back(make(std::move(cond)));
  Workspace w;
  buffers_.push_back(buffer(Scope::global));
  w.buffer = make(Buffer(buffers_.back()));
  w.zeroed = chance(50);
  body.push_back(make(std::move(w)));
  TensorMap m;
  m.name = fresh("map"), m.buffer = buffers_[0].name;
  m.dims = exprs(2), m.strides = exprs(1);
  if (chance(50)) m.box = ints(2), m.swizzle = {16, 128, 7};
  Symbol map = m.name;
  body.push_back(make(std::move(m)));
  for (int64_t n = 1 + below(2); n--;) body.push_back(kernel(map));
  f.body = seq(body);
  return make(std::move(f));
}

FuncRef random_func(uint64_t seed) { return Generator(seed).func(); }

}  // namespace tilelab::test
