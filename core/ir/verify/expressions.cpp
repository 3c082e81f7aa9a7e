// SPDX-License-Identifier: Apache-2.0
#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verifier.h"
#include "core/support/text.h"

namespace tilelab {

bool Verifier::same_type(const Expr& a, const Expr& b) { return a && b && a->type == b->type; }

void Verifier::expr(const Expr& e) {
  if (!e) return rule("missing expression");
  visit(*e, [&](const auto& n) {
    if constexpr (requires { this->check(n); })
      check(n);
    else
      rule("this node is not an expression");
  });
}

void Verifier::exprs(const std::vector<Expr>& list) {
  for (const Expr& e : list) expr(e);
}

/// Indices and extents are i32 or i64.
void Verifier::integer(const Expr& e, const char* what) {
  expr(e);
  if (e && e->type != Type{DType::i32} && e->type != Type{DType::i64})
    report(Diag::ir_type, e->span, to_string(e->type), "i32 or i64 for " + std::string(what));
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
  if (entry->what != Entry::What::value && entry->what != Entry::What::var)
    rule("`" + n.id.str() + "` is not a value");
  else if (entry->type != n.type)
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
  auto op = [&] {
    return std::string(*text(n.op) ? text(n.op) : n.op == BinOp::tdiv ? "tdiv" : "tmod");
  };
  if (!same_type(n.a, n.b))
    return report(Diag::ir_type, n.b->span, to_string(n.b->type),
                  to_string(n.a->type) + " on both sides of `" + op() + "`");
  Type result =
      is_compare(n.op) || is_logical(n.op) ? Type{DType::bool_, n.a->type.lanes} : n.a->type;
  if (n.type != result) rule("`" + op() + "` has the type " + to_string(n.type));
  bool floating = is_float(n.a->type.dtype);
  // Operands are not visited again: that would be exponential in the nesting depth.
  if (is_logical(n.op)) boolean_type(n.a, "a logical operator");
  if (n.op == BinOp::div && !floating) rule("`/` divides floats; integers have `//`");
  if (n.op >= BinOp::tdiv && n.op <= BinOp::bor && floating) rule("`" + op() + "` of floats");
  if (n.op < BinOp::band && n.a->type.dtype == DType::bool_) rule("`" + op() + "` of truths");
}

void Verifier::check(const Select& n) {
  boolean(n.cond, "a condition");
  expr(n.a), expr(n.b);
  if (n.cond && !n.cond->type.scalar() && n.cond->type.lanes != n.type.lanes)
    rule("a condition has one lane, or those of what it chooses");
  if (!same_type(n.a, n.b) || n.type != n.a->type)
    rule("the two sides of `if ... else` have one type");
}

void Verifier::check(const Cast& n) {
  expr(n.a);
  if (n.a && n.a->type.lanes != n.type.lanes) rule("a cast keeps the number of lanes");
}

void Verifier::reference(Symbol buffer, size_t indices, const Span& span, Type type) {
  const Entry* entry = need(buffer, Entry::What::buffer, "a buffer");
  if (!entry || entry->what != Entry::What::buffer) return;
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
  no_barriers(n.buffer);
}

/// Barriers have no value; only barrier operations use them.
void Verifier::no_barriers(Symbol buffer) {
  const Entry* entry = find(buffer);
  if (entry && entry->what == Entry::What::buffer && entry->scope == Scope::barrier)
    rule("`" + buffer.str() + "` is an array of barriers, which hold no values");
}

/// A region as a value: a vector of its elements.
void Verifier::check(const Region& n) {
  if (level_ == Level::tile)
    rule("a value of tile level is one element: a part of `" + n.buffer.str() +
         "` is an operand of tile operations");
  region(n);
}

void Verifier::region(const Region& n, bool of_barriers) {
  if (!of_barriers) no_barriers(n.buffer);
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
  if (n.op == VecOp::list) return rule("a list is only valid as coordinates");
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
    rule("the index of a lane is a constant");
}

}  // namespace tilelab
