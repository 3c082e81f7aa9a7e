// SPDX-License-Identifier: Apache-2.0
// Statements: static control flow is executed here, everything else becomes control flow of the
// kernel.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/objects.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

/// The kind of a pure computation; "" for expressions that may have an effect or are documentation,
/// such as a single name.
std::string_view computation(const syntax::Node& expression) {
  switch (expression.kind) {
    case syntax::Kind::compare: return "comparison";
    case syntax::Kind::binary:
    case syntax::Kind::unary: return "expression";
    case syntax::Kind::subscript: return "element";
    default: return "";
  }
}

/// Whether every path through the statements ends in a `return`.
bool returns(const syntax::Trees& block) {
  if (block.empty()) return false;
  const syntax::Node& last = *block.back();
  if (last.kind == syntax::Kind::assert_) return last.op == syntax::Op::not_;  // raise
  return last.kind == syntax::Kind::return_ ||
         (last.kind == syntax::Kind::if_ && returns(last.body) && returns(last.orelse));
}

}  // namespace

Flow Elaborator::exec_block(const syntax::Trees& body) {
  bool tail = tail_;  // this block ends the loop body
  Flow flow = Flow::next;
  for (size_t i = 0; i < body.size() && flow == Flow::next && !stopped_; ++i) {
    tail_ = tail && i + 1 == body.size();
    flow = exec_one(body, i, tail);
  }
  tail_ = tail;
  return stopped_ ? Flow::returned : flow;
}

/// Executes statement `i` of a block, and the following ones if it moves them into a branch.
Flow Elaborator::exec_one(const syntax::Trees& body, size_t& i, bool tail) {
  const syntax::Node& node = *body[i];
  if (node.kind != syntax::Kind::if_) {
    Flow flow = exec(node);
    bool leaves = node.kind == syntax::Kind::break_ || node.kind == syntax::Kind::continue_;
    if (leaves && i + 1 < body.size())
      report(Diag::unreachable, body[i + 1]->span, "the statement before it leaves the block")
          .help("remove it, or put the statement before it under a condition");
    return flow;
  }
  // `if c: ...; continue` inside a kernel loop, and `if c: ...; return x` in a function that a
  // kernel calls: the following statements move to the other branch.
  const bool in_loop = !loops_.empty() && loops_.back().dynamic;
  const bool in_call = loops_.empty() && !reporter_.calls.empty();
  auto ends = [&](const syntax::Trees& block) {
    if (in_call) return returns(block);
    return !block.empty() && block.back()->kind == syntax::Kind::continue_;
  };
  bool then_ends = ends(node.body), else_ends = ends(node.orelse);
  if ((!in_loop && !in_call) || !tail || then_ends == else_ends) {
    if (in_call && tail && then_ends && else_ends) i = body.size(), tail_ = true;
    return exec_if(node, node.body, node.orelse);
  }
  syntax::Trees taken = then_ends ? node.body : node.orelse;
  syntax::Trees other = then_ends ? node.orelse : node.body;
  if (in_loop) taken.pop_back();
  other.insert(other.end(), body.begin() + static_cast<ptrdiff_t>(i) + 1, body.end());
  i = body.size();
  tail_ = true;
  return then_ends ? exec_if(node, taken, other) : exec_if(node, other, taken);
}

Flow Elaborator::exec(const syntax::Node& node) {
  host_.poll();
  Flow flow = Flow::next;
  switch (node.kind) {
    case syntax::Kind::assign: exec_assign(node); break;
    case syntax::Kind::annotated_assign: exec_annotated(node); break;
    case syntax::Kind::augmented_assign: exec_augmented(node); break;
    case syntax::Kind::expression: exec_expression(node); break;
    case syntax::Kind::with: return exec_with(node);
    case syntax::Kind::for_: exec_for(node, flow); return flow;
    case syntax::Kind::while_: exec_while(node, flow); return flow;
    case syntax::Kind::if_: return exec_if(node, node.body, node.orelse);
    case syntax::Kind::break_: return exec_break(node);
    case syntax::Kind::continue_: return exec_continue(node);
    case syntax::Kind::return_: return exec_return(node);
    case syntax::Kind::assert_: return exec_assert(node);
    case syntax::Kind::function: exec_function(node); break;
    case syntax::Kind::delete_:
      for (const syntax::Tree& target : node.list) exec_delete(*target);
      break;
    case syntax::Kind::pass: break;
    default:
      report(Diag::statement_unsupported, node.span,
             node.kind == syntax::Kind::unsupported ? node.name.str()
                                                    : std::string(syntax::kind_name(node.kind)))
          .help(
              "use with, for, while, if, assignments, del, assert and expressions; the rest "
              "belongs in the Python code around the kernel");
  }
  return flow;
}

void Elaborator::exec_expression(const syntax::Node& node) {
  const syntax::Node& value = node.part(0);
  if (value.kind == syntax::Kind::string || value.kind == syntax::Kind::ellipsis) return;
  if (value.kind == syntax::Kind::yield_ && yield(value)) return;
  const size_t before = ir_.block().size();
  const bool of_call = value.kind == syntax::Kind::call && value.list.size() == 1 &&
                       value.part(0).name == Symbol("evaluate");
  discarded_ = of_call ? value.list[0]->span : value.span;
  Value result = eval(value);
  if (const KernelFrame* frame = result.get<KernelFrame>()) {
    kernel_for_rest_ = true;
    enter_kernel(*frame, nullptr, value.span);
  } else if (in_kernel_ && ir_.block().size() == before) {
    warn_if_unused(value, result);
  }
}

/// Warns of a statement that emitted nothing. Host objects and called functions may have effects.
void Elaborator::warn_if_unused(const syntax::Node& expression, const Value& result) {
  std::string_view what = computation(expression);
  if (what.empty() ||
      (!result.is<Expr>() && !result.is<bool>() && !result.is<int64_t>() && !result.is<double>()))
    return;
  const bool stores = expression.ops == std::vector{syntax::Op::eq};
  report(usage::value_unused, expression.span, what)
      .help(stores ? "`=` stores: write it in place of `==`"
                   : "store it in an element, assign it to a name, or remove the line");
}

std::optional<bool> Elaborator::static_truth(const Value& value, Span span) {
  if (const auto* b = value.get<bool>()) return *b;
  if (const auto* i = value.get<int64_t>()) return *i != 0;
  if (const auto* d = value.get<double>()) return *d != 0;
  if (const auto* s = value.get<std::string>()) return !s->empty();
  if (value.is<None>()) return false;
  if (const auto* items = value.get<Sequence>()) return !items->items->empty();
  if (const auto* items = value.get<Dictionary>()) return !items->items->empty();
  if (const auto* e = value.get<Expr>()) {
    if (auto constant = number_value(*e)) return *constant != 0;
    return std::nullopt;
  }
  if (value.is<ObjectValue>()) {
    const Value truth = Objects::truth(*this, value, span);
    return truth.is<ObjectValue>() ? true : static_truth(truth, span);
  }
  if (value.is<HostRef>()) {
    Value truth = host_value(host_.truth(value), span);
    return truth.is<bool>() ? *truth.get<bool>() : false;
  }
  if (value.is<VarValue>() || value.is<BufferRef>() || value.is<RegionValue>() || value.poisoned())
    return std::nullopt;
  return true;
}

/// An option that is on or off at compile time.
bool Elaborator::flag(const Arguments& args, std::string_view option) {
  const Argument& given = args[option];
  const auto known = static_truth(given.value, given.span);
  if (!known && !given.value.poisoned())
    report(Diag::static_needed, given.span, "`" + std::string(option) + "` of T." + args.row->name,
           describe(given.value))
        .help("pass True or False");
  return known.value_or(false);
}

Flow Elaborator::exec_if(const syntax::Node& node, const syntax::Trees& body,
                         const syntax::Trees& orelse) {
  Value test = eval_truth(node.part(0));
  if (test.poisoned()) {  // find more errors in both branches
    exec_block(body);
    exec_block(orelse);
    return Flow::next;
  }
  if (auto known = static_truth(test, node.part(0).span)) return exec_block(*known ? body : orelse);
  if (!in_kernel_ && request_.signature_only) {  // depends on a constant that is not known yet
    exec_block(body);
    return exec_block(orelse);
  }
  Expr cond = to_bool(test, node.part(0).span);
  if (!cond || !need_kernel(node.span, "a branch on a dynamic value")) return Flow::next;
  emit_branches(std::move(cond), body, orelse, node);
  return Flow::next;
}

Flow Elaborator::exec_break(const syntax::Node& node) {
  if (loops_.empty()) {
    report(Diag::loop_control, node.span, "break", "outside a loop").help("remove it");
    return Flow::next;
  }
  if (loops_.back().parallel) {
    report(Diag::loop_control, node.span, "break",
           "in a T.Parallel, whose iterations have no order")
        .help("loop with T.serial(...), or put the iteration's statements under a condition");
    return Flow::next;
  }
  if (!loops_.back().dynamic) {
    if (!ir_.conditional_since(loops_.back().region)) return Flow::broke;
    report(Diag::loop_control, node.span, "break",
           "in a loop over Python values, under a dynamic condition")
        .help("use a T.serial(...) loop, which exists at run time");
    return Flow::next;
  }
  leave_loop(node.span);
  return Flow::broke;
}

Flow Elaborator::exec_continue(const syntax::Node& node) {
  if (!loops_.empty() && !ir_.conditional_since(loops_.back().region)) return Flow::continued;
  report(Diag::loop_control, node.span, "continue",
         loops_.empty() ? "outside a loop" : "this deep inside branches")
      .help(loops_.empty() ? "remove it"
                           : "invert the condition and put the rest of the loop body under it");
  return Flow::next;
}

Flow Elaborator::exec_return(const syntax::Node& node) {
  Value value = node.has_part(0) ? eval(node.part(0)) : Value(None{});
  if (ir_.conditional_since(frame_->region)) {
    if (in_kernel_ && reporter_.calls.empty() && value.is<None>()) {
      end_thread(node.span, "return");
      return Flow::returned;
    }
    if (!reporter_.calls.empty() && loops_.empty() && tail_) {  // the paths of the function join
      value = evaluated_items(evaluated(std::move(value), node.span), node.span);
      put(kResult, std::move(value), node.span);
      return Flow::next;
    }
    report(Diag::return_conditional, node.span)
        .help(reporter_.calls.empty()
                  ? "put the statements that follow under the opposite condition"
                  : "keep the value in a variable (T.alloc_var) and return it after the loop");
    return Flow::returned;
  }
  frame_->result = std::move(value);
  if (reporter_.calls.empty()) result_span_ = node.span;
  return Flow::returned;
}

/// The text of an exception: "ValueError: unknown mode"; of a class: its name.
std::string Objects::exception_text(Elaborator& e, const Value& exception, Span span) {
  if (const std::string name = e.host_name(exception); !name.empty()) return name;
  const Value text = e.host_value(e.host_.format(exception, "s", ""), span);
  const std::string* said = text.get<std::string>();
  return e.host_name(class_of(e, exception)) + (said && !said->empty() ? ": " + *said : "");
}

/// `raise` is an assertion of False with an exception in place of a message.
Flow Elaborator::exec_assert(const syntax::Node& node) {
  const bool raises = node.op == syntax::Op::not_;
  Value test = eval_truth(node.part(0));
  if (test.poisoned()) return Flow::next;
  Record record;
  const auto known = static_truth(test, node.part(0).span);
  if (known && *known) return Flow::next;
  const Value text = node.has_part(1) ? eval(node.part(1)) : Value{};
  if (text.is<HostRef>())
    record.message = Objects::exception_text(*this, text, node.part(1).span);
  else
    Objects::read_message(text, record);
  if (known && raises) {
    Diagnostic& message = report(Diag::python_error, node.span, record.message);
    message.help(ir_.conditional_since(0)
                     ? "check a dynamic condition by T.device_assert(condition, msg): `raise` "
                       "runs while the kernel is compiled"
                     : "correct the arguments: this code runs while the kernel is compiled");
    frame_->result = {};
    return Flow::returned;
  }
  if (known) {
    report(Diag::assert_failed, node.span, record.message.empty() ? "" : ": " + record.message)
        .help(assert_help(node.part(0)));
    return Flow::next;
  }
  Expr cond = to_bool(test, node.part(0).span);
  if (!cond || (!in_kernel_ && request_.signature_only)) return Flow::next;
  if (in_kernel_) {
    record.what = RecordKind::device_assert;
    const std::vector<Expr> operands = assertion_values(cond);
    record.values.insert(record.values.begin(), operands.begin(), operands.end());
    emit(make(std::move(record)), node.span);
    return Flow::next;
  }
  signature_.use_extents({cond}, ir_);
  Check check;
  check.cond = std::move(cond);
  check.message = record.message.empty() ? "arg-assert" : record.message;
  emit(make(std::move(check)), node.span);
  return Flow::next;
}

/// The values of names in a false assertion: "BLOCK is 48, N is 64".
std::string Elaborator::assert_help(const syntax::Node& test) {
  std::vector<std::string> known;
  syntax::for_each(test, [&](const syntax::Node& node) {
    if (node.kind != syntax::Kind::name) return;
    Binding* binding = find(node.name);
    Value value = binding ? binding->value : host_.lookup(frame_->scope, node.name).value;
    auto number = integer_of(value);
    std::string text = node.name.str() + " is " + std::to_string(number.value_or(0));
    if (number && std::find(known.begin(), known.end(), text) == known.end()) known.push_back(text);
  });
  return known.empty() ? "its condition is a constant at compile time" : join(known, ", ");
}

/// `del x` removes the name; its memory lives as long as it is used.
void Elaborator::exec_delete(const syntax::Node& target) {
  if (target.kind == syntax::Kind::tuple || target.kind == syntax::Kind::list) {
    for (const syntax::Tree& one : target.list) exec_delete(*one);
    return;
  }
  if (target.kind == syntax::Kind::subscript) {
    const Value object = eval(target.part(0)), index = eval_index(target.part(1));
    if (object.poisoned() || index.poisoned()) return;
    if (Objects::remove(*this, object, index, target.span)) return;
  }
  if (target.kind != syntax::Kind::name) {
    const bool element = target.kind == syntax::Kind::subscript;
    report(Diag::delete_target, target.span, element ? "an element" : "an attribute")
        .help("use `del` for names, and for items of lists and dicts that the kernel makes");
    return;
  }
  const Binding* found = frame_->find(target.name);
  if (!found || found->deleted.known()) {
    const int errors = diagnostics_.errors();
    eval_name(target);  // reports an unknown name
    if (diagnostics_.errors() == errors)
      report(Diag::delete_target, target.span, "a name of the code around it")
          .help("remove the `del`: it only applies to names that this function binds");
    return;
  }
  Binding deleted{Value{}, ir_.region(), target.span};
  deleted.deleted = target.span;
  frame_->bind(target.name, std::move(deleted));
}

void Elaborator::exec_function(const syntax::Node& node) {
  FunctionValue function = function_at(node);
  function.name = node.name;
  function.macro = !frame_->python || !node.decorators.empty();
  put(node.name, std::move(function), node.span);
}

/// A nested function or lambda; its defaults are evaluated here.
FunctionValue Elaborator::function_at(const syntax::Node& node) {
  FunctionValue function;
  function.name = "lambda";
  function.tree = syntax::Tree(&node);
  function.scope = frame_->scope;
  function.frame = captured_frame();
  std::vector<Value> defaults;
  for (const syntax::Tree& parameter : node.list)
    defaults.push_back(parameter->has_part(1)
                           ? evaluated(eval(parameter->part(1)), parameter->part(1).span)
                           : Value{});
  function.defaults = tuple_of(std::move(defaults)).get<Sequence>()->items;
  return function;
}

/// `with T.Kernel(...) as bx, by:` parses as `as bx` and a second item, `by`; whether `by` is an
/// undefined name.
bool Elaborator::is_meant_as_name(const syntax::Node& item) {
  const syntax::Node& with = item.part(0);
  if (with.kind != syntax::Kind::name || find(with.name)) return false;
  if (!host_.lookup(frame_->scope, with.name).missing) return false;
  report(Diag::with_unsupported, with.span, "`" + with.name.str() + "`")
      .help("put several names in parentheses: `as (bx, by)`");
  return true;
}

/// `with a, b:` is `with a: with b:`.
Flow Elaborator::exec_with(const syntax::Node& node) {
  if (node.list.size() > 1) {
    if (is_meant_as_name(*node.list[1])) return Flow::next;
    return exec_with(*one_item(node));
  }
  if (std::string form = builder_form(node); !form.empty()) return exec_builder(form, node);
  const syntax::Node& with = *node.list[0];
  Value context = eval(with.part(0));
  const syntax::Node* target = with.has_part(1) ? &with.part(1) : nullptr;
  if (context.is<HostRef>() || context.is<ObjectValue>()) return exec_with_object(node, context);
  const KernelFrame* frame = context.get<KernelFrame>();
  if (!frame) {
    if (!context.poisoned())
      report(Diag::with_unsupported, with.part(0).span, describe(context))
          .help("use `with` for T.Kernel(...) or a Python context manager");
    return Flow::next;
  }
  KernelFrame opened = *frame;
  if (!enter_kernel(opened, target, with.part(0).span))
    return stopped_ ? Flow::returned : Flow::next;
  Flow flow = exec_block(node.body);
  leave_kernel();
  return flow == Flow::returned ? flow : Flow::next;
}

/// A context manager, entered and exited during elaboration: by Python, or inlined.
Flow Elaborator::exec_with_object(const syntax::Node& node, const Value& object) {
  const syntax::Node& with = *node.list[0];
  const Span span = with.part(0).span;
  const HostRef* host = object.get<HostRef>();
  HostResult entered = host ? host_.enter(*host) : HostResult{{}, {}, {}, false, true};
  const bool inlined = entered.needs_inline;
  if (inlined) {
    const auto made = Objects::special(*this, object, "__enter__", {}, span);
    entered = made ? HostResult{*made} : HostResult::absent();
  }
  if (entered.missing) {
    report(Diag::with_unsupported, span, describe(object))
        .help(inlined ? "give its class the methods `__enter__` and `__exit__`"
                      : "use `with` for T.Kernel(...) or a Python context manager");
    return Flow::next;
  }
  const bool good = entered.ok();
  const Value bound = host_value(std::move(entered), span);
  if (!good) return Flow::next;
  const int errors = diagnostics_.errors();
  Flow flow = Flow::next;
  try {
    if (with.has_part(1)) assign_to(with.part(1), bound, span);
    flow = exec_block(node.body);
  } catch (...) {  // an interrupt
    if (host) host_.leave(*host, true);
    throw;
  }
  HostResult left = inlined ? HostResult{} : host_.leave(*host, diagnostics_.errors() > errors);
  if (inlined || left.needs_inline)
    Objects::special(*this, object, "__exit__", std::vector<Value>(3, None{}), span);
  else
    host_value(std::move(left), span);
  return flow;
}

}  // namespace tilelab::elaborate
