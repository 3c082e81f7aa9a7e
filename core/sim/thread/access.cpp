// SPDX-License-Identifier: Apache-2.0
// Indices -> element offsets. An index is kept as register + constant, so that the copies of an
// unrolled statement share all address arithmetic; its range is checked once per value.
#include <utility>

#include "core/ir/build.h"
#include "core/sim/thread/compile.h"

namespace tilelab::sim {

ThreadCompiler::Index ThreadCompiler::index_of(Value v) {
  if (auto x = v.integer()) return {no_reg, Elem::i32, *x};
  if (v.elem != Elem::i32) v = cast(Elem::i64, v);
  return {at(v), v.elem, 0};
}

ThreadCompiler::Index ThreadCompiler::index(const Expr& e) {
  const Bin* n = as<Bin>(e);
  bool integer = e->type.dtype == DType::i32 || e->type.dtype == DType::i64;
  if (n && integer && (n->op == BinOp::add || n->op == BinOp::sub || n->op == BinOp::mul)) {
    Index x = index(n->a), y = index(n->b);
    if (n->op == BinOp::mul) {
      if (x.reg == no_reg) return scaled(y, x.add);
      if (y.reg == no_reg) return scaled(x, y.add);
      return index_of(expr(e));
    }
    if (n->op == BinOp::add) return sum(x, y);
    if (y.reg == no_reg) return {x.reg, x.elem, x.add - y.add};
    return sum(x, scaled(y, -1));
  }
  return index_of(expr(e));
}

ThreadCompiler::Index ThreadCompiler::scaled(const Index& i, int64_t by) {
  if (i.reg == no_reg || by == 1) return {i.reg, i.elem, i.add * by};
  if (by == 0) return {};
  Reg factor = b.constant(i.elem, uint64_t(by));
  return {b.lanes(lane_fn(LaneOp::mul, i.elem), elem_bytes(i.elem), i.reg, factor), i.elem,
          i.add * by};
}

ThreadCompiler::Index ThreadCompiler::sum(const Index& a, const Index& c) {
  if (a.reg == no_reg) return {c.reg, c.elem, a.add + c.add};
  if (c.reg == no_reg) return {a.reg, a.elem, a.add + c.add};
  Index x = a, y = c;
  if (x.elem != y.elem) x = widened(x), y = widened(y);
  return {b.lanes(lane_fn(LaneOp::add, x.elem), elem_bytes(x.elem), x.reg, y.reg), x.elem,
          x.add + y.add};
}

ThreadCompiler::Index ThreadCompiler::widened(const Index& i) {
  if (i.reg == no_reg || i.elem == Elem::i64) return {i.reg, Elem::i64, i.add};
  return {b.lanes(cast_fn(Elem::i64, i.elem), 8, i.reg), Elem::i64, i.add};
}

/// The complete index in one register.
Reg ThreadCompiler::index_reg(const Index& i) {
  if (i.reg == no_reg) return b.constant(i.elem, uint64_t(i.add));
  if (i.add == 0) return i.reg;
  return b.lanes(lane_fn(LaneOp::add, i.elem), elem_bytes(i.elem), i.reg,
                 b.constant(i.elem, uint64_t(i.add)));
}

/// Emits the check that [i, i + width) is within [0, extent), unless it is provable.
void ThreadCompiler::check_index(const Index& i, const Expr& extent, int width,
                                 const CheckSite& site) {
  Value limit = expr(extent);
  auto known = limit.integer();
  if (i.reg == no_reg && known && i.add >= 0 && i.add + width <= *known) return;
  Instr check{.op = Op::bounds, .elem = i.elem, .a = i.reg, .imm = i.add};
  if (known) {
    check.extra = uint32_t(std::max<int64_t>(*known - (width - 1), 0));
  } else {
    check.b = at(cast(Elem::i64, limit));
    check.extra = uint32_t(width - 1);
  }
  // In watched runs one check per statement, buffer and dimension.
  if (b.checked(check, options_.watched ? &site : nullptr)) return;
  if (i.reg != no_reg) check.c = b.range(i.elem, i.reg);
  check.site = b.add_site(site);
  b.emit(check);
}

/// Element stride of dimension `dim`: the product of the inner extents.
ThreadCompiler::Index ThreadCompiler::global_stride(const BufferUse& u, size_t dim) {
  if (!u.strides.empty()) return index(u.strides[dim]);
  Index stride{no_reg, Elem::i64, 1};
  for (size_t d = dim + 1; d < u.shape.size(); ++d) {
    Index e = widened(index(u.shape[d]));
    if (e.reg == no_reg) {
      stride = scaled(stride, e.add);
    } else if (stride.reg == no_reg) {
      stride = scaled(e, stride.add);
    } else {
      stride = {b.lanes(lane_fn(LaneOp::mul, Elem::i64), 8, stride.reg, index_reg(e)), Elem::i64,
                0};
    }
  }
  return stride;
}

/// The register with the address of a tensor; no_reg: the launch knows the memory.
Reg ThreadCompiler::address_of(const BufferUse& u) {
  if (!u.address) return no_reg;
  ++b.address_depth;
  const Reg address = at(cast(Elem::i64, expr(u.address)));
  --b.address_depth;
  return address;
}

/// Address contribution of one dimension: mixed-radix digits, most significant first.
ThreadCompiler::Index ThreadCompiler::digits_offset(const Index& i, const Digits& digits) {
  Digits used;
  for (const Digit& d : digits)
    if (d.extent > 1) used.push_back(d);
  if (used.empty()) return {};
  if (used.size() == 1) return scaled(i, used[0].stride);
  Value rest = i.reg == no_reg ? integer(i.add, i.elem) : reg(i.elem, index_reg(i));
  Index total;
  for (size_t k = used.size(); k-- > 0;) {
    Value extent = integer(used[k].extent, i.elem);
    Value digit = k == 0 ? rest : binary(BinOp::floormod, rest, extent);
    total = sum(total, scaled(index_of(digit), used[k].stride));
    if (k > 0) rest = binary(BinOp::floordiv, rest, extent);
  }
  return total;
}

namespace {

/// The stride between neighbouring indices: that of the least significant digit.
int64_t digit_step(const Digits& digits) {
  for (size_t k = digits.size(); k-- > 0;)
    if (digits[k].extent > 1) return digits[k].stride;
  return 1;
}

}  // namespace

/// The address of a reference. `run` > 0: that many elements from there along the last dimension
/// are accessed although no slice says so (a row of ldmatrix).
ThreadCompiler::Place ThreadCompiler::place(const BufferUse& u, const std::vector<RegionDim>& dims,
                                            const Node& node, bool write, bool vector, int run) {
  const bool global = u.scope == Scope::global;
  const bool linear = image_.flat && global && dims.size() == 1 && u.shape.size() != 1;
  if (dims.size() != u.shape.size() && !linear)
    cannot(node, "a reference with another number of indices than its buffer");
  ++b.address_depth;
  Place p;
  const MemoryInfo& memory = image_.memories[size_t(u.number)];
  int64_t total = 1;
  for (int64_t e : memory.shape) total = e < 0 || total < 0 ? -1 : total * e;
  if (linear) return linear_place(dims[0], node, vector);
  p.offset.wide = global && (total < 0 || total >= (int64_t{1} << 31) || !u.strides.empty());
  Index sum_{no_reg, p.offset.wide ? Elem::i64 : Elem::i32, 0};
  int64_t row_major = 1;
  for (size_t d = u.shape.size(); d-- > 0;) {
    Index i = index(dims[d].lo);
    int width = int(dims[d].point ? 1 : dims[d].extent);
    if (run && d + 1 == u.shape.size()) width = run;
    check_index(i, u.shape[d], width, {u.number, -1, write, int32_t(d), int32_t(u.shape.size())});
    Index part;
    int64_t step = 1;
    if (global) {
      Index stride = global_stride(u, d);
      if (stride.reg == no_reg) {
        part = scaled(p.offset.wide ? widened(i) : i, step = stride.add);
      } else {
        part = {b.lanes(lane_fn(LaneOp::mul, Elem::i64), 8, index_reg(widened(i)),
                        index_reg(widened(stride))),
                Elem::i64, 0};
        step = 0;
      }
    } else if (memory.layout.known()) {
      part = digits_offset(i, memory.layout.dims[d]);
      step = digit_step(memory.layout.dims[d]);
    } else {
      part = scaled(i, step = row_major);
      row_major *= memory.shape[d];
    }
    sum_ = sum(sum_, part);
    if (vector && width > 1) {
      if (p.width > 1) cannot(node, "a vector with two sliced dimensions");
      if (width > max_vector) cannot(node, "a vector of more than 16 elements");
      if (step == 0) cannot(node, "a vector along a dimension whose stride is not constant");
      p.width = width;
      p.step = step;
    }
  }
  if (p.offset.wide) sum_ = widened(sum_);
  p.offset.at = sum_;
  --b.address_depth;
  return p;
}

/// flatten has merged a tensor's indices into one offset, which is checked against the allocation.
ThreadCompiler::Place ThreadCompiler::linear_place(const RegionDim& dim, const Node& node,
                                                   bool vector) {
  Place p;
  p.checked = false;
  Index i = index(dim.lo);
  p.offset.wide = i.elem == Elem::i64;
  p.offset.at = i;
  if (vector && !dim.point && dim.extent > 1) {
    if (dim.extent > max_vector) cannot(node, "a vector of more than 16 elements");
    p.width = int(dim.extent);
    p.step = 1;
  }
  --b.address_depth;
  return p;
}

Value ThreadCompiler::load_place(const BufferUse& u, const Place& p, bool store, const Value* value,
                                 const Marks& marks) {
  Access a;
  a.memory = u.number;
  a.elem = u.dtype;
  a.address = address_of(u);
  a.width = p.width;
  a.offset = p.offset.at.reg;
  a.wide = p.offset.at.elem == Elem::i64;
  a.base = p.offset.at.add;
  a.contiguous = p.step == 1;
  a.checked = p.checked;
  Value out;
  out.elem = u.dtype;
  bool known = !store && !moved_;
  for (int i = 0; i < p.width && known; ++i) {
    out.regs.push_back(b.loaded(a, i * p.step));
    known = out.regs.back() != no_reg;
  }
  if (known) return out;
  out.regs.clear();
  for (int i = 0; i < p.width; ++i) {
    a.delta[size_t(i)] = i * p.step;
    a.value[size_t(i)] = store ? at(*value, i) : b.temp(elem_bytes(u.dtype));
    out.regs.push_back(a.value[size_t(i)]);
    if (moved_ && !store) moved_->push_back(b.temp(1)), a.marks.push_back(moved_->back());
  }
  if (store) a.marks = marks;
  MemoryInfo& memory = image_.memories[size_t(u.number)];
  if (store) {
    memory.written = true;
    if (memory.of >= 0) image_.memories[size_t(memory.of)].written = true;
  }
  if (memory.shared) image_.shared_granule = std::min(image_.shared_granule, elem_bytes(u.dtype));
  b.emit({.op = store ? Op::store : Op::load, .extra = uint32_t(b.add_access(a))});
  for (int k = 0; k < p.width && !store && !moved_; ++k)
    b.remember_loaded(a, k * p.step, out.regs[size_t(k)]);
  return out;
}

// ---- local arrays

/// Row-major element index of a reference to a local array; `width` of its slice.
ThreadCompiler::Index ThreadCompiler::local_index(const BufferUse& u,
                                                  const std::vector<RegionDim>& dims, bool write,
                                                  int* width) {
  ++b.address_depth;
  Index total;
  int64_t stride = 1;
  *width = 1;
  for (size_t d = u.shape.size(); d-- > 0;) {
    int w = int(dims.at(d).point ? 1 : dims[d].extent);
    Index i = index(dims[d].lo);
    check_index(i, u.shape[d], w, {-1, u.number, write, int32_t(d), int32_t(u.shape.size())});
    if (w > 1) *width = w;
    total = sum(total, scaled(i, stride));
    stride *= expr(u.shape[d]).integer().value_or(1);
  }
  --b.address_depth;
  return total;
}

Value ThreadCompiler::local(const BufferUse& u, const std::vector<RegionDim>& dims,
                            const Node& node) {
  if (dims.size() != u.shape.size())
    cannot(node, "a reference with another number of indices than its buffer");
  if (u.array) return load_view(u, dims);
  int width = 1;
  Marks* moved = std::exchange(moved_, nullptr);  // an index is a use
  Index i = local_index(u, dims, false, &width);
  moved_ = moved;
  log_local(u, i, width, false);
  Value out;
  out.elem = u.dtype;
  const RegArray array = b.array(u.number);
  if (i.reg == no_reg && i.add >= 0 && i.add + width <= array.count) {
    check_written(u.number, i.add, width);
    touch(u.number, i.add, width, false);
    for (int k = 0; k < width; ++k) out.regs.push_back(b.element(u.number, i.add + k));
    return out;
  }
  touch(u.number, 0, array.count, false);
  int bytes = array.bytes;
  for (int k = 0; k < width; ++k) {
    check_written_at(u.number, {i.reg, i.elem, i.add + k});
    Instr load;
    load.op = Op::load_reg;
    load.elem = i.elem;
    load.a = index_reg({i.reg, i.elem, i.add + k});
    load.dst = b.temp(bytes);
    load.extra = uint32_t(u.number);
    b.emit(load);
    out.regs.push_back(load.dst);
  }
  return out;
}

void ThreadCompiler::store_local(const BufferUse& u, const std::vector<RegionDim>& dims,
                                 const Value& v, const Node& node, const Marks& marks) {
  if (dims.size() != u.shape.size())
    cannot(node, "a reference with another number of indices than its buffer");
  if (u.array) return store_view(u, dims, v, node);
  int width = 1;
  Index i = local_index(u, dims, true, &width);
  const RegArray array = b.array(u.number);
  if (i.reg == no_reg && i.add >= 0 && i.add + width <= array.count) {
    touch(u.number, i.add, width, true);
    if (width == 1) {
      assign(u.number, i.add, v);
    } else {
      b.fence();
      for (int k = 0; k < width; ++k)
        b.assign(b.element(u.number, i.add + k), array.bytes, nullptr, at(v, k));
    }
    mark_written(u.number, i.add, width, marks);
    return log_local(u, i, width, true);
  }
  touch(u.number, 0, array.count, true);
  for (int k = 0; k < width; ++k) {
    b.emit({.op = Op::store_reg,
            .elem = i.elem,
            .a = index_reg({i.reg, i.elem, i.add + k}),
            .b = at(v, k),
            .extra = uint32_t(u.number)});
    mark_written_at(u.number, {i.reg, i.elem, i.add + k},
                    marks.empty() ? no_reg : marks[size_t(k)]);
  }
  b.written_array(u.number);
  log_local(u, i, width, true);
}

/// Reports stored elements to the log, if there is one; to a tracer also elements that are read.
void ThreadCompiler::log_local(const BufferUse& u, const Index& index, int width, bool write) {
  if (!options_.traced && !(options_.logged && write)) return;
  CallSite site{.what = call_log, .elem = u.dtype};
  Operand o;
  o.array = u.number;
  o.elem = index.elem;
  o.base = index.add;
  o.extents = {width};
  if (index.reg != no_reg) o.regs = {index.reg};
  site.operands.push_back(o);
  site.numbers = {write};
  Instr i{.op = Op::call, .for_watchers = true, .extra = uint32_t(b.add_call(std::move(site)))};
  b.emit(i);
}

/// Registers of an asynchronous matrix operation must not be accessed before its wait. One check
/// per eight registers and straight-line section suffices.
void ThreadCompiler::touch(int32_t array, int64_t first, int64_t n, bool written) {
  if (!async_arrays_.count(array)) return;
  for (int64_t block = first / 8; block <= (first + n - 1) / 8; ++block) {
    uint64_t which = uint64_t(array) << 32 | uint64_t(block) << 1 | written;
    if (b.once(call_touch, which)) continue;
    CallSite site;
    site.what = call_touch;
    Operand o;
    o.form = Operand::Form::slice;
    o.array = array;
    o.first = block * 8;
    o.extents = {8};
    site.operands.push_back(o);
    site.numbers = {written};
    b.emit({.op = Op::call, .extra = uint32_t(b.add_call(std::move(site)))});
  }
}

// ---- queries of the base class

Value ThreadCompiler::load(const Load& node) {
  const BufferUse& u = use(node.buffer, node);
  std::vector<RegionDim> dims;
  for (const Expr& e : node.index) dims.push_back(point(e));
  if (u.scope == Scope::local) return local(u, dims, node);
  if (u.scope == Scope::barrier) cannot(node, "a barrier has no value");
  return load_memory(u, dims, node);
}

Value ThreadCompiler::load_memory(const BufferUse& u, const std::vector<RegionDim>& dims,
                                  const Node& node) {
  Marks* moved = std::exchange(moved_, nullptr);
  const Place p = place(u, dims, node, false);
  moved_ = moved;
  return load_place(u, p, false, nullptr);
}

Value ThreadCompiler::region(const Region& node) {
  const BufferUse& u = use(node.buffer, node);
  if (u.scope == Scope::local) return local(u, node.dims, node);
  if (u.scope == Scope::barrier) cannot(node, "a barrier has no value");
  return load_memory(u, node.dims, node);
}

void ThreadCompiler::store(const Store& node) {
  const BufferUse& u = use(node.buffer, node);
  Marks marks;
  if (moves(node)) moved_ = &marks;
  Value v = cast(u.dtype, expr(node.value));
  moved_ = nullptr;
  if (marks.size() == 1)  // broadcast of one element
    for (const RegionDim& dim : node.dims)
      if (!dim.point) marks.resize(marks.size() * size_t(dim.extent), marks[0]);
  if (u.scope == Scope::local) return store_local(u, node.dims, v, node, marks);
  if (u.scope == Scope::barrier) cannot(node, "a barrier has no value");
  load_place(u, place(u, node.dims, node, true), true, &v, marks);
}

bool ThreadCompiler::safe_read(const Load& node) {
  auto it = buffers_.find(node.buffer);
  if (it == buffers_.end() || it->second.scope != Scope::local) return false;
  for (const Expr& e : node.index) {
    const Name* n = as<Name>(e);
    const Value* known = n ? find(n->id) : nullptr;
    if (e->kind != Kind::Const && !(known && known->constant)) return false;
  }
  // A watched register is read only in lanes that need it.
  return all_written(it->second.number);
}

}  // namespace tilelab::sim
