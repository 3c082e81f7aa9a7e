// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <cmath>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/ir/text/printer.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr int select_precedence = 0, not_precedence = 3, unary_precedence = 11;

std::string bracketed(const std::string& text, bool brackets) {
  return brackets ? "(" + text + ")" : text;
}

std::string hex(uint64_t bits) {
  char buffer[20] = "0x";
  return {buffer, std::to_chars(buffer + 2, buffer + 20, bits, 16).ptr};
}

std::string raw_bits(Type type, uint64_t bits) {
  return "bits(" + to_string(type) + ", " + hex(bits) + ")";
}

/// `digits` significant digits; in fixed notation if that is short.
std::string decimal(double value, int digits) {
  char buffer[64];
  auto scientific = std::to_chars(buffer, buffer + sizeof buffer, value,
                                  std::chars_format::scientific, digits - 1);
  std::string text(buffer, scientific.ptr);
  int exponent = std::atoi(text.c_str() + text.find('e') + 1);
  if (exponent >= -4 && exponent < 16) {
    int decimals = std::max(digits - 1 - exponent, 1);
    auto fixed =
        std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
    return {buffer, fixed.ptr};
  }
  return text.substr(0, text.find('e')) + "e" + std::to_string(exponent);
}

bool same_bits(DType dtype, const std::string& text, uint64_t bits) {
  double value = 0;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return encode_float(dtype, value) == bits;
}

/// The dtypes that the context implies for two operands of one type: a literal takes the other's.
std::pair<Wanted, Wanted> wanted_of(const Expr& a, const Expr& b, Wanted wanted) {
  if (is_literal(a) && !is_literal(b)) return {b->type.dtype, wanted};
  return {wanted, a->type.dtype};
}

const Expr& without_broadcast(const Expr& expr, const Expr& other) {
  const Vec* vec = as<Vec>(expr);
  bool implied =
      vec && vec->op == VecOp::broadcast && vec->parts[0]->type.scalar() && other->type.lanes > 1;
  const Vec* beside = as<Vec>(other);
  if (beside && beside->op == VecOp::broadcast) implied = false;
  return implied ? vec->parts[0] : expr;
}

/// Of the operands in the mask `same`, the first that is not a literal (or the first) determines
/// the dtype; it is implied for the others.
std::vector<Wanted> wanted_dtypes(const std::vector<Expr>& exprs, uint32_t same) {
  auto in_mask = [&](size_t i) { return i >= 32 || (same >> i & 1); };
  auto first_where = [&](auto holds) {
    size_t i = 0;
    while (i < exprs.size() && !(in_mask(i) && exprs[i] && holds(exprs[i]))) ++i;
    return i;
  };
  size_t anchor = first_where([](const Expr& e) { return !is_literal(e); });
  if (anchor == exprs.size()) anchor = first_where([](const Expr&) { return true; });
  std::vector<Wanted> out(exprs.size());
  for (size_t i = 0; i < exprs.size(); ++i)
    if (in_mask(i) && i != anchor && anchor < exprs.size()) out[i] = exprs[anchor]->type.dtype;
  return out;
}

}  // namespace

std::string float_text(DType dtype, uint64_t bits) {
  double value = decode_float(dtype, bits);
  bool canonical = encode_float(dtype, value) == bits && !std::isnan(value);
  if (!canonical) return raw_bits({dtype}, bits);
  if (std::isinf(value)) return std::string(value < 0 ? "-" : "") + "inf(" + name(dtype) + ")";
  for (int digits = 1; digits <= 17; ++digits) {
    std::string text = decimal(value, digits);
    if (same_bits(dtype, text, bits)) return text;
  }
  return raw_bits({dtype}, bits);
}

std::string quote(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      (out += '\\') += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      constexpr char digits[] = "0123456789abcdef";
      out += {'\\', 'x', digits[(c >> 4) & 15], digits[c & 15]};
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string int_list(const std::vector<int64_t>& values) { return "[" + join(values, ", ") + "]"; }

std::string attr_value(const Attr& attr) {
  switch (attr.form) {
    case Attr::Form::integer: return std::to_string(attr.integer);
    case Attr::Form::boolean: return attr.integer ? "True" : "False";
    case Attr::Form::string: return quote(attr.string);
    case Attr::Form::list: return int_list(attr.list);
  }
  UNREACHABLE("form of an attribute");
}

bool is_literal(const Expr& expr) {
  const Const* c = as<Const>(expr);
  if (!c || !c->type.scalar() || c->type.dtype == DType::bool_) return false;
  if (!is_float(c->type.dtype))
    return wrap_int(c->type.dtype, static_cast<int64_t>(c->bits)) == static_cast<int64_t>(c->bits);
  double value = decode_float(c->type.dtype, c->bits);
  return std::isfinite(value) && encode_float(c->type.dtype, value) == c->bits;
}

std::string ExprPrinter::constant(const Const& c, Wanted wanted) const {
  DType dtype = c.type.dtype;
  if (!c.type.scalar()) return raw_bits(c.type, c.bits);
  std::string text;
  if (is_float(dtype)) {
    text = float_text(dtype, c.bits);
    if (text.back() == ')') return text;
  } else {
    auto value = static_cast<int64_t>(c.bits);
    if (wrap_int(dtype, value) != value) return raw_bits(c.type, c.bits);
    if (dtype == DType::bool_) return value ? "True" : "False";
    text = dtype == DType::u64 ? std::to_string(c.bits) : std::to_string(value);
  }
  // An integer literal takes any implied dtype except bool; a float literal any float.
  DType usual = is_float(dtype) ? DType::f32 : DType::i32;
  if (wanted && *wanted != DType::bool_ && (is_float(*wanted) || !is_float(dtype))) usual = *wanted;
  return dtype == usual ? text : std::string(name(dtype)) + "(" + text + ")";
}

std::string ExprPrinter::unary(const Un& n, Wanted wanted, int outer) const {
  if (n.op == UnOp::neg && is_const(n.a)) return "neg(" + value(n.a, wanted) + ")";
  int own = n.op == UnOp::lnot ? not_precedence : unary_precedence;
  return bracketed(text(n.op) + value(n.a, wanted, own), own < outer);
}

std::string ExprPrinter::binary(const Bin& n, Wanted wanted, int outer) const {
  bool as_call = !*text(n.op);
  if (is_compare(n.op) || is_logical(n.op) || as_call) wanted.reset();
  const Expr &a = without_broadcast(n.a, n.b), &b = without_broadcast(n.b, n.a);
  auto [for_a, for_b] = wanted_of(a, b, wanted);
  if (as_call) {
    std::string function = n.op == BinOp::tdiv ? "tdiv" : "tmod";
    return function + "(" + value(a, for_a) + ", " + value(b, for_b) + ")";
  }
  int own = precedence(n.op), left = is_compare(n.op) ? own + 1 : own;
  return bracketed(value(a, for_a, left) + " " + text(n.op) + " " + value(b, for_b, own + 1),
                   own < outer);
}

std::string ExprPrinter::select(const Select& n, Wanted wanted, int outer) const {
  const Expr &a = without_broadcast(n.a, n.b), &b = without_broadcast(n.b, n.a);
  auto [for_a, for_b] = wanted_of(a, b, wanted);
  return bracketed(value(a, for_a, select_precedence + 1) + " if " + value(n.cond, {}, 1) +
                       " else " + value(b, for_b, select_precedence),
                   select_precedence < outer);
}

std::string ExprPrinter::vector(const Vec& n) const {
  if (n.op == VecOp::list) return list(n.parts);
  std::vector<std::string> parts;
  for (const Expr& part : n.parts) parts.push_back(value(part));
  if (n.op == VecOp::broadcast) parts.push_back(std::to_string(n.type.lanes));
  return std::string(text(n.op)) + "(" + join(parts, ", ") + ")";
}

std::string ExprPrinter::call(const Call& n, bool statement) const {
  std::vector<std::string> parts;
  Type natural = statement ? Type{} : natural_type(n.intrinsic, n.args);
  Symbol positional = positional_attr(n.intrinsic);
  const Attr* first = positional ? find_attr(n.attrs, positional) : nullptr;
  if (first) parts.push_back(attr_value(*first));
  if (n.intrinsic == Intrinsic::bits) {
    parts.push_back(to_string(n.type));
    natural = n.type;
  }
  uint32_t same = same_dtype_operands(n.intrinsic);
  std::vector<Wanted> wanted = wanted_dtypes(n.args, same);
  // A bare integer would be parsed as the bits themselves; implying another dtype prints its own.
  if (n.intrinsic == Intrinsic::bits && is_literal(n.args[0]) && !is_float(n.args[0]->type.dtype))
    wanted[0] = n.args[0]->type.dtype == DType::i32 ? DType::i64 : DType::i32;
  for (size_t i = 0; i < n.args.size(); ++i) {
    const OperandInfo* info = operand_info(n.intrinsic, i);
    const bool place = info && (info->is_place() || info->kind == OperandKind::map ||
                                info->kind == OperandKind::any);
    parts.push_back(place ? operand(n.args[i], info->kind == OperandKind::barrier)
                          : value(n.args[i], wanted[i]));
  }
  for (const Attr& attr : n.attrs)
    if (&attr != first) parts.push_back(attr.name.str() + "=" + attr_value(attr));
  if (n.type != natural) parts.push_back("type=" + to_string(n.type));
  return std::string(name(n.intrinsic)) + "(" + join(parts, ", ") + ")";
}

std::string ExprPrinter::value(const Expr& expr, Wanted wanted, int outer) const {
  if (!expr) return "None";
  switch (expr->kind) {
    case Kind::Const: return constant(to<Const>(expr), wanted);
    case Kind::Name: return to<Name>(expr).id.str();
    case Kind::Un: return unary(to<Un>(expr), wanted, outer);
    case Kind::Bin: return binary(to<Bin>(expr), wanted, outer);
    case Kind::Select: return select(to<Select>(expr), wanted, outer);
    case Kind::Cast: {
      const Expr& from = to<Cast>(expr).a;
      std::string to_type = name(expr->type.dtype);
      if (is_const(from)) return "cast(" + to_type + ", " + value(from) + ")";
      return to_type + "(" + value(from) + ")";
    }
    case Kind::Load: {
      const Load& load = to<Load>(expr);
      std::vector<RegionDim> dims;
      for (const Expr& index : load.index) dims.push_back(point(index));
      return reference(load.buffer, dims, false);
    }
    case Kind::Region: {
      const Region& region = to<Region>(expr);
      bool sliced = false;
      for (const RegionDim& dim : region.dims) sliced |= !dim.point;
      std::string text = reference(region.buffer, region.dims, false);
      return sliced ? text : "ref(" + text + ")";
    }
    case Kind::Vec: return vector(to<Vec>(expr));
    case Kind::Call: return call(to<Call>(expr), false);
    default: UNREACHABLE(std::string("not an expression: ") + name(expr->kind));
  }
}

std::string ExprPrinter::operand(const Expr& expr, bool shorten, Wanted wanted) const {
  if (const Region* region = as<Region>(expr))
    return reference(region->buffer, region->dims, shorten);
  std::string text = value(expr, wanted);
  return expr && expr->kind == Kind::Load ? "load(" + text + ")" : text;
}

std::string ExprPrinter::list(const std::vector<Expr>& exprs) const {
  return "[" + join(exprs, ", ", [&](const Expr& expr) { return value(expr); }) + "]";
}

std::string ExprPrinter::dimension(const RegionDim& dim) const {
  if (dim.point) return value(dim.lo);
  std::string lo = value(dim.lo, {}, 1);
  auto start = int_value(dim.lo);
  if (start && is_literal(dim.lo) && *start <= max_int(dim.lo->type.dtype) - dim.extent)
    return lo + ":" + std::to_string(*start + dim.extent);
  return lo + ":" + value(dim.lo, {}, precedence(BinOp::add)) + " + " + std::to_string(dim.extent);
}

std::string ExprPrinter::reference(Symbol buffer, const std::vector<RegionDim>& dims,
                                   bool shorten) const {
  size_t count = dims.size();
  auto shape = shapes_.find(buffer);
  if (shorten && shape != shapes_.end() && shape->second.size() == count) {
    auto whole = [&](size_t d) {
      const Const* lo = as<Const>(dims[d].lo);
      return !dims[d].point && lo && lo->type == Type{} && lo->bits == 0 &&
             is_int(shape->second[d], dims[d].extent);
    };
    while (count > 0 && whole(count - 1)) --count;
    if (count == 0) return buffer.str();
    if (flat_) count = dims.size();
  }
  std::vector<std::string> parts;
  for (size_t d = 0; d < count; ++d) parts.push_back(dimension(dims[d]));
  return buffer.str() + "[" + (parts.empty() ? "()" : join(parts, ", ")) + "]";
}

std::vector<std::string> ExprPrinter::bounds(const std::vector<Expr>& exprs) const {
  std::vector<Wanted> wanted = wanted_dtypes(exprs, ~0u);
  std::vector<std::string> out;
  for (size_t i = 0; i < exprs.size(); ++i) out.push_back(value(exprs[i], wanted[i]));
  return out;
}

std::string print(const Expr& expr) {
  static const Shapes none;
  ExprPrinter printer(none);
  return expr && expr->kind == Kind::Region ? printer.operand(expr, false) : printer.value(expr);
}

}  // namespace tilelab
