// SPDX-License-Identifier: Apache-2.0
// TVM's builder forms of Python syntax: `with T.If(c): with T.Then(): ...`, T.While, T.And, T.let.
#include <algorithm>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/ir/regions.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {

namespace {

syntax::Tree statement(syntax::Kind kind, const syntax::Node& place, syntax::Trees parts,
                       syntax::Trees body, syntax::Trees orelse = {}) {
  syntax::Draft node{kind};
  node.span = place.span;
  node.parts = std::move(parts);
  node.body = std::move(body);
  node.orelse = std::move(orelse);
  return syntax::make(std::move(node));
}

}  // namespace

/// `with a, b:` as `with a: with b:`.
syntax::Tree Elaborator::one_item(const syntax::Node& with) {
  if (with.list.size() == 1) return syntax::Tree(&with);
  auto made = [&](syntax::Trees items, syntax::Trees body) {
    syntax::Draft node{syntax::Kind::with};
    node.span = with.span;
    node.list = std::move(items);
    node.body = std::move(body);
    return syntax::make(std::move(node));
  };
  const syntax::Tree inner = made({with.list.begin() + 1, with.list.end()}, with.body);
  return made({with.list[0]}, {inner});
}

/// The builder form that a `with` opens: "If", "Then", "Else", "While", "attr", "ws"; empty for any
/// other.
std::string Elaborator::builder_form(const syntax::Node& with) {
  const syntax::Node& context = with.list[0]->part(0);
  if (context.kind != syntax::Kind::call) return {};
  const syntax::Node& callee = context.part(0);
  bool named = callee.kind == syntax::Kind::attribute || callee.kind == syntax::Kind::name;
  const std::string& name = callee.name.str();
  if (!named || !find_builtin(name)) return {};
  Value function = eval(callee);
  const Builtin* const* row = function.get<const Builtin*>();
  return row && (*row)->data == name && (*row)->handler == &Elaborator::on_builder ? name : "";
}

/// Rewrites `with T.If(c):` and `with T.While(c):` as Python statements.
Flow Elaborator::exec_builder(const std::string& form, const syntax::Node& with) {
  const syntax::Node& call = with.list[0]->part(0);
  if (form == "attr") return exec_attr(with);
  if (form == "ws" || form == "WarpSpecialize") return exec_warp_groups(with);
  if (form == "Then" || form == "Else" || call.list.size() != 1) {
    report(Diag::statement_unsupported, call.span, "T." + form + " here")
        .help(form == "Then" || form == "Else" ? "use it in the body of `with T.If(condition):`"
                                               : "pass one condition: T." + form + "(i < n)");
    return Flow::next;
  }
  if (form == "While")
    return exec(*statement(syntax::Kind::while_, with, {call.list[0]}, with.body));
  syntax::Trees branches[2];
  for (const syntax::Tree& part : with.body) {
    std::string branch = part->kind == syntax::Kind::with ? builder_form(*part) : "";
    if (branch != "Then" && branch != "Else") {
      report(Diag::statement_unsupported, part->span, "this statement in the body of T.If")
          .help("use `with T.Then():` and, if needed, `with T.Else():`; or write `if` and `else`");
      return Flow::next;
    }
    syntax::Trees& body = branches[branch == "Else"];
    if (!body.empty()) {
      report(Diag::statement_unsupported, part->span, "a second T." + branch + " in one T.If")
          .help("move its statements to the first T." + branch);
      return Flow::next;
    }
    body = one_item(*part)->body;
  }
  return exec(*statement(syntax::Kind::if_, with, {call.list[0]}, branches[0], branches[1]));
}

Value Elaborator::on_builder(Arguments& args) {
  report(Diag::statement_unsupported, args.span, "T." + args.row->name + " without `with`")
      .help("write `with T." + args.row->name + "(" + args.row->signature + "):`");
  return {};
}

/// T.And, T.Or, T.Not: as `and`, `or` and `not` in a kernel.
Value Elaborator::on_logical(Arguments& args) {
  const std::string& op = args.row->data;
  if (op == "not") return unary_op(syntax::Op::not_, args["a"].value, args["a"].span);
  Expr a = to_bool(args["a"].value, args["a"].span), b = to_bool(args["b"].value, args["b"].span);
  if (!a || !b) return {};
  return Expr(binary(op == "and" ? BinOp::land : BinOp::lor, a, b));
}

/// T.let(x, value) for an x of T.int32(): binds x to the value.
Value Elaborator::on_let(Arguments& args) {
  const VarValue* var = args["var"].value.get<VarValue>();
  if (!var || vars_.count(var->name)) {
    report(Diag::static_needed, args["var"].span, "the name that T.let binds",
           describe(args["var"].value))
        .help("write `x = value`; T.let only binds a name made by T.int32()");
    return {};
  }
  if (!need_kernel(args.span, "T.let")) return {};
  Expr value = stored_value(args["value"].value, var->dtype, var->name, args["value"].span);
  if (!value) return {};
  if (!unbound_.erase(var->name)) {
    report(Diag::ir_bound_twice, args.span, var->name)
        .help("bind another name: `y = T.int32()`; a name that changes is a T.alloc_var");
    return {};
  }
  emit(let(var->name, std::move(value)), args.span);
  return None{};
}

/// T.dp4a(a, b, c): c += the dot product of four adjacent 8-bit elements.
Value Elaborator::on_dp4a(Arguments& args) {
  auto a = operand(args["A"]), b = operand(args["B"]), c = operand(args["C"]);
  if (!a || !b || !c || !need_kernel(args.span, "T.dp4a")) return {};
  for (const char* which : {"A", "B", "C"}) {
    const Operand& side = *which == 'A' ? *a : *which == 'B' ? *b : *c;
    const DType dtype = side.buffer->dtype;
    const bool fits =
        *which == 'C' ? dtype == DType::i32 : dtype == DType::i8 || dtype == DType::u8;
    if (fits && !side.dims.empty()) continue;
    if (!fits) {
      report(Diag::operator_type, args[which].span, "T.dp4a", tilelang_name(dtype))
          .help("pass int8 or uint8 elements A and B, and int32 elements C");
      return {};
    }
    report(Diag::buffer_needed, args[which].span, "T.dp4a", describe(args[which].value))
        .help(
            "T.dp4a(A[i, k], B[j, k], C[i, j]): int8 or uint8 elements A and B, int32 elements C");
    return {};
  }
  auto at = [](const Operand& side, int64_t offset) {
    return cast(DType::i32,
                load(side.buffer->name, side.buffer->dtype, offset_element(side.dims, offset)));
  };
  Expr sum = at(*c, 0);
  for (int64_t i = 0; i < 4; ++i) sum = add(sum, mul(at(*a, i), at(*b, i)));
  std::vector<RegionDim> place;
  for (const SliceDim& dim : c->dims) place.push_back(point(dim.lo));
  emit(tilelab::store(c->buffer->name, std::move(place), std::move(sum)), args.span);
  return None{};
}

}  // namespace tilelab::elaborate
