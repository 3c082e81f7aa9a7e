// SPDX-License-Identifier: Apache-2.0
// Repeated or conditional evaluation: the condition of a loop, the later operands of `and` and
// `or`, the branches of `a if c else b`. Calls with effects, and calls that read mutable state, are
// statements of the IR, which must be emitted where the language evaluates them.
#include "core/elaborate/objects.h"
#include "core/elaborate/rewrites/rewrites.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

/// Whether a break of this loop, or the end of a thread, leaves the loop.
bool may_leave(const Stmt& body) { return has_return(*body) || breaks_out(*body); }

bool is_empty(const Stmt& block) { return to<Seq>(block).stmts.empty(); }

}  // namespace

/// The value of a condition. The truth of `a and b` needs no choice between a and b.
Value Elaborator::eval_truth(const syntax::Node& node) {
  return node.kind == syntax::Kind::logical ? eval_conditions(node)
                                            : Objects::truth(*this, eval(node), node.span);
}

/// `a and b`, `a or b`: the operand that decides, from operand `first` on.
Value Elaborator::eval_logical(const syntax::Node& node, size_t first) {
  const bool is_and = node.op == syntax::Op::and_;
  const syntax::Node& part = *node.list[first];
  Value value = eval(part);
  if (value.poisoned() || first + 1 == node.list.size()) return value;
  if (const auto known = static_truth(value, part.span))
    return *known == is_and ? eval_logical(node, first + 1) : value;
  Expr cond = to_bool(value, part.span);
  if (!cond) return {};
  const Expr* expr = value.get<Expr>();
  if (!expr || !cond.same(*expr)) {  // both the condition and the result read the operand
    value = evaluated(std::move(value), part.span);
    cond = to_bool(value, part.span);
  }
  const auto decided = [&] { return value; };
  const auto next = [&] { return eval_logical(node, first + 1); };
  return is_and ? choose(cond, next, decided, node.span) : choose(cond, decided, next, node.span);
}

Value Elaborator::eval_conditions(const syntax::Node& node) {
  const bool is_and = node.op == syntax::Op::and_;
  Value result;
  for (size_t i = 0; i < node.list.size(); ++i) {
    const syntax::Node& part = *node.list[i];
    const Expr* before = result.get<Expr>();
    const Symbol holds = before ? ir_.fresh("holds") : Symbol();
    if (before) ir_.open_block();
    Value value = eval_truth(part);
    const bool has_statements = before && !ir_.block().empty();
    if (before && !has_statements) ir_.close_block();
    if (value.poisoned()) {
      if (has_statements) ir_.close_block();
      return {};
    }
    auto known = has_statements ? std::nullopt : static_truth(value, part.span);
    if (known) {
      bool last = i + 1 == node.list.size();
      if (*known != is_and) {  // short-circuits: Python's value itself, if it is the first operand
        if (before) return is_and ? Value(false) : Value(true);
        return value;
      }
      if (last) return before ? result : value;
      continue;
    }
    Expr cond = to_bool(value, part.span);
    if (has_statements) {
      if (cond) emit(tilelab::assign(holds, cond), part.span);
      Stmt then_ = ir_.close_block();
      if (!cond) return {};
      emit(var(holds, DType::bool_, *before), node.span);
      cond = name_ref(holds, {DType::bool_});
      emit(if_then(is_and ? cond : unary(UnOp::lnot, cond), std::move(then_)), part.span);
      result = cond;
    } else if (!cond) {
      return {};
    } else {
      result = before ? Expr(binary(is_and ? BinOp::land : BinOp::lor, *before, cond)) : cond;
    }
  }
  return result;
}

/// `a if test else b`.
Value Elaborator::chosen(const syntax::Node& test, const syntax::Node& a, const syntax::Node& b,
                         Span span) {
  Value decides = eval_truth(test);
  if (decides.poisoned()) return {};
  if (auto known = static_truth(decides, test.span)) return eval(*known ? a : b);
  return choose(
      to_bool(decides, test.span), [&] { return eval(a); }, [&] { return eval(b); }, span);
}

/// One of two values. If an operand emits statements, only those of the selected one run.
Value Elaborator::choose(Expr cond, FunctionRef<Value()> a, FunctionRef<Value()> b, Span span) {
  const Symbol name = ir_.fresh("chosen");
  Value values[2];
  Stmt sides[2];
  for (int i : {0, 1}) {
    ir_.open_block();
    values[i] = i ? b() : a();
    sides[i] = ir_.close_block();
  }
  Expr x, y;
  if (!cond || values[0].poisoned() || values[1].poisoned() ||
      !unify(values[0], values[1], span, x, y))
    return {};
  if (is_empty(sides[0]) && is_empty(sides[1])) {
    if (equal(cond, x)) return Expr(binary(BinOp::lor, x, y));
    if (equal(cond, y)) return Expr(binary(BinOp::land, y, x));
    return Expr(tilelab::select(cond, x, y));
  }
  if (!x->type.scalar()) {
    report(Diag::expression_unsupported, span, "a choice between vectors that calls modify")
        .help("write `if` and `else`, and store in each of them");
    return {};
  }
  emit(var(name, x->type.dtype), span);
  const auto side = [&](const Stmt& stmts, const Expr& value) {
    return seq({stmts, at(span, tilelab::assign(name, value))});
  };
  emit(if_then(cond, side(sides[0], x), side(sides[1], y)), span);
  return Expr(name_ref(name, x->type));
}

void Elaborator::exec_while(const syntax::Node& node, Flow& flow) {
  const Span span = node.part(0).span;
  if (frame_->python) {
    ir_.open_block();
    const Value test = eval_truth(node.part(0));
    const bool has_statements = !ir_.block().empty();
    ir_.close_block();
    if (test.poisoned()) return;
    if (const auto known = has_statements ? std::nullopt : static_truth(test, span)) {
      flow = exec_python_while(node, *known);
      return;
    }
  }
  if (!node.orelse.empty()) return refuse_else(node);
  open_loop(node, false);
  while_loop(node);
  close_loop(false);
}

/// A condition with statements is evaluated at the start of each iteration.
void Elaborator::while_loop(const syntax::Node& node) {
  const Span span = node.part(0).span;
  const Symbol again = ir_.fresh("again");
  ir_.open_block();
  const Value test = eval_truth(node.part(0));
  const bool has_statements = !ir_.block().empty();
  if (!has_statements) ir_.close_block();
  const auto known = has_statements || test.poisoned() ? std::nullopt : static_truth(test, span);
  const bool endless = known && *known;
  if (known && !endless)
    report(Diag::while_never, span)
        .help("remove the loop, or use a variable of T.alloc_var in its condition");
  While loop;
  if (endless) loop.cond = bool_const(true);
  if (!known && !test.poisoned()) loop.cond = to_bool(test, span);
  if (!loop.cond || !need_kernel(node.span, "a loop of the kernel")) {
    if (has_statements) ir_.close_block();
    return;
  }
  if (has_statements) {
    emit(tilelab::assign(again, loop.cond), span);
    loop.cond = name_ref(again, {DType::bool_});
  }
  ir_.open_block();
  exec_body(node);
  loop.body = ir_.close_block();
  if (endless && !may_leave(loop.body))
    report(Diag::while_endless, span)
        .help("leave it by break, or use a variable of T.alloc_var in the condition");
  if (has_statements) {
    if (!is_empty(loop.body)) emit(if_then(loop.cond, loop.body), node.span);
    loop.body = ir_.close_block();
    emit(var(again, DType::bool_, bool_const(true)), node.span);
  }
  emit(make(std::move(loop)), node.span);
}

}  // namespace tilelab::elaborate
