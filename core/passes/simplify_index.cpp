// SPDX-License-Identifier: Apache-2.0
// Exact simplification of integer expressions with facts. A quotient or remainder is split into
// the part that the divisor divides and a rest that is smaller:
//   (8 * x + y) // 8 = x + y // 8        = x where 0 <= y < 8
//   (8 * x + y) % 8  = y % 8             = y where 0 <= y < 8
#include <algorithm>
#include <numeric>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/passes/facts.h"

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

/// The operand and constant divisor of `x // c` or `x % c` with x, c known; c > 0.
const Bin* divided_by_constant(const Expr& e, BinOp op) {
  const Bin* bin = as<Bin>(e);
  if (!bin || bin->op != op) return nullptr;
  auto c = int_value(bin->b);
  return c && *c > 0 ? bin : nullptr;
}

Expr divide(const Expr& x, int64_t divisor, const Facts& facts) {
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
    int64_t common = divisor;
    for (const Linear::Term& term : rest.terms) common = std::gcd(common, term.coefficient);
    if (common > 1) {  // floor((g y + r) / (g d)) = floor(y / d) for 0 <= r < g
      rest.constant -= rest.constant % common;
      rest.constant /= common;
      for (Linear::Term& term : rest.terms) term.coefficient /= common;
    }
    if (common < divisor)
      out.add(linear_of(floordiv(expr_of(rest, dtype), int_const(divisor / common, dtype))), 1);
    else
      out.add(rest, 1);
  }
  return expr_of(out, dtype);
}

Expr remainder(const Expr& x, int64_t divisor, const Facts& facts) {
  DType dtype = x->type.dtype;
  if (const Bin* inner = divided_by_constant(x, BinOp::floormod))
    if (*int_value(inner->b) % divisor == 0) return remainder(inner->a, divisor, facts);
  Linear rest = linear_of(x);
  const bool exact = facts.exact(rest, dtype);
  take_multiples(rest, divisor);
  if (!exact || !facts.exact(rest, dtype)) return floormod(x, int_const(divisor, dtype));
  Expr value = expr_of(rest, dtype);
  if (facts.range(rest).within(0, divisor - 1)) return value;
  return floormod(value, int_const(divisor, dtype));
}

/// (x // k) * k + x % k = x, also as multiples of both.
void join_quotients(Linear& linear) {
  for (size_t i = 0; i < linear.terms.size(); ++i) {
    const Bin* rest = as<Bin>(linear.terms[i].atom);
    if (!rest || (rest->op != BinOp::floormod && rest->op != BinOp::tmod)) continue;
    const auto divisor = int_value(rest->b);
    const BinOp division = rest->op == BinOp::tmod ? BinOp::tdiv : BinOp::floordiv;
    if (!divisor || *divisor <= 0) continue;
    const int64_t times = linear.terms[i].coefficient;
    auto quotient = std::find_if(linear.terms.begin(), linear.terms.end(), [&](const auto& term) {
      const Bin* bin = as<Bin>(term.atom);
      return bin && bin->op == division && term.coefficient == times * *divisor &&
             int_value(bin->b) == divisor && equal(bin->a, rest->a);
    });
    if (quotient == linear.terms.end()) continue;
    Linear whole = linear_of(rest->a);
    linear.terms.erase(quotient);
    std::erase_if(linear.terms, [&](const auto& term) { return term.atom.get() == rest; });
    linear.add(whole, times);
    return join_quotients(linear);
  }
}

/// a + (b + c): the normal form reads better.
bool nested_sum(const Bin& bin) {
  const Bin* right = as<Bin>(bin.b);
  return right && (right->op == BinOp::add || right->op == BinOp::sub) && bin.op != BinOp::mul;
}

Expr simplify_bin(const Bin& bin, const Expr& self, const Facts& facts) {
  if (bin.op == BinOp::floordiv || bin.op == BinOp::floormod) {
    auto divisor = int_value(bin.b);
    if (!divisor || *divisor <= 0) return self;
    return bin.op == BinOp::floordiv ? divide(bin.a, *divisor, facts)
                                     : remainder(bin.a, *divisor, facts);
  }
  if (bin.op == BinOp::add || bin.op == BinOp::sub || bin.op == BinOp::mul) {
    // Normal form where it is shorter (cancels terms, gathers constants) or flatter.
    Linear linear = linear_of(self);
    join_quotients(linear);
    Expr normal = expr_of(linear, self->type.dtype);
    size_t before = 0, after = 0;
    walk(*self, [&](const Node&) { return ++before, true; });
    walk(*normal, [&](const Node&) { return ++after, true; });
    return after < before || (after == before && nested_sum(bin)) ? normal : self;
  }
  return self;
}

}  // namespace

Expr simplify_index(const Expr& expr, const Facts& facts) {
  return rewrite(expr, [&](const Expr& e) -> Expr {
    // The children changed under the node: rebuild it through the folding constructors first.
    Expr self = e;
    if (const Bin* bin = as<Bin>(e)) {
      self = binary(bin->op, bin->a, bin->b);
      bin = as<Bin>(self);
      if (!bin) return self;
      if (is_index(self)) self = simplify_bin(*bin, self, facts);
      if (self->type.dtype == DType::bool_ && self->type.scalar()) {
        if (auto known = facts.decide(self)) return bool_const(*known);
        if (is_logical(bin->op)) {
          bool neutral = bin->op == BinOp::land;
          if (facts.decide(bin->a) == neutral) return bin->b;
          if (facts.decide(bin->b) == neutral) return bin->a;
        }
      }
      return self;
    }
    if (const Un* un = as<Un>(e)) return unary(un->op, un->a);
    if (const Cast* c = as<Cast>(e)) return cast(c->type.dtype, c->a);
    if (const Select* s = as<Select>(e)) {
      if (auto known = facts.decide(s->cond)) return *known ? s->a : s->b;
      return equal(s->a, s->b) ? s->a : e;
    }
    if (const Call* c = as<Call>(e)) {
      if (c->intrinsic == Intrinsic::guard)
        if (auto known = facts.decide(c->args[0]); known == true) return bool_const(true);
      if (c->intrinsic == Intrinsic::uniform && is_const(c->args[0])) return c->args[0];
      return call(c->intrinsic, c->type, c->args, c->attrs);
    }
    return e;
  });
}

}  // namespace tilelab
