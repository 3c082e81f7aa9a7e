// SPDX-License-Identifier: Apache-2.0
// Tile level: tile operations as calls.
#include "core/ir/build.h"
#include "core/ir/varying.h"
#include "core/sim/lanes/gemm.h"
#include "core/sim/tile/compile.h"

namespace tilelab::sim {

TileBox TileCompiler::box(const Expr& e, CallSite& site) {
  const Region& region = to<Region>(e);
  TileBox box;
  box.memory = memory_of(region.buffer, region);
  const TileMemory& m = image_.memories[size_t(box.memory)];
  if (m.per_lane)
    cannot(region, "a tile operation on a thread's local buffer beside thread-level statements");
  if (region.dims.size() != m.shape.size())
    cannot(region, region.buffer.str() + ": one index per dimension expected");
  for (const RegionDim& d : region.dims) {
    TileBox::Dim dim;
    dim.extent = d.extent;
    dim.point = d.point;
    Value v = d.lo ? expr(d.lo) : integer(0);
    if (auto known = v.integer())
      dim.base = *known;
    else
      dim.operand = operand(site, v);
    box.dims.push_back(dim);
  }
  return box;
}

void TileCompiler::emit_op(TileCall what, TileOp op, CallSite site) {
  site.what = what;
  if (what != call_record && what != call_ring) writes(op.boxes[0].memory);
  site.numbers = {int64_t(image_.ops.size())};
  image_.ops.push_back(std::move(op));
  emit_call(std::move(site));
}

static std::vector<int64_t> sliced(const TileBox& box) {
  std::vector<int64_t> v;
  for (const TileBox::Dim& d : box.dims)
    if (d.extent != 1) v.push_back(d.extent);
  return v;
}

static std::string text_of(const std::vector<int64_t>& v) {
  std::string s = "[";
  for (size_t i = 0; i < v.size(); ++i) s += (i ? ", " : "") + std::to_string(v[i]);
  return s + "]";
}

void TileCompiler::copy(const Copy& node) {
  CallSite site;
  TileOp op;
  op.boxes.push_back(box(node.dst, site));
  op.boxes.push_back(box(node.src, site));
  auto to = sliced(op.boxes[0]), from = sliced(op.boxes[1]);
  op.late = node.by == CopyBy::async || node.by == CopyBy::engine;
  if (to != from) cannot(node, "a copy of " + text_of(from) + " into " + text_of(to));
  emit_op(call_copy, std::move(op), std::move(site));
}

void TileCompiler::fill(const Fill& node) {
  CallSite site;
  TileOp op;
  const Region& region = to<Region>(node.dst);
  int32_t memory = memory_of(region.buffer, region);
  const TileMemory& m = image_.memories[size_t(memory)];
  Value v = cast(m.elem, expr(node.value));
  if (m.per_lane) {  // every thread fills its own: element by element, as stores
    std::vector<int64_t> at(region.dims.size(), 0);
    for (int64_t left = elements(region); left-- > 0;) {
      CallSite one;
      one.what = call_store;
      std::vector<Expr> index;
      for (size_t d = 0; d < at.size(); ++d)
        index.push_back(add(region.dims[d].lo, int_const(at[d], region.dims[d].lo->type.dtype)));
      one.numbers = {access(region.buffer, index, one, node)};
      image_.accesses.back().writes = true;
      operand(one, v);
      emit_call(std::move(one));
      for (size_t d = at.size(); d-- > 0;) {
        if (++at[d] < region.dims[d].extent) break;
        at[d] = 0;
      }
    }
    return;
  }
  op.boxes.push_back(box(node.dst, site));
  op.value_elem = v.elem;
  op.value = operand(site, v);
  emit_op(call_fill, std::move(op), std::move(site));
}

/// The last two dimensions that are slices, of which a matrix consists.
static std::pair<size_t, size_t> matrix_dims(const TileBox& box) {
  size_t col = box.dims.size(), row = box.dims.size();
  for (size_t d = box.dims.size(); d-- > 0;) {
    if (box.dims[d].point) continue;
    if (col == box.dims.size())
      col = d;
    else if (row == box.dims.size())
      row = d;
  }
  return {row, col};
}

void TileCompiler::gemm(const Gemm& node) {
  CallSite site;
  TileOp op;
  for (const Expr& e : {node.c, node.a, node.b}) {
    op.boxes.push_back(box(e, site));
    auto [row, col] = matrix_dims(op.boxes.back());
    if (row == op.boxes.back().dims.size()) cannot(node, "an operand of gemm is no matrix");
    op.dims.push_back(int64_t(row));
    op.dims.push_back(int64_t(col));
  }
  op.trans_a = node.trans_a;
  op.trans_b = node.trans_b;
  auto extent = [&](int which, bool rows) {
    const TileBox& x = op.boxes[size_t(which)];
    return x.dims[size_t(op.dims[size_t(2 * which + (rows ? 0 : 1))])].extent;
  };
  int64_t m = extent(0, true), n = extent(0, false), k = extent(1, node.trans_a);
  if (extent(1, !node.trans_a) != m || extent(2, node.trans_b) != n ||
      extent(2, !node.trans_b) != k)
    cannot(node, "the shapes of gemm do not fit");
  auto elem = [&](size_t i) { return image_.memories[size_t(op.boxes[i].memory)].elem; };
  if (!gemm_exists(elem(0), elem(1), elem(2)))
    cannot(node, std::string("gemm of ") + tilelab::name(elem(1)) + " and " +
                     tilelab::name(elem(2)) + " into " + tilelab::name(elem(0)));
  Value clear = node.clear ? expr(node.clear) : constant(Elem::bool_, 0);
  op.value_elem = clear.elem;
  op.value = operand(site, clear);
  op.late = node.wait >= 0;
  op.wait = node.wait;
  emit_op(call_gemm, std::move(op), std::move(site));
}

void TileCompiler::reduce(const Reduce& node) {
  CallSite site;
  TileOp op;
  op.boxes.push_back(box(node.dst, site));
  op.boxes.push_back(box(node.src, site));
  op.kind = int32_t(node.op);
  // `dims` count the sliced dimensions of the source.
  std::vector<int64_t> sliced_dims;
  for (size_t d = 0; d < op.boxes[1].dims.size(); ++d)
    if (!op.boxes[1].dims[d].point) sliced_dims.push_back(int64_t(d));
  for (int64_t d : node.dims) {
    if (d < 0) d += int64_t(sliced_dims.size());
    if (d < 0 || d >= int64_t(sliced_dims.size()))
      cannot(node, "reduce over a dimension that does not exist");
    op.dims.push_back(sliced_dims[size_t(d)]);
  }
  op.flag = node.clear;
  op.nan = node.nan_propagate;
  int64_t kept = 1, given = 1;
  for (int64_t d : sliced_dims)
    if (std::find(op.dims.begin(), op.dims.end(), d) == op.dims.end())
      kept *= op.boxes[1].dims[size_t(d)].extent;
  for (const TileBox::Dim& d : op.boxes[0].dims) given *= d.extent;
  if (kept != given)
    cannot(node, "reduce gives " + std::to_string(kept) + " values, its destination holds " +
                     std::to_string(given));
  Elem elem = image_.memories[size_t(op.boxes[0].memory)].elem;
  if (node.op >= ReduceOp::bitand_ && is_float(elem))
    cannot(node, "a reduction of bits needs integers");
  emit_op(call_reduce, std::move(op), std::move(site));
}

void TileCompiler::scan(const Scan& node) {
  CallSite site;
  TileOp op;
  op.boxes.push_back(box(node.dst, site));
  op.boxes.push_back(box(node.src, site));
  if (sliced(op.boxes[0]) != sliced(op.boxes[1]))
    cannot(node, "a scan keeps the shape of its source");
  op.kind = int32_t(node.op);
  op.flag = node.reverse;
  std::vector<int64_t> dims;
  for (size_t d = 0; d < op.boxes[1].dims.size(); ++d)
    if (!op.boxes[1].dims[d].point) dims.push_back(int64_t(d));
  int64_t dim = node.dim < 0 ? node.dim + int64_t(dims.size()) : node.dim;
  if (dim < 0 || dim >= int64_t(dims.size()))
    cannot(node, "scan along a dimension that does not exist");
  op.dims = {dims[size_t(dim)]};
  emit_op(call_scan, std::move(op), std::move(site));
}

void TileCompiler::tile_atomic(const Atomic& node) {
  CallSite site;
  TileOp op;
  op.boxes.push_back(box(node.dst, site));
  const TileMemory& m = image_.memories[size_t(op.boxes[0].memory)];
  image_.global_atomics |= m.global >= 0;
  op.kind = int32_t(node.op);
  if (node.value->kind == Kind::Region && elements(to<Region>(node.value)) > 1) {
    op.boxes.push_back(box(node.value, site));
    if (sliced(op.boxes[0]) != sliced(op.boxes[1]))
      cannot(node, "an atomic needs operands of one shape");
  } else {
    Value v = cast(m.elem, expr(node.value));
    op.value_elem = v.elem;
    op.value = operand(site, v);
  }
  emit_op(call_tile_atomic, std::move(op), std::move(site));
}

void TileCompiler::record(const Record& node) {
  CallSite site;
  TileOp op;
  op.kind = int32_t(node.what);
  site.text = node.message;
  for (const Expr& e : node.values) {
    if (e->kind == Kind::Region && elements(to<Region>(e)) > 1) {
      op.values.push_back({-1, int32_t(op.boxes.size())});
      op.boxes.push_back(box(e, site));
    } else {
      Value v = expr(e);
      op.values.push_back({operand(site, v), -1});
    }
  }
  for (const Expr& e : node.index) op.values.push_back({operand(site, expr(e)), -1});
  op.ring = int64_t(image_.records++);
  op.flag = lanes_ > 1 && !parent_ && !Varying(launch_.kernel)(node);  // once, not in every thread
  emit_op(call_record, std::move(op), std::move(site));
}

void TileCompiler::ring_op(const RingOp& node) {
  TileOp op;
  op.ring = ring_of(node.ring);
  if (op.ring < 0) cannot(node, "no ring " + node.ring.str() + " is known here");
  op.ring_op = int64_t(node.op);
  CallSite site;
  bool binds = node.op == RingOpKind::acquire || node.op == RingOpKind::wait;
  if (binds) {
    site.results = {b.temp(4)};
    site.elem = Elem::i32;
  }
  Reg slot = binds ? site.results[0] : no_reg;
  emit_op(call_ring, std::move(op), std::move(site));
  if (binds && node.slot) bind(node.slot, reg(Elem::i32, slot));
}

}  // namespace tilelab::sim
