// SPDX-License-Identifier: Apache-2.0
// From index expressions to layouts: which thread holds the element that an iteration accesses, and
// which layout a fragment needs so that the accessing thread holds it. Accesses like x[i, j], m[i],
// y[j, i] and x[i, 3] are mapped digit by digit; others are tabulated over the loop's domain and
// matched to a digit form.
#include "core/passes/infer_layouts/accesses.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/layout/recognize.h"
#include "core/support/extents.h"
#include "core/targets/partition.h"

namespace tilelab {
namespace {

/// An index expression, split into terms of the loop variables and the outer terms.
struct SplitIndex {
  Linear loop;  // with the constant, if there are no outer terms
  bool has_outer = false;
  Range outer{0, 0};          // range of the outer terms, including the constant
  int64_t loop_multiple = 0;  // the loop's terms are a multiple of it
  int variable = -1;          // the loop's terms are exactly this variable
};

SplitIndex split_index(const LayoutOp& op, const Expr& expr) {
  SplitIndex split;
  const Linear sum = linear_of(expr);
  const AffineIndex index = affine_index(sum, op.vars);
  split.has_outer = !index.rest.is_constant();
  split.loop = sum, split.loop.add(index.rest, -1);
  if (split.has_outer) {
    split.outer = op.facts.range(index.rest);
    split.loop_multiple = op.facts.range(split.loop).multiple;
  } else {
    split.loop.constant = sum.constant;
  }
  const auto var = index.only_axis();
  if (var && split.loop.constant == 0 && index.factor[*var] == 1) split.variable = int(*var);
  return split;
}

/// Evaluates the loop variables at a point of the domain.
struct AtPoint {
  const std::vector<Symbol>& vars;
  const Index& point;
  std::optional<int64_t> operator()(Symbol name) const {
    auto found = std::find(vars.begin(), vars.end(), name);
    return found == vars.end() ? std::nullopt : std::optional(point[found - vars.begin()]);
  }
};

/// Whether adding a multiple of `step` to the index of dimension `dim` never changes the thread.
bool threads_ignore(const Layout& layout, size_t dim, int64_t step) {
  int64_t weight = 1;
  const Digits& digits = layout.dims[dim];
  for (size_t k = digits.size(); k-- > 0;) {
    weight *= digits[k].extent;
    if (digits[k].kind == 't' && digits[k].extent > 1 && step % weight != 0) return false;
  }
  return true;
}

/// Whether the outer terms only select one of a thread's registers: x[i, j * 8 + k] with k below 8
/// and eight consecutive elements per thread.
bool is_within_thread(const Layout& layout, size_t dim, const SplitIndex& split) {
  int64_t neighbours = 1;
  const Digits& digits = layout.dims[dim];
  for (size_t k = digits.size(); k-- > 0 && (digits[k].kind != 't' || digits[k].extent == 1);)
    neighbours *= digits[k].extent;
  return split.outer.lo >= 0 && split.outer.hi < neighbours &&
         split.loop_multiple % neighbours == 0;
}

/// The layout of any access that the loop variables determine. Registers number the serial
/// iterations of a loop if they have a digit form; otherwise, only the threads are kept.
std::optional<Layout> tabulated_map(const LayoutOp& op, const std::vector<SplitIndex>& splits,
                                    const Layout& fragment) {
  LayoutTable table{op.extents, {}};
  Index point(op.extents.size(), 0), element(splits.size());
  do {
    for (size_t d = 0; d < splits.size(); ++d) {
      std::optional<int64_t> value = evaluate(splits[d].loop, AtPoint{op.vars, point});
      if (!value || *value < 0 || *value >= fragment.shape[d]) return std::nullopt;
      element[d] = *value;
    }
    table.places.push_back(place_of(fragment, element));
  } while (advance(point, op.extents));
  int64_t first = table.places[0].reg;
  for (Place& place : table.places) place.reg -= first;
  std::optional<Layout> map = recognize(table);
  if (!map) {
    for (Place& place : table.places) place.reg = 0;
    map = recognize(table);
  }
  if (map) map->rep = fragment.rep;
  return map;
}

}  // namespace

std::optional<Layout> access_map(const LayoutOp& op, const BufferAccess& access,
                                 const Layout& fragment) {
  size_t rank = access.index.size();
  if (fragment.shape.size() != rank) return std::nullopt;
  std::vector<SplitIndex> splits;
  bool direct = true;
  std::vector<int> used(op.vars.size(), 0);
  for (size_t d = 0; d < rank; ++d) {
    splits.push_back(split_index(op, access.index[d]));
    const SplitIndex& split = splits.back();
    if (split.has_outer && !threads_ignore(fragment, d, split.outer.multiple) &&
        !is_within_thread(fragment, d, split))
      return std::nullopt;
    bool constant = split.loop.is_constant();
    direct = direct && (constant || split.variable >= 0);
    if (split.variable >= 0) direct = direct && used[split.variable]++ == 0;
  }
  if (direct) {
    Layout map{op.extents, std::vector<Digits>(op.extents.size()), fragment.rep, fragment.base};
    for (size_t v = 0; v < op.extents.size(); ++v) map.dims[v] = {r_digit(op.extents[v], 0)};
    for (size_t d = 0; d < rank; ++d) {
      int v = splits[d].variable;
      if (v < 0) {
        if (splits[d].loop.constant < 0 || splits[d].loop.constant >= fragment.shape[d])
          return std::nullopt;
        map.base += contribution(fragment, d, splits[d].loop.constant).thread;
      } else if (op.extents[v] > fragment.shape[d]) {
        return std::nullopt;
      } else {
        map.dims[v] = fragment.dims[d];
      }
    }
    return map;
  }
  return tabulated_map(op, splits, fragment);
}

namespace {

/// Row-major number of the element that a point of the domain accesses; nullopt if it is outside.
std::optional<int64_t> element_at(const LayoutOp& op, const BufferAccess& access,
                                  const Index& shape, const Index& point) {
  int64_t number = 0;
  for (size_t d = 0; d < shape.size(); ++d) {
    const auto value = evaluate(access.index[d], AtPoint{op.vars, point});
    if (!value || *value < 0 || *value >= shape[d]) return std::nullopt;
    number = number * shape[d] + *value;
  }
  return number;
}

/// The layout for any access, element by element: iterations of exactly one thread access each.
std::optional<Layout> tabulated_fragment(const LayoutOp& op, const BufferAccess& access,
                                         const Index& shape, const Layout& loop) {
  LayoutTable table{shape, std::vector<Place>(volume(shape), {-1, 0, 0})};
  Index point(op.extents.size(), 0);
  do {
    const auto number = element_at(op, access, shape, point);
    if (!number) return std::nullopt;
    Place place = place_of(loop, point);
    Place& held = table.places[*number];
    if (held.thread >= 0 && held.thread != place.thread) return std::nullopt;
    if (held.thread < 0) held = place;
  } while (advance(point, op.extents));
  for (const Place& place : table.places)
    if (place.thread < 0) return std::nullopt;
  std::optional<Layout> found = recognize(table);
  if (!found) return std::nullopt;
  found->rep = loop.rep;
  return compacted(*found);
}

}  // namespace

std::optional<Layout> fragment_for(const LayoutOp& op, const BufferAccess& access,
                                   const Index& shape, const Layout& loop) {
  if (shape.size() != access.index.size()) return std::nullopt;
  Layout result{shape, std::vector<Digits>(shape.size()), loop.rep, loop.base};
  std::vector<int> used(op.vars.size(), 0);
  int64_t registers = extent(loop, 'r');
  bool direct = true;
  for (size_t d = 0; d < shape.size(); ++d) {
    SplitIndex split = split_index(op, access.index[d]);
    int v = split.variable;
    int64_t rounds = v >= 0 ? shape[d] / op.extents[v] : 0;
    if (v >= 0 && used[v]++ == 0 && rounds * op.extents[v] == shape[d] &&
        (rounds == 1 || (split.has_outer && split.outer.multiple % op.extents[v] == 0 &&
                         capacity(loop.dims[v]) == op.extents[v]))) {
      result.dims[d] = loop.dims[v];  // x[i, k * 16 + j]: a set of registers for each k
      if (rounds > 1) result.dims[d].insert(result.dims[d].begin(), r_digit(rounds, registers));
      registers *= rounds;
    } else if (split.loop.is_constant()) {  // x[i, 3], x[i, k]: all of that dimension in registers
      result.dims[d] = {r_digit(shape[d], registers)};
      registers *= shape[d];
    } else {
      direct = false;
    }
  }
  if (direct) {
    for (size_t v = 0; v < op.vars.size(); ++v)
      if (!used[v])
        for (const Digit& digit : loop.dims[v])
          if (digit.kind == 't' && digit.extent > 1) result.rep.push_back(digit);
    Layout compact = compacted(result);
    compact.rep = normalized(compact).rep;
    return compact;
  }
  return tabulated_fragment(op, access, shape, loop);
}

bool fits(const LayoutOp& op, const BufferAccess& access, const Layout& fragment,
          const Layout& loop) {
  std::optional<Layout> map = access_map(op, access, fragment);
  return map && owns(*map, loop) && (!access.write || owns(loop, *map));
}

bool covers(const LayoutOp& op, const BufferAccess& access) {
  for (size_t v = 0; v < op.vars.size(); ++v) {
    if (op.extents[v] == 1) continue;
    bool mentioned = false;
    for (const Expr& index : access.index) mentioned = mentioned || mentions(index, op.vars[v]);
    if (!mentioned) return false;
  }
  return true;
}

bool one_to_one(const LayoutOp& op, const BufferAccess& access, const Index& shape) {
  std::vector<bool> covered(static_cast<size_t>(volume(shape)), false);
  Index point(op.extents.size(), 0);
  do {
    const auto number = element_at(op, access, shape, point);
    if (!number || covered[*number]) return false;
    covered[*number] = true;
  } while (advance(point, op.extents));
  return true;
}

namespace {

/// Whether each dimension is indexed by a separate variable that covers all of it.
bool fills_by_variables(const LayoutOp& op, const BufferAccess& access, const Index& shape) {
  std::vector<bool> used(op.vars.size(), false);
  for (size_t d = 0; d < shape.size(); ++d) {
    SplitIndex split = split_index(op, access.index[d]);
    if (shape[d] == 1 && split.loop.is_constant() && !split.has_outer) continue;
    if (split.variable < 0 || split.has_outer || used[split.variable]) return false;
    if (op.extents[split.variable] != shape[d]) return false;
    used[split.variable] = true;
  }
  return true;
}

}  // namespace

bool fills(const LayoutOp& op, const BufferAccess& access, const Index& shape) {
  return fills_by_variables(op, access, shape) ||
         (volume(op.extents) == volume(shape) && one_to_one(op, access, shape));
}

/// Whether consecutive iterations along `var` read the same element, as `codes[j // 2]`: such a
/// read needs no vector, and does not prevent a wide store of the result.
static bool several_read_one(const Expr& index, Symbol var) {
  const Bin* bin = as<Bin>(index);
  if (bin && bin->op == BinOp::add && !mentions(bin->b, var)) return several_read_one(bin->a, var);
  if (bin && bin->op == BinOp::add && !mentions(bin->a, var)) return several_read_one(bin->b, var);
  const bool distributed_over_threads =
      bin && bin->op == BinOp::floordiv && int_value(bin->b).value_or(0) > 1;
  if (!distributed_over_threads) return false;
  return is_contiguous_along({bin->a}, var);
}

int64_t access_width(const LayoutOp& op, const BufferAccess& access, const AccessedMemory& memory,
                     int64_t vector_bytes) {
  if (memory.scattered) return 1;
  const Symbol last = op.vars.back();
  const size_t rank = access.index.size();
  if (!access.write && !crosses_rows(op, access) && several_read_one(access.index.back(), last))
    return dividing_width(op.extents.back(), vector_bytes);
  if (!is_contiguous_along(access.index, last)) return 1;
  int64_t widest = vector_bytes * 8 / bits(memory.dtype);
  if (access.atomic) widest = *access.atomic == Intrinsic::atomic_add ? memory.sums : 1;
  int64_t w = dividing_width(op.extents.back(), std::max<int64_t>(1, widest));
  auto limit = [&](int64_t multiple) {
    while (w > 1 && multiple % w != 0) w /= 2;
  };
  limit(op.facts.range(affine_index(access.index.back(), {last}).rest).multiple);
  if (!memory.strides.empty()) {
    if (!is_int(memory.strides.back(), 1)) return 1;
    for (size_t d = 0; d + 1 < rank; ++d) limit(op.facts.range(memory.strides[d]).multiple);
  } else if (rank > 1) {
    limit(op.facts.range(memory.shape.back()).multiple);
  }
  if (memory.layout.known()) {
    const Digits& digits = memory.layout.dims.back();
    limit(!digits.empty() && digits.back().stride == 1 ? digits.back().extent : 1);
    if (memory.swizzle.known()) limit(memory.swizzle.granule * 8 / bits(memory.dtype));
  }
  return w;
}

bool touches_last(const LayoutOp& op, const BufferAccess& access) {
  return !op.vars.empty() &&
         std::any_of(access.index.begin(), access.index.end(),
                     [&](const Expr& index) { return mentions(index, op.vars.back()); });
}

bool crosses_rows(const LayoutOp& op, const BufferAccess& access) {
  return !access.index.empty() && !op.vars.empty() &&
         std::any_of(access.index.begin(), access.index.end() - 1,
                     [&](const Expr& index) { return mentions(index, op.vars.back()); });
}

}  // namespace tilelab
