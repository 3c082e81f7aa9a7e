// SPDX-License-Identifier: Apache-2.0
// Slices as vectors: stores such as `C[a:b] = A[a:b] + 1` become loops over elements. T.Ramp:
// negative lanes count from the end, individually (TileLang's rule).
#include <algorithm>

#include "core/elaborate/elaborator.h"
#include "core/ir/linear.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

int64_t extent_of(const RegionDim& dim) { return dim.extent; }
int64_t extent_of(const SliceDim& dim) { return int_value(dim.extent).value_or(1); }

/// Element `lane` of a region, row-major over the slices.
template <class Dim> std::vector<Expr> element_of(const std::vector<Dim>& dims, const Expr& lane) {
  int64_t below = 1, slices = 0;
  for (const Dim& d : dims) slices += d.point ? 0 : 1;
  std::vector<Expr> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = dims[d].lo;
    if (dims[d].point) continue;
    Expr digit = below == 1 ? lane : floordiv(lane, int_const(below));
    if (--slices > 0) digit = floormod(digit, int_const(extent_of(dims[d])));
    index[d] = offset_by(index[d], digit);
    below *= extent_of(dims[d]);
  }
  return index;
}

/// The element, with negative lanes of a T.Ramp counted from the end.
std::vector<Expr> wrapped(std::vector<Expr> index, const std::vector<SliceDim>& dims,
                          const BufferInfo& buffer) {
  for (size_t d = 0; d < dims.size(); ++d) {
    if (!dims[d].ramp) continue;
    const DType dtype = index[d]->type.dtype;
    index[d] = select(lt(index[d], int_const(0, dtype)),
                      add(index[d], cast(dtype, buffer.shape[d])), index[d]);
  }
  return index;
}

/// One lane of a vector expression.
Expr lane_of(const Expr& e, const Expr& lane) {
  if (e->type.scalar()) return e;
  auto part = [&](const Expr& child) { return lane_of(child, lane); };
  Type type{e->type.dtype};
  switch (e->kind) {
    case Kind::Region: {
      const Region& r = to<Region>(e);
      return at(e->span, load(r.buffer, type.dtype, element_of(r.dims, lane)));
    }
    case Kind::Bin: return binary(to<Bin>(e).op, part(to<Bin>(e).a), part(to<Bin>(e).b));
    case Kind::Un: return unary(to<Un>(e).op, part(to<Un>(e).a));
    case Kind::Cast: return cast(type.dtype, part(to<Cast>(e).a));
    case Kind::Select: {
      const Select& s = to<Select>(e);
      return select(part(s.cond), part(s.a), part(s.b));
    }
    case Kind::Call: {
      const Call& c = to<Call>(e);
      std::vector<Expr> args;
      for (const Expr& a : c.args) args.push_back(part(a));
      return call(c.intrinsic, type, std::move(args), c.attrs);
    }
    case Kind::Vec:
      if (to<Vec>(e).op == VecOp::broadcast) return to<Vec>(e).parts[0];  // a uniform value
      if (auto i = int_value(lane); i && to<Vec>(e).op == VecOp::concat)
        return to<Vec>(e).parts[static_cast<size_t>(*i)];
      return nullptr;
    default: return nullptr;
  }
}

}  // namespace

/// Whether an index may be negative, according to the ranges of its names.
bool Elaborator::may_be_negative(const Expr& index) const {
  const Linear sum = linear_of(index);
  if (sum.constant < 0) return true;
  for (const Linear::Term& term : sum.terms) {
    const Name* name = as<Name>(term.atom);
    if (term.coefficient < 0 || !name || signature_.find(name->id) || lets_.count(name->id) ||
        vars_.count(name->id) || below_zero_.count(name->id))
      return true;
  }
  return false;
}

/// A vector of elements; those with a negative index count from the end.
Expr Elaborator::ramp_of(const Operand& operand) {
  auto extents = extents_of(operand);
  if (!extents) return nullptr;
  int64_t lanes = 1;
  for (int64_t extent : *extents) lanes *= extent;
  Vec all;
  all.op = VecOp::concat;
  all.type = {operand.buffer->dtype, static_cast<int>(lanes)};
  for (int64_t i = 0; i < lanes; ++i) {
    std::vector<Expr> index = element_of(operand.dims, int_const(i));
    all.parts.push_back(load(operand.buffer->name, operand.buffer->dtype,
                             wrapped(std::move(index), operand.dims, *operand.buffer)));
  }
  return at(operand.span, Expr(make(std::move(all))));
}

/// Evaluates `value` completely before the first element is stored.
void Elaborator::store_lanes(const BufferRef& buffer, const std::vector<SliceDim>& dims,
                             int64_t lanes, const Expr& value, Span span) {
  auto place = [&](const Expr& lane) {
    std::vector<RegionDim> points;
    for (const Expr& i : wrapped(element_of(dims, lane), dims, *buffer)) points.push_back(point(i));
    return points;
  };
  if (!lane_of(value, int_const(0))) {
    report(Diag::expression_unsupported, span, "this vector as a value")
        .help("store element by element, in a loop");
    return;
  }
  const bool by_lane = !lane_of(value, name_ref("v"));  // each lane is a separate expression
  if (by_lane || reads(*value, buffer->name)) {
    std::vector<Expr> values;
    for (int64_t i = 0; i < lanes; ++i) values.push_back(hoist(lane_of(value, int_const(i)), span));
    for (int64_t i = 0; i < lanes; ++i)
      emit(tilelab::store(buffer->name, place(int_const(i)), values[static_cast<size_t>(i)]), span);
    return;
  }
  ir_.open_block();
  Symbol var = ir_.fresh("v");
  emit(tilelab::store(buffer->name, place(name_ref(var)), lane_of(value, name_ref(var))), span);
  Stmt body = ir_.close_block();
  emit(for_loop(var, int_const(0), int_const(lanes), body, LoopMode::unroll), span);
}

}  // namespace tilelab::elaborate
