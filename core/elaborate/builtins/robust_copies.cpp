// SPDX-License-Identifier: Apache-2.0
// Bounds-checked copies: T.make_robust_desc, and `src_robust_desc` of T.copy. Reads outside the
// range give 0, as with Moore Threads' robust loads.
#include <algorithm>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/linear.h"

namespace tilelab::elaborate {

namespace {

/// Row-major number of an element within the first `dims` dimensions.
Expr element_number(const BufferInfo& buffer, const std::vector<Expr>& index, size_t dims) {
  Expr number = int_const(0, DType::i64);
  for (size_t d = 0; d < dims; ++d)
    number = add(mul(number, cast(DType::i64, buffer.shape[d])), cast(DType::i64, index[d]));
  return number;
}

/// Number of elements of the dimensions after the first `dims`; nullopt if an extent is dynamic.
std::optional<int64_t> inner_elements(const BufferInfo& buffer, size_t dims) {
  int64_t out = 1;
  for (size_t d = dims; d < buffer.shape.size(); ++d) {
    const auto extent = int_value(buffer.shape[d]);
    if (!extent) return std::nullopt;
    out *= *extent;
  }
  return out;
}

/// bytes / by, if provably exact.
std::optional<Expr> divided(const Expr& bytes, int64_t by) {
  Linear sum = linear_of(bytes);
  bool whole = sum.constant % by == 0;
  sum.constant /= by;
  for (Linear::Term& term : sum.terms) {
    whole = whole && term.coefficient % by == 0;
    term.coefficient /= by;
  }
  return whole ? std::optional(expr_of(sum, DType::i64)) : std::nullopt;
}

/// The test for an element to be in a range: its row-major number within the first `dims`
/// dimensions is less than `rows`. The inner dimensions are excluded if the range starts at their
/// first element and consists of whole rows; then accesses within a row remain vectorizable.
struct Deciding {
  size_t dims;
  Expr rows;
};
Deciding deciding(const AddressValue& range) {
  const BufferInfo& buffer = *range.buffer;
  const int64_t element = bytes(buffer.dtype);
  const auto elements = divided(range.bytes, element);
  Deciding out{buffer.shape.size(),
               elements ? *elements
                        : floordiv(cast(DType::i64, range.bytes), int_const(element, DType::i64))};
  while (out.dims > 1 && is_int(range.index[out.dims - 1], 0)) {
    const auto row = inner_elements(buffer, out.dims - 1);
    const auto rows = row && *row > 0 ? divided(range.bytes, *row * element) : std::nullopt;
    if (!rows) break;
    out = {out.dims - 1, *rows};
  }
  return out;
}

Expr bytes_of(const BufferInfo& tensor) {
  Expr all = int_const(bytes(tensor.dtype), DType::i64);
  for (const Expr& extent : tensor.shape) all = mul(all, cast(DType::i64, extent));
  return all;
}

/// A range from the first element of a tensor of another dtype with as many bytes as the source:
/// programs pass one memory as two tensors, and the range is one of both.
bool is_of_same_memory(const AddressValue& range, const BufferInfo& source) {
  const BufferInfo& other = *range.buffer;
  const bool two_forms =
      other.scope == Scope::global && other.strides.empty() && other.dtype != source.dtype;
  return two_forms &&
         std::all_of(range.index.begin(), range.index.end(),
                     [](const Expr& e) { return is_int(e, 0); }) &&
         constant_difference(bytes_of(other), bytes_of(source)) == 0;
}

}  // namespace

/// T.make_robust_desc(T.address_of(A[i, j]), size_bytes)
Value Elaborator::on_robust(Arguments& args) {
  const Argument &base = args["addr"], &size = args["size_bytes"];
  const AddressValue* address = base.value.get<AddressValue>();
  if (!address || address->bytes) {
    report(Diag::buffer_needed, base.span, "T." + args.row->name, describe(base.value))
        .help(
            "start the range at an element of a tensor: T.make_robust_desc(T.address_of(A[i, "
            "j]), size_bytes)");
    return {};
  }
  const Expr bytes = to_index(size.value, size.span);
  if (!bytes || !need_kernel(args.span, "T." + args.row->name)) return {};
  AddressValue out = *address;
  out.bytes = inline_lets(bytes);
  return out;
}

/// Whether the element is in the range.
Expr Elaborator::in_range(const AddressValue& range, const std::vector<Expr>& index) {
  const BufferInfo& buffer = *range.buffer;
  const auto [dims, rows] = deciding(range);
  const Expr at =
      sub(element_number(buffer, index, dims), element_number(buffer, range.index, dims));
  return land(ge(at, int_const(0, DType::i64)), lt(at, rows));
}

/// The range that a copy may read; nullopt after an error.
std::optional<AddressValue> Elaborator::range_of(const Argument& given, const BufferRef& source) {
  const AddressValue* range = given.value.get<AddressValue>();
  std::string why;
  if (!range || !range->bytes) {
    report(Diag::statement_unsupported, given.span, "src_robust_desc of " + describe(given.value))
        .help("T.make_robust_desc(T.address_of(A[i, j]), size_bytes) makes one");
    return std::nullopt;
  }
  if (source->scope != Scope::global)
    why = "`" + source->name.str() + "` is not a tensor";
  else if (range->buffer != source && !is_of_same_memory(*range, *source))
    why = "the range is of `" + range->buffer->name.str() + "`";
  else if (!source->strides.empty())
    why = "`" + source->name.str() + "` has strides";
  else if (in_pairs(*source))
    why = "two elements of `" + source->name.str() + "` share a byte";
  if (why.empty() && range->buffer == source) return *range;
  if (why.empty()) {
    AddressValue of_source = *range;
    of_source.buffer = source;
    of_source.index.assign(source->shape.size(), int_const(0));
    return of_source;
  }
  report(Diag::statement_unsupported, given.span, "src_robust_desc where " + why)
      .label(source->span, describe(source))
      .help("check the index in a T.Parallel: T.if_then_else(inside, A[i, j], 0)");
  return std::nullopt;
}

/// T.copy(src, dst, src_robust_desc=range): elements in the range, and zeros for the others.
Value Elaborator::copy_in_range(Arguments& args, Operand& src, Operand& dst) {
  const auto range = range_of(args["src_robust_desc"], src.buffer);
  if (!range) return {};
  const DType dtype = dst.buffer->dtype;
  const bool one = src.form == Operand::Form::head && dst.form == Operand::Form::head;
  if (src.is_dynamic() || dst.is_dynamic()) {
    report(Diag::option_planned, args["src_robust_desc"].span, "src_robust_desc")
        .help("copy a tile with constant extents");
    return {};
  }
  if (!one && !match_extents(src, dst)) return {};
  auto read = [&](const std::vector<Expr>& position) {
    std::vector<Expr> index;
    size_t next = 0;
    for (const SliceDim& dim : src.dims)
      index.push_back(is_int(dim.extent, 1) ? dim.lo : offset_by(dim.lo, position[next++]));
    const Expr inside = in_range(*range, index);
    Expr value = load(src.buffer->name, src.buffer->dtype, std::move(index));
    return cast(dtype, select(inside, std::move(value), number(0, src.buffer->dtype)));
  };
  args["force_async_copy"], args["disable_tma"];  // always a copy by threads
  const bool single = std::all_of(dst.dims.begin(), dst.dims.end(),
                                  [](const SliceDim& dim) { return is_int(dim.extent, 1); });
  if (!single && dst.buffer->scope != Scope::local) {
    emit(loop_over(dst, read), args.span);
    return None{};
  }
  store_each(dst, read, args.span);
  return None{};
}

/// dst[position] = value(position) by serial loops: one element, or one thread.
void Elaborator::store_each(const Operand& dst, FunctionRef<Expr(const std::vector<Expr>&)> value,
                            Span span) {
  std::vector<Expr> position;
  std::vector<int64_t> extents;
  std::vector<RegionDim> place;
  for (const SliceDim& dim : dst.dims) {
    Expr at = dim.lo;
    if (!is_int(dim.extent, 1)) {
      position.push_back(name_ref(ir_.fresh("i", true), {DType::i32}));
      extents.push_back(int_value(dim.extent).value_or(1));
      at = offset_by(at, position.back());
    }
    place.push_back(point(at));
  }
  Stmt body = at(span, tilelab::store(dst.buffer->name, std::move(place), value(position)));
  for (size_t i = position.size(); i-- > 0;)
    body = at(span, for_loop(to<Name>(position[i]).id, int_const(0), int_const(extents[i]), body,
                             LoopMode::unroll));
  emit(std::move(body), span);
}

}  // namespace tilelab::elaborate
