// SPDX-License-Identifier: Apache-2.0
#include "core/ir/linear.h"

#include <unordered_map>
#include <utility>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/fold.h"
#include "core/ir/traverse.h"
#include "core/support/interrupt.h"

namespace tilelab {
namespace {

/// Finds the term of an atom. A long sum looks it up by hash.
class Terms {
 public:
  explicit Terms(std::vector<Linear::Term>& terms) : terms_(terms) {}

  void add(const Expr& atom, int64_t coefficient) {
    if (Linear::Term* term = find(atom))
      term->coefficient += coefficient;
    else
      terms_.push_back({atom, coefficient});
  }

 private:
  static constexpr size_t kLong = 16;

  Linear::Term* find(const Expr& atom) {
    if (terms_.size() < kLong) {
      for (Linear::Term& term : terms_)
        if (equal(term.atom, atom)) return &term;
      return nullptr;
    }
    for (; hashed_ < terms_.size(); ++hashed_)
      by_hash_.emplace(hash(*terms_[hashed_].atom), hashed_);
    auto [from, to] = by_hash_.equal_range(hash(*atom));
    for (; from != to; ++from)
      if (equal(terms_[from->second].atom, atom)) return &terms_[from->second];
    return nullptr;
  }

  std::vector<Linear::Term>& terms_;
  std::unordered_multimap<uint64_t, size_t> by_hash_;
  size_t hashed_ = 0;  // of the terms, from the first
};

void collect(const Expr& expr, int64_t factor, Linear& out, Terms& terms) {
  poll_interrupt();
  if (auto value = int_value(expr)) {
    out.constant += factor * *value;
    return;
  }
  if (const Bin* bin = as<Bin>(expr)) {
    auto a = int_value(bin->a), b = int_value(bin->b);
    switch (bin->op) {
      case BinOp::add:
        return collect(bin->a, factor, out, terms), collect(bin->b, factor, out, terms);
      case BinOp::sub:
        return collect(bin->a, factor, out, terms), collect(bin->b, -factor, out, terms);
      case BinOp::mul:
        if (b) return collect(bin->a, factor * *b, out, terms);
        if (a) return collect(bin->b, factor * *a, out, terms);
        break;
      case BinOp::shl:
        if (b && *b >= 0 && *b < 31) return collect(bin->a, factor << *b, out, terms);
        break;
      default: break;
    }
  }
  if (const Un* un = as<Un>(expr); un && un->op == UnOp::neg)
    return collect(un->a, -factor, out, terms);
  terms.add(expr, factor);
}

}  // namespace

int64_t Linear::coefficient(Symbol id) const {
  for (const Term& term : terms)
    if (const Name* name = as<Name>(term.atom); name && name->id == id) return term.coefficient;
  return 0;
}

bool Linear::nested(Symbol id) const {
  for (const Term& term : terms)
    if (!as<Name>(term.atom) && mentions(term.atom, id)) return true;
  return false;
}

void Linear::add(const Linear& other, int64_t factor) {
  constant += factor * other.constant;
  Terms mine(terms);
  for (const Term& term : other.terms) mine.add(term.atom, factor * term.coefficient);
  std::erase_if(terms, [](const Term& term) { return term.coefficient == 0; });
}

std::optional<int64_t> evaluate(const Expr& expr, Environment name) {
  if (auto value = int_value(expr)) return value;
  if (const Name* n = as<Name>(expr)) return name(n->id);
  if (const Cast* cast = as<Cast>(expr)) {
    if (!is_integer(cast->type.dtype) || !cast->type.scalar()) return std::nullopt;
    auto value = evaluate(cast->a, name);
    return value ? int_value(tilelab::cast(cast->type.dtype, int_const(*value))) : value;
  }
  if (const Un* un = as<Un>(expr); un && un->op != UnOp::bnot) {
    auto value = evaluate(un->a, name);
    if (!value) return value;
    return un->op == UnOp::lnot ? *value == 0 : -*value;
  }
  const Bin* bin = as<Bin>(expr);
  if (!bin || !bin->type.scalar() || is_float(bin->a->type.dtype)) return std::nullopt;
  auto a = evaluate(bin->a, name);
  auto b = a ? evaluate(bin->b, name) : a;
  return b ? fold_int(bin->op, bin->a->type.dtype, *a, *b) : b;
}

std::optional<int64_t> evaluate(const Linear& linear, Environment name) {
  int64_t sum = linear.constant;
  for (const Linear::Term& term : linear.terms) {
    auto value = evaluate(term.atom, name);
    if (!value) return std::nullopt;
    sum += *value * term.coefficient;
  }
  return sum;
}

Linear linear_of(const Expr& expr) {
  Linear out;
  Terms terms(out.terms);
  collect(expr, 1, out, terms);
  std::erase_if(out.terms, [](const Linear::Term& term) { return term.coefficient == 0; });
  return out;
}

Expr expr_of(const Linear& linear, DType dtype) {
  Expr sum;
  int64_t constant = linear.constant;
  if (constant > 0 && !linear.terms.empty() && linear.terms[0].coefficient < 0)
    sum = int_const(std::exchange(constant, 0), dtype);  // 60 - 7 * i, not -7 * i + 60
  for (const Linear::Term& term : linear.terms) {
    int64_t c = term.coefficient;
    if (sum && c < 0)
      sum = sub(sum, mul(cast(dtype, term.atom), int_const(-c, dtype)));
    else if (!sum && c == -1)
      sum = unary(UnOp::neg, cast(dtype, term.atom));
    else {
      Expr product = mul(cast(dtype, term.atom), int_const(c, dtype));
      sum = sum ? add(sum, product) : product;
    }
  }
  if (!sum) return int_const(linear.constant, dtype);
  if (constant < 0) return sub(sum, int_const(-constant, dtype));
  return add(sum, int_const(constant, dtype));
}

bool mentions(const Expr& expr, Symbol id) {
  bool found = false;
  walk(*expr, [&](const Node& node) {
    if (const Name* name = as<Name>(&node)) found |= name->id == id;
    return !found;
  });
  return found;
}

}  // namespace tilelab
