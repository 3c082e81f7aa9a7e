// SPDX-License-Identifier: Apache-2.0
// Stores of slices, `C[a:b] = A[a:b] + 1`, as loops over their elements.
#include "core/elaborate/elaborator.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

/// Element number `lane` (row-major over the slices) of a region.
std::vector<Expr> element_of(const std::vector<RegionDim>& dims, const Expr& lane) {
  int64_t below = 1, slices = 0;
  for (const RegionDim& d : dims) slices += d.point ? 0 : 1;
  std::vector<Expr> index(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    index[d] = dims[d].lo;
    if (dims[d].point) continue;
    Expr digit = below == 1 ? lane : floordiv(lane, int_const(below));
    if (--slices > 0) digit = floormod(digit, int_const(dims[d].extent));
    index[d] = add(index[d], cast(index[d]->type.dtype, digit));
    below *= dims[d].extent;
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
      if (to<Vec>(e).op == VecOp::broadcast) return to<Vec>(e).parts[0];  // one value for all
      [[fallthrough]];
    default: return nullptr;
  }
}

}  // namespace

/// All of `value` is read before the first element is stored.
void Elaborator::store_lanes(const BufferRef& buffer, const std::vector<RegionDim>& dims,
                             int64_t lanes, const Expr& value, Span span) {
  auto place = [&](const Expr& lane) {
    std::vector<RegionDim> points;
    for (const Expr& i : element_of(dims, lane)) points.push_back(point(i));
    return points;
  };
  if (!lane_of(value, int_const(0))) {
    report(Diag::expression_unsupported, span, "this vector as a value")
        .help("store element by element, in a loop");
    return;
  }
  if (reads(*value, buffer->name)) {
    std::vector<Expr> values;
    for (int64_t i = 0; i < lanes; ++i) values.push_back(hoist(lane_of(value, int_const(i)), span));
    for (int64_t i = 0; i < lanes; ++i)
      emit(tilelab::store(buffer->name, place(int_const(i)), values[static_cast<size_t>(i)]), span);
    return;
  }
  open_block();
  Symbol var = fresh("v");
  emit(tilelab::store(buffer->name, place(name_ref(var)), lane_of(value, name_ref(var))), span);
  Stmt body = close_block();
  emit(for_loop(var, int_const(0), int_const(lanes), body, LoopMode::unroll), span);
}

}  // namespace tilelab::elaborate
