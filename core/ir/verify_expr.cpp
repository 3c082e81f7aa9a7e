// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build.h"
#include "core/ir/call_type.h"
#include "core/ir/print.h"
#include "core/ir/traverse.h"
#include "core/ir/verify_impl.h"
#include "core/support/text.h"

namespace tilelab {

bool Verifier::same_type(const Expr& a, const Expr& b) { return a && b && a->type == b->type; }

void Verifier::expr(const Expr& e) {
  if (!e) return rule("an expression is missing");
  visit(*e, [&](const auto& n) {
    if constexpr (requires { this->check(n); })
      check(n);
    else
      rule("this node is no expression");
  });
}

void Verifier::exprs(const std::vector<Expr>& list) {
  for (const Expr& e : list) expr(e);
}

void Verifier::integer(const Expr& e, const char* what) {
  expr(e);
  if (e && (is_float(e->type.dtype) || e->type.dtype == DType::bool_ || !e->type.scalar()))
    report(Diag::ir_type, e->span, to_string(e->type), "an integer for " + std::string(what));
}

void Verifier::boolean(const Expr& e, const char* what) {
  expr(e);
  boolean_type(e, what);
}

void Verifier::boolean_type(const Expr& e, const char* what) {
  if (e && e->type.dtype != DType::bool_)
    report(Diag::ir_type, e->span, to_string(e->type), "bool for " + std::string(what));
}

void Verifier::check(const Const& n) {
  if (!n.type.scalar()) return rule("a constant is a scalar");
  DType dtype = n.type.dtype;
  bool fits = is_float(dtype)
                  ? bits(dtype) == 64 || n.bits >> bits(dtype) == 0
                  : wrap_int(dtype, static_cast<int64_t>(n.bits)) == static_cast<int64_t>(n.bits);
  if (!fits) rule("the constant " + print(constant(n.type, n.bits)) + " does not fit its dtype");
}

void Verifier::check(const Name& n) {
  const Entry* entry = need(n.id, n.span);
  if (!entry) return;
  if (unbound_.count(n.id)) rule("`" + n.id.str() + "` is used before a bind has read it");
  if (entry->what == Entry::What::buffer || entry->what == Entry::What::ring)
    rule("`" + n.id.str() + "` is no value");
  else if (entry->what != Entry::What::map && entry->type != n.type)
    report(Diag::ir_type, n.span, to_string(n.type),
           to_string(entry->type) + " (`" + n.id.str() + "` is declared so)");
}

void Verifier::check(const Un& n) {
  expr(n.a);
  if (!n.a) return;
  if (n.type != n.a->type)
    rule("the type of `" + std::string(text(n.op)) + "` is not its operand's");
  DType dtype = n.a->type.dtype;
  if (n.op == UnOp::lnot && dtype != DType::bool_) boolean_type(n.a, "not");
  if (n.op == UnOp::bnot && is_float(dtype)) rule("`~` of a float");
}

void Verifier::check(const Bin& n) {
  expr(n.a), expr(n.b);
  if (!n.a || !n.b) return;
  std::string op = *text(n.op) ? text(n.op) : n.op == BinOp::tdiv ? "tdiv" : "tmod";
  if (!same_type(n.a, n.b))
    return report(Diag::ir_type, n.b->span, to_string(n.b->type),
                  to_string(n.a->type) + " on both sides of `" + op + "`");
  Type result =
      is_compare(n.op) || is_logical(n.op) ? Type{DType::bool_, n.a->type.lanes} : n.a->type;
  if (n.type != result) rule("`" + op + "` has the type " + to_string(n.type));
  bool floating = is_float(n.a->type.dtype);
  // The operands were visited above: visiting them again doubles with every level of a chain.
  if (is_logical(n.op)) boolean_type(n.a, "a logical operator");
  if (n.op == BinOp::div && !floating) rule("`/` divides floats; integers have `//`");
  if (n.op >= BinOp::tdiv && n.op <= BinOp::bor && floating) rule("`" + op + "` of floats");
}

void Verifier::check(const Select& n) {
  boolean(n.cond, "a condition");
  expr(n.a), expr(n.b);
  if (!same_type(n.a, n.b) || n.type != n.a->type)
    rule("the two sides of `if ... else` have one type");
}

void Verifier::check(const Cast& n) {
  expr(n.a);
  if (n.a && n.a->type.lanes != n.type.lanes) rule("a cast keeps the number of lanes");
}

void Verifier::reference(Symbol buffer, size_t indices, const Span& span, Type type) {
  const Entry* entry = need(buffer, Entry::What::buffer, "a buffer");
  if (!entry) return;
  bool offset = level_ == Level::flat && indices == 1;
  if (level_ == Level::flat && indices > 1)
    rule("flat memory has one index, not " + std::to_string(indices) + ": `" + buffer.str() + "`");
  else if (indices != entry->rank && !offset)
    report(Diag::ir_rank, span, buffer, plural(static_cast<int64_t>(entry->rank), "dimension"),
           indices == 1 ? "1 index is" : std::to_string(indices) + " indices are");
  if (type.dtype != entry->type.dtype)
    report(Diag::ir_type, span, to_string(type),
           std::string(name(entry->type.dtype)) + ", the dtype of `" + buffer.str() + "`,");
}

void Verifier::check(const Load& n) {
  for (const Expr& i : n.index) integer(i, "an index");
  reference(n.buffer, n.index.size(), n.span, n.type);
  if (!n.type.scalar()) rule("an element is a scalar");
}

void Verifier::check(const Region& n) {
  for (const RegionDim& dim : n.dims) {
    integer(dim.lo, "an index");
    if (dim.extent < 1 || (dim.point && dim.extent != 1)) rule("a slice has a positive width");
  }
  reference(n.buffer, n.dims.size(), n.span, n.type);
  if (n.type.lanes != elements(n))
    rule("a region of " + std::to_string(elements(n)) + " elements has " +
         std::to_string(n.type.lanes) + " lanes");
}

void Verifier::check(const Vec& n) {
  if (n.op == VecOp::list) return rule("a list stands only where coordinates do");
  exprs(n.parts);
  int64_t lanes = 0;
  for (const Expr& part : n.parts) {
    if (!part) return;
    lanes += part->type.lanes;
    if (n.op != VecOp::extract && part->type.dtype != n.type.dtype)
      rule("the parts of a vector have its dtype");
  }
  if (n.op == VecOp::broadcast && (n.parts.size() != 1 || lanes != 1))
    rule("a scalar is broadcast");
  if (n.op == VecOp::concat && lanes != n.type.lanes) rule("a vector has the lanes of its parts");
  if (n.op == VecOp::extract && (n.parts.size() != 2 || !int_value(n.parts[1])))
    rule("a lane is taken out by a constant");
}

/// Depends on constants and on unrolled loop variables only.
bool Verifier::constant_when_unrolled(const Expr& e) const {
  bool constant = true;
  walk(*e, [&](const Node& node) {
    if (const Name* n = as<Name>(&node)) {
      const Entry* entry = find(n->id);
      constant = constant && entry && entry->unrolled;
    }
    constant = constant && node.kind != Kind::Load && node.kind != Kind::Call;
    return constant;
  });
  return constant;
}

void Verifier::operand(const Call& call, size_t i) {
  const Expr& arg = call.args[i];
  const OperandInfo* operand = operand_info(call.intrinsic, i);
  const Vec* list = as<Vec>(arg);
  if (list && list->op == VecOp::list && operand && operand->kind == OperandKind::coordinates)
    return exprs(list->parts);
  expr(arg);
  if (!arg) return;
  if (!operand) return;  // too many of them: reported with the call
  const Region* region = as<Region>(arg);
  auto must_be = [&](bool is, const char* what) {
    if (!is) rule("operand " + std::to_string(i) + " of `" + name(call.intrinsic) + "` is " + what);
  };
  const bool number = arg->type.scalar() && !is_float(arg->type.dtype);
  switch (operand->kind) {
    case OperandKind::value: must_be(arg->type.scalar(), "a scalar"); break;
    case OperandKind::integer: must_be(number, "an integer"); break;
    case OperandKind::barrier:
      must_be(level_ == Level::flat ? number : region != nullptr, "a barrier");
      break;
    case OperandKind::shared: {
      const Entry* memory = region ? find(region->buffer) : nullptr;
      must_be(region ? !memory || memory->scope == Scope::shared : level_ == Level::flat && number,
              "a part of shared memory");
      break;
    }
    case OperandKind::matrix:
      must_be(region || (level_ == Level::flat && number), "an operand of a matrix unit");
      break;
    case OperandKind::immediate: must_be(int_value(arg).has_value(), "a constant"); break;
    case OperandKind::map:
      must_be(as<Name>(arg), "a tensor map");
      if (const Name* n = as<Name>(arg)) need(n->id, Entry::What::map, "a tensor map");
      break;
    case OperandKind::coordinates: must_be(false, "a list of coordinates"); break;
    case OperandKind::local: must_be(region, "a slice of a local buffer"); break;
    case OperandKind::place:
    case OperandKind::global: must_be(region, "a part of a buffer"); break;
    default: break;
  }
  if (!region || level_ == Level::tile) return;
  const Entry* entry = find(region->buffer);
  bool registers = operand->kind == OperandKind::local || operand->kind == OperandKind::matrix;
  if (!registers || !entry || entry->scope != Scope::local) return;
  for (const RegionDim& dim : region->dims)
    if (!constant_when_unrolled(dim.lo))
      rule("registers are named by constants, but `" + print(dim.lo) +
           "` is known only at run time");
}

void Verifier::call(const Call& n) {
  OperandCount count = operand_count(n.intrinsic);
  auto given = static_cast<int>(n.args.size());
  if (positional_attr(n.intrinsic)) count.least = 0;
  if (given < count.least || (count.most >= 0 && given > count.most))
    rule("`" + std::string(name(n.intrinsic)) + "` has " + plural(given, "operand"));
  for (size_t i = 0; i < n.args.size(); ++i) operand(n, i);
  const Feature needs = info(n.intrinsic).needs;
  if (!limits_.features.has(needs))
    report(Diag::target_lacks, n.span, name(n.intrinsic), func_.target, reason_without(needs));
}

void Verifier::check(const Call& n) {
  call(n);
  if (!info(n.intrinsic).pure()) report(Diag::ir_effect, n.span, name(n.intrinsic));
}

/// The whole right side of a Let or Assign, or a Do: the call itself may have an effect.
void Verifier::effect_call(const Expr& e) {
  const Call* n = as<Call>(e);
  if (!n) return expr(e);
  call(*n);
}

}  // namespace tilelab
