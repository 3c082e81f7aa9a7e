// SPDX-License-Identifier: Apache-2.0
// Exact simplification of integer expressions with facts. A quotient or remainder is split into
// the part that the divisor divides and a rest that is smaller:
//   (8 * x + y) // 8 = x + y // 8        = x where 0 <= y < 8
//   (8 * x + y) % 8  = y % 8             = y where 0 <= y < 8
// and what is smaller than a factor of the divisor stays outside of it:
//   (8 * x + y) // 32 = x // 4           where 0 <= y < 8
//   (8 * x + y) % 32  = x % 4 * 8 + y    where 0 <= y < 8
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

/// Moves the terms of `linear` that `divisor` divides out of it, divided.
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

/// The split by the largest factor of `divisor` that has one.
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

/// The operand and constant divisor of `x // c` or `x % c` with x, c known; c > 0.
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
  if (!facts.range(rest).within(0, divisor - 1)) {
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
  Expr value = expr_of(rest, dtype);
  if (facts.range(rest).within(0, divisor - 1)) return value;
  const auto split = split_by_factor(rest, divisor, facts);
  if (!split) return floormod(value, int_const(divisor, dtype));
  Linear out = split->small;
  const Expr cycle = int_const(divisor / split->factor, dtype);
  out.add(linear_of(floormod(expr_of(split->whole, dtype), cycle)), split->factor);
  return expr_of(out, dtype);
}

/// `x // k` or `x / k` beside a multiple of `x % k` in `linear`, by the remainder's `x`.
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

/// The quotient that a remainder makes whole; null if there is none.
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

/// (x // k) * k + x % k = x, also as multiples of both.
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

/// a + (b + c): the normal form reads better.
bool nested_sum(const Bin& bin) {
  const Bin* right = as<Bin>(bin.b);
  return right && (right->op == BinOp::add || right->op == BinOp::sub) && bin.op != BinOp::mul;
}

/// The name that `e` is, or is a constant multiple of.
Symbol multiplied_name(const Expr& e) {
  const Bin* bin = as<Bin>(e);
  const bool multiple = bin && bin->op == BinOp::mul && is_const(bin->b);
  const Name* name = as<Name>(multiple ? bin->a : e);
  return name ? name->id : Symbol();
}

/// x * 4, x * 4 + 3, x * 4 + y: folded as they are, these are their normal form. Most indices are.
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
    // Normal form where it is shorter (cancels terms, gathers constants) or flatter.
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

/// Rewrites from the leaves up. Part of a long sum is left to the whole sum, which has all terms:
/// else each of n sums would look at its n terms.
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
    // The children may have changed under the node: fold it first.
    if (const Bin* bin = as<Bin>(e)) {
      Expr folded = fold(*bin);
      return simplified_bin(folded ? folded : e);
    }
    if (const Un* un = as<Un>(e)) return folded_or(fold(*un), e);
    if (const Cast* c = as<Cast>(e))
      return c->a->type.dtype == c->type.dtype ? c->a : folded_or(fold(*c), e);
    if (const Select* s = as<Select>(e)) {
      if (auto known = facts_.decide(s->cond)) return *known ? s->a : s->b;
      return equal(s->a, s->b) ? s->a : e;
    }
    if (const Call* c = as<Call>(e)) {
      if (c->intrinsic == Intrinsic::guard)
        if (auto known = facts_.decide(c->args[0]); known == true) return bool_const(true);
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

  /// What a condition is known to be, asked once: a chain of conditions asks for its parts.
  std::optional<bool> decide(const Expr& condition) {
    if (auto known = decided_.find(condition.get()); known != decided_.end())
      return known->second.value;
    std::optional<bool> value;
    const Bin* bin = as<Bin>(condition);
    if (bin && is_logical(bin->op)) {
      const bool deciding = bin->op == BinOp::lor;  // one such side decides
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
    Expr condition;  // its address stays its own
    std::optional<bool> value;
  };

  const RangeAnalysis& facts_;
  std::unordered_map<const Node*, Decided> decided_;
  int terms_ = 1;  // of the sum that was visited last
};

}  // namespace

Expr simplify_index(const Expr& expr, const RangeAnalysis& facts) {
  return IndexSimplifier(facts).visit(expr);
}

}  // namespace tilelab
