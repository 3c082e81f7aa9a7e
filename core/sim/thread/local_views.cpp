// SPDX-License-Identifier: Apache-2.0
// Views of local memory with elements of another size. Registers of lanes are arrays of elements,
// so an element of the view is a part of one of them, or consists of several: as integers, shifted.
#include "core/ir/build.h"
#include "core/sim/thread/compile.h"

namespace tilelab::sim {
namespace {

DType unsigned_of(DType dtype) {
  switch (elem_bytes(dtype)) {
    case 1: return DType::u8;
    case 2: return DType::u16;
    case 4: return DType::u32;
    default: return DType::u64;
  }
}

Expr bits_as(DType dtype, const Expr& value) {
  return value->type.dtype == dtype ? value : call(Intrinsic::bits, {dtype}, {value});
}

Expr shifted(BinOp op, const Expr& word, const Expr& elements, int64_t bits) {
  const DType dtype = word->type.dtype;
  return binary(op, word, mul(cast(dtype, elements), int_const(bits, dtype)));
}

}  // namespace

/// Names the elements of a local array as one row.
Symbol ThreadCompiler::row_of(const BufferUse& array) {
  const Symbol name = "%array " + std::to_string(array.number);
  BufferUse row = array;
  row.shape = {int_const(b.array(array.number).count)};
  buffers_[name] = std::move(row);
  return name;
}

/// The element of the view at the row-major index `at`.
Expr ThreadCompiler::viewed(const BufferUse& view, const Expr& at) const {
  const DType held = buffers_.at(view.array).dtype, word = unsigned_of(held);
  const DType wide = unsigned_of(view.dtype);
  const int64_t ours = elem_bytes(view.dtype), theirs = elem_bytes(held);
  auto element = [&](const Expr& index) {
    return bits_as(word, tilelab::load(view.array, held, {index}));
  };
  if (ours < theirs) {
    const Expr per = int_const(theirs / ours, at->type.dtype);
    const Expr part = shifted(BinOp::shr, element(floordiv(at, per)), floormod(at, per), 8 * ours);
    return bits_as(view.dtype, tilelab::cast(wide, part));
  }
  Expr all;
  for (int64_t k = 0; k < ours / theirs; ++k) {
    const Expr index = tilelab::add(mul(at, int_const(ours / theirs, at->type.dtype)),
                                    int_const(k, at->type.dtype));
    const Expr part =
        shifted(BinOp::shl, tilelab::cast(wide, element(index)), int_const(k, wide), 8 * theirs);
    all = all ? tilelab::binary(BinOp::bor, all, part) : part;
  }
  return bits_as(view.dtype, all);
}

void ThreadCompiler::store_viewed(const BufferUse& view, const Expr& at, const Expr& value,
                                  const Node& node) {
  const BufferUse row = buffers_.at(view.array);
  const DType word = unsigned_of(row.dtype), wide = unsigned_of(view.dtype);
  const int64_t ours = elem_bytes(view.dtype), theirs = elem_bytes(row.dtype);
  const Expr bits = bits_as(wide, value);
  auto put = [&](const Expr& index, const Expr& stored) {
    store_local(row, {point(index)}, expr(bits_as(row.dtype, stored)), node, {});
  };
  if (ours < theirs) {
    const Expr per = int_const(theirs / ours, at->type.dtype), index = floordiv(at, per);
    const Expr old = bits_as(word, tilelab::load(view.array, row.dtype, {index}));
    const Expr ones = int_const((int64_t{1} << 8 * ours) - 1, word);
    const Expr part = floormod(at, per);
    const Expr others = tilelab::unary(UnOp::bnot, shifted(BinOp::shl, ones, part, 8 * ours));
    Marks unused;
    Marks* const moved = std::exchange(moved_, &unused);  // the other bits may be uninitialized
    put(index, tilelab::binary(BinOp::bor, tilelab::binary(BinOp::band, old, others),
                               shifted(BinOp::shl, tilelab::cast(word, bits), part, 8 * ours)));
    moved_ = moved;
    return;
  }
  for (int64_t k = 0; k < ours / theirs; ++k) {
    const Expr index = tilelab::add(mul(at, int_const(ours / theirs, at->type.dtype)),
                                    int_const(k, at->type.dtype));
    put(index, tilelab::cast(word, shifted(BinOp::shr, bits, int_const(k, wide), 8 * theirs)));
  }
}

namespace {

/// The row-major index of a reference, and the number of elements from there.
std::pair<Expr, int64_t> row_major(const std::vector<Expr>& shape,
                                   const std::vector<RegionDim>& dims) {
  Expr at = int_const(0, dims.empty() ? DType::i32 : dims[0].lo->type.dtype);
  int64_t width = 1;
  for (size_t d = 0; d < shape.size(); ++d) {
    at = add(mul(at, cast(at->type.dtype, shape[d])), cast(at->type.dtype, dims[d].lo));
    if (!dims[d].point) width *= dims[d].extent;
  }
  return {at, width};
}

}  // namespace

Value ThreadCompiler::load_view(const BufferUse& view, const std::vector<RegionDim>& dims) {
  const auto [first, width] = row_major(view.shape, dims);
  Value out;
  out.elem = view.dtype;
  for (int64_t k = 0; k < width; ++k)
    out.regs.push_back(
        at(expr(viewed(view, tilelab::add(first, int_const(k, first->type.dtype))))));
  return out;
}

void ThreadCompiler::store_view(const BufferUse& view, const std::vector<RegionDim>& dims,
                                const Value& v, const Node& node) {
  const auto [first, width] = row_major(view.shape, dims);
  const Symbol name = "%stored";
  for (int64_t k = 0; k < width; ++k) {
    bind(name, reg(view.dtype, at(v, int(k))));
    store_viewed(view, tilelab::add(first, int_const(k, first->type.dtype)),
                 name_ref(name, {view.dtype}), node);
  }
}

}  // namespace tilelab::sim
