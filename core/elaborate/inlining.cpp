// SPDX-License-Identifier: Apache-2.0
// Functions in source form, inlined at the call: macros, nested functions, lambdas and Python
// functions that are called with dynamic values.
#include <algorithm>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

using syntax::Op;

namespace {

std::vector<std::string> parameter_names(const FunctionValue& function) {
  std::vector<std::string> out;
  for (const syntax::Tree& parameter : function.tree->list) out.push_back(parameter->name.str());
  return out;
}

/// Whether the last parameter is **names.
bool takes_others(const FunctionValue& function) {
  const syntax::Trees& parameters = function.tree->list;
  return !parameters.empty() && parameters.back()->op == Op::var_keyword;
}

/// The keywords that no parameter takes; reports one that the function does not take, or that names
/// a parameter with another value.
bool find_others(const FunctionValue& function, const KeywordArguments& keywords,
                 const std::set<Symbol>& used, Reporter& reporter, KeywordArguments& others) {
  for (const auto& one : keywords)
    if (!used.count(one.first)) others.push_back(one);
  const std::vector<std::string> names = parameter_names(function);
  const auto named = std::find_if(others.begin(), others.end(), [&](const auto& one) {
    return std::count(names.begin(), names.end(), one.first.str()) > 0;
  });
  if (named == others.end() && (others.empty() || takes_others(function))) return true;
  const auto& [key, argument] = named == others.end() ? others[0] : *named;
  Diagnostic& message =
      reporter.report(named == others.end() ? Diag::call_keyword : Diag::call_twice, argument.span,
                      function.name, key);
  if (named != others.end())
    message.help("pass it by position or by name");
  else if (!suggest(message, key.str(), names))
    message.help("its parameters are: " + join(names, ", "));
  return false;
}

void report_extra(const FunctionValue& function, size_t taken, size_t given, Span span,
                  Reporter& reporter) {
  reporter
      .report(Diag::call_extra, span, function.name,
              plural(static_cast<int64_t>(taken), "argument"), given)
      .help("its parameters are: " + join(parameter_names(function), ", "));
}

std::string help_for_missing(const FunctionValue& function) {
  if (parameter_names(function)[0] != "self") return "pass it, or give the parameter a default";
  return "pass the object as well: macros are not methods, `" + function.name.str() +
         "(self, ...)`";
}

/// Whether a function is a generator: its calls give the list of what it yields.
bool yields(const syntax::Trees& body) {
  for (const syntax::Tree& tree : body) {
    if (tree->kind == syntax::Kind::function) continue;
    const bool here = tree->kind == syntax::Kind::expression && tree->has_part(0) &&
                      tree->part(0).kind == syntax::Kind::yield_;
    if (here || yields(tree->body) || yields(tree->orelse)) return true;
  }
  return false;
}

}  // namespace

/// Whether an annotation is T.Ref, T.Ref[dtype] or, of a macro, T.Var, as T.Ref was called before.
static bool names_reference(const syntax::Node& annotation, bool macro) {
  if (annotation.kind == syntax::Kind::subscript) return names_reference(annotation.part(0), macro);
  if (annotation.kind != syntax::Kind::attribute && annotation.kind != syntax::Kind::name)
    return false;
  const std::string& name = annotation.name.str();
  return name == "Ref" || (macro && name == "Var");
}

/// Whether an assignment to a parameter can store to what a call passes for it.
static bool is_place(const Value& value) {
  const Expr* expr = value.get<Expr>();
  return expr ? as<Load>(*expr) != nullptr : !is_number(value);
}

Value Elaborator::pass_argument(const syntax::Node& parameter, const Argument& argument,
                                bool by_reference) {
  if (by_reference && !is_place(argument.value))
    report(Diag::reference_value, argument.span, parameter.name, subject(argument.value))
        .label(parameter.span, "declared here")
        .help(
            "pass a variable of T.alloc_var or an element such as `A[i]`; without T.Ref the "
            "parameter takes any value");
  if (by_reference) return argument.value;
  if (const VarValue* var = argument.value.get<VarValue>())  // pass by value
    return let_value(parameter.name, name_ref(var->name, {var->dtype}), argument.span);
  const Expr* expr = argument.value.get<Expr>();
  if (!expr || !in_kernel_ || is_alias(*expr)) return argument.value;
  return let_value(parameter.name, *expr, argument.span);
}

bool Elaborator::bind_parameters(const FunctionValue& function, Frame& frame,
                                 const std::vector<Argument>& positional,
                                 const KeywordArguments& keywords, Span span) {
  size_t next = 0;
  std::set<Symbol> used;
  for (size_t position = 0; position < function.tree->list.size(); ++position) {
    const syntax::Tree& parameter = function.tree->list[position];
    Symbol name = parameter->name;
    if (parameter->op == Op::var_keyword) continue;
    const bool reference =
        parameter->has_part(0) && names_reference(parameter->part(0), function.macro);
    auto set = [&](Value value) {
      frame.names[name] = {std::move(value), ir_.region(), parameter->span};
      frame.names[name].reference = reference;
    };
    if (parameter->op == Op::var_positional) {
      std::vector<Value> rest;
      for (; next < positional.size(); ++next)
        rest.push_back(evaluated(positional[next].value, positional[next].span));
      set(tuple_of(std::move(rest)));
      continue;
    }
    if (parameter->op != Op::keyword_only && next < positional.size()) {
      set(pass_argument(*parameter, positional[next++], reference));
      continue;
    }
    const Argument* given = nullptr;
    for (const auto& [key, argument] : keywords)
      if (key == name) given = &argument;
    used.insert(name);
    if (given) {
      set(pass_argument(*parameter, *given, reference));
    } else if (parameter->has_part(1) && function.defaults) {
      set(function.defaults->at(position));
    } else if (parameter->has_part(1)) {
      const auto saved = std::exchange(frame_, std::make_shared<Frame>());
      frame_->scope = function.scope;
      set(eval(parameter->part(1)));
      frame_ = saved;
    } else {
      report(Diag::call_missing, span, function.name, name)
          .label(parameter->span, "this parameter")
          .help(help_for_missing(function));
      return false;
    }
  }
  KeywordArguments others;
  if (!find_others(function, keywords, used, reporter_, others)) return false;
  if (takes_others(function)) {
    std::vector<std::pair<Value, Value>> items;
    for (const auto& [key, argument] : others)
      items.emplace_back(key.str(), evaluated(argument.value, argument.span));
    const syntax::Tree& last = function.tree->list.back();
    frame.names[last->name] = {dict_of(std::move(items)), ir_.region(), last->span};
  }
  if (next < positional.size()) report_extra(function, next, positional.size(), span, reporter_);
  return next == positional.size();
}

/// What the call that ends gives: the value of a `return`, or what the paths joined that have one.
Value Elaborator::returned_value() {
  Binding* joined = frame_->find(kResult);
  if (!joined) return frame_->result;
  if (joined->paths == Binding::Paths::unbound && joined->value.is<None>()) return None{};
  if (joined->paths == Binding::Paths::unbound) {
    report(Diag::return_conditional, joined->span)
        .help("return a value on every path: here one ends without `return`");
    return {};
  }
  if (joined->paths == Binding::Paths::agree) return joined->value;
  report_paths(kResult, joined->span, *joined);
  return {};
}

Value Elaborator::call_function(const FunctionValue& function,
                                const std::vector<Argument>& positional,
                                const KeywordArguments& keywords, Span span) {
  if (reporter_.calls.size() >= kMaxInlining) {
    diagnostics_.report(Diag::inline_depth, span, function.name, kMaxInlining)
        .help("end the recursion by a condition that Python can evaluate");
    return {};
  }
  if (++inlined_ > kMaxCalls) {
    if (inlined_ == kMaxCalls + 1)
      report(Diag::too_large, span, "the number of calls in this kernel", inlined_, kMaxCalls)
          .help("repeat code with a loop of the kernel: range(...) in a @T.macro");
    return {};
  }
  auto frame = std::make_shared<Frame>();
  frame->scope = function.scope;
  frame->parent = function.frame;
  frame->region = ir_.region();
  frame->python = !function.macro;
  frame->function = function.tree.get();
  Symbol hint = hint_;
  hint_ = {};
  const size_t first = ir_.block().size();
  if (!bind_parameters(function, *frame, positional, keywords, span)) return {};
  const size_t last = ir_.block().size();
  auto saved = std::move(frame_);
  frame_ = frame;
  reporter_.calls.push_back(span);
  auto loops = std::move(loops_);
  bool tail = std::exchange(tail_, true);
  loops_.clear();
  Value result;
  if (function.tree->kind == syntax::Kind::lambda) {
    result = eval(function.tree->part(0));
  } else {
    exec_block(function.tree->body);
    result = yields(function.tree->body) ? list_of(std::move(frame->yielded)) : returned_value();
  }
  loops_ = std::move(loops);
  tail_ = tail;
  reporter_.calls.pop_back();
  frame_ = std::move(saved);
  hint_ = hint;
  drop_unused_elements(first, last, result);
  return result;
}

/// Adds the items of a `yield` to the list that the call of this generator gives; false if the
/// statement is not in a called function, or is under a dynamic condition.
bool Elaborator::yield(const syntax::Node& node) {
  if (reporter_.calls.empty() || ir_.conditional_since(frame_->region)) return false;
  const bool all = node.has_part(0) && node.part(0).kind == syntax::Kind::starred;
  const Value value =
      !node.has_part(0) ? Value(None{}) : eval(all ? node.part(0).part(0) : node.part(0));
  if (value.poisoned()) return true;
  auto items = all ? items_of(value, node.span) : std::vector<Value>{evaluated(value, node.span)};
  if (items) frame_->yielded.insert(frame_->yielded.end(), items->begin(), items->end());
  return true;
}

/// Removes lets of elements among the arguments of a call, the statements from `first` to `last`,
/// if the function only uses them as addresses.
void Elaborator::drop_unused_elements(size_t first, size_t last, const Value& result) {
  const Expr* expr = result.get<Expr>();
  if (!expr && !result.is<None>() && !is_number(result)) return;
  std::vector<Stmt>& block = ir_.block();
  std::set<Symbol> unused;
  for (size_t i = first; i < last; ++i)
    if (const Let* let = as<Let>(block[i]); let && as<Load>(let->value) && !held_.count(let->name))
      unused.insert(let->name);
  const auto find_uses = [&](const Node& root) {
    walk(root, [&](const Node& node) {
      if (const Name* name = as<Name>(&node)) unused.erase(name->id);
      return !unused.empty();
    });
  };
  if (expr && !unused.empty()) find_uses(**expr);
  for (size_t i = first; i < block.size() && !unused.empty(); ++i) find_uses(*block[i]);
  const auto is_unused = [&](const Stmt& stmt) {
    const Let* let = as<Let>(stmt);
    return let && unused.count(let->name);
  };
  block.erase(std::remove_if(block.begin() + static_cast<ptrdiff_t>(first), block.end(), is_unused),
              block.end());
}

}  // namespace tilelab::elaborate
