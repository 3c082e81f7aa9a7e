// SPDX-License-Identifier: Apache-2.0
// TVM's pointers, T.tvm_access_ptr and buffer.access_ptr, and copies between them, T.ptx_cp_async.
#include <algorithm>
#include <array>
#include <string_view>

#include "core/elaborate/builtins/addresses.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"

namespace tilelab::elaborate {

std::vector<Expr> index_of(const BufferInfo& buffer, Expr number) {
  std::vector<Expr> index(buffer.shape.size());
  for (size_t d = index.size(); d-- > 1;) {
    const Expr extent = cast(number->type.dtype, buffer.shape[d]);
    index[d] = floormod(number, extent);
    number = floordiv(number, extent);
  }
  if (!index.empty()) index[0] = std::move(number);
  return index;
}

/// The element `k` positions after the address.
static std::vector<Expr> element_after(const AddressValue& address, int64_t k) {
  if (address.number)
    return index_of(*address.buffer, add(address.number, int_const(k, address.number->type.dtype)));
  std::vector<Expr> index = address.index;
  if (!index.empty()) index.back() = offset_by(index.back(), int_const(k));
  return index;
}

bool in_one_row(const AddressValue& address, int64_t count) {
  if (address.index.empty()) return false;
  return !address.number || int_value(address.buffer->shape.back()).value_or(1) % count == 0;
}

Expr elements_at(const AddressValue& address, int64_t count) {
  std::vector<RegionDim> dims;
  for (Expr& e : element_after(address, 0)) dims.push_back(point(std::move(e)));
  dims.back() = slice(dims.back().lo, count);
  return region(address.buffer->name, address.buffer->dtype, std::move(dims));
}

AddressValue address_of_number(const BufferRef& buffer, const Expr& number) {
  return {buffer, index_of(*buffer, number), number};
}

/// T.tvm_access_ptr(T.type_annotation(dtype), A.data, offset, extent, rw_mask).
Value Elaborator::on_flat_address(Arguments& args) {
  const Argument& base = args["data"];
  const BufferRef* found = base.value.get<BufferRef>();
  if (!found) {
    report(Diag::buffer_needed, base.span, "T." + args.row->name, describe(base.value))
        .help("pass the pointer of a buffer: `A.data`");
    return {};
  }
  const BufferRef buffer = *found;
  const auto dtype = dtype_of(args["ptype"].value, args["ptype"].span);
  const Expr offset = to_index(args["offset"].value, args["offset"].span);
  if (!dtype || !offset || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (*dtype != buffer->dtype || !buffer->strides.empty()) {
    report(Diag::statement_unsupported, args.span,
           *dtype != buffer->dtype
               ? "an address of " + std::string(tilelang_name(*dtype)) + " in " + describe(buffer)
               : "a flat address in a tensor with strides")
        .help(*dtype != buffer->dtype
                  ? "make a view with that dtype first: T.view(" + buffer->name.str() +
                        ", dtype=...)"
                  : "name the element: T.access_ptr(" + buffer->name.str() + "[...])");
    return {};
  }
  return address_of_number(buffer, offset);
}

/// T.ptx_cp_async(dst, src, elements, predicate): copies the elements, or zeros if the predicate is
/// false, asynchronously until T.ptx_wait_group. Elements that may not be contiguous, because the
/// row length is not a multiple of their count, are copied synchronously through a register.
Value Elaborator::on_copy_elements(Arguments& args) {
  const std::string called = "T." + args.row->name;
  auto dst = args["dst"].value.get<AddressValue>(), src = args["src"].value.get<AddressValue>();
  for (const char* side : {"dst", "src"})
    if (!args[side].value.is<AddressValue>()) {
      report(Diag::buffer_needed, args[side].span, called, describe(args[side].value))
          .help("pass addresses: T.access_ptr(A[i, j], \"r\")");
      return {};
    }
  const auto count =
      static_count(args["num_elems"].value, args["num_elems"].span, "num_elems", 1, kMaxCount);
  if (!count || !need_kernel(args.span, called)) return {};
  const BufferInfo &into = *dst->buffer, &from = *src->buffer;
  const bool loads = from.scope == Scope::global && into.scope == Scope::shared;
  const int64_t width = *count * bits(from.dtype);
  const bool legal = width == 32 || width == 64 || width == 128;
  if (!loads || !legal || into.dtype != from.dtype) {
    report(Diag::statement_unsupported, args.span,
           called + (!loads   ? " that does not copy from a tensor to a shared buffer"
                     : !legal ? " of " + std::to_string(width) + " bits"
                              : " between elements of two dtypes"))
        .help(loads && !legal ? "choose num_elems so that it is 4, 8 or 16 bytes"
                              : "write T.copy(src, dst)");
    return {};
  }
  const Value& given = args["predicate"].value;
  const Expr wanted = given.is<None>() ? nullptr : to_bool(given, args["predicate"].span);
  if (!given.is<None>() && !wanted) return {};
  if (in_one_row(*dst, *count) && in_one_row(*src, *count)) {
    std::vector<Expr> operands{elements_at(*dst, *count), elements_at(*src, *count)};
    if (wanted) operands.push_back(wanted);
    emit(do_call(Intrinsic::cp_async, std::move(operands)), args.span);
    return None{};
  }
  for (int64_t k = 0; k < *count; ++k) {
    std::vector<RegionDim> place;
    for (Expr& e : element_after(*dst, k)) place.push_back(point(std::move(e)));
    Expr value = load(from.name, from.dtype, element_after(*src, k));
    if (wanted) value = select(wanted, std::move(value), number(0, from.dtype));
    emit(tilelab::store(into.name, std::move(place), std::move(value)), args.span);
  }
  return None{};
}

/// buffer.access_ptr(access_mask, ptr_type, content_lanes, offset, extent), as in TVM: the offset
/// counts elements of the whole buffer.
Value Elaborator::call_access_ptr(const BufferRef& buffer, const std::vector<Argument>& positional,
                                  const KeywordArguments& keywords, Span span) {
  static const std::array<std::string_view, 5> kNames = {"access_mask", "ptr_type", "content_lanes",
                                                         "offset", "extent"};
  std::array<Argument, 5> given;
  for (size_t i = 0; i < positional.size() && i < kNames.size(); ++i) given[i] = positional[i];
  bool known = positional.size() <= kNames.size();
  for (const auto& [name, argument] : keywords) {
    const auto at = std::find(kNames.begin(), kNames.end(), name.str());
    known &= at != kNames.end();
    if (known) given[size_t(at - kNames.begin())] = argument;
  }
  if (!known || given[0].value.poisoned()) {
    report(Diag::call_missing, span, "access_ptr", "access_mask")
        .help("`" + buffer->name.str() + ".access_ptr(\"r\", offset=0, extent=None)`");
    return {};
  }
  Argument base{Value(buffer), span, true};
  if (given[3].given && integer_of(given[3].value) != 0) {
    Expr offset = to_index(given[3].value, given[3].span);
    if (!offset) return {};
    std::vector<Value> index(buffer->shape.size());
    for (size_t i = index.size(); i-- > 0;) {
      const Expr extent = cast(offset->type.dtype, buffer->shape[i]);
      index[i] = i == 0 ? offset : floormod(offset, extent);
      offset = floordiv(offset, extent);
    }
    base.value = subscript(buffer, tuple_of(std::move(index)), given[3].span);
  }
  KeywordArguments rest;
  if (given[4].given) rest.emplace_back("extent", given[4]);
  return call_builtin(*find_builtin("access_ptr"), {base, given[0]}, rest, span);
}

}  // namespace tilelab::elaborate
