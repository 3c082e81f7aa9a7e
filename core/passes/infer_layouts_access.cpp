// SPDX-License-Identifier: Apache-2.0
// From index expressions to maps: who holds what an iteration accesses, and what a fragment must
// look like so that its accessor holds it. Accesses like x[i, j], m[i], y[j, i] and x[i, 3] go
// digit by digit; others are tabulated over the loop's domain and recognised.
#include <algorithm>

#include "core/layout/recognize.h"
#include "core/passes/infer_layouts.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

/// One index expression split into what the loop's variables add and what comes from outside.
struct SplitIndex {
  Linear loop;  // with the constant, if nothing comes from outside
  bool has_outer = false;
  int64_t outer_multiple = 0;  // the outer part (constant included) is a multiple of it
  int variable = -1;           // the loop's part is exactly this variable
};

bool mentions_any(const Expr& expr, const std::vector<Symbol>& vars) {
  for (Symbol var : vars)
    if (mentions(expr, var)) return true;
  return false;
}

SplitIndex split_index(const LayoutOp& op, const Expr& expr) {
  SplitIndex split;
  Linear outer;
  Linear all = linear_of(expr);
  for (const Linear::Term& term : all.terms)
    (mentions_any(term.atom, op.vars) ? split.loop : outer).terms.push_back(term);
  split.has_outer = !outer.terms.empty();
  if (split.has_outer) {
    outer.constant = all.constant;
    split.outer_multiple = op.facts.range(outer).multiple;
  } else {
    split.loop.constant = all.constant;
  }
  const std::vector<Linear::Term>& terms = split.loop.terms;
  if (split.loop.constant == 0 && terms.size() == 1 && terms[0].coefficient == 1)
    if (const Name* name = as<Name>(terms[0].atom)) {
      auto found = std::find(op.vars.begin(), op.vars.end(), name->id);
      if (found != op.vars.end()) split.variable = int(found - op.vars.begin());
    }
  return split;
}

int64_t floor_div(int64_t a, int64_t b) {
  int64_t q = a / b;
  return q - ((a % b != 0) && ((a < 0) != (b < 0)));
}

/// Value of an integer expression at a point of the loop; nullopt for anything else inside.
std::optional<int64_t> evaluate(const Expr& expr, const std::vector<Symbol>& vars,
                                const Index& point) {
  if (auto value = int_value(expr)) return value;
  if (const Name* name = as<Name>(expr)) {
    auto found = std::find(vars.begin(), vars.end(), name->id);
    return found == vars.end() ? std::nullopt : std::optional(point[found - vars.begin()]);
  }
  if (const Cast* cast = as<Cast>(expr)) return evaluate(cast->a, vars, point);
  const Bin* bin = as<Bin>(expr);
  if (!bin) return std::nullopt;
  std::optional<int64_t> a = evaluate(bin->a, vars, point), b = evaluate(bin->b, vars, point);
  if (!a || !b) return std::nullopt;
  switch (bin->op) {
    case BinOp::add: return *a + *b;
    case BinOp::sub: return *a - *b;
    case BinOp::mul: return *a * *b;
    case BinOp::floordiv: return *b == 0 ? 0 : floor_div(*a, *b);
    case BinOp::floormod: return *b == 0 ? 0 : *a - floor_div(*a, *b) * *b;
    case BinOp::band: return *a & *b;
    case BinOp::bor: return *a | *b;
    case BinOp::bxor: return *a ^ *b;
    case BinOp::shl: return *b >= 0 && *b < 63 ? *a << *b : 0;
    case BinOp::shr: return *b >= 0 && *b < 63 ? *a >> *b : 0;
    default: return std::nullopt;
  }
}

std::optional<int64_t> evaluate(const Linear& linear, const std::vector<Symbol>& vars,
                                const Index& point) {
  int64_t sum = linear.constant;
  for (const Linear::Term& term : linear.terms) {
    std::optional<int64_t> value = evaluate(term.atom, vars, point);
    if (!value) return std::nullopt;
    sum += *value * term.coefficient;
  }
  return sum;
}

/// Adding a multiple of `step` to the index of dimension `dim` never changes the thread.
bool threads_ignore(const Layout& layout, size_t dim, int64_t step) {
  int64_t weight = 1;
  const Digits& digits = layout.dims[dim];
  for (size_t k = digits.size(); k-- > 0;) {
    weight *= digits[k].extent;
    if (digits[k].kind == 't' && digits[k].extent > 1 && step % weight != 0) return false;
  }
  return true;
}

/// The map of any access that the loop's variables determine. Registers number the rounds of a loop
/// if they have digits; if not, only the threads are kept.
std::optional<Layout> tabulated_map(const LayoutOp& op, const std::vector<SplitIndex>& splits,
                                    const Layout& fragment) {
  LayoutTable table{op.extents, {}};
  Index point(op.extents.size(), 0), element(splits.size());
  do {
    for (size_t d = 0; d < splits.size(); ++d) {
      std::optional<int64_t> value = evaluate(splits[d].loop, op.vars, point);
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

std::optional<Layout> LayoutProblem::access_map(const LayoutOp& op, const LoopAccess& access,
                                                const Layout& fragment) const {
  size_t rank = access.index.size();
  if (fragment.shape.size() != rank) return std::nullopt;
  std::vector<SplitIndex> splits;
  bool direct = true;
  std::vector<int> used(op.vars.size(), 0);
  for (size_t d = 0; d < rank; ++d) {
    splits.push_back(split_index(op, access.index[d]));
    const SplitIndex& split = splits.back();
    if (split.has_outer && !threads_ignore(fragment, d, split.outer_multiple)) return std::nullopt;
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

std::optional<Layout> LayoutProblem::fragment_for(const LayoutOp& op, const LoopAccess& access,
                                                  const Layout& loop) const {
  Index shape = shape_of(access.buffer);
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
        (rounds == 1 || (split.has_outer && split.outer_multiple % op.extents[v] == 0 &&
                         capacity(loop.dims[v]) == op.extents[v]))) {
      result.dims[d] = loop.dims[v];  // x[i, k * 16 + j]: a round of registers for each k
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
  // Any other access: place by place, each element from exactly the iterations of one thread.
  int64_t count = 1;
  for (int64_t extent : shape) count *= extent;
  LayoutTable table{shape, std::vector<Place>(count, {-1, 0, 0})};
  Index point(op.extents.size(), 0);
  do {
    int64_t number = 0;
    for (size_t d = 0; d < shape.size(); ++d) {
      std::optional<int64_t> value = evaluate(access.index[d], op.vars, point);
      if (!value || *value < 0 || *value >= shape[d]) return std::nullopt;
      number = number * shape[d] + *value;
    }
    Place place = place_of(loop, point);
    Place& held = table.places[number];
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

bool LayoutProblem::fits(const LayoutOp& op, const LoopAccess& access, const Layout& fragment,
                         const Layout& loop) const {
  std::optional<Layout> map = access_map(op, access, fragment);
  return map && owns(*map, loop) && (!access.write || owns(loop, *map));
}

bool LayoutProblem::covers(const LayoutOp& op, const LoopAccess& access) const {
  for (size_t v = 0; v < op.vars.size(); ++v) {
    if (op.extents[v] == 1) continue;
    bool mentioned = false;
    for (const Expr& index : access.index) mentioned = mentioned || mentions(index, op.vars[v]);
    if (!mentioned) return false;
  }
  return true;
}

/// Whether every run of `stmt` stores to the buffer.
static bool surely_stores(const Stmt& stmt, Symbol buffer) {
  if (!stmt) return false;
  if (const Store* store = as<Store>(stmt)) return store->buffer == buffer;
  if (const If* branch = as<If>(stmt))
    return surely_stores(branch->then_, buffer) && surely_stores(branch->else_, buffer);
  const Seq* list = as<Seq>(stmt);
  return list && std::any_of(list->stmts.begin(), list->stmts.end(),
                             [&](const Stmt& s) { return surely_stores(s, buffer); });
}

bool LayoutProblem::overwrites(const LayoutOp& op, Symbol buffer) const {
  if (const Parallel* loop = as<Parallel>(op.node)) {
    if (!surely_stores(loop->body, buffer)) return false;
  } else if (as<Atomic>(op.node) || as<Store>(op.node)) {
    return false;
  }
  const Index shape = shape_of(buffer);
  auto all_of_it = [&](const LoopAccess& store) {
    std::vector<bool> used(op.vars.size(), false);
    for (size_t d = 0; d < shape.size(); ++d) {
      SplitIndex split = split_index(op, store.index[d]);
      if (shape[d] == 1 && split.loop.is_constant() && !split.has_outer) continue;
      if (split.variable < 0 || split.has_outer || used[split.variable]) return false;
      if (op.extents[split.variable] != shape[d]) return false;
      used[split.variable] = true;
    }
    return true;
  };
  bool written = false;
  for (const LoopAccess& access : op.fragments) {
    if (access.buffer != buffer) continue;
    if (!access.write || !all_of_it(access)) return false;
    written = true;
  }
  return written;
}

/// Consecutive along the last variable, and aligned: the pitch of the other dimensions and where
/// the access starts are multiples of the width.
int64_t LayoutProblem::width(const LayoutOp& op, const LoopAccess& access, bool& touched) const {
  Symbol last = op.vars.back();
  touched = false;
  for (const Expr& index : access.index) touched = touched || mentions(index, last);
  if (!touched) return 0;
  const Buffer& buffer = *buffers_.at(base_of(access.buffer));
  bool is_view = access.buffer != buffer.name;
  size_t rank = access.index.size();
  for (size_t d = 0; d + 1 < rank; ++d)
    if (mentions(access.index[d], last)) return 1;
  Linear start = linear_of(access.index.back());
  if (start.coefficient(last) != 1 || start.nested(last)) return 1;
  start.terms.erase(
      std::remove_if(start.terms.begin(), start.terms.end(),
                     [&](const Linear::Term& term) { return mentions(term.atom, last); }),
      start.terms.end());
  int64_t widest = context_.target.vector_bytes * 8 / bits(dtype_of(access.buffer));
  int64_t w = dividing_width(op.extents.back(), std::max<int64_t>(1, widest));
  auto limit = [&](int64_t multiple) {
    while (w > 1 && multiple % w != 0) w /= 2;
  };
  limit(op.facts.range(start).multiple);
  if (!buffer.strides.empty() && !is_view) {
    if (!is_int(buffer.strides.back(), 1)) return 1;
    for (size_t d = 0; d + 1 < rank; ++d) limit(op.facts.range(buffer.strides[d]).multiple);
  } else if (rank > 1) {
    const std::vector<Expr>& shape = is_view ? views_.at(access.buffer)->shape : buffer.shape;
    limit(op.facts.range(shape.back()).multiple);
  }
  if (buffer.layout.known() && buffer.scope == Scope::shared && !is_view) {
    const Digits& digits = buffer.layout.dims.back();
    limit(!digits.empty() && digits.back().stride == 1 ? digits.back().extent : 1);
    if (buffer.swizzle.known()) limit(buffer.swizzle.granule * 8 / bits(buffer.dtype));
  }
  return w;
}

int64_t LayoutProblem::memory_width(const LayoutOp& op) const {
  int64_t narrowest = 0;
  for (const LoopAccess& access : op.memory) {
    bool touched = false;
    int64_t w = op.vars.empty() ? 0 : width(op, access, touched);
    if (touched) narrowest = narrowest == 0 ? w : std::min(narrowest, w);
  }
  return narrowest;
}

int64_t LayoutProblem::vector_of(const LayoutOp& op, const Layout& loop) const {
  if (loop.dims.empty() || loop.dims.back().empty()) return 1;
  const Digit& low = loop.dims.back().back();
  if (low.kind != 'r' || low.stride != 1) return 1;
  int64_t memory = memory_width(op), run = dividing_width(low.extent, 64);
  if (memory > 0) return std::min(run, memory);
  int64_t widest = 8;
  for (const LoopAccess& access : op.fragments)
    widest = std::max<int64_t>(widest, bits(dtype_of(access.buffer)));
  return std::min<int64_t>(run, std::max<int64_t>(1, context_.target.vector_bytes * 8 / widest));
}

}  // namespace tilelab
