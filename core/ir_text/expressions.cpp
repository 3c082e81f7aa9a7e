// SPDX-License-Identifier: Apache-2.0
// Expressions in IR text. Literals get the implied dtype that core/ir/text/expressions.cpp omits,
// by the same rule.
#include <cmath>

#include "core/ir/intrinsics/call_type.h"
#include "core/ir_text/operators.h"
#include "core/ir_text/reader.h"
#include "core/support/text.h"

namespace tilelab {

using syntax::Int;
using syntax::Op;

namespace {

Expr raw_binary(BinOp op, Expr a, Expr b) {
  Bin n;
  n.op = op;
  n.type = is_compare(op) || is_logical(op) ? Type{DType::bool_, a->type.lanes} : a->type;
  n.a = std::move(a);
  n.b = std::move(b);
  return make(std::move(n));
}

}  // namespace

void IrReader::type_error(const Tree& tree, const Expr& seen, const std::string& needed) {
  stop(Diag::ir_type, tree->span, to_string(seen->type), needed);
}

/// A name, or `T.name`: "" for anything else.
std::string IrReader::callee(const Tree& tree) {
  if (tree->kind == syntax::Kind::name) return tree->name.str();
  if (tree->kind == syntax::Kind::attribute && tree->part(0).is_name("T")) return tree->name.str();
  return "";
}

// ---- literals

/// A number, signed or not, or an integer expression of `const` names.
bool IrReader::is_literal(const Tree& tree) const {
  if (tree->kind == syntax::Kind::integer || tree->kind == syntax::Kind::floating) return true;
  if (tree->kind == syntax::Kind::unary && tree->op == Op::neg) {
    syntax::Kind kind = tree->part(0).kind;
    if (kind == syntax::Kind::integer || kind == syntax::Kind::floating) return true;
  }
  bool named = false;
  return !consts_.empty() && constant_value(tree, &named) && named;
}

Expr IrReader::literal(const Tree& tree, Wanted wanted) {
  bool negative = tree->kind == syntax::Kind::unary;
  const Tree& inner = negative ? tree->parts[0] : tree;
  Const c;
  if (inner->kind == syntax::Kind::floating) {
    DType dtype = wanted && is_float(*wanted) ? *wanted : DType::f32;
    c.bits = encode_float(dtype, negative ? -inner->number : inner->number);
    if (!std::isfinite(decode_float(dtype, c.bits)))
      stop(Diag::ir_literal, tree->span, inner->text, name(dtype));
    return finish(std::move(c), {dtype}, tree);
  }
  DType dtype = wanted && *wanted != DType::bool_ ? *wanted : DType::i32;
  auto value = constant_value(tree);
  if (value && is_float(dtype)) {
    c.bits = encode_float(dtype, static_cast<double>(*value));
    return finish(std::move(c), {dtype}, tree);
  }
  Int least = min_int(dtype);
  Int most = dtype == DType::u64 ? Int{UINT64_MAX} : Int(max_int(dtype));
  if (!value || *value < least || *value > most)
    stop(Diag::ir_literal, tree->span, value ? syntax::to_decimal(*value) : "this number",
         name(dtype));
  c.bits = static_cast<uint64_t>(*value);
  return finish(std::move(c), {dtype}, tree);
}

// ---- operators

Expr IrReader::raw_broadcast(Expr expr, int lanes) {
  if (expr->type.lanes == lanes || !expr->type.scalar()) return expr;
  Vec vec;
  vec.op = VecOp::broadcast;
  vec.type = {expr->type.dtype, lanes};
  vec.span = expr->span;
  vec.parts = {std::move(expr)};
  return make(std::move(vec));
}

/// Two operands of one type: a literal takes the other's dtype, a scalar with a vector is
/// broadcast.
std::pair<Expr, Expr> IrReader::pair(const Tree& a, const Tree& b, Wanted wanted) {
  Expr x, y;
  if (is_literal(a) && !is_literal(b)) {
    y = value(b, wanted);
    x = value(a, y->type.dtype);
  } else {
    x = value(a, wanted);
    y = value(b, x->type.dtype);
  }
  if (x->type.dtype != y->type.dtype) type_error(b, y, name(x->type.dtype));
  int lanes = std::max(x->type.lanes, y->type.lanes);
  x = raw_broadcast(x, lanes);
  y = raw_broadcast(y, lanes);
  if (x->type != y->type) type_error(b, y, to_string(x->type));
  return {x, y};
}

Expr IrReader::binary(const Tree& tree, BinOp op, const Tree& a, const Tree& b, Wanted wanted) {
  auto [x, y] = pair(a, b, is_compare(op) ? Wanted() : wanted);
  bool floating = is_float(x->type.dtype);
  bool integral = op >= BinOp::tdiv && op <= BinOp::bor;
  if (op == BinOp::div && !floating) type_error(a, x, "a floating type");
  if (integral && floating) type_error(a, x, "an integer type");
  Bin n;
  n.op = op;
  n.a = x;
  n.b = y;
  return finish(std::move(n), is_compare(op) ? Type{DType::bool_, x->type.lanes} : x->type, tree);
}

/// a < b < c means a < b and b < c.
Expr IrReader::compare(const Tree& tree) {
  Expr all;
  for (size_t i = 0; i < tree->ops.size(); ++i) {
    auto op = ir_op(tree->ops[i]);
    if (!op) stop(Diag::ir_statement, tree->span, "`" + std::string(op_text(tree->ops[i])) + "`");
    Expr one = binary(tree, *op, tree->list[i], tree->list[i + 1], {});
    all = all ? raw_binary(BinOp::land, all, one) : one;
  }
  return all;
}

Expr IrReader::logical(const Tree& tree) {
  Expr all;
  for (const Tree& item : tree->list) {
    Expr one = value(item);
    if (one->type.dtype != DType::bool_) type_error(item, one, "bool");
    if (all && all->type != one->type) type_error(item, one, to_string(all->type));
    all = all ? at(expr_span(tree), raw_binary(*ir_op(tree->op), all, one)) : one;
  }
  return all;
}

Expr IrReader::select(const Tree& tree, Wanted wanted) {
  Select n;
  n.cond = value(tree->parts[1]);
  if (n.cond->type.dtype != DType::bool_) type_error(tree->parts[1], n.cond, "bool");
  std::tie(n.a, n.b) = pair(tree->parts[0], tree->parts[2], wanted);
  Type type = n.a->type;
  return finish(std::move(n), type, tree);
}

Expr IrReader::unary(const Tree& tree, Wanted wanted) {
  const Tree& operand = tree->parts[0];
  if (tree->op == Op::pos) return value(operand, wanted);
  Expr a = value(operand, tree->op == Op::not_ ? Wanted() : wanted);
  bool infinity = operand->kind == syntax::Kind::call && callee(operand->parts[0]) == "inf";
  if (tree->op == Op::neg && infinity && is_const(a)) {
    Const c = to<Const>(a);
    c.bits ^= uint64_t{1} << (bits(c.type.dtype) - 1);
    return make(std::move(c));
  }
  DType dtype = a->type.dtype;
  bool good = tree->op == Op::not_     ? dtype == DType::bool_
              : tree->op == Op::invert ? !is_float(dtype)
                                       : dtype != DType::bool_;
  if (!good) type_error(operand, a, tree->op == Op::not_ ? "bool" : "a number");
  Un n;
  n.op = tree->op == Op::not_ ? UnOp::lnot : tree->op == Op::invert ? UnOp::bnot : UnOp::neg;
  n.a = std::move(a);
  Type type = n.a->type;
  return finish(std::move(n), type, tree);
}

// ---- expressions

Expr IrReader::name_value(const Tree& tree) {
  const Entry& entry = lookup(tree);
  if (entry.what == Entry::What::buffer) return reference_value(tree);
  if (entry.what == Entry::What::ring)
    stop(Diag::ir_statement, tree->span, "the ring `" + tree->name.str() + "`");
  Name n;
  n.id = tree->name;
  return finish(std::move(n), entry.type, tree);
}

Expr IrReader::value(const Tree& tree, Wanted wanted) {
  if (is_literal(tree)) return literal(tree, wanted);
  switch (tree->kind) {
    case syntax::Kind::boolean: {
      Const c;
      c.bits = static_cast<uint64_t>(tree->integer);
      return finish(std::move(c), {DType::bool_}, tree);
    }
    case syntax::Kind::name: return name_value(tree);
    case syntax::Kind::unary: return unary(tree, wanted);
    case syntax::Kind::binary: {
      auto op = ir_op(tree->op);
      if (!op) stop(Diag::ir_statement, tree->span, "`" + std::string(op_text(tree->op)) + "`");
      return binary(tree, *op, tree->parts[0], tree->parts[1], wanted);
    }
    case syntax::Kind::compare: return compare(tree);
    case syntax::Kind::logical: return logical(tree);
    case syntax::Kind::if_else: return select(tree, wanted);
    case syntax::Kind::call: return call(tree, false, false);
    case syntax::Kind::subscript: return reference_value(tree);
    case syntax::Kind::list: {
      Vec vec;
      vec.op = VecOp::list;
      vec.parts = exprs(tree);
      auto lanes = static_cast<int32_t>(vec.parts.size());
      return finish(std::move(vec), {DType::i32, lanes}, tree);
    }
    default:
      stop(Diag::ir_statement, tree->span, "this " + std::string(syntax::kind_name(tree->kind)));
  }
}

Expr IrReader::condition(const Tree& tree) {
  Expr cond = value(tree);
  if (cond->type.dtype != DType::bool_) type_error(tree, cond, "bool");
  return cond;
}

/// A value to be stored in a buffer or variable of dtype `needed`.
Expr IrReader::value_of(const Tree& tree, DType needed) {
  Expr out = value(tree, needed);
  if (out->type.dtype != needed) type_error(tree, out, name(needed));
  return out;
}

/// Parses operands of which those in the mask `same` share a dtype: first the first that is not a
/// literal (or the first), then the others with its dtype.
std::vector<Expr> IrReader::same_dtype(const syntax::Trees& trees, uint32_t same,
                                       FunctionRef<Expr(size_t, Wanted)> read) {
  auto in_mask = [&](size_t i) { return i >= 32 || (same >> i & 1); };
  auto first_where = [&](auto holds) {
    size_t i = 0;
    while (i < trees.size() && !(in_mask(i) && holds(trees[i]))) ++i;
    return i;
  };
  size_t anchor = first_where([&](const Tree& t) { return !is_literal(t); });
  if (anchor == trees.size()) anchor = first_where([](const Tree&) { return true; });
  std::vector<Expr> out(trees.size());
  if (anchor < trees.size()) out[anchor] = read(anchor, {});
  for (size_t i = 0; i < trees.size(); ++i) {
    Wanted wanted =
        in_mask(i) && anchor < trees.size() ? Wanted(out[anchor]->type.dtype) : Wanted();
    if (i != anchor) out[i] = read(i, wanted);
  }
  return out;
}

/// Loop bounds (integers of one dtype) and extents (integers).
std::vector<Expr> IrReader::bounds(const syntax::Trees& trees, bool one_dtype) {
  std::vector<Expr> out =
      same_dtype(trees, ~0u, [&](size_t i, Wanted wanted) { return value(trees[i], wanted); });
  for (size_t i = 0; i < out.size(); ++i) {
    if (is_float(out[i]->type.dtype) || !out[i]->type.scalar())
      type_error(trees[i], out[i], "an integer");
    if (one_dtype && out[i]->type != out[0]->type)
      type_error(trees[i], out[i], to_string(out[0]->type));
  }
  return out;
}

// ---- calls

Expr IrReader::call(const Tree& tree, bool effect_allowed, bool statement) {
  std::string function = callee(tree->parts[0]);
  if (function.empty()) stop(Diag::ir_statement, tree->parts[0]->span, "this call");
  if (Expr special = special_call(tree, function)) return special;
  auto intrinsic = intrinsic_from_name(function);
  if (!intrinsic) {
    Diagnostic& d = report(Diag::ir_unknown_call, tree->parts[0]->span, function);
    std::vector<std::string> names;
    for (int i = 0; i < kIntrinsicCount; ++i) names.push_back(name(static_cast<Intrinsic>(i)));
    if (std::string near = nearest(function, names); !near.empty())
      d.help("did you mean `" + near + "`?");
    throw Stop{};
  }
  if (!effect_allowed && !info(*intrinsic).pure())
    stop(Diag::ir_effect, tree->parts[0]->span, function);
  return intrinsic_call(tree, *intrinsic, statement);
}

/// Conversions, vectors and other calls with separate node kinds; null for others.
Expr IrReader::special_call(const Tree& tree, const std::string& function) {
  const syntax::Trees& args = tree->list;
  auto count = [&](size_t n) {
    bool plain = args.size() == n;
    for (const Tree& arg : args) plain = plain && arg->kind != syntax::Kind::keyword;
    if (!plain)
      stop(Diag::ir_arguments, tree->span,
           "`" + function + "` takes " + plural(static_cast<int64_t>(n), "argument"));
  };
  auto converted = [&](DType to, const Tree& from) {
    Cast cast;
    cast.a = value(from);
    Type type{to, cast.a->type.lanes};
    return finish(std::move(cast), type, tree);
  };
  if (auto to = ir_dtype(function)) {
    count(1);
    return is_literal(args[0]) ? literal(args[0], *to) : converted(*to, args[0]);
  }
  if (function == "cast") return count(2), converted(dtype(args[0]), args[1]);
  if (function == "inf") {
    count(1);
    Const c;
    DType to = dtype(args[0]);
    c.bits = encode_float(is_float(to) ? to : DType::f32, INFINITY);
    if (!is_float(to) || !std::isinf(decode_float(to, c.bits)))
      stop(Diag::ir_constant, args[0]->span, "a dtype that has an infinity");
    return finish(std::move(c), {to}, tree);
  }
  if (function == "bits" && args.size() == 2 && args[1]->kind == syntax::Kind::integer) {
    Const c;
    if (args[1]->integer > Int{UINT64_MAX})
      stop(Diag::ir_literal, args[1]->span, args[1]->text, "64 bits");
    c.bits = static_cast<uint64_t>(args[1]->integer);
    return finish(std::move(c), type(args[0]), tree);
  }
  if (function == "neg") {
    count(1);
    Un n;
    n.op = UnOp::neg;
    n.a = value(args[0]);
    Type type = n.a->type;
    return finish(std::move(n), type, tree);
  }
  if (function == "tdiv" || function == "tmod") {
    count(2);
    return binary(tree, function == "tdiv" ? BinOp::tdiv : BinOp::tmod, args[0], args[1], {});
  }
  if (function == "load") return count(1), as_load(reference(args[0]), tree);
  if (function == "ref") return count(1), region_operand(args[0]);
  if (function == "broadcast") return count(2), vector_call(tree, VecOp::broadcast);
  if (function == "extract") return count(2), vector_call(tree, VecOp::extract);
  if (function == "concat") return vector_call(tree, VecOp::concat);
  return nullptr;
}

Expr IrReader::vector_call(const Tree& tree, VecOp op) {
  Vec vec;
  vec.op = op;
  const syntax::Trees& args = tree->list;
  if (args.empty()) stop(Diag::ir_arguments, tree->span, "`concat` needs operands");
  vec.parts.push_back(value(args[0]));
  Type type = vec.parts[0]->type;
  if (op == VecOp::broadcast) {
    int64_t lanes = positive(args[1]);
    if (!type.scalar() || lanes > 1 << 20) type_error(args[0], vec.parts[0], "a scalar");
    type.lanes = static_cast<int32_t>(lanes);
  } else if (op == VecOp::extract) {
    vec.parts.push_back(value(args[1]));
    type.lanes = 1;
  } else {
    for (size_t i = 1; i < args.size(); ++i) {
      vec.parts.push_back(value(args[i], type.dtype));
      if (vec.parts[i]->type.dtype != type.dtype)
        type_error(args[i], vec.parts[i], name(type.dtype));
      if (type.lanes > 1 << 20) stop(Diag::ir_slice, tree->span, "this vector is too long");
      type.lanes += vec.parts[i]->type.lanes;
    }
  }
  return finish(std::move(vec), type, tree);
}

Expr IrReader::argument(const Tree& tree, OperandKind kind, Wanted wanted) {
  switch (kind) {
    case OperandKind::map: {
      lookup(tree, Entry::What::map, "a tensor map");
      return name_value(tree);
    }
    case OperandKind::coordinates:
      if (tree->kind != syntax::Kind::list)
        stop(Diag::ir_constant, tree->span, "a list of coordinates");
      return value(tree);
    case OperandKind::place:
    case OperandKind::barrier:
    case OperandKind::global:
    case OperandKind::shared:
    case OperandKind::matrix:
    case OperandKind::any:
    case OperandKind::local: return operand(tree, wanted);
    default: return value(tree, wanted);
  }
}

Expr IrReader::intrinsic_call(const Tree& tree, Intrinsic intrinsic, bool statement) {
  Arguments args(*this, tree);
  Call n;
  n.intrinsic = intrinsic;
  Symbol positional = positional_attr(intrinsic);
  if (positional)
    if (Tree first = args.take(positional.str())) n.attrs.push_back(attribute(positional, first));
  Type natural;
  if (intrinsic == Intrinsic::bits) natural = type(args.need("dtype"));
  syntax::Trees operands = args.rest();
  OperandCount count = operand_count(intrinsic);
  auto given = static_cast<int>(operands.size());
  if (positional) count.least = 0, count.most = 0;
  if (given < count.least || (count.most >= 0 && given > count.most)) {
    std::string takes = count.most == count.least ? "" : count.most < 0 ? "at least " : "up to ";
    stop(Diag::ir_arguments, tree->span,
         "`" + std::string(name(intrinsic)) + "` takes " + takes +
             plural(count.most < 0 ? count.least : count.most, "operand") + ", not " +
             std::to_string(given));
  }
  n.args = same_dtype(operands, same_dtype_operands(intrinsic), [&](size_t i, Wanted wanted) {
    const OperandInfo* info = operand_info(intrinsic, i);
    return argument(operands[i], info ? info->kind : OperandKind::value, wanted);
  });
  Tree given_type = args.named("type");
  for (auto& [key, tree_of] : args.rest_named()) n.attrs.push_back(attribute(key, tree_of));
  if (!statement && intrinsic != Intrinsic::bits) natural = natural_type(intrinsic, n.args);
  if (given_type) natural = type(given_type);
  return finish(std::move(n), natural, tree);
}

}  // namespace tilelab
