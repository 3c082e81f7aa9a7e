// SPDX-License-Identifier: Apache-2.0
#include "core/passes/simplify/simplify.h"

#include <cmath>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab {
namespace {

/// The number whose last fraction bit has weight 1, its bits, and how many integers it can hold.
struct Format {
  int64_t bits, count;
};

std::optional<Format> format_of(DType dtype) {
  if (dtype == DType::f16) return Format{0x6400, 1024};
  if (dtype == DType::bf16) return Format{0x4300, 128};
  return std::nullopt;
}

/// `bits(word | format)`, with the word below the count.
Expr with_bits(const Expr& x, DType dtype, const Format& format) {
  const Expr word = binary(BinOp::bor, cast(DType::u16, x), int_const(format.bits, DType::u16));
  return call(Intrinsic::bits, Type{dtype, 1}, {word});
}

/// The subtrahend of `bits(word | format) - subtrahend`.
std::optional<double> subtrahend(const Expr& e, const Format& format) {
  const Bin* bin = as<Bin>(e);
  const Call* whole = bin && bin->op == BinOp::sub ? as<Call>(bin->a) : nullptr;
  if (!whole || whole->intrinsic != Intrinsic::bits) return std::nullopt;
  const Bin* word = as<Bin>(whole->args[0]);
  if (!word || word->op != BinOp::bor || !is_int(word->b, format.bits)) return std::nullopt;
  return number_value(bin->b);
}

/// Folds `a - b` or `a + b` with a converted integer and an integer constant if all results are
/// integers that the format represents exactly.
Expr moved_constant(const Bin& bin) {
  const DType dtype = bin.type.dtype;
  const auto format = format_of(dtype);
  if (!format || (bin.op != BinOp::add && bin.op != BinOp::sub)) return nullptr;
  const auto before = subtrahend(bin.a, *format), constant = number_value(bin.b);
  if (!before || !constant || *constant != std::floor(*constant)) return nullptr;
  const double after = bin.op == BinOp::sub ? *before + *constant : *before - *constant;
  const double largest = 2.0 * double(format->count);  // integers up to this one are exact
  if (std::fabs(after) > largest) return nullptr;
  for (double value : {double(format->count) - after, 2.0 * double(format->count) - 1 - after})
    if (std::fabs(value) > largest) return nullptr;
  return binary(BinOp::sub, to<Bin>(bin.a).a, number(after, dtype));
}

}  // namespace

Expr small_integers_by_bits(const Expr& expr, const RangeAnalysis& facts) {
  return rewrite(expr, [&](const Expr& e) -> Expr {
    if (!e->type.scalar()) return e;
    if (const Bin* bin = as<Bin>(e))
      if (Expr moved = moved_constant(*bin)) return at(e->span, moved);
    const Cast* converted = as<Cast>(e);
    const auto format = converted ? format_of(e->type.dtype) : std::nullopt;
    if (!format || !is_integer(converted->a->type.dtype) || is_const(converted->a)) return e;
    if (!facts.range(converted->a).within(0, format->count - 1)) return e;
    const Expr whole = with_bits(converted->a, e->type.dtype, *format);
    return at(e->span, binary(BinOp::sub, whole, number(double(format->count), e->type.dtype)));
  });
}

}  // namespace tilelab
