// SPDX-License-Identifier: Apache-2.0
// References to buffers in IR text: elements, slices, whole buffers.
#include <algorithm>

#include "core/ir/compare.h"
#include "core/ir/linear.h"
#include "core/ir/regions.h"
#include "core/ir_text/reader.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// hi - lo if it is constant.
std::optional<int64_t> difference(const Expr& hi, const Expr& lo) {
  const Bin* bin = as<Bin>(hi);
  if (bin && bin->op == BinOp::add && equal(bin->a, lo))
    if (auto n = int_value(bin->b)) return n;
  return constant_difference(hi, lo);
}

}  // namespace

bool IrReader::names_buffer(const Tree& tree) const {
  const Tree& base = tree->kind == syntax::Kind::subscript ? tree->parts[0] : tree;
  if (base->kind != syntax::Kind::name) return false;
  const Entry* entry = find(base->name);
  return entry && entry->what == Entry::What::buffer;
}

void IrReader::rank_error(const Tree& tree, Symbol buffer, size_t rank, size_t given) {
  stop(Diag::ir_rank, tree->span, buffer, plural(static_cast<int64_t>(rank), "dimension"),
       given == 1 ? "1 index is" : std::to_string(given) + " indices are");
}

RegionDim IrReader::dimension(const Tree& tree, const Expr& extent) {
  if (tree->kind != syntax::Kind::slice) return point(value(tree));
  if (tree->has_part(2)) stop(Diag::ir_slice, tree->span, "a slice of the IR has no step");
  Expr lo = tree->has_part(0) ? value(tree->parts[0]) : int_const(0);
  Expr hi = tree->has_part(1) ? value(tree->parts[1], lo->type.dtype) : extent;
  auto width = difference(hi, lo);
  if (!width) stop(Diag::ir_slice, tree->span, "the width of this slice is not constant");
  if (*width < 1 || *width > (1 << 30))
    stop(Diag::ir_slice, tree->span, "this slice has width " + std::to_string(*width));
  return slice(lo, *width);
}

IrReader::Reference IrReader::reference(const Tree& tree) {
  bool subscript = tree->kind == syntax::Kind::subscript;
  const Tree& base = subscript ? tree->parts[0] : tree;
  const Entry& entry = lookup(base, Entry::What::buffer, "a buffer");
  Reference ref{base->name, entry.type.dtype, entry.shape, {}, false};
  if (!subscript) return ref;
  const Tree& index = tree->parts[1];
  syntax::Trees single{index};
  const syntax::Trees& list = index->kind == syntax::Kind::tuple ? index->list : single;
  if (blank_.level == Level::flat && list.size() == 1 && ref.shape.size() > 1) {
    Expr elements;  // flat level: one offset, for any rank of the tensor
    const DType first = ref.shape[0]->type.dtype;
    const bool same = std::all_of(ref.shape.begin(), ref.shape.end(),
                                  [&](const Expr& e) { return e->type == Type{first}; });
    for (const Expr& extent : ref.shape) {
      const Expr next = same ? extent : cast(DType::i64, extent);
      elements = elements ? mul(elements, next) : next;
    }
    ref.shape = {elements};
  }
  if (list.size() > ref.shape.size()) rank_error(tree, ref.buffer, ref.shape.size(), list.size());
  for (size_t d = 0; d < list.size(); ++d) {
    ref.dims.push_back(dimension(list[d], ref.shape[d]));
    ref.sliced |= !ref.dims.back().point;
  }
  return ref;
}

void IrReader::complete(Reference& ref, const Tree& tree) {
  if (blank_.level == Level::flat && ref.dims.size() == 1) return;
  for (size_t d = ref.dims.size(); d < ref.shape.size(); ++d) {
    auto extent = int_value(ref.shape[d]);
    if (!extent || *extent < 1)
      stop(Diag::ir_slice, tree->span,
           "dimension " + std::to_string(d) + " of `" + ref.buffer.str() +
               "` has no constant extent; write the slice");
    ref.dims.push_back(slice(int_const(0), *extent));
    ref.sliced = true;
  }
}

Expr IrReader::as_load(const Reference& ref, const Tree& tree) {
  // Flat memory: one index, an offset in elements.
  bool flat = blank_.level == Level::flat && ref.dims.size() == 1;
  if (ref.sliced || (ref.dims.size() != ref.shape.size() && !flat))
    rank_error(tree, ref.buffer, ref.shape.size(), ref.dims.size());
  Load load;
  load.buffer = ref.buffer;
  load.index = lows(ref.dims);
  return finish(std::move(load), {ref.dtype}, tree);
}

Expr IrReader::as_region(Reference ref, const Tree& tree) {
  int64_t lanes = 1;
  for (const RegionDim& dim : ref.dims)
    if (!dim.point) lanes = std::min<int64_t>(lanes * dim.extent, int64_t{1} << 31);
  if (lanes > (int64_t{1} << 30))
    stop(Diag::ir_slice, tree->span, "this region has more than 2^30 elements");
  Region region;
  region.buffer = ref.buffer;
  region.dims = std::move(ref.dims);
  return finish(std::move(region), {ref.dtype, static_cast<int32_t>(lanes)}, tree);
}

/// In an expression: an element, or a vector if there is a slice.
Expr IrReader::reference_value(const Tree& tree) {
  Reference ref = reference(tree);
  if (tree->kind == syntax::Kind::name) complete(ref, tree);
  if (!ref.sliced) return as_load(ref, tree);
  complete(ref, tree);
  return as_region(std::move(ref), tree);
}

/// Operand of a tile operation: a region, in which whole dimensions may be omitted.
Expr IrReader::region_operand(const Tree& tree) {
  if (!names_buffer(tree)) {
    if (tree->kind == syntax::Kind::name) lookup(tree, Entry::What::buffer, "a buffer");
    stop(Diag::ir_constant, tree->span, "a buffer or a part of one");
  }
  Reference ref = reference(tree);
  complete(ref, tree);
  return as_region(std::move(ref), tree);
}

/// Operand of a collective: a region, or at flat level an address.
Expr IrReader::operand(const Tree& tree, Wanted wanted) {
  return names_buffer(tree) ? region_operand(tree) : value(tree, wanted);
}

}  // namespace tilelab
