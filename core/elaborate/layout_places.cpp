// SPDX-License-Identifier: Apache-2.0
// Layouts of T.annotate_layout without a digit form: the function is called again with symbolic
// indices, and the resulting expressions must agree with the table for every element.
#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/fitted.h"
#include "core/ir/traverse.h"
#include "core/layout/forward.h"
#include "core/support/extents.h"

namespace tilelab::elaborate {

/// The function's result for symbolic indices; nullopt, without a message, if it is not a pure
/// expression.
std::optional<std::vector<Expr>> Elaborator::traced(const Value& function,
                                                    const std::vector<Symbol>& names, Span span) {
  Diagnostics before;
  std::swap(before, diagnostics_);
  auto out = coordinates_at(function, names, span);
  if (!diagnostics_.ok()) out.reset();
  std::swap(before, diagnostics_);
  return out;
}

/// Addresses in elements, relative to the smallest, of the map's coordinates.
static std::vector<int64_t> addresses(const ForwardMap& map) {
  const Index extents = output_shape(map);
  std::vector<int64_t> out;
  for (const Index& place : map.coordinates) out.push_back(row_major_number(place, extents));
  const int64_t least = *std::min_element(out.begin(), out.end());
  for (int64_t& address : out) address -= least;
  return out;
}

/// Element map of a shared buffer, by the function of its last dimensions.
std::optional<ElementMap> Elaborator::shared_places(const ForwardMap& map, const Value& function,
                                                    size_t rank, Span span) {
  ElementMap out;
  for (size_t d = 0; d < map.shape.size(); ++d) out.names.push_back(ir_.fresh("at", true));
  const std::vector<Symbol> last(out.names.end() - int64_t(rank), out.names.end());
  auto coordinates = traced(function, last, span);
  const Index extents = output_shape(map);
  const size_t leading = out.names.size() - rank;
  if (!coordinates || coordinates->size() + leading != extents.size()) return std::nullopt;
  Expr address = int_const(0);
  for (size_t d = 0; d < extents.size(); ++d)
    address = add(mul(address, int_const(extents[d])),
                  d < leading ? name_ref(out.names[d], {DType::i32}) : (*coordinates)[d - leading]);
  out.places = {address};
  const std::vector<int64_t> given = addresses(map);
  auto found = all_places(out, map.shape);
  if (!found) return std::nullopt;
  const int64_t least = (*found)[0][0] - given[0];
  for (size_t e = 0; e < given.size(); ++e)
    if ((*found)[e][0] != given[e] + least) return std::nullopt;
  out.places = {sub(address, int_const(least))};
  return finalize(out, map.shape).empty() ? std::optional(std::move(out)) : std::nullopt;
}

namespace {

/// A fragment's map as digits of element numbers.
struct NumberedRow {
  ForwardLayout layout;
  ElementMap where;
};

/// Whether registers only number a thread's elements in row-major order: then another order is
/// valid.
bool only_counted(const ForwardMap& map) {
  if (map.coordinates.empty()) return true;
  std::unordered_map<int64_t, int64_t> held;
  for (size_t e = 0; e < map.coordinates.size(); ++e)
    if (map.coordinates[e] != Index{held[map.threads[e]]++}) return false;
  return true;
}

using Order = std::vector<size_t>;  // of dimensions

Order first_order(const ForwardMap& map) {
  Order order(map.shape.size());
  for (size_t d = 0; d < order.size(); ++d) order[d] = d;
  return order;
}

/// Element numbers of the map, enumerated with dimensions in this order.
std::vector<size_t> counted(const ForwardMap& map, const Order& order) {
  ForwardMap turned{map.shape, {}, 0, {}};
  for (size_t d = 0; d < order.size(); ++d) turned.shape[d] = map.shape[order[d]];
  std::vector<size_t> out;
  for (int64_t n = 0; n < map.elements(); ++n) {
    const Index index = turned.element(n);
    Index element(order.size());
    for (size_t d = 0; d < order.size(); ++d) element[order[d]] = index[d];
    size_t e = 0;
    for (size_t d = 0; d < order.size(); ++d) e = e * size_t(map.shape[d]) + size_t(element[d]);
    out.push_back(e);
  }
  return out;
}

std::optional<NumberedRow> as_row(const ForwardMap& map, const std::vector<Symbol>& names) {
  const bool counts = only_counted(map);
  const size_t count = size_t(map.elements());
  Order order = first_order(map);
  do {
    ForwardMap row{{map.elements()}, {}, map.replicas, {}};
    const std::vector<size_t> from = counted(map, order);
    if (!counts)
      for (size_t e : from) row.coordinates.push_back(map.coordinates[e]);
    for (size_t r = 0; r < size_t(map.replicas); ++r)
      for (size_t e : from) row.threads.push_back(map.threads[r * count + e]);
    ForwardLayout layout = layout_of(row, 1);
    if (!layout.ok() || !decoding(layout.layout, 't')) continue;
    Expr number = int_const(0);
    for (size_t d : order)
      number = add(mul(number, int_const(map.shape[d])), name_ref(names[d], {DType::i32}));
    return NumberedRow{std::move(layout), {names, {number}, {map.elements()}}};
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

/// The register of each element in its thread: explicit, or numbered in this order.
Index registers_of(const ForwardMap& map, const Order& order) {
  Index out(size_t(map.elements()), 0);
  if (only_counted(map)) {
    std::unordered_map<int64_t, int64_t> held;
    for (size_t e : counted(map, order)) out[e] = held[map.threads[e]]++;
    return out;
  }
  const Index extents = output_shape(map);
  for (size_t e = 0; e < out.size(); ++e)
    for (size_t d = 0; d < extents.size(); ++d)
      out[e] = out[e] * extents[d] + map.coordinates[e][d];
  return out;
}

/// The digit of the replicas, if each is shifted by the same thread offset.
std::optional<Digits> replicas_of(const ForwardMap& map, int64_t threads) {
  if (map.replicas == 1) return Digits{};
  const size_t count = size_t(map.elements());
  const int64_t distance = map.threads[count] - map.threads[0];
  for (size_t i = count; i < map.threads.size(); ++i)
    if (map.threads[i] != map.threads[i - count] + distance) return std::nullopt;
  if (distance < threads || distance % threads != 0) return std::nullopt;
  return Digits{t_digit(map.replicas, distance)};
}

/// Numbers elements by thread and register, if fitted expressions give both and their inverse:
/// exclusive ors, modular sums.
std::optional<NumberedRow> as_slots(const ForwardMap& map, const std::vector<Symbol>& names) {
  const Index threads(map.threads.begin(), map.threads.begin() + map.elements());
  const int64_t held_by = *std::max_element(threads.begin(), threads.end()) + 1;
  if (*std::min_element(threads.begin(), threads.end()) < 0) return std::nullopt;
  const auto replicas = replicas_of(map, held_by);
  std::vector<Counted> indices;
  for (size_t d = 0; d < names.size(); ++d)
    indices.push_back({name_ref(names[d], {DType::i32}), map.shape[d]});
  Order order = first_order(map);
  do {
    const Index registers = registers_of(map, order);
    const int64_t held = *std::max_element(registers.begin(), registers.end()) + 1;
    if (!replicas || held * held_by != map.elements()) return std::nullopt;  // for any order
    const Index radices = radices_of(map.shape, held);
    const Expr thread = fitted(indices, threads, radices),
               reg = thread ? fitted(indices, registers, radices) : nullptr;
    if (!reg) continue;
    NumberedRow out;
    out.where = {names, {add(mul(thread, int_const(held)), reg)}, {map.elements()}};
    const Expr number = name_ref("n", {DType::i32});
    if (element_at(out.where, map.shape, held, number).empty()) continue;
    out.layout.layout = {{map.elements()}, {{t_digit(held_by, 1), r_digit(held, 1)}}, *replicas, 0};
    return out;
  } while (std::next_permutation(order.begin(), order.end()));
  return std::nullopt;
}

}  // namespace

bool Elaborator::annotate_by_places(const BufferRef& buffer, const ForwardMap& map, size_t rank,
                                    const Value* function, Span span) {
  const std::string what =
      std::string(name(buffer->scope)) + " buffer `" + buffer->name.str() + "`";
  if (buffer->scope == Scope::fragment) {
    std::vector<Symbol> names;
    for (size_t d = 0; d < map.shape.size(); ++d) names.push_back(ir_.fresh("at", true));
    auto row = as_row(map, names);
    if (!row) row = as_slots(map, names);
    if (row) {
      if (!has_digits(row->layout, map, what, span)) return false;
      layouts_[buffer->name] = {row->layout.layout, {}, std::move(row->where), span};
      return true;
    }
  }
  if (buffer->scope == Scope::fragment) {
    report(Diag::layout_form, span, what,
           "has no digits, and cannot be inverted with sums or exclusive ors of digits")
        .help(
            "build it from //, %, +, * and ^ of the indices, so that each thread holds the same "
            "number of elements");
    return false;
  }
  std::optional<ElementMap> where;
  if (function) where = shared_places(map, *function, rank, span);
  if (!where) {
    report(Diag::layout_form, span, what,
           std::string("has no digits") +
               (function ? ", and its function does not depend on the indices only"
                         : ", and no function that maps elements to locations"))
        .help("write it as one expression: T.Layout((16, 8), lambda i, j: [i, (j + i) % 8])");
    return false;
  }
  layouts_[buffer->name] = {{}, {}, std::move(*where), span};
  return true;
}

}  // namespace tilelab::elaborate
