// SPDX-License-Identifier: Apache-2.0
#include "core/ir/fold.h"

#include <cmath>

#include "core/ir/build.h"

namespace tilelab {
namespace {

/// Comparison of ordered values.
template <class T> bool compare(BinOp op, T a, T b) {
  switch (op) {
    case BinOp::eq: return a == b;
    case BinOp::ne: return a != b;
    case BinOp::lt: return a < b;
    case BinOp::le: return a <= b;
    case BinOp::gt: return a > b;
    default: return a >= b;
  }
}

int64_t divide(BinOp op, DType dtype, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (is_unsigned(dtype)) {
    auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    bool quotient = op == BinOp::floordiv || op == BinOp::tdiv;
    return static_cast<int64_t>(quotient ? x / y : x % y);
  }
  if (b == -1) return op == BinOp::floordiv || op == BinOp::tdiv ? -static_cast<uint64_t>(a) : 0;
  switch (op) {
    case BinOp::floordiv: return floor_div(a, b);
    case BinOp::floormod: return a % b + ((a % b != 0) && ((a < 0) != (b < 0)) ? b : 0);
    case BinOp::tdiv: return a / b;
    default: return a % b;
  }
}

int64_t shift(BinOp op, DType dtype, int64_t a, int64_t b) {
  bool out = b < 0 || b >= bits(dtype);
  if (op == BinOp::shl) return out ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) << b);
  if (is_signed(dtype)) return a >> (out ? 63 : b);
  return out ? 0 : static_cast<int64_t>(static_cast<uint64_t>(a) >> b);
}

/// x + 0, x * 1, x // 1, ... for integers and booleans; null if none applies.
Expr identity(const Bin& n) {
  auto a = int_value(n.a), b = int_value(n.b);
  switch (n.op) {
    case BinOp::add: return b == 0 ? n.a : a == 0 ? n.b : nullptr;
    case BinOp::sub: return b == 0 ? n.a : nullptr;
    case BinOp::mul:
      if (a == 0) return n.a;
      if (b == 0) return n.b;
      return b == 1 ? n.a : a == 1 ? n.b : nullptr;
    case BinOp::floordiv:
    case BinOp::tdiv: return b == 1 ? n.a : nullptr;
    case BinOp::floormod:
    case BinOp::tmod: return b == 1 ? int_const(0, n.type.dtype) : nullptr;
    case BinOp::land: return a == 0 ? n.a : a ? n.b : b == 1 ? n.a : nullptr;
    case BinOp::lor: return a == 0 ? n.b : a ? n.a : b == 0 ? n.a : nullptr;
    default: return nullptr;
  }
}

Expr fold_cast(DType to, const Expr& a) {
  DType from = a->type.dtype;
  if (!is_float(from)) {
    int64_t value = *int_value(a);
    if (!is_float(to)) return int_const(value, to);
    if (from == DType::u64)
      return float_const(static_cast<double>(static_cast<uint64_t>(value)), to);
    return float_const(static_cast<double>(value), to);
  }
  double value = *number_value(a);
  if (is_float(to)) return constant({to}, convert_float(to, value));
  if (to == DType::bool_) return bool_const(value != 0);
  if (std::isnan(value)) return int_const(0, to);
  if (to == DType::u64)  // saturates at 2^64 - 1
    return constant({to}, value >= 0x1p64 ? ~uint64_t{0}
                          : value <= 0    ? 0
                                          : static_cast<uint64_t>(value));
  if (value >= static_cast<double>(max_int(to))) return int_const(max_int(to), to);
  if (value <= static_cast<double>(min_int(to))) return int_const(min_int(to), to);
  return int_const(static_cast<int64_t>(value), to);
}

}  // namespace

int64_t fold_int(BinOp op, DType dtype, int64_t a, int64_t b) {
  auto x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
  auto wrapped = [&](uint64_t v) { return wrap_int(dtype, static_cast<int64_t>(v)); };
  switch (op) {
    case BinOp::add: return wrapped(x + y);
    case BinOp::sub: return wrapped(x - y);
    case BinOp::mul: return wrapped(x * y);
    case BinOp::div: UNREACHABLE("div is floating");
    case BinOp::floordiv:
    case BinOp::floormod:
    case BinOp::tdiv:
    case BinOp::tmod: return wrap_int(dtype, divide(op, dtype, a, b));
    case BinOp::shl:
    case BinOp::shr: return wrap_int(dtype, shift(op, dtype, a, b));
    case BinOp::band: return wrapped(x & y);
    case BinOp::bor: return wrapped(x | y);
    case BinOp::bxor: return wrapped(x ^ y);
    case BinOp::land: return a && b;
    case BinOp::lor: return a || b;
    default: return is_unsigned(dtype) ? compare(op, x, y) : compare(op, a, b);
  }
}

double fold_float(BinOp op, DType dtype, double a, double b) {
  // f32 and smaller: for these four operations, computing in double and rounding once is correctly
  // rounded (double has more than 2 * 24 + 2 bits; Figueroa 1995).
  auto rounded = [&](double v) { return decode_float(dtype, convert_float(dtype, v)); };
  switch (op) {
    case BinOp::add: return rounded(a + b);
    case BinOp::sub: return rounded(a - b);
    case BinOp::mul: return rounded(a * b);
    case BinOp::div: return rounded(a / b);
    default: CHECK(is_compare(op), "not an operation on floats"); return compare(op, a, b);
  }
}

Expr fold(const Un& n) {
  const Const* c = as<Const>(n.a);
  if (!c || !c->type.scalar()) return nullptr;
  if (is_float(c->type.dtype)) {
    if (n.op != UnOp::neg) return nullptr;
    return constant(c->type, c->bits ^ (uint64_t{1} << (bits(c->type.dtype) - 1)));
  }
  auto value = static_cast<int64_t>(c->bits);
  if (n.op == UnOp::lnot) return bool_const(!value);
  return int_const(n.op == UnOp::neg ? static_cast<int64_t>(-static_cast<uint64_t>(value)) : ~value,
                   c->type.dtype);
}

Expr fold(const Bin& n) {
  if (!n.a->type.scalar()) return nullptr;
  DType dtype = n.a->type.dtype;
  if (is_float(dtype)) {
    auto a = number_value(n.a), b = number_value(n.b);
    if (!a || !b || n.op == BinOp::floordiv || n.op == BinOp::floormod) return nullptr;
    double value = fold_float(n.op, dtype, *a, *b);
    return is_compare(n.op) ? bool_const(value != 0) : float_const(value, dtype);
  }
  auto a = int_value(n.a), b = int_value(n.b);
  if (!a || !b || n.op == BinOp::div) return identity(n);
  bool zero_division = *b == 0 && (n.op == BinOp::floordiv || n.op == BinOp::floormod ||
                                   n.op == BinOp::tdiv || n.op == BinOp::tmod);
  if (zero_division) return nullptr;  // kept: an error at run time
  return int_const(fold_int(n.op, dtype, *a, *b), n.type.dtype);
}

Expr fold(const Cast& n) {
  return is_const(n.a) && n.a->type.scalar() ? fold_cast(n.type.dtype, n.a) : nullptr;
}

Expr fold(const Call& n) {
  if (n.intrinsic == Intrinsic::inf) return float_const(INFINITY, n.type.dtype);
  if (n.args.size() != 2 || is_float(n.type.dtype)) return nullptr;
  auto a = int_value(n.args[0]), b = int_value(n.args[1]);
  if (n.intrinsic == Intrinsic::ceildiv && b == 1 && n.args[0]->type == n.type) return n.args[0];
  if (!a || !b) return nullptr;
  switch (n.intrinsic) {
    case Intrinsic::ceildiv:
      if (*b == 0) return nullptr;
      return int_const(fold_int(BinOp::floordiv, n.type.dtype, *a, *b) +
                           (fold_int(BinOp::floormod, n.type.dtype, *a, *b) != 0),
                       n.type.dtype);
    case Intrinsic::minimum:
      return fold_int(BinOp::lt, n.type.dtype, *a, *b) ? n.args[0] : n.args[1];
    case Intrinsic::maximum:
      return fold_int(BinOp::lt, n.type.dtype, *a, *b) ? n.args[1] : n.args[0];
    default: return nullptr;
  }
}

Expr folded(const Expr& e) {
  Expr out;
  if (const Bin* n = as<Bin>(e)) out = fold(*n);
  if (const Un* n = as<Un>(e)) out = fold(*n);
  if (const Cast* n = as<Cast>(e)) out = fold(*n);
  if (const Call* n = as<Call>(e)) out = fold(*n);
  if (const Select* n = as<Select>(e))
    if (const auto chosen = int_value(n->cond)) out = *chosen ? n->a : n->b;
  return out ? out : e;
}

}  // namespace tilelab
