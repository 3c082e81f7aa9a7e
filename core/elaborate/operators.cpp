// SPDX-License-Identifier: Apache-2.0
// Type promotion, as in TileLang (docs/adr/0024): integer with float gives the float type, the
// wider type wins, and integers of equal width but different signedness give the unsigned type. A
// Python float is a float32, an integer an int32, or an int64 if necessary.
#include <algorithm>
#include <cmath>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/objects.h"
#include "core/ir/fold.h"
#include "core/ir_text/operators.h"

namespace tilelab::elaborate {

using syntax::Op;

namespace {

bool fits(int64_t value, DType dtype) {
  if (dtype == DType::u64) return value >= 0;
  return value >= min_int(dtype) && value <= max_int(dtype);
}

/// The dtype of a Python number where type `other` is required, and as an operand of bitwise
/// operations and shifts.
DType adapted(const Value& number, DType other) {
  if (number.is<double>()) return is_float(other) ? other : DType::f32;
  if (number.is<bool>()) return other;
  if (is_float(other)) return other;
  if (other != DType::bool_ && fits(*number.get<int64_t>(), other)) return other;
  return natural_dtype(number);
}

/// The dtype of a Python number as an operand of arithmetic and comparisons with `other`.
DType promoted_number(const Value& number, DType other) {
  const DType natural = natural_dtype(number);
  if (number.is<bool>() || (is_float(other) && !number.is<double>())) return other;
  if (is_float(other) == is_float(natural) && bits(other) >= bits(natural)) return other;
  return natural;
}

bool is_negative(const Value& value) {
  const int64_t* number = value.get<int64_t>();
  return number && *number < 0;
}

DType signed_of(int width) {
  return width <= 8 ? DType::i8 : width <= 16 ? DType::i16 : width <= 32 ? DType::i32 : DType::i64;
}

/// nullopt if neither type contains the other, as for float16 and bfloat16.
std::optional<DType> promoted(DType a, DType b) {
  if (a == b) return a;
  if (a == DType::bool_) return b;
  if (b == DType::bool_) return a;
  if (is_float(a) != is_float(b)) return is_float(a) ? a : b;
  if (is_float(a)) {
    if (bits(a) == bits(b)) return std::nullopt;
    return bits(a) > bits(b) ? a : b;
  }
  if (bits(a) != bits(b)) return bits(a) > bits(b) ? a : b;
  return is_signed(a) ? b : a;
}

}  // namespace

DType natural_dtype(const Value& value) {
  if (value.is<bool>()) return DType::bool_;
  if (value.is<double>()) return DType::f32;
  return fits(*value.get<int64_t>(), DType::i32) ? DType::i32 : DType::i64;
}

Expr Elaborator::to_expr(const Value& value, Span span, std::optional<DType> want) {
  if (is_number(value)) {
    DType dtype = want ? adapted(value, *want) : natural_dtype(value);
    if (const auto* d = value.get<double>()) return at(span, float_const(*d, dtype));
    int64_t i = *integer_of(value);
    return at(span,
              is_float(dtype) ? float_const(static_cast<double>(i), dtype) : int_const(i, dtype));
  }
  if (const Expr* expr = value.get<Expr>()) return *expr;
  if (const VarValue* var = value.get<VarValue>()) {
    if (!unbound_.count(var->name)) return at(span, name_ref(var->name, {var->dtype}));
    report(Diag::name_unknown, span, var->name)
        .help("bind it before its first use: `T.let(" + var->name.str() + ", value)`");
    return nullptr;
  }
  if (const RegionValue* slice = value.get<RegionValue>()) {
    Operand operand{Operand::Form::slice, slice->buffer, slice->dims, span};
    const bool ramp = std::any_of(slice->dims.begin(), slice->dims.end(),
                                  [](const SliceDim& dim) { return dim.ramp; });
    return ramp ? ramp_of(operand) : region_of(operand);
  }
  if (const BufferRef* vector = value.get<BufferRef>(); vector && (*vector)->variable)
    return region_of(
        {Operand::Form::slice, *vector, {{int_const(0), (*vector)->shape[0], false}}, span});
  if (value.poisoned()) return nullptr;
  Diagnostic& message = report(Diag::value_needed, span, describe(value));
  if (const BufferRef* buffer = value.get<BufferRef>())
    message.help("use arithmetic on elements: " + loop_text(**buffer, "... {} ..."));
  else if (const auto* text = value.get<std::string>(); text && dtype_from_name(*text))
    message.help("pass the shape first, then the dtype: (shape, \"" + *text + "\")");
  else if (value.is<KernelFrame>())
    message.help("`with T.Kernel(...) as bx:` gives the index of the block");
  else
    message.help("use numbers, elements of buffers or results of T functions");
  return nullptr;
}

Expr Elaborator::to_bool(const Value& value, Span span) {
  if (value.is<ObjectValue>()) return to_bool(Objects::truth(*this, value, span), span);
  if (const BufferRef* buffer = value.get<BufferRef>()) {
    report(Diag::buffer_condition, span, (*buffer)->name)
        .help("compare an element, `" + element_text(**buffer) +
              "`, or use T.any_of(buffer), T.all_of(buffer)");
    return nullptr;
  }
  Expr expr = to_expr(value, span);
  if (!expr || expr->type.dtype == DType::bool_) return expr;
  return at(span,
            binary(BinOp::ne, expr, broadcast(number(0, expr->type.dtype), expr->type.lanes)));
}

Expr as_index(const Expr& expr) {
  const DType dtype = expr->type.dtype;
  return cast(bits(dtype) > 32 || dtype == DType::u32 ? DType::i64 : DType::i32, expr);
}

Expr Elaborator::to_index(const Value& value, Span span) {
  Expr expr = to_expr(value, span, DType::i32);
  if (!expr) return nullptr;
  const DType dtype = expr->type.dtype;
  if ((is_integer(dtype) || dtype == DType::bool_) && expr->type.scalar()) return as_index(expr);
  bool known = is_compile_time(value);
  report(Diag::index_type, span, describe(value))
      .help(known ? "use // to divide and round down, T.ceildiv(a, b) to round up"
                  : "use // to divide integers; T.cast(x, \"int32\") converts");
  return nullptr;
}

Expr Elaborator::to_dtype(const Value& value, DType dtype, Span span) {
  Expr expr = to_expr(value, span, dtype);
  return expr ? at(span, cast(dtype, expr)) : nullptr;
}

/// Converts a Python number to the type of a value: an unsigned type becomes signed if the number
/// is negative.
Expr Elaborator::adapt_number(const Value& number, Expr& other, Span span, bool of_bits) {
  const DType dtype = other->type.dtype;
  if (of_bits) return to_expr(number, span, dtype);
  if (is_negative(number) && is_integer(dtype) && !is_signed(dtype))
    other = cast(signed_of(std::max(bits(dtype), bits(natural_dtype(number)))), other);
  return to_expr(number, span, promoted_number(number, other->type.dtype));
}

bool Elaborator::unify(const Value& a, const Value& b, Span span, Expr& x, Expr& y, bool of_bits) {
  bool weak_a = is_number(a), weak_b = is_number(b);
  if (weak_a && !weak_b) {
    y = to_expr(b, span);
    x = y ? adapt_number(a, y, span, of_bits) : nullptr;
  } else {
    x = to_expr(a, span);
    y = !x ? nullptr : weak_b ? adapt_number(b, x, span, of_bits) : to_expr(b, span);
  }
  if (!x || !y) return false;
  auto common = promoted(x->type.dtype, y->type.dtype);
  if (!common) {
    report(Diag::dtype_mix, span, tilelang_name(x->type.dtype), tilelang_name(y->type.dtype))
        .help("convert one of them with T.cast, or both to float32");
    return false;
  }
  int lanes_x = x->type.lanes, lanes_y = y->type.lanes;
  if (lanes_x != lanes_y && lanes_x != 1 && lanes_y != 1) {
    report(Diag::vector_lanes, span, lanes_x, lanes_y).help("use slices of one length");
    return false;
  }
  x = cast(*common, x);
  y = cast(*common, y);
  return true;
}

Value Elaborator::unary_op(Op op, const Value& a, Span span) {
  if (op == Op::not_) {
    if (a.is<ObjectValue>()) return unary_op(op, Objects::truth(*this, a, span), span);
    if (auto known = static_truth(a, span)) return !*known;
    Expr cond = to_bool(a, span);
    return cond ? Value(unary(UnOp::lnot, cond)) : Value{};
  }
  if (is_compile_time(a)) {
    if (const auto* d = a.get<double>(); d && op == Op::neg) return -*d;
    if (auto i = integer_of(a); i && !a.is<double>())
      return op == Op::neg ? Value(-*i) : op == Op::invert ? Value(~*i) : Value(*i);
    HostResult result = host_.unary(op, a);
    if (!result.needs_inline) return host_value(std::move(result), span);
  }
  if (auto made = Objects::unary(*this, op, a, span)) return *made;
  Expr x = to_expr(a, span);
  if (!x || op == Op::pos) return x ? Value(x) : Value{};
  bool boolean = x->type.dtype == DType::bool_;
  if (op == Op::invert) {
    if (boolean) return unary(UnOp::lnot, x);
    if (is_integer(x->type.dtype)) return unary(UnOp::bnot, x);
    report(Diag::operator_type, span, "~", tilelang_name(x->type.dtype))
        .help("use T.reinterpret(x, dtype) for the bits of a float");
    return {};
  }
  return unary(UnOp::neg, boolean ? cast(DType::i32, x) : x);
}

namespace {

/// Folds Python integers of 64 bits; nullopt if the result does not fit or Python must decide.
std::optional<int64_t> fold_static(Op op, int64_t a, int64_t b) {
  int64_t out = 0;
  switch (op) {
    case Op::add: return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Op::sub: return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Op::mul: return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case Op::floordiv: return b == 0 || b == -1 ? std::nullopt : std::optional(floor_div(a, b));
    case Op::mod: return b == 0 || b == -1 ? std::nullopt : std::optional(a - b * floor_div(a, b));
    case Op::bit_and: return a & b;
    case Op::bit_or: return a | b;
    case Op::bit_xor: return a ^ b;
    default: return std::nullopt;
  }
}

}  // namespace

Value Elaborator::binary_op(Op op, const Value& a, const Value& b, Span span) {
  if (is_compile_time(a) && is_compile_time(b)) {
    if (const auto* i = a.get<int64_t>())
      if (const auto* j = b.get<int64_t>())
        if (auto folded = fold_static(op, *i, *j)) return *folded;
    HostResult result = host_.binary(op, a, b);
    if (!result.needs_inline) return host_value(std::move(result), span);
  }
  if (auto made = Objects::binary(*this, op, a, b, span)) return *made;
  const Sequence* left = a.get<Sequence>();
  const Sequence* right = b.get<Sequence>();
  if (left && right && op == Op::add) {
    std::vector<Value> items = *left->items;
    items.insert(items.end(), right->items->begin(), right->items->end());
    return left->is_list ? list_of(std::move(items)) : tuple_of(std::move(items));
  }
  const auto times = integer_of(left ? b : a);
  if ((left || right) && times && op == Op::mul) {
    const Sequence& items = left ? *left : *right;
    const int64_t count = std::ssize(*items.items);
    if (*times > kMaxItems || *times * count > kMaxItems) {
      report_too_large({1, std::min(*times, kMaxItems) * count}, span);
      return {};
    }
    std::vector<Value> out;
    for (int64_t i = 0; i < *times; ++i)
      out.insert(out.end(), items.items->begin(), items.items->end());
    return items.is_list ? list_of(std::move(out)) : tuple_of(std::move(out));
  }
  return runtime_binary(op, a, b, span);
}

/// Warns of a uint32 whose arithmetic becomes that of an int64 by a constant.
void Elaborator::warn_of_literal(const Value& a, const Value& b, Span span) {
  const bool first = a.is<int64_t>();
  const int64_t* number = (first ? a : b).get<int64_t>();
  const Expr* other = (first ? b : a).get<Expr>();
  if (!number || !other || (*other)->type.dtype != DType::u32) return;
  if (*number <= INT32_MAX || *number > UINT32_MAX) return;
  report(usage::literal_widens, span, *number)
      .help("write T.uint32(" + std::to_string(*number) + "), or convert the value to int64");
}

Value Elaborator::runtime_binary(Op op, const Value& a, const Value& b, Span span) {
  if (op == Op::pow) return math(Intrinsic::pow, {{a, span, true}, {b, span, true}}, span);
  Expr x, y;
  auto known = ir_op(op);
  if (!known) {
    report(Diag::operator_type, span, syntax::op_text(op), describe(a))
        .help(op == Op::pow      ? "write T.pow(a, b)"
              : op == Op::matmul ? "use T.gemm(A, B, C) for tiles: C += A @ B"
                                 : "use + - * / // % & | ^ << >> or comparisons");
    return {};
  }
  bool bitwise = op == Op::bit_and || op == Op::bit_or || op == Op::bit_xor;
  bool shift = op == Op::shl || op == Op::shr;
  // A left shift keeps the narrow type; in C its upper bits would be kept in an int.
  if (!unify(a, b, span, x, y, bitwise || op == Op::shr)) return {};
  if (op == Op::add || op == Op::sub || op == Op::mul) warn_of_literal(a, b, span);
  DType dtype = x->type.dtype;
  if (dtype == DType::bool_) {
    if (op == Op::bit_and) return binary(BinOp::land, x, y);
    if (op == Op::bit_or) return binary(BinOp::lor, x, y);
    if (op == Op::bit_xor) return binary(BinOp::ne, x, y);
    dtype = DType::i32;
    x = cast(dtype, x), y = cast(dtype, y);
  }
  if (is_float(dtype) && (bitwise || shift)) {
    report(Diag::operator_type, span, syntax::op_text(op), tilelang_name(dtype))
        .help("convert with T.cast, or reinterpret the bits with T.reinterpret");
    return {};
  }
  if (is_float(dtype) && (op == Op::floordiv || op == Op::mod)) {
    report(Diag::operator_type, span, syntax::op_text(op), tilelang_name(dtype))
        .help(op == Op::mod ? "write T.fmod(a, b)" : "write T.floor(a / b)");
    return {};
  }
  if (!is_float(dtype) && op == Op::div) {
    report(Diag::integer_division, span)
        .help("write // (rounds down), or convert an operand: T.cast(a, \"float32\") / b");
    return {};
  }
  return binary(*known, x, y);
}

Value Elaborator::compare_op(Op op, const Value& a, const Value& b, Span span) {
  bool fixed = is_compile_time(a) && is_compile_time(b);
  if (fixed) return static_compare(op, a, b, span);
  if (op == Op::is || op == Op::is_not) return identity(op, a, b, span);
  if (op == Op::in || op == Op::not_in) {
    Value found = contains(b, a, span);
    return op == Op::in || found.poisoned() ? found : unary_op(Op::not_, found, span);
  }
  if (auto made = Objects::binary(*this, op, a, b, span)) return *made;
  if (a.is<Sequence>() && b.is<Sequence>())
    return Objects::compare_items(*this, op, *a.get<Sequence>(), *b.get<Sequence>(), span);
  if (op == Op::eq || op == Op::ne) {  // `x == None` for a run-time value
    if (a.is<None>() || b.is<None>() || a.is<std::string>() || b.is<std::string>())
      return op == Op::ne;
  }
  Expr x, y;
  if (!unify(a, b, span, x, y)) return {};
  if (x->type.dtype == DType::bool_ && op != Op::eq && op != Op::ne)
    x = cast(DType::i32, x), y = cast(DType::i32, y);
  return binary(*ir_op(op), x, y);
}

namespace {

bool is_scalar(const Value& value) {
  return is_number(value) || value.is<Expr>() || value.is<VarValue>();
}

}  // namespace

/// `a is b` for objects of the kernel. A dynamic value is not an object.
Value Elaborator::identity(Op op, const Value& a, const Value& b, Span span) {
  if (!is_scalar(a) || !is_scalar(b)) return same(a, b) == (op == Op::is);
  report(Diag::operator_type, span, syntax::op_text(op), "dynamic values")
      .help(op == Op::is ? "compare with ==" : "compare with !=");
  return {};
}

/// `value in items`: whether one of the items equals it.
Value Elaborator::contains(const Value& items, const Value& value, Span span) {
  if (auto made = Objects::special(*this, items, "__contains__", {value}, span))
    return Objects::truth(*this, *made, span);
  const auto all = items_of(items, span);
  if (!all) return {};
  Value found = false;
  for (const Value& item : *all) {
    const bool comparable = (is_scalar(item) == is_scalar(value) && !item.is<BufferRef>()) ||
                            item.is<ObjectValue>() || value.is<ObjectValue>();
    Value equal = comparable ? compare_op(Op::eq, value, item, span) : Value(same(item, value));
    if (equal.poisoned()) return {};
    if (const bool* known = equal.get<bool>()) {
      if (*known) return true;
    } else {
      found = found.is<bool>()
                  ? equal
                  : Value(Expr(binary(BinOp::lor, *found.get<Expr>(), *equal.get<Expr>())));
    }
  }
  return found;
}

Value Elaborator::static_compare(Op op, const Value& a, const Value& b, Span span) {
  if (const auto* i = a.get<int64_t>())
    if (const auto* j = b.get<int64_t>()) switch (op) {
        case Op::eq:
        case Op::is: return *i == *j;
        case Op::ne:
        case Op::is_not: return *i != *j;
        case Op::lt: return *i < *j;
        case Op::le: return *i <= *j;
        case Op::gt: return *i > *j;
        case Op::ge: return *i >= *j;
        default: break;
      }
  const DTypeValue* d = a.get<DTypeValue>() ? a.get<DTypeValue>() : b.get<DTypeValue>();
  if (d && (op == Op::eq || op == Op::ne)) {  // "half" and float16 are the same type
    auto x = dtype_of(a, span, true), y = dtype_of(b, span, true);
    if (x && y) return (*x == *y && is_tf32(a) == is_tf32(b)) == (op == Op::eq);
  }
  HostResult result = host_.binary(op, a, b);
  if (result.needs_inline)
    if (auto made = Objects::binary(*this, op, a, b, span)) return *made;
  return host_value(std::move(result), span);
}

}  // namespace tilelab::elaborate
