// SPDX-License-Identifier: Apache-2.0
// Rules for extents of shapes, loops and grids, and for sizes of buffers and tensors, checked at
// their origin so that later arithmetic on them does not overflow.
#include "core/elaborate/limits.h"

#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/support/extents.h"

namespace tilelab::elaborate {

namespace {

constexpr int64_t kMaxTensorBytes = int64_t{1} << 59;
constexpr int64_t kMaxBufferBytes = INT32_MAX;
constexpr int64_t kMaxElements = INT32_MAX;  // of a shape with a tabulated layout

}  // namespace

std::optional<std::string> product_above(const std::vector<int64_t>& factors, int64_t most,
                                         int64_t per) {
  const std::optional<int64_t> product = checked_product(factors);
  if (product && *product / per <= most) return std::nullopt;
  return product ? std::to_string(*product / per) : "at least 2^60";
}

/// A compile-time integer within its bounds.
std::optional<int64_t> Elaborator::static_count(const Value& value, Span span,
                                                const std::string& what, int64_t least,
                                                int64_t most) {
  const auto known = static_int(value, span, what);
  if (!known || (*known >= least && *known <= most)) return known;
  if (*known < least)
    report(Diag::too_small, span, what, *known, least).help("use a number at or above this bound");
  else
    report(Diag::too_large, span, what, *known, most).help("use a number up to this bound");
  return std::nullopt;
}

/// Rejects an extent below `least`, and warns if it is 0. `of` names the construct: "T.Parallel".
bool Elaborator::check_extent(const Expr& extent, const std::string& of, int64_t least, Span span) {
  const auto known = int_value(extent);
  if (!known || *known > 0) return true;
  if (*known == 0 && least == 0) return true;
  report(Diag::too_small, span, "an extent of " + of, *known, least)
      .help(least > 0 ? "use an extent of 1 or more; T.ceildiv(n, block) rounds up"
                      : "use an extent of 0 or more");
  return false;
}

/// Rejects a negative number of iterations of a loop of T, and warns of a loop that never runs. A
/// start that is not below its stop is an empty interval, as in Python.
bool Elaborator::check_loop(const LoopFrame& frame, const Arguments& args) {
  const std::string of = "T." + args.row->name;
  const bool interval = !frame.lo.empty() && args.has("stop");
  for (const Expr& extent : frame.hi) {
    if (!interval && !check_extent(extent, of, 0, args.span)) return false;
    if (!interval && is_int(extent, 0)) report(Diag::extent_zero, args.span, of, "its extent is 0");
  }
  if (!interval) return true;
  const auto lo = int_value(frame.lo[0]), hi = int_value(frame.hi[0]), step = int_value(frame.step);
  if (!lo || !hi || !step) return true;
  if (*step > 0 ? *lo >= *hi : *lo <= *hi)
    report(Diag::extent_zero, args.span, of,
           "it counts from " + std::to_string(*lo) + " to " + std::to_string(*hi) +
               (*step == 1 ? "" : " by " + std::to_string(*step)));
  return true;
}

/// Rejects memory that exceeds the limit of its scope, or whose size overflows 64 bits.
bool Elaborator::check_size(const std::string& of, const std::vector<Expr>& shape, DType dtype,
                            Scope scope, Span span) {
  const int64_t most = scope == Scope::global ? kMaxTensorBytes : kMaxBufferBytes;
  std::vector<int64_t> bits{value_bits(dtype)};  // dynamic extents count as 1
  for (const Expr& extent : shape) bits.push_back(int_value(extent).value_or(1));
  const auto above = product_above(bits, most, 8);
  if (!above) return true;
  report(Diag::too_large, span, of, *above + " bytes", most)
      .help("make it smaller, or let each block process a part of it");
  return false;
}

std::optional<std::vector<Expr>> Elaborator::shape_of(const Value& value, Span span) {
  std::vector<Value> items{value};
  if (const Sequence* list = value.get<Sequence>()) items = *list->items;
  std::vector<Expr> shape;
  for (const Value& item : items) {
    Expr extent = to_index(item, span);
    if (!extent || !check_extent(extent, "this shape", 0, span)) return std::nullopt;
    shape.push_back(std::move(extent));
  }
  return shape;
}

/// `least`: of each extent.
std::optional<std::vector<int64_t>> Elaborator::static_shape(const Value& value, Span span,
                                                             int64_t least) {
  auto shape = shape_of(value, span);
  if (!shape) return std::nullopt;
  std::vector<int64_t> out;
  for (const Expr& extent : *shape) {
    auto known = int_value(extent);
    if (!known) {
      report(Diag::shape_dynamic, span, expr_text(extent) + ", a dynamic value")
          .help(
              "use a Python number, and check the dynamic bound at the accesses: buffers of a "
              "block have constant sizes");
      return std::nullopt;
    }
    if (!check_extent(extent, "this shape", least, span)) return std::nullopt;
    out.push_back(*known);
  }
  if (const auto above = product_above(out, kMaxElements)) {
    report(Diag::too_large, span, "the number of elements of this shape", *above, kMaxElements)
        .help("make it smaller, or let each block process a part of it");
    return std::nullopt;
  }
  return out;
}

}  // namespace tilelab::elaborate
