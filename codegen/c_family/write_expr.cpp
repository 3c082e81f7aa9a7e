// SPDX-License-Identifier: Apache-2.0
// Expressions: C operators where their semantics equal the IR's, otherwise functions of the device
// header.
#include <cstdio>

#include "codegen/c_family/types.h"
#include "codegen/c_family/writer.h"
#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

struct COperator {
  const char* text;
  int strength;
};

/// The C operator equivalent to `op` on that type, or null.
const COperator* c_operator(BinOp op) {
  static const COperator add{"+", kSum}, sub{"-", kSum}, mul{"*", kProduct}, div{"/", kProduct},
      band{"&", kBitAnd}, bxor{"^", kBitXor}, bor{"|", kBitOr}, eq{"==", kEqual}, ne{"!=", kEqual},
      lt{"<", kRelation}, le{"<=", kRelation}, gt{">", kRelation}, ge{">=", kRelation},
      land{"&&", kAnd}, lor{"||", kOr};
  switch (op) {
    case BinOp::add: return &add;
    case BinOp::sub: return &sub;
    case BinOp::mul: return &mul;
    case BinOp::div: return &div;
    case BinOp::band: return &band;
    case BinOp::bxor: return &bxor;
    case BinOp::bor: return &bor;
    case BinOp::eq: return &eq;
    case BinOp::ne: return &ne;
    case BinOp::lt: return &lt;
    case BinOp::le: return &le;
    case BinOp::gt: return &gt;
    case BinOp::ge: return &ge;
    case BinOp::land: return &land;
    case BinOp::lor: return &lor;
    default: return nullptr;
  }
}

/// C promotes these to int; the IR wraps at the type's width.
bool promoted(const Type& type) {
  return type.scalar() && is_integer(type.dtype) && bits(type.dtype) < 32;
}

/// Whether C types `e`, which is not i32, as int: not all types have suffixed constants.
bool read_as_int(const Expr& e) {
  const Type& type = e->type;
  if (!type.scalar() || !is_integer(type.dtype)) return false;
  if (promoted(type)) return is_const(e) || e->kind == Kind::Select || e->kind == Kind::Call;
  if (type.dtype != DType::i64) return false;
  if (const Select* s = as<Select>(e)) return read_as_int(s->a) && read_as_int(s->b);
  if (const Un* u = as<Un>(e)) return read_as_int(u->a);
  return is_const(e);
}

/// Whether compilers (and readers) expect parentheses that C does not need: && in ||, sums in
/// shifts and masks.
bool misleading(int outer, int inner) {
  if (outer == kOr) return inner == kAnd;
  if (outer == kShift || outer == kBitAnd || outer == kBitXor || outer == kBitOr)
    return inner > kTernary && inner < kUnary && inner != outer;
  return false;
}

/// a op (b op c) may be written a op b op c: integers wrap, so sums are associative; and, or always
/// are.
bool regroups(const Bin& e) {
  const Bin* right = as<Bin>(e.b);
  if (!right) return false;
  if (e.op == BinOp::add)
    return is_integer(e.type.dtype) && !promoted(e.type) &&
           (right->op == BinOp::add || right->op == BinOp::sub);
  return right->op == e.op &&
         (is_logical(e.op) || e.op == BinOp::band || e.op == BinOp::bor || e.op == BinOp::bxor);
}

/// A shift is floor division and a mask its remainder: shorter for readers, and for compilers,
/// which otherwise derive it again in every unrolled iteration.
Expr by_power_of_two(const Bin& e, int64_t divisor) {
  const DType dtype = e.type.dtype;
  if (e.op == BinOp::floormod) return binary(BinOp::band, e.a, int_const(divisor - 1, dtype));
  return binary(BinOp::shr, e.a, int_const(__builtin_ctzll(uint64_t(divisor)), dtype));
}

std::string hexadecimal(int64_t value) {
  char text[24];
  std::snprintf(text, sizeof text, "0x%llX", static_cast<unsigned long long>(value));
  return text;
}

}  // namespace

std::string KernelWriter::text(const Expr& e, int strength) {
  for (const auto& [shared, name] : shared_)
    if (equal(shared, e)) return name;
  Piece piece = expr(e);
  if (piece.strength >= strength) return std::move(piece.text);
  return "(" + piece.text + ")";
}

std::string KernelWriter::variable(Symbol id) {
  std::string name = names_.find(id);
  CHECK(!name.empty(), "no such name at flat level: " + id.str());
  return name;
}

Piece KernelWriter::expr(const Expr& e) {
  switch (e->kind) {
    case Kind::Const: {
      if (const auto value = int_value(e); hex_ && value && *value >= 0x10000)
        return {hexadecimal(*value)};
      bool parens = false;
      std::string constant = c_constant(e->type.dtype, to<Const>(e).bits, parens);
      if (e->type.lanes > 1) return {"tl_splat<" + c_type(e->type) + ">(" + constant + ")"};
      return {constant,
              parens ? constant.find(' ') == std::string::npos ? kUnary : kSum : kPrimary};
    }
    case Kind::Name: return {variable(to<Name>(e).id)};
    case Kind::Un: return unary_expr(to<Un>(e));
    case Kind::Bin: return binary_expr(to<Bin>(e));
    case Kind::Select: {
      const auto& s = to<Select>(e);
      const bool clamps = tests_sign(s.cond);
      auto arm = [&](const Expr& of) { return clamps && hides(of) ? kZero : text(of, kTernary); };
      return {text(s.cond, kOr) + " ? " + arm(s.a) + " : " + arm(s.b), kTernary};
    }
    case Kind::Cast: return cast_expr(to<Cast>(e));
    case Kind::Load: {
      const auto& load = to<Load>(e);
      CHECK(load.index.size() == 1, load.buffer.str() + " is not flat");
      return {element(load.buffer, load.index[0]), kPostfix};
    }
    case Kind::Region: return region_value(to<Region>(e));
    case Kind::Vec: return vec_expr(to<Vec>(e));
    case Kind::Call: return call_expr(to<Call>(e));
    default: UNREACHABLE(std::string("no expression: ") + name(e->kind));
  }
}

/// Whether the condition compares a value with 0: selecting 0 by it is a maximum with 0.
bool KernelWriter::tests_sign(const Expr& condition) const {
  auto is_near_zero = [](const Expr& side) {
    const auto value = int_value(side);
    return value && *value >= -1 && *value <= 1;
  };
  return any_of(*condition, [&](const Bin& bin) {
    return is_compare(bin.op) && bin.op != BinOp::eq && bin.op != BinOp::ne &&
           bin.a->type.dtype == DType::i32 && (is_near_zero(bin.a) || is_near_zero(bin.b));
  });
}

/// Whether a value is a 0 that must be hidden from NVIDIA's optimizer (tl_math.h, tl_zero).
bool KernelWriter::hides(const Expr& value) const {
  return target_.family == Family::cuda && value->type.scalar() &&
         value->type.dtype == DType::i32 && is_int(value, 0);
}

Piece KernelWriter::unary_expr(const Un& e) {
  const std::string a = text(e.a, kUnary);
  if (e.op == UnOp::lnot || (e.op == UnOp::bnot && e.type.dtype == DType::bool_))
    return {"!" + a, kUnary};
  const char* op = e.op == UnOp::neg ? "-" : "~";
  std::string result = op + (a[0] == '-' ? "(" + a + ")" : a);  // never the operator --
  if (promoted(e.type)) return {"(" + c_type(e.type) + ")(" + result + ")", kUnary};
  return {result, kUnary};
}

Piece KernelWriter::operator_expr(const Bin& e, const char* op, int strength) {
  Piece a = expr(e.a), b = expr(e.b);
  // A sum of two ints would have type int: half the width of an i64.
  if (e.type.dtype == DType::i64 && read_as_int(e.a) && (strength == kShift || read_as_int(e.b)))
    a = {argument(e.a), kUnary};
  if (a.strength < strength || misleading(strength, a.strength)) a.text = "(" + a.text + ")";
  // Left-associative: the right operand needs parentheses at equal strength, unless the operation
  // is associative (never for floats).
  const int needed = regroups(e) ? strength : strength + 1;
  if (b.strength < needed || misleading(strength, b.strength)) b.text = "(" + b.text + ")";
  Piece result{a.text + " " + op + " " + b.text, strength};
  if (promoted(e.type)) return {"(" + c_type(e.type) + ")(" + result.text + ")", kUnary};
  return result;
}

Piece KernelWriter::binary_expr(const Bin& e) {
  if (const COperator* c = c_operator(e.op)) return operator_expr(e, c->text, c->strength);
  const auto amount = int_value(e.b);
  const bool scalar = e.type.scalar();
  const char* function = nullptr;
  switch (e.op) {
    case BinOp::tdiv:
      if (scalar && amount && *amount > 0) return operator_expr(e, "/", kProduct);
      function = "tl_tdiv";
      break;
    case BinOp::tmod:
      if (scalar && amount && *amount > 0) return operator_expr(e, "%", kProduct);
      function = "tl_tmod";
      break;
    case BinOp::shl:
    case BinOp::shr:
      if (scalar && amount && *amount >= 0 && *amount < bits(e.type.dtype))
        return operator_expr(e, e.op == BinOp::shl ? "<<" : ">>", kShift);
      function = e.op == BinOp::shl ? "tl_shl" : "tl_shr";
      break;
    case BinOp::floordiv:
    case BinOp::floormod: {
      if (scalar && is_unsigned(e.type.dtype) && amount && *amount > 0)
        return operator_expr(e, e.op == BinOp::floordiv ? "/" : "%", kProduct);
      if (scalar && amount && *amount > 1 && (*amount & (*amount - 1)) == 0)
        return expr(by_power_of_two(e, *amount));
      function = e.op == BinOp::floordiv ? "tl_floordiv" : "tl_floormod";
      break;
    }
    default: UNREACHABLE("operator");
  }
  return {std::string(function) + "(" + argument(e.a) + ", " + argument(e.b) + ")", kPostfix};
}

/// Overloads are selected by argument types: an argument whose C type differs is cast.
std::string KernelWriter::argument(const Expr& e) {
  if (!read_as_int(e)) return text(e, kTernary);
  return "(" + c_type(e->type) + ")" + text(e, kUnary);
}

Piece KernelWriter::cast_expr(const Cast& e) {
  const DType from = e.a->type.dtype, to = e.type.dtype;
  if (from == to) return expr(e.a);
  if (!e.type.scalar()) return {"tl_cast<" + c_type(e.type) + ">(" + text(e.a) + ")", kPostfix};
  if (to == DType::bool_ && from == DType::e8m0)  // which has no zero to compare with
    return {"(float)" + text(e.a, kUnary) + " != 0", kEqual};
  if (to == DType::bool_) {
    const std::string zero = is_narrow(from) ? c_type(from) + "(0.0f)" : "0";
    return {text(e.a, kEqual) + " != " + zero, kEqual};
  }
  const Call* power = as<Call>(e.a);
  if (to == DType::f16 && from == DType::f32 && power && power->intrinsic == Intrinsic::exp2 &&
      target_.family == Family::cuda)
    return {"tl_exp2_as_f16(" + text(power->args[0]) + ")", kPostfix};
  if (is_narrow(to)) {
    const std::string inside = is_narrow(from) ? "(float)" + text(e.a, kUnary) : text(e.a);
    return {c_type(to) + "(" + inside + ")", kPostfix};
  }
  if (is_float(from) && is_integer(to))  // out-of-range conversions are undefined in C
    return {"tl_cast<" + c_type(to) + ">(" + text(e.a) + ")", kPostfix};
  const bool widen = is_narrow(from) && to == DType::f64;
  return {"(" + c_type(to) + ")" + (widen ? "(float)" : "") + text(e.a, kUnary), kUnary};
}

Piece KernelWriter::vec_expr(const Vec& e) {
  switch (e.op) {
    case VecOp::broadcast:
      return {"tl_splat<" + c_type(e.type) + ">(" + text(e.parts[0]) + ")", kPostfix};
    case VecOp::extract:
      return {text(e.parts[0], kPostfix) + "[" + text(e.parts[1]) + "]", kPostfix};
    case VecOp::concat: {
      const auto item = [&](const Expr& part) {
        CHECK(part->type.scalar(), "concatenated vectors must be split before they are written");
        return text(part, kTernary);
      };
      return {c_type(e.type) + "{{" + join(e.parts, ", ", item) + "}}", kPostfix};
    }
    case VecOp::list: break;
  }
  UNREACHABLE("a list is only valid as coordinates");
}

const Expr& KernelWriter::flat_index(const Region& region) const {
  CHECK(region.dims.size() == 1, region.buffer.str() + " is not flat");
  return region.dims[0].lo;
}

Piece KernelWriter::offset(const std::string& base, const Expr& index) {
  if (is_int(index, 0)) return {base};
  return {base + " + " + text(index, kSum), kSum};
}

Piece KernelWriter::pointer(const Region& region) {
  return offset(variable(region.buffer), flat_index(region));
}

std::string KernelWriter::element(Symbol buffer, const Expr& index) {
  if (is_single(buffer)) return variable(buffer);
  return variable(buffer) + "[" + text(index) + "]";
}

/// Whether a load from there marks its cache lines as the first to evict.
bool KernelWriter::evicts_first(const Region& from) const {
  const auto it = buffers_.find(from.buffer);
  return target_.family == Family::cuda && it != buffers_.end() && it->second->evict_first &&
         !written_.count(from.buffer);
}

Piece KernelWriter::region_value(const Region& e) {
  if (e.type.scalar()) return {element(e.buffer, flat_index(e)), kPostfix};
  const std::string first = evicts_first(e) ? "_first" : "";
  return {"tl_ld" + first + "<" + c_type(e.type) + ">(" + pointer(e).text + ")", kPostfix};
}

}  // namespace tilelab::codegen
