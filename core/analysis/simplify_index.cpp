// SPDX-License-Identifier: Apache-2.0
// Exact simplification of integer expressions with range facts. A quotient or remainder is split
// into multiples of the divisor and a smaller remainder:
//   (8 * x + y) // 8 = x + y // 8        = x where 0 <= y < 8
//   (8 * x + y) % 8  = y % 8             = y where 0 <= y < 8
// A remainder below a factor of the divisor is split off as well:
//   (8 * x + y) // 32 = x // 4           where 0 <= y < 8
//   (8 * x + y) % 32  = x % 4 * 8 + y    where 0 <= y < 8
// A remainder between two successive multiples of the divisor has one quotient:
//   y // 8 = 3, y % 8 = y - 24           where 24 <= y < 32
#include <algorithm>
#include <functional>
#include <numeric>
#include <unordered_map>
#include <unordered_set>

#include "core/analysis/ranges.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/fold.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

bool is_index(const Expr& e) { return is_integer(e->type.dtype) && e->type.scalar(); }

/// Removes the terms of `linear` that are multiples of `divisor`; returns them divided by it.
Linear take_multiples(Linear& linear, int64_t divisor) {
  Linear out;
  std::vector<Linear::Term> rest;
  for (const Linear::Term& term : linear.terms) {
    if (term.coefficient % divisor == 0)
      out.terms.push_back({term.atom, term.coefficient / divisor});
    else
      rest.push_back(term);
  }
  int64_t remainder = ((linear.constant % divisor) + divisor) % divisor;
  out.constant = (linear.constant - remainder) / divisor;
  linear.terms = std::move(rest);
  linear.constant = remainder;
  return out;
}

/// `whole * factor + small`, 0 <= small < factor, factor > 1.
struct Split {
  int64_t factor;
  Linear whole, small;
};

/// The split by the largest factor of `divisor` for which a split exists.
std::optional<Split> split_by_factor(const Linear& sum, int64_t divisor,
                                     const RangeAnalysis& facts) {
  std::vector<int64_t> factors;
  for (const Linear::Term& term : sum.terms) factors.push_back(std::gcd(term.coefficient, divisor));
  std::sort(factors.begin(), factors.end(), std::greater<>());
  factors.erase(std::unique(factors.begin(), factors.end()), factors.end());
  for (int64_t factor : factors) {
    if (factor <= 1) break;
    Split out{factor, {}, sum};
    out.whole = take_multiples(out.small, factor);
    if (facts.range(out.small).within(0, factor - 1)) return out;
  }
  return std::nullopt;
}

/// The quotient of all values of `sum` by `divisor`, if it is the same for each of them.
std::optional<int64_t> single_quotient(const Linear& sum, int64_t divisor,
                                       const RangeAnalysis& facts) {
  const Range range = facts.range(sum);
  const int64_t quotient = floor_div(range.lo, divisor);
  if (quotient != floor_div(range.hi, divisor)) return std::nullopt;
  return quotient;
}

/// `x // c` or `x % c` with a constant c > 0; otherwise null.
const Bin* divided_by_constant(const Expr& e, BinOp op) {
  const Bin* bin = as<Bin>(e);
  if (!bin || bin->op != op) return nullptr;
  auto c = int_value(bin->b);
  return c && *c > 0 ? bin : nullptr;
}

Expr divide(const Expr& x, int64_t divisor, const RangeAnalysis& facts) {
  DType dtype = x->type.dtype;
  // (x // a) // b = x // (a b)
  if (const Bin* inner = divided_by_constant(x, BinOp::floordiv))
    return divide(inner->a, *int_value(inner->b) * divisor, facts);
  // (x % (b m)) // b = (x // b) % m
  if (const Bin* inner = divided_by_constant(x, BinOp::floormod)) {
    int64_t modulus = *int_value(inner->b);
    if (modulus % divisor == 0 && !facts.range(inner->a).within(0, modulus - 1))
      return binary(BinOp::floormod, divide(inner->a, divisor, facts),
                    int_const(modulus / divisor, dtype));
  }
  Linear rest = linear_of(x);
  const bool exact = facts.exact(rest, dtype);
  Linear out = take_multiples(rest, divisor);
  if (!exact || !facts.exact(rest, dtype)) return floordiv(x, int_const(divisor, dtype));
  if (const auto quotient = single_quotient(rest, divisor, facts)) {
    out.constant += *quotient;
  } else {
    if (auto split = split_by_factor(rest, divisor, facts)) {
      rest = std::move(split->whole);
      divisor /= split->factor;
    }
    out.add(linear_of(floordiv(expr_of(rest, dtype), int_const(divisor, dtype))), 1);
  }
  return expr_of(out, dtype);
}

Expr remainder(const Expr& x, int64_t divisor, const RangeAnalysis& facts) {
  DType dtype = x->type.dtype;
  if (const Bin* inner = divided_by_constant(x, BinOp::floormod))
    if (*int_value(inner->b) % divisor == 0) return remainder(inner->a, divisor, facts);
  Linear rest = linear_of(x);
  const bool exact = facts.exact(rest, dtype);
  take_multiples(rest, divisor);
  if (!exact || !facts.exact(rest, dtype)) return floormod(x, int_const(divisor, dtype));
  if (const auto quotient = single_quotient(rest, divisor, facts)) {
    rest.constant -= *quotient * divisor;
    return expr_of(rest, dtype);
  }
  const auto split = split_by_factor(rest, divisor, facts);
  if (!split) return floormod(expr_of(rest, dtype), int_const(divisor, dtype));
  Linear out = split->small;
  const Expr cycle = int_const(divisor / split->factor, dtype);
  out.add(linear_of(floormod(expr_of(split->whole, dtype), cycle)), split->factor);
  return expr_of(out, dtype);
}

/// Terms `x // k` or `x / k` next to a multiple of `x % k` in `linear`, keyed by `x`.
using Quotients = std::unordered_multimap<uint64_t, const Linear::Term*>;

Quotients quotients_of(const Linear& linear) {
  Quotients out;
  for (const Linear::Term& term : linear.terms) {
    const Bin* bin = as<Bin>(term.atom);
    if (bin && (bin->op == BinOp::tdiv || bin->op == BinOp::floordiv))
      out.emplace(hash(*bin->a), &term);
  }
  return out;
}

/// The matching quotient of a remainder; null if there is none.
const Linear::Term* quotient_for(const Linear::Term& remainder, const Quotients& quotients) {
  const Bin* rest = as<Bin>(remainder.atom);
  if (!rest || (rest->op != BinOp::floormod && rest->op != BinOp::tmod)) return nullptr;
  const auto divisor = int_value(rest->b);
  const BinOp division = rest->op == BinOp::tmod ? BinOp::tdiv : BinOp::floordiv;
  if (!divisor || *divisor <= 0) return nullptr;
  auto [from, end] = quotients.equal_range(hash(*rest->a));
  for (; from != end; ++from) {
    const Bin& bin = to<Bin>(from->second->atom);
    if (bin.op == division && from->second->coefficient == remainder.coefficient * *divisor &&
        int_value(bin.b) == divisor && equal(bin.a, rest->a))
      return from->second;
  }
  return nullptr;
}

/// (x // k) * k + x % k = x, also scaled by a common factor.
void join_quotients(Linear& linear) {
  for (bool joined = true; joined;) {
    joined = false;
    const Quotients quotients = quotients_of(linear);
    if (quotients.empty()) return;
    Linear wholes;
    std::unordered_set<const Linear::Term*> gone;
    for (const Linear::Term& term : linear.terms)
      if (const Linear::Term* quotient = quotient_for(term, quotients);
          quotient && gone.insert(quotient).second) {
        gone.insert(&term);
        wholes.add(linear_of(to<Bin>(term.atom).a), term.coefficient);
        joined = true;
      }
    if (!joined) return;
    Linear rest;
    rest.constant = linear.constant;
    for (const Linear::Term& term : linear.terms)
      if (!gone.count(&term)) rest.terms.push_back(term);
    rest.add(wholes, 1);
    linear = std::move(rest);
  }
}

/// a + (b + c): the normal form is more readable.
bool nested_sum(const Bin& bin) {
  const Bin* right = as<Bin>(bin.b);
  return right && (right->op == BinOp::add || right->op == BinOp::sub) && bin.op != BinOp::mul;
}

/// The name in `e`, if `e` is a name or a constant multiple of one.
Symbol multiplied_name(const Expr& e) {
  const Bin* bin = as<Bin>(e);
  const bool multiple = bin && bin->op == BinOp::mul && is_const(bin->b);
  const Name* name = as<Name>(multiple ? bin->a : e);
  return name ? name->id : Symbol();
}

/// x * 4, x * 4 + 3, x * 4 + y: already in normal form when folded. Fast path: most indices are.
bool is_normal(const Bin& bin) {
  const Symbol name = multiplied_name(bin.a);
  if (!name) return false;
  if (bin.op == BinOp::mul) return is_const(bin.b) && as<Name>(bin.a);
  const Symbol other = multiplied_name(bin.b);
  return is_const(bin.b) || (other && other != name);
}

Expr simplify_bin(const Bin& bin, const Expr& self, const RangeAnalysis& facts) {
  if (bin.op == BinOp::floordiv || bin.op == BinOp::floormod) {
    auto divisor = int_value(bin.b);
    if (!divisor || *divisor <= 0) return self;
    return bin.op == BinOp::floordiv ? divide(bin.a, *divisor, facts)
                                     : remainder(bin.a, *divisor, facts);
  }
  if (bin.op == BinOp::add || bin.op == BinOp::sub || bin.op == BinOp::mul) {
    if (is_normal(bin)) return self;
    // Use the normal form if it is shorter (cancels terms, folds constants) or flatter.
    Linear linear = linear_of(self);
    join_quotients(linear);
    Expr normal = expr_of(linear, self->type.dtype);
    size_t before = 0, after = 0;
    for_each(*self, [&](const Node&) { ++before; });
    for_each(*normal, [&](const Node&) { ++after; });
    return after < before || (after == before && nested_sum(bin)) ? normal : self;
  }
  return self;
}

constexpr int kLongSum = 32;  // terms

/// Rewrites bottom-up. A part of a long sum is simplified only with the whole sum; otherwise each
/// of n nested sums would visit n terms.
class IndexSimplifier {
 public:
  explicit IndexSimplifier(const RangeAnalysis& facts) : facts_(facts) {}

  Expr visit(const Expr& e, bool in_sum = false) {
    const Bin* bin = as<Bin>(e);
    const bool sum = bin && (bin->op == BinOp::add || bin->op == BinOp::sub);
    int terms = 0;
    Expr changed = map_children(e, [&](const Expr& child) {
      Expr out = visit(child, sum);
      terms += terms_;
      return out;
    });
    terms_ = sum ? terms : 1;
    const bool part = sum && in_sum && terms > kLongSum;
    return part ? changed : simplified(changed);
  }

 private:
  Expr simplified(const Expr& e) {
    // The children may have changed: fold the node first.
    if (const Bin* bin = as<Bin>(e)) {
      Expr folded = fold(*bin);
      return simplified_bin(folded ? folded : e);
    }
    if (const Un* un = as<Un>(e)) return folded_or(fold(*un), e);
    if (const Cast* c = as<Cast>(e))
      return c->a->type.dtype == c->type.dtype ? c->a : folded_or(fold(*c), e);
    if (const Select* s = as<Select>(e)) {
      if (auto known = decide(s->cond)) return *known ? s->a : s->b;
      return equal(s->a, s->b) ? s->a : e;
    }
    if (const Call* c = as<Call>(e)) {
      if (c->intrinsic == Intrinsic::guard)
        if (auto known = decide(c->args[0]); known == true) return bool_const(true);
      if (c->intrinsic == Intrinsic::uniform && is_const(c->args[0])) return c->args[0];
      return folded_or(fold(*c), e);
    }
    return e;
  }

  static Expr folded_or(Expr folded, const Expr& e) { return folded ? folded : e; }

  Expr simplified_bin(Expr self) {
    const Bin* bin = as<Bin>(self);
    if (!bin) return self;
    if (is_index(self)) self = simplify_bin(*bin, self, facts_);
    if (self->type.dtype != DType::bool_ || !self->type.scalar()) return self;
    if (auto known = decide(self)) return bool_const(*known);
    if (is_logical(bin->op)) {
      bool neutral = bin->op == BinOp::land;
      if (decide(bin->a) == neutral) return bin->b;
      if (decide(bin->b) == neutral) return bin->a;
    }
    return self;
  }

  /// The memoized result of RangeAnalysis::decide: chains of conditions repeat their parts.
  std::optional<bool> decide(const Expr& condition) {
    if (auto known = decided_.find(condition.get()); known != decided_.end())
      return known->second.value;
    std::optional<bool> value;
    const Bin* bin = as<Bin>(condition);
    if (bin && is_logical(bin->op)) {
      const bool deciding = bin->op == BinOp::lor;  // such an operand decides
      const auto a = decide(bin->a), b = decide(bin->b);
      if (a == deciding || b == deciding)
        value = deciding;
      else if (a && b)
        value = !deciding;
    } else {
      value = facts_.decide(condition);
    }
    decided_.emplace(condition.get(), Decided{condition, value});
    return value;
  }

  struct Decided {
    Expr condition;  // keeps the key's address unique
    std::optional<bool> value;
  };

  const RangeAnalysis& facts_;
  std::unordered_map<const Node*, Decided> decided_;
  int terms_ = 1;  // of the last visited sum
};

}  // namespace

Expr simplify_index(const Expr& expr, const RangeAnalysis& facts) {
  return IndexSimplifier(facts).visit(expr);
}

}  // namespace tilelab
