// SPDX-License-Identifier: Apache-2.0
// Builtins that are expressions.
#include <cmath>
#include <limits>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/objects.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/ir/regions.h"

namespace tilelab::elaborate {

namespace {

/// Intrinsics that accept integers without conversion.
bool takes_integers(Intrinsic intrinsic) {
  return info(intrinsic).operands[0].kind != OperandKind::floats;
}

bool takes_floats(Intrinsic intrinsic) {
  const OperandKind kind = info(intrinsic).operands[0].kind;
  return kind != OperandKind::wholes && kind != OperandKind::integer;
}

}  // namespace

/// One to three operands in a common type; floating functions convert integers to float32.
Value Elaborator::math(Intrinsic intrinsic, const std::vector<Argument>& operands, Span span) {
  std::vector<Value> values;
  for (const Argument& a : operands) values.push_back(a.value);
  std::vector<Expr> parts;
  if (values.size() == 1) {
    parts.push_back(to_expr(values[0], operands[0].span));
  } else {
    Expr x, y;
    if (!unify(values[0], values[1], span, x, y)) return {};
    parts = {x, y};
    if (values.size() == 3) {
      Expr z;
      if (!unify(Value(x), values[2], span, x, z)) return {};
      parts = {x, cast(x->type.dtype, y), z};
    }
  }
  for (const Expr& part : parts)
    if (!part) return {};
  DType dtype = parts[0]->type.dtype;
  if (!is_float(dtype) && (!takes_integers(intrinsic) || dtype == DType::bool_)) {
    dtype = takes_integers(intrinsic) ? DType::i32 : DType::f32;
    for (Expr& part : parts) part = cast(dtype, part);
  }
  if (is_float(dtype) && !takes_floats(intrinsic)) {
    report(Diag::operator_type, span, "T." + std::string(name(intrinsic)), tilelang_name(dtype))
        .help(intrinsic == Intrinsic::ceildiv
                  ? "divide floats with /; T.ceil rounds up: T.ceil(a / b)"
                  : "pass an integer; for the bits of a float use T.reinterpret(x, dtype)");
    return {};
  }
  int lanes = 1;
  for (const Expr& part : parts) lanes = std::max(lanes, static_cast<int>(part->type.lanes));
  for (Expr& part : parts) part = broadcast(part, lanes);
  const Type type = natural_type(intrinsic, parts);
  return tilelab::call(intrinsic, type, std::move(parts));
}

Value Elaborator::on_math(Arguments& args) {
  auto intrinsic = intrinsic_from_name(args.row->data);
  CHECK(intrinsic, "no intrinsic " + args.row->data);
  std::vector<Argument> operands;
  for (size_t i = 0; i < args.bound.size(); ++i)
    if (args.row->parameters[i].name != "rounding_mode") operands.push_back(args.at(i));
  Value value = math(*intrinsic, operands, args.span);
  if (args.row->parameters.back().name != "rounding_mode" || !value.is<Expr>()) return value;
  const Value& mode = args["rounding_mode"].value;
  if (!has_rounding(mode, *args.row, (*value.get<Expr>())->type.dtype, args.span)) return {};
  Call call = to<Call>(*value.get<Expr>());
  call.attrs.push_back(attr("mode", *mode.get<std::string>()));
  return Expr(make(std::move(call)));
}

/// Whether `dtype` has such a function with this rounding mode; reports if not.
bool Elaborator::has_rounding(const Value& given, const Builtin& row, DType dtype, Span span) {
  const auto* text = given.get<std::string>();
  const std::string mode = text ? *text : "";
  if (mode != "rn" && mode != "rz" && mode != "ru" && mode != "rd") {
    report(Diag::rounding_mode, span, word_text(given), row.name).help("rn, rz, ru or rd");
    return false;
  }
  if (row.data == "ieee_rsqrt" && mode != "rn") {
    report(Diag::rounding_mode, span, word_text(given), row.name)
        .help(
            "use rn: no GPU has this function with another; T.ieee_frcp(T.ieee_fsqrt(x, ...), ...) "
            "rounds twice");
    return false;
  }
  if (row.data == "ieee_rsqrt" && dtype == DType::f64) {
    report(Diag::rounding_dtype, span, row.name, tilelang_name(dtype),
           "frsqrt is not supported for float64")
        .help("T.ieee_frcp(T.ieee_fsqrt(x))");
    return false;
  }
  if (bits(dtype) == 8) {
    report(Diag::rounding_dtype, span, row.name, tilelang_name(dtype),
           "8-bit floats have no arithmetic with a rounding mode")
        .help("compute in float32 and cast");
    return false;
  }
  if (mode != "rn" && bits(dtype) == 16) {
    report(Diag::rounding_dtype, span, row.name, tilelang_name(dtype),
           "Only rounding mode 'rn' is available for half precision")
        .help("compute in float32 and cast");
    return false;
  }
  return true;
}

Value Elaborator::on_round(Arguments& args) {
  const Value& mode = args["rounding_mode"].value;
  const auto* text = mode.get<std::string>();
  if (mode.is<None>() || (text && *text == "ties-to-even"))
    return math(Intrinsic::nearbyint, {args["x"]}, args.span);
  if (text && *text == "ties-away-from-zero") return math(Intrinsic::round, {args["x"]}, args.span);
  report(Diag::rounding_mode, args.span, word_text(mode), args.row->name)
      .help("\"ties-to-even\" or \"ties-away-from-zero\"");
  return {};
}

/// T.min, T.max of two or more; a number for Python numbers.
Value Elaborator::on_extremum(Arguments& args) {
  bool largest = args.row->data == "maximum";
  std::vector<Argument> items = args.rest;
  if (items.size() == 1)
    if (auto inner =
            items[0].value.is<Sequence>() ? items_of(items[0].value, args.span) : std::nullopt) {
      items.clear();
      for (const Value& v : *inner) items.push_back({v, args.span, true});
    }
  if (items.empty()) {
    report(Diag::call_missing, args.span, "T." + args.row->name, "a")
        .help("T." + args.row->name + "(a, b)");
    return {};
  }
  Value best = items[0].value;
  if (const BufferRef* buffer = best.get<BufferRef>(); buffer && items.size() == 1) {
    const std::string name = "T.reduce_" + args.row->name;
    report(Diag::value_needed, args.span, describe(best))
        .help(name + "(" + (*buffer)->name.str() + ", out, dim=1) reduces a tile; T." +
              args.row->name + "(a, b) takes numbers and elements");
    return {};
  }
  for (size_t i = 1; i < items.size(); ++i) {
    const Value& next = items[i].value;
    if (is_number(best) && is_number(next)) {
      Value less = compare_op(syntax::Op::lt, best, next, args.span);
      bool take = less.is<bool>() && *less.get<bool>() == largest;
      if (take) best = next;
      continue;
    }
    best = math(largest ? Intrinsic::maximum : Intrinsic::minimum,
                {{best, args.span, true}, items[i]}, args.span);
    if (best.poisoned()) return {};
  }
  return best;
}

/// Operators by function name: T.floordiv(a, b), T.bitwise_and(a, b).
Value Elaborator::on_operator(Arguments& args) {
  using syntax::Op;
  static const std::map<std::string, Op> kOps = {
      {"add", Op::add},           {"sub", Op::sub},      {"mul", Op::mul},     {"div", Op::div},
      {"floordiv", Op::floordiv}, {"floormod", Op::mod}, {"shl", Op::shl},     {"shr", Op::shr},
      {"and", Op::bit_and},       {"or", Op::bit_or},    {"xor", Op::bit_xor}, {"not", Op::invert}};
  auto it = kOps.find(args.row->data);
  CHECK(it != kOps.end(), args.row->data);
  if (it->second == Op::invert) return unary_op(Op::invert, args["a"].value, args.span);
  return binary_op(it->second, args["a"].value, args["b"].value, args.span);
}

/// Division that rounds toward zero, and its remainder.
Value Elaborator::on_truncdiv(Arguments& args) {
  const Value &a = args["a"].value, &b = args["b"].value;
  bool quotient = args.row->data == "tdiv";
  auto i = integer_of(a), j = integer_of(b);
  if (is_number(a) && is_number(b) && i && j && *j > 0) return quotient ? *i / *j : *i % *j;
  Expr x, y;
  if (!unify(a, b, args.span, x, y)) return {};
  if (is_float(x->type.dtype)) {
    report(Diag::operator_type, args.span, "T." + args.row->name, tilelang_name(x->type.dtype))
        .help("divide floats with /; T.floor and T.trunc round");
    return {};
  }
  if (x->type.dtype == DType::bool_) x = cast(DType::i32, x), y = cast(DType::i32, y);
  return Expr(binary(quotient ? BinOp::tdiv : BinOp::tmod, x, y));
}

Value Elaborator::on_ceildiv(Arguments& args) {
  const Value &a = args["a"].value, &b = args["b"].value;
  auto i = integer_of(a), j = integer_of(b);
  if (is_number(a) && is_number(b) && i && j) {
    if (*j == 0) {
      report(Diag::python_error, args.span, "division by zero")
          .help("change one of the numbers: both are constants at compile time");
      return {};
    }
    if (*j == -1) return binary_op(syntax::Op::sub, 0, a, args.span);  // may need 65 bits
    int64_t q = *i / *j;
    return q + (*i % *j != 0 && (*i < 0) == (*j < 0));
  }
  return math(Intrinsic::ceildiv, {args["a"], args["b"]}, args.span);
}

Value Elaborator::on_align_up(Arguments& args) {
  Value count = on_ceildiv(args);
  if (count.poisoned()) return {};
  return binary_op(syntax::Op::mul, count, args["b"].value, args.span);
}

Value Elaborator::on_choose(Arguments& args) {
  const Value& test = args["condition"].value;
  Value a = args["true_value"].value, b = args["false_value"].value;
  if (auto known = static_truth(test, args["condition"].span)) return *known ? a : b;
  Expr cond = to_bool(test, args["condition"].span), x, y;
  if (!cond || !unify(a, b, args.span, x, y)) return {};
  if (args.row->data == "eager") return tilelab::call(Intrinsic::select, x->type, {cond, x, y});
  return Expr(tilelab::select(cond, x, y));
}

/// The f32 value without its lower 13 bits, rounded to nearest, ties away from zero (PTX ISA,
/// cvt.rna.tf32.f32); infinities and NaNs are preserved.
static Expr rounded_to_tf32(const Expr& value) {
  const int lanes = value->type.lanes;
  auto word = [&](int64_t bits) { return broadcast(int_const(bits, DType::u32), lanes); };
  const Expr given = tilelab::call(Intrinsic::bits, {DType::u32, lanes}, {value});
  const Expr top = binary(BinOp::band, given, word(0x7f800000));
  const Expr rounded = binary(BinOp::band, add(given, word(0x1000)), word(0xffffe000));
  const Expr finite = binary(BinOp::ne, top, word(0x7f800000));
  return select(finite, tilelab::call(Intrinsic::bits, value->type, {rounded}), value);
}

Value Elaborator::convert(const Value& value, const Argument& type, Span span) {
  const auto wanted = element_type(type.value, type.span);
  if (wanted && !wanted->scalar()) return make_vector({{value, span, true}}, *wanted, span);
  Expr expr = wanted ? to_dtype(value, wanted->dtype, span) : nullptr;
  if (!expr) return {};
  if (is_four_bit_integer(wanted->dtype) && !in_kernel_) {
    const std::string four = tilelang_name(wanted->dtype);
    report(Diag::dtype_unsupported, type.span, four + " of a value outside of T.Kernel")
        .help("convert in the kernel, or use int8");
    return {};
  }
  return is_tf32(type.value) ? rounded_to_tf32(expr) : expr;
}

Value Elaborator::on_cast(Arguments& args) {
  const Argument &value = args["value"], &dtype = args["dtype"];
  if (value.value.is<std::string>() && dtype.value.is<Expr>()) {
    report(Diag::dtype_needed, dtype.span, describe(dtype.value))
        .help("write the value before the dtype: T.cast(x, \"" + *value.value.get<std::string>() +
              "\")");
    return {};
  }
  return convert(args["value"].value, args["dtype"], args["value"].span);
}

Value Elaborator::on_reinterpret(Arguments& args) {
  // T.reinterpret(value, dtype), or TVM's T.reinterpret(dtype, value).
  Argument value = args["value"], type = args["dtype"];
  if (value.value.is<DTypeValue>() || value.value.is<std::string>()) std::swap(value, type);
  auto wanted = element_type(type.value, type.span);
  Expr expr = wanted ? to_expr(value.value, value.span) : nullptr;
  if (!expr) return {};
  const int from = value_bits(expr->type.dtype), to = value_bits(wanted->dtype);
  if (from == to && wanted->scalar()) wanted->lanes = expr->type.lanes;  // the slice's
  const bool splits = from != to;
  if (from * expr->type.lanes != to * wanted->lanes || (splits && std::min(from, to) < 8)) {
    report(Diag::view_size, args.span, type_text(expr->type), type_text(*wanted))
        .help("reinterpret to a dtype of the same width, or use T.cast to convert the value");
    return {};
  }
  Expr made = reinterpreted(expr, *wanted);
  if (!made)
    report(Diag::expression_unsupported, args.span, "this vector as a value")
        .help("bind the vector to a name first");
  return made ? Value(made) : Value{};
}

/// Infinity, the smallest and the largest value of a type.
Value Elaborator::on_limit(Arguments& args) {
  auto dtype = dtype_of(args["dtype"].value, args["dtype"].span);
  if (!dtype) return {};
  const std::string& what = args.row->data;
  if (!is_float(*dtype)) {
    if (what == "infinity") {
      report(Diag::operator_type, args.span, "T.infinity", tilelang_name(*dtype))
          .help("use T.max_value(dtype) for integers");
      return {};
    }
    return int_const(what == "min" ? min_int(*dtype) : max_int(*dtype), *dtype);
  }
  constexpr double inf = std::numeric_limits<double>::infinity();
  if (what == "infinity" && !std::isinf(decode_float(*dtype, encode_float(*dtype, inf)))) {
    report(Diag::operator_type, args.span, "T.infinity", tilelang_name(*dtype))
        .help("use T.max_value(dtype): the dtype has no infinity");
    return {};
  }
  if (what == "infinity") return float_const(inf, *dtype);
  const double largest = largest_float(*dtype);
  if (what == "min" && *dtype == DType::e8m0) return constant({*dtype}, 0);  // unsigned
  return float_const(what == "min" ? -largest : largest, *dtype);
}

Value Elaborator::on_clamp(Arguments& args) {
  Value low = math(Intrinsic::maximum, {args["value"], args["min_val"]}, args.span);
  if (low.poisoned()) return {};
  return math(Intrinsic::minimum, {{low, args.span, true}, args["max_val"]}, args.span);
}

Value Elaborator::on_hypot(Arguments& args) {
  Expr x, y;
  if (!unify(args["a"].value, args["b"].value, args.span, x, y)) return {};
  if (!is_float(x->type.dtype)) x = cast(DType::f32, x), y = cast(DType::f32, y);
  Value sum = add(mul(x, x), mul(y, y));
  return math(Intrinsic::sqrt, {{sum, args.span, true}}, args.span);
}

/// Whether any (all) of the elements are nonzero, along the last dimension as in TileLang.
Value Elaborator::on_any_all(Arguments& args) {
  auto found = operand(args["buffer"]);
  auto extents = found ? extents_of(*found) : std::nullopt;
  if (!extents) return {};
  for (size_t i = 0; i + 1 < extents->size(); ++i)
    if ((*extents)[i] != 1) {
      report(Diag::any_all_rank, args.span, "T." + args.row->name)
          .help("take one row: `T." + args.row->name + "(buffer[i, :])`");
      return {};
    }
  constexpr int64_t limit = 1024;
  if (extents->empty() || extents->back() > limit) {
    report(Diag::any_all_rank, args.span, "T." + args.row->name)
        .help("reduce the comparison with T.reduce_max or T.reduce_bitor instead");
    return {};
  }
  Expr result;
  for (int64_t i = 0; i < extents->back(); ++i) {
    Expr one = to_bool(
        Value(load(found->buffer->name, found->buffer->dtype, offset_element(found->dims, i))),
        args.span);
    result = result ? binary(args.row->data == "any" ? BinOp::lor : BinOp::land, result, one) : one;
  }
  return result;
}

Value Elaborator::on_pass_through(Arguments& args) { return args.at(0).value; }

/// Python functions called with run-time values.
Value Elaborator::on_python(Arguments& args) {
  const std::string& what = args.row->data;
  const Argument& x = args.at(0);
  if (auto made = Objects::by_function(*this, what, {x}, args.span)) return *made;
  if (what == "len") {
    auto count = [](const Expr& extent) {
      const auto known = int_value(extent);
      return known ? Value(*known) : Value(extent);
    };
    if (const BufferRef* buffer = x.value.get<BufferRef>())
      return (*buffer)->shape.empty() ? Value(0) : count((*buffer)->shape[0]);
    if (const RegionValue* region = x.value.get<RegionValue>())
      for (const SliceDim& dim : region->dims)
        if (!dim.point) return count(dim.extent);
    if (x.value.is<VarValue>() || (x.value.is<Expr>() && (*x.value.get<Expr>())->type.scalar())) {
      report(Diag::python_error, x.span, describe(x.value) + " has no len()")
          .help("use len() on a buffer, a slice, a list or a tuple");
      return {};
    }
    const bool of_host = x.value.is<HostRef>();
    const HostResult method = of_host ? host_.attribute(x.value, "__len__") : HostResult::absent();
    if (const HostRef* length = method.value.get<HostRef>())
      return host_value(host_.call(*length, {}, {}), x.span);
    auto items = items_of(x.value, x.span);
    return items ? Value(static_cast<int64_t>(items->size())) : Value{};
  }
  if (what == "abs") {
    if (const auto* i = x.value.get<int64_t>()) return *i < 0 ? -*i : *i;
    if (const auto* d = x.value.get<double>()) return std::fabs(*d);
    return math(Intrinsic::abs, {x}, args.span);
  }
  if (const BufferRef* buffer = x.value.get<BufferRef>(); buffer && what == "sum") {
    report(Diag::not_iterable, x.span, subject(x.value)).help(instead_of_method(what));
    return {};
  }
  auto items = items_of(x.value, x.span);
  if (!items) return {};
  std::vector<Value> out;
  if (what == "enumerate")
    for (size_t i = 0; i < items->size(); ++i)
      out.push_back(tuple_of(
          {binary_op(syntax::Op::add, args["start"].value, static_cast<int64_t>(i), args.span),
           (*items)[i]}));
  if (what == "reversed") out.assign(items->rbegin(), items->rend());
  if (what == "tuple") return tuple_of(*items);
  if (what == "list") return list_of(*items);
  if (what == "sum") {
    Value total = args["start"].value;
    for (const Value& item : *items)
      total = total.poisoned() ? total : binary_op(syntax::Op::add, total, item, args.span);
    return total;
  }
  return list_of(std::move(out));
}

Value Elaborator::on_zip(Arguments& args) {
  std::vector<std::vector<Value>> columns;
  size_t count = SIZE_MAX;
  for (const Argument& argument : args.rest) {
    auto items = items_of(argument.value, argument.span);
    if (!items) return {};
    count = std::min(count, items->size());
    columns.push_back(std::move(*items));
  }
  std::vector<Value> rows;
  for (size_t i = 0; i < count && !columns.empty(); ++i) {
    std::vector<Value> row;
    for (const auto& column : columns) row.push_back(column[i]);
    rows.push_back(tuple_of(std::move(row)));
  }
  return list_of(std::move(rows));
}

}  // namespace tilelab::elaborate
