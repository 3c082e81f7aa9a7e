// SPDX-License-Identifier: Apache-2.0
#include "core/sim/program/compile.h"

#include <bit>
#include <cmath>

#include "core/ir/fold.h"
#include "core/ir/traverse.h"

namespace tilelab::sim {

std::optional<LaneOp> lane_op_of(Intrinsic intrinsic) {
  switch (intrinsic) {
#define INTRINSIC(...)
#define MATH(id, operands, result, lane) \
  case Intrinsic::id:                    \
    return LaneOp::lane;
#include "core/ir/intrinsics/intrinsics.def"
#undef INTRINSIC
    default: return std::nullopt;
  }
}

namespace {

LaneOp lane_op_of_binary(BinOp op) {
  switch (op) {
    case BinOp::add: return LaneOp::add;
    case BinOp::sub: return LaneOp::sub;
    case BinOp::mul: return LaneOp::mul;
    case BinOp::div: return LaneOp::div;
    case BinOp::floordiv: return LaneOp::floor_div;
    case BinOp::floormod: return LaneOp::floor_mod;
    case BinOp::tdiv: return LaneOp::trunc_div;
    case BinOp::tmod: return LaneOp::trunc_mod;
    case BinOp::shl: return LaneOp::shl;
    case BinOp::shr: return LaneOp::shr;
    case BinOp::band: return LaneOp::and_;
    case BinOp::bxor: return LaneOp::xor_;
    case BinOp::bor: return LaneOp::or_;
    case BinOp::eq: return LaneOp::eq;
    case BinOp::ne: return LaneOp::ne;
    case BinOp::lt: return LaneOp::lt;
    case BinOp::le: return LaneOp::le;
    case BinOp::gt: return LaneOp::gt;
    case BinOp::ge: return LaneOp::ge;
    case BinOp::land: return LaneOp::and_;
    case BinOp::lor: return LaneOp::or_;
  }
  UNREACHABLE("unknown operator");
}

}  // namespace

// ---- values

Reg BodyCompiler::at(const Value& v, int i) {
  if (v.constant) return b.constant(v.elem, *v.constant);
  CHECK(!v.regs.empty(), "empty value");
  return v.regs.size() == 1 ? v.regs[0] : v.regs.at(size_t(i));
}

Value BodyCompiler::lane_op(LaneOp op, const Value& x, const Value& y, const Value& z) {
  int operands = lane_op_operands(op);
  int width = std::max({x.width(), operands > 1 ? y.width() : 1, operands > 2 ? z.width() : 1});
  Value out;
  out.elem = lane_op_gives_mask(op) ? Elem::bool_ : x.elem;
  LaneFn fn = lane_fn(op, x.elem);
  CHECK(fn, std::string(lane_op_name(op)) + " does not exist for " + tilelab::name(x.elem));
  for (int i = 0; i < width; ++i)
    out.regs.push_back(b.lanes(fn, elem_bytes(out.elem), at(x, i), operands > 1 ? at(y, i) : no_reg,
                               operands > 2 ? at(z, i) : no_reg));
  return out;
}

std::optional<Value> BodyCompiler::fold(BinOp op, const Value& a, const Value& c) {
  auto x = a.integer(), y = c.integer();
  if (x && y) {
    if (is_compare(op)) {
      bool less = is_signed(a.elem) ? *x < *y : uint64_t(*x) < uint64_t(*y);
      bool equal = *x == *y;
      bool r = op == BinOp::eq   ? equal
               : op == BinOp::ne ? !equal
               : op == BinOp::lt ? less
               : op == BinOp::le ? less || equal
               : op == BinOp::gt ? !less && !equal
                                 : !less;
      return constant(Elem::bool_, r);
    }
    if (is_logical(op)) return constant(Elem::bool_, op == BinOp::land ? *x && *y : *x || *y);
    if (a.elem == Elem::bool_) return std::nullopt;
    if (is_division(op) && *y == 0) return std::nullopt;  // reported where it runs
    return integer(fold_int(op, a.elem, *x, *y), a.elem);
  }
  bool exact = is_integer(a.elem);
  if (exact && (op == BinOp::add || op == BinOp::sub || op == BinOp::bor || op == BinOp::bxor) &&
      y == 0)
    return a;
  if (exact && op == BinOp::add && x == 0) return c;
  if (exact && (op == BinOp::mul || op == BinOp::floordiv || op == BinOp::tdiv) && y == 1) return a;
  if (exact && op == BinOp::mul && x == 1) return c;
  if (exact && op == BinOp::mul && (x == 0 || y == 0)) return integer(0, a.elem);
  if (exact && (op == BinOp::floormod || op == BinOp::tmod) && y == 1) return integer(0, a.elem);
  if (op == BinOp::land && x) return *x ? c : a;
  if (op == BinOp::lor && x) return *x ? a : c;
  if (op == BinOp::land && y && *y) return a;
  if (op == BinOp::lor && y && !*y) return a;
  return std::nullopt;
}

/// Integer division: shifts for powers of two, otherwise a check for zero and the kernel.
Value BodyCompiler::divide(BinOp op, const Value& a, const Value& c) {
  auto y = c.integer();
  if (y && *y > 0 && std::has_single_bit(uint64_t(*y))) {
    int k = std::countr_zero(uint64_t(*y));
    Value shift = integer(k, a.elem), low = integer(*y - 1, a.elem);
    if (op == BinOp::floordiv || !is_signed(a.elem)) {
      bool quotient = op == BinOp::floordiv || op == BinOp::tdiv;
      return quotient ? lane_op(LaneOp::shr, a, shift) : lane_op(LaneOp::and_, a, low);
    }
    if (op == BinOp::floormod) return lane_op(LaneOp::and_, a, low);
    Value sign = lane_op(LaneOp::shr, a, integer(elem_bytes(a.elem) * 8 - 1, a.elem));
    Value biased = lane_op(LaneOp::add, a, lane_op(LaneOp::and_, sign, low));
    if (op == BinOp::tdiv) return lane_op(LaneOp::shr, biased, shift);
    return lane_op(LaneOp::sub, a, lane_op(LaneOp::and_, biased, integer(-*y, a.elem)));
  }
  if (!y || *y == 0)
    for (int i = 0; i < c.width(); ++i) {
      Instr check{.op = Op::nonzero, .elem = c.elem, .a = at(c, i)};
      if (b.checked(check)) continue;
      b.emit(check);
    }
  return lane_op(lane_op_of_binary(op), a, c);
}

Value BodyCompiler::binary(BinOp op, const Value& a, const Value& c) {
  if (auto folded = fold(op, a, c)) return *folded;
  if (is_division(op) && is_integer(a.elem)) return divide(op, a, c);
  return lane_op(lane_op_of_binary(op), a, c);
}

Value BodyCompiler::cast(Elem to, const Value& v) {
  if (to == v.elem) return v;
  if (auto x = v.integer()) {
    if (!is_float(to)) return constant(to, uint64_t(wrap_int(to, *x)));
    if (std::abs(*x) <= (int64_t{1} << 53) && v.elem != Elem::u64)
      return constant(to, convert_float(to, double(*x)));
  }
  if (v.constant && is_float(v.elem) && is_float(to))
    return constant(to, convert_float(to, decode_float(v.elem, *v.constant)));
  Value out;
  out.elem = to;
  for (int i = 0; i < v.width(); ++i)
    out.regs.push_back(b.lanes(cast_fn(to, v.elem), elem_bytes(to), at(v, i)));
  return out;
}

Value BodyCompiler::select(const Value& c, const Value& x, const Value& y) {
  if (auto known = c.integer()) return *known ? x : y;
  Value out;
  out.elem = x.elem;
  for (int i = 0, n = std::max({c.width(), x.width(), y.width()}); i < n; ++i)
    out.regs.push_back(
        b.lanes(select_fn(elem_bytes(x.elem)), elem_bytes(x.elem), at(c, i), at(x, i), at(y, i)));
  return out;
}

// ---- names

void BodyCompiler::bind(Symbol name, Value value) {
  auto it = names_.find(name);
  undo_.push_back({name, it == names_.end() ? std::nullopt : std::optional(it->second)});
  names_[name] = std::move(value);
}

const Value* BodyCompiler::find(Symbol name) const {
  auto it = names_.find(name);
  return it == names_.end() ? nullptr : &it->second;
}

void BodyCompiler::unbind(size_t mark) {
  while (undo_.size() > mark) {
    auto& [name, old] = undo_.back();
    if (old) {
      names_[name] = *old;
    } else {
      names_.erase(name);
    }
    undo_.pop_back();
  }
}

void BodyCompiler::cannot(const Node& node, const std::string& what) const {
  throw CannotRun{node.span.known() ? node.span : b.span(), what};
}

// ---- expressions

Value BodyCompiler::expr(const Expr& e) {
  CHECK(e, "missing expression");
  switch (e->kind) {
    case Kind::Const: {
      const Const& c = to<Const>(e);
      return constant(c.type.dtype, c.bits);
    }
    case Kind::Name: {
      const Name& n = to<Name>(e);
      const Value* known = find(n.id);
      return known ? *known : name(n);
    }
    case Kind::Un: return unary(to<Un>(e));
    case Kind::Bin: {
      const Bin& n = to<Bin>(e);
      if (is_logical(n.op) && !safe(n.b)) return lazy_logic(n);
      Value x = expr(n.a);
      return binary(n.op, x, expr(n.b));
    }
    case Kind::Select: {
      const Select& n = to<Select>(e);
      if (!safe(n.a) || !safe(n.b)) return lazy_select(n);
      Value c = expr(n.cond), x = expr(n.a);
      return select(c, x, expr(n.b));
    }
    case Kind::Cast: return cast(e->type.dtype, expr(to<Cast>(e).a));
    case Kind::Load: return load(to<Load>(e));
    case Kind::Region: return region(to<Region>(e));
    case Kind::Vec: return vec(to<Vec>(e));
    case Kind::Call: return pure_call(to<Call>(e));
    default: cannot(*e, std::string("an expression expected, not ") + tilelab::name(e->kind));
  }
}

Value BodyCompiler::unary(const Un& n) {
  Value x = expr(n.a);
  if (auto v = x.integer()) {
    if (n.op == UnOp::lnot) return constant(Elem::bool_, *v == 0);
    if (x.elem != Elem::bool_)
      return integer(wrap_int(x.elem, n.op == UnOp::neg ? int64_t(0 - uint64_t(*v)) : ~*v), x.elem);
  }
  if (x.constant && is_float(x.elem) && n.op == UnOp::neg)
    return constant(x.elem, *x.constant ^ uint64_t{1} << (elem_bytes(x.elem) * 8 - 1));
  return lane_op(n.op == UnOp::neg ? LaneOp::neg : LaneOp::not_, x);
}

Value BodyCompiler::lazy_select(const Select& n) {
  Value c = expr(n.cond);
  if (auto known = c.integer()) return expr(*known ? n.a : n.b);
  if (c.width() > 1) {  // components may take different sides; both run
    Value x = expr(n.a);
    return select(c, x, expr(n.b));
  }
  Elem elem = n.type.dtype;
  int32_t out = variable("", elem, n.type.lanes);
  size_t open = open_if(c, n.cond);
  assign(out, 0, expr(n.a));
  open = open_else(open);
  assign(out, 0, expr(n.b));
  close_if(open);
  Value v;
  v.elem = elem;
  for (int i = 0; i < n.type.lanes; ++i) v.regs.push_back(b.element(out, i));
  return v;
}

Value BodyCompiler::lazy_logic(const Bin& n) {
  Value x = expr(n.a);
  if (auto known = x.integer()) {
    bool decided = (n.op == BinOp::land) == (*known == 0);
    return decided ? x : expr(n.b);
  }
  int32_t out = variable("", Elem::bool_);
  b.fence();  // x is read again: it must not be computed only into `out`
  assign(out, 0, x);
  size_t open = open_if(n.op == BinOp::land ? x : lane_op(LaneOp::not_, x), n.a);
  assign(out, 0, expr(n.b));
  close_if(open);
  return reg(Elem::bool_, b.element(out, 0));
}

Value BodyCompiler::vec(const Vec& n) {
  if (n.op == VecOp::broadcast) {
    Value v = expr(n.parts[0]);
    Value out{v.elem, {}, std::nullopt};
    out.regs.assign(size_t(n.type.lanes), at(v));
    return out;
  }
  if (n.op == VecOp::extract) {
    Value v = expr(n.parts[0]);
    auto lane = expr(n.parts[1]).integer();
    if (!lane || *lane < 0 || *lane >= v.width())
      cannot(n, "the lane of extract must be a constant inside the vector");
    return reg(v.elem, at(v, int(*lane)));
  }
  Value out;
  for (const Expr& part : n.parts) {
    Value v = expr(part);
    out.elem = v.elem;
    for (int i = 0; i < v.width(); ++i) out.regs.push_back(at(v, i));
  }
  return out;
}

Value BodyCompiler::pure_call(const Call& n) {
  if (auto op = lane_op_of(n.intrinsic)) {
    // IEEE forms: only round-to-nearest exists; other modes are rejected by name.
    const Attr* mode = find_attr(n.attrs, "mode");
    if (mode && mode->string != "rn" && !mode->string.empty())
      cannot(n, std::string(tilelab::name(n.intrinsic)) + " with rounding mode " + mode->string);
    Value x = expr(n.args.at(0));
    Value y = n.args.size() > 1 ? expr(n.args[1]) : Value{};
    Value r = lane_op(*op, x, y, n.args.size() > 2 ? expr(n.args[2]) : Value{});
    return cast(n.type.dtype, r);  // popcount and clz give i32
  }
  Elem elem = n.type.dtype;
  switch (n.intrinsic) {
    case Intrinsic::select: {
      Value c = expr(n.args.at(0)), x = expr(n.args.at(1));
      return select(c, x, expr(n.args.at(2)));
    }
    case Intrinsic::bits: {
      Value v = expr(n.args.at(0));
      if (elem_bytes(v.elem) != elem_bytes(elem))
        cannot(n, "bits() between dtypes of different size");
      if (v.constant) {
        uint64_t mask =
            elem_bytes(elem) == 8 ? ~uint64_t{0} : (uint64_t{1} << elem_bytes(elem) * 8) - 1;
        uint64_t raw = *v.constant & mask;
        return constant(elem,
                        is_signed(elem) ? uint64_t(wrap_int(n.type.dtype, int64_t(raw))) : raw);
      }
      v.elem = elem;
      return v;
    }
    case Intrinsic::inf: return constant(elem, encode_float(n.type.dtype, INFINITY));
    case Intrinsic::native: return constant(elem, 0);  // models of foreign functions
    case Intrinsic::ceildiv: {
      Value x = expr(n.args.at(0)), y = expr(n.args.at(1));
      Value more = binary(BinOp::ne, binary(BinOp::floormod, x, y), integer(0, x.elem));
      return binary(BinOp::add, binary(BinOp::floordiv, x, y), cast(x.elem, more));
    }
    case Intrinsic::fast_rcp:
    case Intrinsic::ieee_rcp: {
      Value x = expr(n.args.at(0));
      return lane_op(LaneOp::div, constant(x.elem, encode_float(x.elem, 1.0)), x);
    }
    default: break;
  }
  return call(n, true);
}

/// Whether `e` may be computed in inactive lanes.
bool BodyCompiler::safe(const Expr& e) {
  return !any_of(
      *e, [](const Region&) { return true; }, [&](const Load& l) { return !safe_read(l); },
      [](const Call& c) {
        return !lane_op_of(c.intrinsic) && c.intrinsic != Intrinsic::select &&
               c.intrinsic != Intrinsic::bits && c.intrinsic != Intrinsic::inf;
      },
      [](const Bin& n) { return is_division(n.op) && n.b->kind != Kind::Const; });
}

}  // namespace tilelab::sim
