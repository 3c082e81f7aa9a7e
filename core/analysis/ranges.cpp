// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/ranges.h"

#include <algorithm>
#include <numeric>
#include <unordered_set>
#include <utility>

#include "core/analysis/bindings.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/fold.h"
#include "core/ir/traverse.h"
#include "core/support/interrupt.h"

namespace tilelab {

Range join_ranges(const Range& a, const Range& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi), std::gcd(a.multiple, b.multiple)};
}

namespace {

// Interval arithmetic saturates at +-2^62, which represents "unbounded".
constexpr int64_t kUnbounded = int64_t{1} << 62;

constexpr Range kAnything{-kUnbounded, kUnbounded};

int64_t clamp(__int128 v) {
  return static_cast<int64_t>(
      std::clamp<__int128>(v, -static_cast<__int128>(kUnbounded), kUnbounded));
}
int64_t add_far(int64_t a, int64_t b) { return clamp(static_cast<__int128>(a) + b); }
int64_t mul_far(int64_t a, int64_t b) { return clamp(static_cast<__int128>(a) * b); }
Range sum(const Range& a, const Range& b) {
  return {add_far(a.lo, b.lo), add_far(a.hi, b.hi), std::gcd(a.multiple, b.multiple)};
}

Range product(const Range& a, const Range& b) {
  int64_t ends[] = {mul_far(a.lo, b.lo), mul_far(a.lo, b.hi), mul_far(a.hi, b.lo),
                    mul_far(a.hi, b.hi)};
  auto [lo, hi] = std::minmax_element(std::begin(ends), std::end(ends));
  return {*lo, *hi, mul_far(a.multiple, b.multiple)};
}

/// The range of a result in `dtype` whose unbounded range is `r`: if it may overflow it wraps, and
/// then only powers of two still divide it.
Range wrapped(const Range& r, const Range& full) {
  if (full.lo <= r.lo && r.hi <= full.hi) return r;
  const bool exact = r.multiple < kUnbounded && full.hi > 1;  // not saturated, not of bool
  return {full.lo, full.hi, exact ? r.multiple & -r.multiple : 1};
}

/// Smallest 2^k - 1 that is at least v, for v >= 0.
int64_t mask_above(int64_t v) {
  int64_t mask = 0;
  while (mask < v && mask < kUnbounded) mask = mask * 2 + 1;
  return mask;
}

/// 1 or -1 if the sum without its constant is that multiple of `terms`; otherwise 0.
int64_t multiple_of(const Linear& linear, const std::vector<Linear::Term>& terms) {
  if (linear.terms.size() != terms.size()) return 0;
  int64_t factor = 0;
  for (const Linear::Term& term : linear.terms) {
    const auto same = std::find_if(terms.begin(), terms.end(), [&](const Linear::Term& other) {
      return std::abs(term.coefficient) == std::abs(other.coefficient) &&
             equal(term.atom, other.atom);
    });
    if (same == terms.end()) return 0;
    const int64_t sign = term.coefficient == same->coefficient ? 1 : -1;
    if (factor == -sign) return 0;
    factor = sign;
  }
  return factor;
}

}  // namespace

Range Range::of(DType dtype) {
  if (dtype == DType::u64 || dtype == DType::i64)
    return {dtype == DType::u64 ? 0 : -kUnbounded, kUnbounded};
  return {min_int(dtype), max_int(dtype)};
}

void RangeAnalysis::set(Symbol name, Range range) {
  if (!top_ || top_.use_count() > 1) {  // shared with other copies
    auto layer = std::make_shared<Layer>();
    layer->ranges.emplace(name, range);
    // A new layer absorbs all lower layers of at most its size, so n facts take log n layers.
    std::shared_ptr<const Layer> below = std::move(top_);
    for (; below && below->ranges.size() <= layer->ranges.size(); below = below->below)
      for (const auto& fact : below->ranges) poll_interrupt(), layer->ranges.insert(fact);
    layer->below = std::move(below);
    top_ = std::move(layer);
    return;
  }
  top_->ranges[name] = range;
}

const Range* RangeAnalysis::find(Symbol name) const {
  for (const Layer* layer = top_.get(); layer; layer = layer->below.get())
    if (auto it = layer->ranges.find(name); it != layer->ranges.end()) return &it->second;
  return nullptr;
}

RangeAnalysis RangeAnalysis::of(const Func& func) {
  RangeAnalysis facts;
  for (const Stmt& stmt : func.dims) {
    const Dim& dim = to<Dim>(stmt);
    facts.set(dim.name, {dim.lo, dim.hi, dim.multiple});
  }
  if (func.body) for_each_of_host(func, [&](const Check& check) { facts.learn(check.cond); });
  return facts;
}

void RangeAnalysis::bind(const Let& let) {
  if (find(let.name)) forget_sums_of(let.name);
  set(let.name, range(let.value));
  if (!sums_ || !is_integer(let.value->type.dtype) || as<Name>(let.value)) return;
  const Linear value = linear_of(let.value);
  if (!exact(value, let.value->type.dtype)) return;
  std::vector<Expr> bounds;  // names that bound another index
  for (const KnownSum* known = sums_.get(); known; known = known->before.get())
    if (known->terms.size() == 2 && known->range.hi < 0) {
      const Linear::Term& bound = known->terms[known->terms[1].coefficient < 0];
      if (as<Name>(bound.atom)) bounds.push_back(bound.atom);
    }
  for (const Expr& bound : bounds) {
    Linear difference = value, name;
    difference.add(linear_of(bound), -1);
    name.terms = {{name_ref(let.name, let.value->type), 1}, {bound, -1}};
    if (range(difference).hi < 0) learn_sum(std::move(name), BinOp::lt);
  }
}

/// A sibling scope may have bound the name to another value.
void RangeAnalysis::forget_sums_of(Symbol name) {
  std::vector<const KnownSum*> kept;
  bool all = true;
  for (const KnownSum* known = sums_.get(); known; known = known->before.get()) {
    const bool of_name =
        std::any_of(known->terms.begin(), known->terms.end(),
                    [&](const Linear::Term& term) { return mentions(term.atom, name); });
    if (of_name)
      all = false;
    else
      kept.push_back(known);
  }
  if (all) return;
  const std::shared_ptr<const KnownSum> old = std::move(sums_);
  for (auto it = kept.rbegin(); it != kept.rend(); ++it)
    sums_ = std::make_shared<const KnownSum>(
        KnownSum{(*it)->terms, (*it)->range, sums_, sums_ ? sums_->count + 1 : 1});
}

void RangeAnalysis::bind_all(const Node& root) {
  std::unordered_set<Symbol> varying;  // names that other statements bind, too
  for_each(root, [&](const StmtNode& node) {
    if (!as<Let>(&node)) for_each_bound(node, [&](Symbol name) { varying.insert(name); });
  });
  const Substitution once = lets_of(root);
  std::unordered_map<Symbol, Range> several;
  for_each(
      root, [&](const TileLoop& tiles) { enter(tiles); },
      [&](const Let& let) {
        if (once.count(let.name)) return bind(let);
        if (varying.count(let.name)) return;
        const Range value = range(let.value);
        const auto [at, first] = several.emplace(let.name, value);
        if (!first) at->second = join_ranges(at->second, value);
        set(let.name, at->second);
      });
}

void RangeAnalysis::learn(const Expr& condition) {
  const Bin* bin = as<Bin>(condition);
  if (!bin) return;
  if (bin->op == BinOp::land) return learn(bin->a), learn(bin->b);
  auto bound = int_value(bin->b);
  const Bin* inner = as<Bin>(bin->a);
  if (inner && inner->op == BinOp::floormod && bin->op == BinOp::eq && bound == 0) {
    const Name* name = as<Name>(inner->a);
    auto divisor = int_value(inner->b);
    if (!name || !divisor || *divisor <= 0) return;
    Range known = range(inner->a);
    known.multiple = std::lcm(known.multiple, *divisor);
    return set(name->id, known);
  }
  if (!is_compare(bin->op) || !is_integer(bin->a->type.dtype)) return;
  const DType dtype = bin->a->type.dtype;
  Linear left = linear_of(bin->a), right = linear_of(bin->b);
  if (!exact(left, dtype) || !exact(right, dtype)) return;
  left.add(right, -1);  // name - bound
  const bool single = left.terms.size() == 1 && left.terms[0].coefficient == 1;
  const Name* name = single ? as<Name>(left.terms[0].atom) : nullptr;
  if (!name) return learn_sum(std::move(left), bin->op);
  bound = -left.constant;
  Range known = range(left.terms[0].atom);
  if (bin->op == BinOp::lt) known.hi = std::min(known.hi, *bound - 1);
  if (bin->op == BinOp::le) known.hi = std::min(known.hi, *bound);
  if (bin->op == BinOp::gt) known.lo = std::max(known.lo, *bound + 1);
  if (bin->op == BinOp::ge) known.lo = std::max(known.lo, *bound);
  if (bin->op == BinOp::eq) known.lo = known.hi = *bound;
  set(name->id, known);
}

/// `sum op 0` holds.
void RangeAnalysis::learn_sum(Linear sum, BinOp op) {
  constexpr int kMaxSums = 32;  // every query scans all of them
  if (sum.is_constant() || (sums_ && sums_->count >= kMaxSums)) return;
  for (const Linear::Term& term : sum.terms)
    if (!is_index(term.atom)) return;  // a data value may change later
  const int64_t bound = -std::exchange(sum.constant, 0);
  Range known = range(sum);
  if (op == BinOp::lt) known.hi = std::min(known.hi, bound - 1);
  if (op == BinOp::le) known.hi = std::min(known.hi, bound);
  if (op == BinOp::gt) known.lo = std::max(known.lo, bound + 1);
  if (op == BinOp::ge) known.lo = std::max(known.lo, bound);
  if (op == BinOp::eq) known.lo = known.hi = bound;
  const int count = sums_ ? sums_->count + 1 : 1;
  sums_ = std::make_shared<const KnownSum>(KnownSum{sum.terms, known, std::move(sums_), count});
}

void RangeAnalysis::enter(const Kernel& kernel, int lanes_per_warp) {
  set_below(kernel.indices, kernel.grid);
  set("tid", {0, kernel.block - 1});
  set("lane", {0, std::min<int64_t>(lanes_per_warp, kernel.block) - 1});
  set("warp", {0, (kernel.block - 1) / lanes_per_warp});
}

void RangeAnalysis::enter(const Role& role) { set("tid", {0, role.hi - role.lo - 1}); }

void RangeAnalysis::enter(const For& loop) {
  forget_sums_of(loop.var);
  if (!loop.steps.empty()) {
    auto [lo, hi] = std::minmax_element(loop.steps.begin(), loop.steps.end());
    set(loop.var, {*lo, *hi});
    return;
  }
  Range lo = range(loop.lo), hi = range(loop.hi), step = range(loop.step);
  int64_t multiple = std::gcd(lo.multiple, step.multiple);
  if (step.lo > 0) {
    set(loop.var, {lo.lo, std::max(lo.lo, hi.hi - 1), multiple});
    learn_below(loop.var, loop.hi);
  } else {
    set(loop.var, {std::min(lo.lo, hi.lo + 1), lo.hi, multiple});
  }
}

void RangeAnalysis::enter(const Parallel& loop) { set_below(loop.vars, loop.extents); }
void RangeAnalysis::enter(const TileLoop& loop) { set_below(loop.vars, loop.domain); }

void RangeAnalysis::set_below(const std::vector<Symbol>& names, const std::vector<Expr>& extents) {
  for (size_t i = 0; i < names.size(); ++i)
    set(names[i], {0, std::max<int64_t>(0, range(extents[i]).hi - 1)});
  for (const Symbol& name : names) forget_sums_of(name);
  for (size_t i = 0; i < names.size(); ++i) learn_below(names[i], extents[i]);
}

void RangeAnalysis::learn_below(Symbol name, const Expr& extent) {
  if (is_const(extent)) return;
  const bool sum = !any_of(*extent, [](const ExprNode& e) {
    const Bin* bin = as<Bin>(&e);
    return e.kind != Kind::Name && e.kind != Kind::Const &&
           !(bin && (bin->op == BinOp::add || bin->op == BinOp::sub || bin->op == BinOp::mul));
  });
  if (sum) learn(lt(name_ref(name, extent->type), extent));
}

Range RangeAnalysis::range(const Linear& linear) const {
  Range total = Range::exactly(linear.constant);
  for (const Linear::Term& term : linear.terms)
    total = sum(total, product(range(term.atom), Range::exactly(term.coefficient)));
  for (const KnownSum* known = sums_.get(); known; known = known->before.get()) {
    const int64_t factor = multiple_of(linear, known->terms);
    if (factor == 0) continue;
    const Range there =
        sum(product(known->range, Range::exactly(factor)), Range::exactly(linear.constant));
    total.lo = std::max(total.lo, there.lo), total.hi = std::min(total.hi, there.hi);
  }
  if (!sums_ || linear.terms.size() < 2) return total;
  const Range quotient = range_of_quotient(linear);
  total.lo = std::max(total.lo, quotient.lo), total.hi = std::min(total.hi, quotient.hi);
  return total;
}

/// The bounds of k (x // c) + rest that follow from those of k x + c rest, which known sums may
/// bound: c (x // c) is in [x - c + 1, x].
Range RangeAnalysis::range_of_quotient(const Linear& linear) const {
  constexpr int64_t kLargest = INT32_MAX;  // of a factor: products stay exact
  const auto is_large = [](const Linear::Term& t) { return std::abs(t.coefficient) > kLargest; };
  if (std::any_of(linear.terms.begin(), linear.terms.end(), is_large)) return kAnything;
  for (size_t i = 0; i < linear.terms.size(); ++i) {
    const auto& [atom, k] = linear.terms[i];
    const Bin* quotient = as<Bin>(atom);
    if (!quotient || quotient->op != BinOp::floordiv || !is_index(atom)) continue;
    const int64_t c = int_value(quotient->b).value_or(0);
    if (c <= 1 || c > kLargest) continue;
    Linear rest = linear, all;
    rest.terms.erase(rest.terms.begin() + int64_t(i));
    all.add(linear_of(quotient->a), k), all.add(rest, c);
    const Range r = sum(range(all), product({0, c - 1}, Range::exactly(-k)));
    return {r.lo == -kUnbounded ? r.lo : ceil_div(r.lo, c),
            r.hi == kUnbounded ? r.hi : floor_div(r.hi, c)};
  }
  return kAnything;
}

/// Without zero, by which no division has a result.
static Range divisors(const Range& range) {
  const bool zero = range.lo == 0 && range.hi > 0;
  return zero ? Range{std::max<int64_t>(range.multiple, 1), range.hi, range.multiple} : range;
}

Range RangeAnalysis::range(const Expr& expr) const {
  if (auto value = int_value(expr)) return Range::exactly(*value);
  Range full = Range::of(is_float(expr->type.dtype) ? DType::i64 : expr->type.dtype);
  if (const Name* name = as<Name>(expr)) {
    const Range* known = find(name->id);
    return known ? *known : full;
  }
  if (const Bin* bin = as<Bin>(expr)) {
    return wrapped(range_of_bin(*bin), full);
  }
  if (const Un* un = as<Un>(expr); un && un->op == UnOp::neg)
    return wrapped(product(range(un->a), Range::exactly(-1)), full);
  if (const Select* s = as<Select>(expr)) return join_ranges(range(s->a), range(s->b));
  if (const Cast* c = as<Cast>(expr); c && !is_float(c->a->type.dtype))
    return wrapped(range(c->a), full);
  const Call* c = as<Call>(expr);
  if (!c) return full;
  switch (c->intrinsic) {
    case Intrinsic::uniform: return range(c->args[0]);
    case Intrinsic::ceildiv: {
      const Range a = range(c->args[0]), b = divisors(range(c->args[1]));
      if (b.lo <= 0) return full;
      return {ceil_div(a.lo, a.lo >= 0 ? b.hi : b.lo), ceil_div(a.hi, a.hi >= 0 ? b.lo : b.hi)};
    }
    case Intrinsic::minimum: {
      Range a = range(c->args[0]), b = range(c->args[1]);
      return {std::min(a.lo, b.lo), std::min(a.hi, b.hi), std::gcd(a.multiple, b.multiple)};
    }
    case Intrinsic::maximum: {
      Range a = range(c->args[0]), b = range(c->args[1]);
      return {std::max(a.lo, b.lo), std::max(a.hi, b.hi), std::gcd(a.multiple, b.multiple)};
    }
    default: return full;
  }
}

Range RangeAnalysis::range_of_bin(const Bin& bin) const {
  const Range a = range(bin.a);
  const Range b = is_division(bin.op) ? divisors(range(bin.b)) : range(bin.b);
  Range unknown{-kUnbounded, kUnbounded};
  bool positive = b.lo > 0;
  switch (bin.op) {
    case BinOp::add: return sum(a, b);
    case BinOp::sub: return sum(a, product(b, Range::exactly(-1)));
    case BinOp::mul: return product(a, b);
    case BinOp::floordiv:
    case BinOp::tdiv: {
      if (!positive || (bin.op == BinOp::tdiv && a.lo < 0)) return unknown;
      bool divides = b.lo == b.hi && a.multiple % b.lo == 0;
      int64_t lo = a.lo >= 0 ? floor_div(a.lo, b.hi) : floor_div(a.lo, b.lo);
      int64_t hi = a.hi >= 0 ? floor_div(a.hi, b.lo) : floor_div(a.hi, b.hi);
      return {lo, hi, divides ? a.multiple / b.lo : 1};
    }
    case BinOp::floormod:
    case BinOp::tmod:
      if (bin.op == BinOp::tmod && a.lo >= 0 && !positive) return {0, a.hi};
      if (!positive || (bin.op == BinOp::tmod && a.lo < 0)) return unknown;
      if (a.lo >= 0 && a.hi < b.lo) return a;
      return {0, b.hi - 1, std::gcd(a.multiple, b.lo == b.hi ? b.lo : b.multiple)};
    case BinOp::shl:
      if (b.lo != b.hi || b.lo < 0 || b.lo > 30) return unknown;
      return product(a, Range::exactly(int64_t{1} << b.lo));
    case BinOp::shr:
      if (b.lo < 0 || b.hi > 62) return unknown;
      return {std::min(a.lo >> b.lo, a.lo >> b.hi), std::max(a.hi >> b.lo, a.hi >> b.hi)};
    case BinOp::band:
      if (a.lo >= 0 && b.lo >= 0) return {0, std::min(a.hi, b.hi)};
      if (b.lo >= 0) return {0, b.hi};
      return a.lo >= 0 ? Range{0, a.hi} : unknown;
    case BinOp::bor:
    case BinOp::bxor:
      if (a.lo >= 0 && b.lo >= 0) return {0, mask_above(std::max(a.hi, b.hi))};
      return unknown;
    default: return {0, 1};
  }
}

/// Consists only of names with bounds, without data.
bool RangeAnalysis::is_index(const Expr& atom) const {
  return !any_of(
      *atom, [](const Load&) { return true; }, [](const Region&) { return true; },
      [&](const Name& name) {
        const Range full = Range::of(name.type.dtype);
        const Range* known = find(name.id);
        return !known || (known->lo <= full.lo && known->hi >= full.hi);
      },
      [](const Call& c) {
        return c.intrinsic != Intrinsic::uniform && c.intrinsic != Intrinsic::ceildiv &&
               c.intrinsic != Intrinsic::minimum && c.intrinsic != Intrinsic::maximum;
      });
}

bool RangeAnalysis::exact(const Linear& linear, DType dtype) const {
  const bool address = (dtype == DType::i32 || dtype == DType::i64) &&
                       std::all_of(linear.terms.begin(), linear.terms.end(),
                                   [&](const Linear::Term& term) { return is_index(term.atom); });
  const Range full = Range::of(dtype);
  return address || range(linear).within(full.lo, full.hi);
}

std::optional<bool> RangeAnalysis::decide(const Expr& condition) const {
  if (auto value = int_value(condition)) return *value != 0;
  if (const Un* un = as<Un>(condition); un && un->op == UnOp::lnot) {
    auto inner = decide(un->a);
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  if (const Call* c = as<Call>(condition); c && c->intrinsic == Intrinsic::guard)
    return decide(c->args[0]);
  const Bin* bin = as<Bin>(condition);
  if (!bin) return std::nullopt;
  if (is_logical(bin->op)) {
    bool deciding = bin->op == BinOp::lor;  // such an operand decides
    auto a = decide(bin->a), b = decide(bin->b);
    if (a == deciding || b == deciding) return deciding;
    if (a && b) return !deciding;
    return std::nullopt;
  }
  if (!is_compare(bin->op) || is_float(bin->a->type.dtype)) return std::nullopt;
  Linear difference = linear_of(bin->a), right = linear_of(bin->b);
  const DType dtype = bin->a->type.dtype;
  if (!exact(difference, dtype) || !exact(right, dtype)) return std::nullopt;
  difference.add(right, -1);
  Range r = range(difference);
  switch (bin->op) {
    case BinOp::lt:
      return r.hi < 0 ? std::optional(true) : r.lo >= 0 ? std::optional(false) : std::nullopt;
    case BinOp::le:
      return r.hi <= 0 ? std::optional(true) : r.lo > 0 ? std::optional(false) : std::nullopt;
    case BinOp::gt:
      return r.lo > 0 ? std::optional(true) : r.hi <= 0 ? std::optional(false) : std::nullopt;
    case BinOp::ge:
      return r.lo >= 0 ? std::optional(true) : r.hi < 0 ? std::optional(false) : std::nullopt;
    default: break;
  }
  bool equal_op = bin->op == BinOp::eq;
  if (r.lo == 0 && r.hi == 0) return equal_op;
  if (r.lo > 0 || r.hi < 0) return !equal_op;
  return std::nullopt;
}

}  // namespace tilelab
