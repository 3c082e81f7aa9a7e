// SPDX-License-Identifier: Apache-2.0
// T.copy and T.fill of boxes with dynamic extents: loops over their elements. infer_layouts
// distributes the iterations over threads, so elements of a fragment, whose threads are fixed,
// cannot be accessed: a copy has the fragment's own extents.

#include "core/elaborate/elaborator.h"
#include "core/ir/linear.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

bool Operand::is_dynamic() const {
  return std::any_of(dims.begin(), dims.end(),
                     [](const SliceDim& dim) { return !int_value(dim.extent); });
}

/// Whether the buffer's elements are in registers; reports if so.
bool Elaborator::is_in_registers(const Operand& operand) {
  const Scope scope = operand.buffer->scope;
  if (scope != Scope::fragment && scope != Scope::local) return false;
  std::string extent;
  for (const SliceDim& dim : operand.dims)
    if (!int_value(dim.extent)) extent = expr_text(dim.extent);
  const std::string name = operand.buffer->name.str();
  report(Diag::extent_dynamic, operand.span, extent.empty() ? "of the other side" : extent)
      .label(operand.buffer->span, describe(operand.buffer))
      .help(scope == Scope::fragment
                ? "`" + name +
                      "` is in registers: loop over all of it with T.Parallel, and check " +
                      "the bound inside, `if i < n`"
                : "`" + name + "` is memory of one thread: copy its elements in a serial loop");
  return true;
}

/// `for i, j in T.Parallel(...): dst[i, j] = value(position)` over the extents that are not 1.
Stmt Elaborator::loop_over(const Operand& dst, FunctionRef<Expr(const std::vector<Expr>&)> value) {
  Parallel loop;
  ir_.open_block();
  std::vector<Expr> position;
  std::vector<RegionDim> place;
  for (const SliceDim& dim : dst.dims) {
    Expr at = dim.lo;
    if (!is_int(dim.extent, 1)) {
      loop.vars.push_back(ir_.fresh("i"));
      loop.extents.push_back(cast(DType::i32, dim.extent));
      position.push_back(name_ref(loop.vars.back(), {DType::i32}));
      at = add(at, cast(at->type.dtype, position.back()));
    }
    place.push_back(point(at));
  }
  emit(tilelab::store(dst.buffer->name, std::move(place), value(position)), dst.span);
  loop.body = ir_.close_block();
  return make(std::move(loop));
}

/// A dynamic slice of a tensor copied to or from a fragment: as in TileLang, the fragment's extents
/// apply, and the copy is clipped at the edge of the tensor.
void Elaborator::use_fragment_extents(Operand& slice, const Operand& fragment) {
  const bool meant = fragment.buffer->scope == Scope::fragment && !fragment.is_dynamic() &&
                     slice.buffer->scope == Scope::global && slice.is_dynamic();
  const auto extents = meant ? extents_of(fragment) : std::nullopt;
  if (!extents) return;
  std::vector<SliceDim*> sliced, long_ones;
  for (SliceDim& dim : slice.dims) {
    if (!dim.point) sliced.push_back(&dim);
    if (!is_int(dim.extent, 1)) long_ones.push_back(&dim);
  }
  std::vector<int64_t> all = *extents, longer;
  for (int64_t extent : all)
    if (extent != 1) longer.push_back(extent);
  const bool one_by_one = all.size() == sliced.size();  // including a fragment of one element
  if (!one_by_one && longer.size() != long_ones.size()) return;
  const auto& dims = one_by_one ? sliced : long_ones;
  for (size_t d = 0; d < dims.size(); ++d)
    if (!int_value(dims[d]->extent)) dims[d]->extent = int_const((one_by_one ? all : longer)[d]);
}

Value Elaborator::copy_dynamic(Arguments& args, Operand& src, Operand& dst) {
  if (src.form == Operand::Form::head && !fill_head(src, dst)) return {};
  if (dst.form == Operand::Form::head && !fill_head(dst, src)) return {};
  if (is_in_registers(src) || is_in_registers(dst)) return {};
  std::vector<Expr> from, into;
  auto box = [](const Operand& operand, std::vector<Expr>& out) {
    for (const SliceDim& dim : operand.dims)
      if (!is_int(dim.extent, 1)) out.push_back(dim.extent);
  };
  box(src, from), box(dst, into);
  bool same = from.size() == into.size();
  for (size_t i = 0; same && i < from.size(); ++i)
    same = constant_difference(from[i], into[i], lets_) == 0;
  if (!same) {
    auto text = [](const std::vector<Expr>& extents) {
      return extents.empty() ? "1" : join(extents, " x ", expr_text);
    };
    report(Diag::copy_dynamic, args.span, text(from), text(into))
        .label(src.buffer->span, describe(src.buffer))
        .label(dst.buffer->span, describe(dst.buffer))
        .help("slice both sides by the same extent, as in T.copy(A[a : a + n], s[0 : n])");
    return {};
  }
  Stmt loop = loop_over(dst, [&](const std::vector<Expr>& position) {
    std::vector<Expr> index;
    size_t next = 0;
    for (const SliceDim& dim : src.dims) {
      Expr at = dim.lo;
      if (!is_int(dim.extent, 1)) at = add(at, cast(at->type.dtype, position[next++]));
      index.push_back(at);
    }
    return cast(dst.buffer->dtype, load(src.buffer->name, src.buffer->dtype, std::move(index)));
  });
  emit(std::move(loop), args.span);
  return None{};
}

Value Elaborator::fill_dynamic(Arguments& args, const Operand& dst, const Value& value) {
  if (is_in_registers(dst)) return {};
  Expr filled = to_dtype(value, dst.buffer->dtype, args.span);
  if (!filled) return {};
  Value once = let_value("value", filled, args.span);  // evaluated before the first store
  filled = to_dtype(once, dst.buffer->dtype, args.span);
  emit(loop_over(dst, [&](const std::vector<Expr>&) { return filled; }), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
