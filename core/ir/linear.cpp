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

/// Finds the term of an atom; by hash in a long sum.
class Terms {
 public:
  explicit Terms(std::vector<Linear::Term>& terms) : terms_(terms) {}

  void add(const Expr& atom, int64_t coefficient) {
    if (Linear::Term* term = find(atom))
      term->coefficient = int64_t(uint64_t(term->coefficient) + uint64_t(coefficient));
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
  size_t hashed_ = 0;  // the number of leading terms in the hash table
};

int64_t times(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
int64_t plus(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }

/// Adds multiples of expressions to a sum.
struct Collector {
  Linear& out;
  Terms terms{out.terms};
  const Meaning* meaning = nullptr;
  bool divides = false;  // also quotients without remainder: 64 * k // 2 is 32 * k
  int replaced = 0;      // nesting of replaced names

  static constexpr int kMaxReplaced = 64;

  void collect(const Expr& expr, int64_t factor) {
    poll_interrupt();
    if (auto value = int_value(expr)) {
      out.constant = plus(out.constant, times(factor, *value));
    } else if (Expr replacement = replacement_of(expr)) {
      ++replaced;
      collect(replacement, factor);
      --replaced;
    } else if (const Un* un = as<Un>(expr); un && un->op == UnOp::neg) {
      collect(un->a, times(factor, -1));
    } else if (const Bin* bin = as<Bin>(expr); !bin || !collect_operands(*bin, factor)) {
      terms.add(expr, factor);
    }
  }

 private:
  Expr replacement_of(const Expr& expr) const {
    const Name* name = meaning && replaced < kMaxReplaced ? as<Name>(expr) : nullptr;
    return name ? (*meaning)(name->id) : nullptr;
  }

  std::optional<int64_t> constant(const Expr& expr) const {
    if (!meaning) return int_value(expr);
    const Linear value = linear_of(expr, *meaning);
    return value.is_constant() ? std::optional(value.constant) : std::nullopt;
  }

  /// False if the operation is not a sum or a constant multiple.
  bool collect_operands(const Bin& bin, int64_t factor) {
    switch (bin.op) {
      case BinOp::add:
      case BinOp::sub:
        collect(bin.a, factor);
        collect(bin.b, bin.op == BinOp::add ? factor : times(factor, -1));
        return true;
      case BinOp::mul:
        if (auto b = constant(bin.b)) return collect(bin.a, times(factor, *b)), true;
        if (auto a = constant(bin.a)) return collect(bin.b, times(factor, *a)), true;
        return false;
      case BinOp::shl: {
        auto b = constant(bin.b);
        if (!b || *b < 0 || *b >= 31) return false;
        return collect(bin.a, times(factor, int64_t{1} << *b)), true;
      }
      case BinOp::floordiv:
      case BinOp::shr: return divides && collect_quotient(bin, factor);
      default: return false;
    }
  }

  /// A sum divided by a constant that divides its coefficients and its constant.
  bool collect_quotient(const Bin& bin, int64_t factor) {
    auto by = constant(bin.b);
    if (by && bin.op == BinOp::shr) by = *by < 0 || *by >= 31 ? 0 : int64_t{1} << *by;
    if (!by || *by <= 0) return false;
    Linear sum;
    Collector{.out = sum, .meaning = meaning, .divides = true, .replaced = replaced}.collect(bin.a,
                                                                                             1);
    bool whole = sum.constant % *by == 0;
    for (const Linear::Term& term : sum.terms) whole = whole && term.coefficient % *by == 0;
    if (!whole) return false;
    out.constant = plus(out.constant, times(factor, sum.constant / *by));
    for (const Linear::Term& term : sum.terms)
      terms.add(term.atom, times(factor, term.coefficient / *by));
    return true;
  }
};

std::optional<int64_t> difference(const Expr& a, const Expr& b, const Meaning* meaning) {
  Linear out;
  Collector collector{.out = out, .meaning = meaning, .divides = true};
  collector.collect(a, 1);
  collector.collect(b, -1);
  std::erase_if(out.terms, [](const Linear::Term& term) { return term.coefficient == 0; });
  return out.is_constant() ? std::optional(out.constant) : std::nullopt;
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
  constant = plus(constant, times(factor, other.constant));
  Terms mine(terms);
  for (const Term& term : other.terms) mine.add(term.atom, times(factor, term.coefficient));
  std::erase_if(terms, [](const Term& term) { return term.coefficient == 0; });
}

/// Folds a call with constant arguments: minimum, maximum, ceildiv.
static std::optional<int64_t> evaluate(const Call& call, Environment name) {
  Call known(call);
  for (Expr& arg : known.args) {
    auto value = is_integer(arg->type.dtype) ? evaluate(arg, name) : std::nullopt;
    if (!value) return value;
    arg = int_const(*value, arg->type.dtype);
  }
  const Expr folded = fold(known);
  return folded ? int_value(folded) : std::nullopt;
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
  if (const Select* select = as<Select>(expr)) {
    auto cond = evaluate(select->cond, name);
    return cond ? evaluate(*cond != 0 ? select->a : select->b, name) : cond;
  }
  if (const Call* call = as<Call>(expr)) return evaluate(*call, name);
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
  Collector{out}.collect(expr, 1);
  std::erase_if(out.terms, [](const Linear::Term& term) { return term.coefficient == 0; });
  return out;
}

Linear linear_of(const Expr& expr, Meaning meaning) {
  Linear out;
  Collector{.out = out, .meaning = &meaning}.collect(expr, 1);
  std::erase_if(out.terms, [](const Linear::Term& term) { return term.coefficient == 0; });
  return out;
}

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b) {
  return difference(a, b, nullptr);
}

std::optional<int64_t> constant_difference(const Expr& a, const Expr& b,
                                           const std::unordered_map<Symbol, Expr>& lets) {
  auto value = [&](Symbol name) -> Expr {
    auto let = lets.find(name);
    return let == lets.end() ? nullptr : let->second;
  };
  const Meaning meaning(value);
  return difference(a, b, &meaning);
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

}  // namespace tilelab
