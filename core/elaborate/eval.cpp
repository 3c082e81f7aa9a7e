// SPDX-License-Identifier: Apache-2.0
// Expressions. Poison propagates: its error has been reported.
#include <algorithm>

#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/objects.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"
#include "core/syntax/parser.h"

namespace tilelab::elaborate {

using syntax::Op;

Value Elaborator::host_value(HostResult result, Span span) {
  if (result.ok()) return std::move(result.value);
  CHECK(!result.error.empty(), "the caller reports what is missing");
  Diagnostic& message = report(Diag::python_error, span, result.error);
  if (!result.raised_at.empty()) message.note("raised at " + result.raised_at);
  message.help("correct it, or its arguments: Python runs this at compile time");
  return {};
}

Value Elaborator::eval(const syntax::Node& node) {
  // A hint names an allocation by the expression itself, not by its arguments.
  Symbol hint = hint_;
  if (node.kind != syntax::Kind::call && node.kind != syntax::Kind::comprehension) hint_ = {};
  Value value = eval_node(node);
  hint_ = hint;
  CHECK(!value.poisoned() || !diagnostics_.ok() || request_.signature_only,
        "an expression is lost, and nothing says why: line " + std::to_string(node.span.line));
  if (const Expr* expr = value.get<Expr>(); expr && *expr && !(*expr)->span.known())
    value = Expr(at(node.span, *expr));
  if (auto* list = std::get_if<Sequence>(&value.data); list && list->region < 0)
    list->region = ir_.region();
  if (auto* dict = std::get_if<Dictionary>(&value.data); dict && dict->region < 0)
    dict->region = ir_.region();
  return within_limits(value, node.span) ? value : Value{};
}

Value Elaborator::eval_node(const syntax::Node& node) {
  switch (node.kind) {
    case syntax::Kind::name: return eval_name(node);
    case syntax::Kind::integer:
      if (node.integer > syntax::Int{UINT64_MAX}) break;
      if (node.integer > INT64_MAX) return Expr(int_const(int64_t(node.integer), DType::u64));
      return static_cast<int64_t>(node.integer);
    case syntax::Kind::floating: return node.number;
    case syntax::Kind::string: return node.text;
    case syntax::Kind::boolean: return node.integer != 0;
    case syntax::Kind::none: return None{};
    case syntax::Kind::unary: return eval_unary(node);
    case syntax::Kind::binary: {
      Value a = eval(node.part(0)), b = eval(node.part(1));
      return a.poisoned() || b.poisoned() ? Value{} : binary_op(node.op, a, b, node.span);
    }
    case syntax::Kind::compare: return eval_compare(node);
    case syntax::Kind::logical: return eval_logical(node);
    case syntax::Kind::if_else: return chosen(node.part(1), node.part(0), node.part(2), node.span);
    case syntax::Kind::call: return eval_call(node);
    case syntax::Kind::attribute: return eval_attribute(node);
    case syntax::Kind::subscript: return eval_subscript(node);
    case syntax::Kind::slice: return eval_slice(node);
    case syntax::Kind::tuple:
    case syntax::Kind::list: return eval_sequence(node);
    case syntax::Kind::dict: return eval_dict(node);
    case syntax::Kind::comprehension: return eval_comprehension(node);
    case syntax::Kind::fstring: return eval_fstring(node);
    case syntax::Kind::lambda: return function_at(node);
    case syntax::Kind::named:  // the value that the name then has
      assign_to(node.part(0), eval(node.part(1)), node.part(1).span);
      return eval_name(node.part(0));
    default: break;
  }
  report(Diag::expression_unsupported, node.span,
         node.kind == syntax::Kind::unsupported ? node.name.str()
                                                : std::string(syntax::kind_name(node.kind)))
      .help("compute it in Python, before the kernel");
  return {};
}

void Elaborator::out_of_region(Symbol name, Span use, const Binding& binding) {
  if (is_forgotten_index(diagnostics_, binding)) return;  // already reported
  Diagnostic& message = report(Diag::name_out_of_region, use, name)
                            .label(binding.span, "bound here, in a block that has ended");
  if (binding.shadows.known()) {
    message.label(binding.shadows, "the buffer with this name")
        .help("use another name in the block, so that `" + name.str() + "` remains the buffer");
    return;
  }
  const Expr* expr = binding.value.get<Expr>();
  const VarValue* var = binding.value.get<VarValue>();
  if (!expr && !var && !is_number(binding.value)) {
    message.help("use it inside the block, or make it before the block");
    return;
  }
  const DType dtype = expr ? (*expr)->type.dtype : var ? var->dtype : natural_dtype(binding.value);
  message.help("make it a variable before the block: `" + name.str() + " = T.alloc_var(\"" +
               std::string(tilelang_name(dtype)) + "\")`");
}

static constexpr size_t kNamesShown = 12;  // in a message

static const char* replacement_of(std::string_view name) {
  struct Row {
    std::string_view name;
    const char* here;
  };
  static constexpr Row rows[] = {
      {"blockIdx", "use the name of the block index in `with T.Kernel(...) as bx`"},
      {"threadIdx",
       "use T.get_thread_binding() for the thread index; T.copy and T.Parallel distribute their "
       "work over threads"},
      {"blockDim", "write the number of threads, as in T.Kernel(..., threads=128)"},
      {"gridDim", "write the number of blocks, as in T.Kernel(...)"},
      {"np", "use the functions of T in a kernel: T.max(a, b), T.exp(x), T.sqrt(x)"},
      {"torch", "use the functions of T in a kernel: T.max(a, b), T.exp(x), T.sqrt(x)"}};
  for (const Row& row : rows)
    if (row.name == name) return row.here;
  return nullptr;
}

/// Names in scope, innermost function first, sorted within each function.
std::vector<std::string> Elaborator::bound_names() const {
  std::vector<std::string> out;
  for (const Frame* frame = frame_.get(); frame; frame = frame->parent.get()) {
    auto begin = static_cast<ptrdiff_t>(out.size());
    for (const auto& [name, binding] : frame->names)
      if (!binding.value.poisoned() && ir_.active(binding.region)) out.push_back(name.str());
    std::sort(out.begin() + begin, out.end());
  }
  return out;
}

void Elaborator::help_unknown(Diagnostic& message, const std::string& name) {
  std::vector<std::string> known = bound_names();
  if (suggest(message, name, known)) return;
  if (const Builtin* row = find_builtin(name)) {
    message.help("did you mean `T." + row->name + "`?");
  } else if (const char* here = replacement_of(name)) {
    message.help(here);
  } else if (std::string ours = instead_of(name); !ours.empty()) {
    message.help(ours);
  } else if (!in_kernel_) {
    message.help("declare an extent that comes from the call: `" + name + " = T.const(\"" + name +
                 "\")`; bind another value in the Python code around the kernel");
  } else {
    if (!blocks_named_)
      message.help("name the block index after `as`: `with T.Kernel(...) as " + name + ":`");
    if (known.size() > kNamesShown) known.resize(kNamesShown), known.emplace_back("...");
    message.help((known.empty() ? "" : "names bound here: " + join(known, ", ") + "; ") +
                 "bind the name before this line, in the kernel or in the Python code around it");
  }
}

/// A dynamic value of a region that has ended reaches no later statement.
void Elaborator::end_with_region(Binding& binding) {
  const Value& value = binding.value;
  const bool runtime = !is_compile_time(value) && !value.is<FunctionValue>() && !value.poisoned();
  if (runtime && binding.paths == Binding::Paths::agree && !ir_.active(binding.region))
    binding.paths = Binding::Paths::unbound;
}

Value Elaborator::eval_name(const syntax::Node& node) {
  Symbol name = node.name;
  if (Binding* binding = find(name)) {
    end_with_region(*binding);
    if (binding->deleted.known()) {
      report(Diag::name_deleted, node.span, name)
          .label(binding->deleted, "ended here")
          .help("remove the `del`, or bind the name again after it");
      binding->deleted = {};  // report only once
      return {};
    }
    if (binding->paths != Binding::Paths::agree) {
      report_paths(name, node.span, *binding);
      return {};
    }
    if (!binding->read.known()) binding->read = node.span;
    allow_rebinding(diagnostics_, *binding, name);
    return binding->value;
  }
  for (Symbol parameter : pending_)
    if (parameter == name) {
      undeclared(name, parameter_span(name));
      put(name, {}, node.span);
      return {};
    }
  HostResult found = host_.lookup(frame_->scope, name);
  if (!found.missing) return of_program(host_value(std::move(found), node.span));
  help_unknown(report(Diag::name_unknown, node.span, name), name.str());
  put(name, {}, node.span);  // report only once
  return {};
}

Value Elaborator::eval_unary(const syntax::Node& node) {
  const syntax::Node& operand = node.part(0);
  // -2^63 is an int64, although the literal is not.
  if (node.op == Op::neg && operand.kind == syntax::Kind::integer && operand.integer > INT64_MAX) {
    if (operand.integer - 1 == INT64_MAX) return INT64_MIN;
    report(Diag::expression_unsupported, node.span, "an integer of more than 64 bits");
    return {};
  }
  Value a = node.op == Op::not_ ? eval_truth(node.part(0)) : eval(node.part(0));
  return a.poisoned() ? Value{} : unary_op(node.op, a, node.span);
}

/// eval(text) of an expression with names of the kernel, as at this line; nullopt for other texts,
/// which Python evaluates.
std::optional<Value> Elaborator::eval_text(const std::string& text) {
  Diagnostics unread;
  const syntax::Tree module = syntax::parse("eval(\"" + text + "\")", strip(text), unread);
  if (!module || module->body.size() != 1) return std::nullopt;
  const syntax::Node& only = *module->body[0];
  if (only.kind != syntax::Kind::expression) return std::nullopt;
  bool of_kernel = false;
  syntax::for_each(only, [&](const syntax::Node& node) {
    of_kernel |= node.kind == syntax::Kind::name && find(node.name);
  });
  return of_kernel ? std::optional(eval(only.part(0))) : std::nullopt;
}

Value Elaborator::eval_compare(const syntax::Node& node) {
  Value left = eval(*node.list[0]);
  Value result = true;
  for (size_t i = 0; i < node.ops.size(); ++i) {
    Value right = eval(*node.list[i + 1]);
    if (left.poisoned() || right.poisoned()) return {};
    Value one = compare_op(node.ops[i], left, right, node.span);
    if (one.poisoned()) return {};
    if (auto known = one.get<bool>()) {
      if (!*known) return false;
    } else if (result.is<bool>()) {
      result = one;
    } else {
      result = Expr(binary(BinOp::land, *result.get<Expr>(), to_bool(one, node.span)));
    }
    left = std::move(right);
  }
  return result;
}

Value Elaborator::eval_slice(const syntax::Node& node) {
  auto part = [&](size_t i) {
    return std::make_shared<Value>(node.has_part(i) ? eval(node.part(i)) : Value(None{}));
  };
  SliceValue slice{part(0), part(1), part(2)};
  if (slice.lo->poisoned() || slice.hi->poisoned() || slice.step->poisoned()) return {};
  return slice;
}

/// An item of a container, or a default: its present value. Slices and buffers are references.
Value Elaborator::evaluated(Value value, Span span) {
  value = current_value(std::move(value));
  const Expr* expr = value.get<Expr>();
  const bool named =
      expr && (reads_var(*expr) || reads_memory(*expr) || !is_smaller(**expr, kMaxLetSize));
  return named ? let_value("item", *expr, span) : value;
}

/// A tuple with its items evaluated, or the value.
Value Elaborator::evaluated_items(Value value, Span span) {
  const Sequence* tuple = value.get<Sequence>();
  if (!tuple || tuple->is_list) return value;
  std::vector<Value> items;
  for (const Value& item : *tuple->items)
    items.push_back(evaluated_items(evaluated(item, span), span));
  return tuple_of(std::move(items));
}

/// The index of an element: a tuple of several indices does not count as a container.
Value Elaborator::eval_index(const syntax::Node& node) {
  return node.kind == syntax::Kind::tuple ? eval_sequence(node, true) : eval(node);
}

Value Elaborator::eval_sequence(const syntax::Node& node, bool of_index) {
  std::vector<Value> items;
  bool good = true;
  for (const syntax::Tree& item : node.list) {
    if (item->kind == syntax::Kind::starred) {
      Value value = eval(item->part(0));
      auto more = value.poisoned() ? std::nullopt : items_of(value, item->span);
      good = good && more;
      if (more) items.insert(items.end(), more->begin(), more->end());
      continue;
    }
    Value value = eval(*item);
    items.push_back(of_index ? std::move(value) : evaluated(std::move(value), item->span));
    good = good && !items.back().poisoned();
  }
  if (!good) return {};
  return node.kind == syntax::Kind::list ? list_of(std::move(items)) : tuple_of(std::move(items));
}

/// `{key: value, **others}`: of equal keys, the last value counts.
Value Elaborator::eval_dict(const syntax::Node& node) {
  const Dictionary made{std::make_shared<Entries>()};
  const auto set = [&](const Value& key, Value value, Span span) {
    if (Value* known = Objects::entry(*this, made, key, span))
      *known = std::move(value);
    else
      made.items->emplace_back(key, std::move(value));
  };
  for (size_t i = 0; i + 1 < node.list.size(); i += 2) {
    Value value = eval(*node.list[i + 1]);
    if (value.poisoned()) return {};
    const Span span = node.list[i + 1]->span;
    if (!node.list[i]) {
      const auto keys = items_of(value, span);
      if (!keys) return {};
      for (const Value& key : *keys) set(key, subscript(value, key, span), span);
      continue;
    }
    Value key = eval(*node.list[i]);
    if (key.poisoned()) return {};
    set(key, evaluated(std::move(value), span), span);
  }
  return dict_of({made.items->begin(), made.items->end()});
}

Value Elaborator::eval_comprehension(const syntax::Node& node) {
  std::vector<Value> items;
  auto inner = std::make_shared<Frame>();  // names bound by the clauses are local to it
  inner->parent = frame_;
  inner->scope = frame_->scope;
  inner->region = frame_->region;
  inner->python = frame_->python;
  const auto outer = std::exchange(frame_, std::move(inner));
  comprehend(node, 0, items);
  frame_ = outer;
  for (const Value& item : items)
    if (item.poisoned()) return {};
  return list_of(std::move(items));
}

void Elaborator::comprehend(const syntax::Node& node, size_t index, std::vector<Value>& out) {
  if (index == node.list.size())
    return out.push_back(evaluated(eval(node.part(0)), node.part(0).span));
  const syntax::Node& clause = *node.list[index];
  Symbol hint = hint_;
  hint_ = {};
  Value over = eval(clause.part(1));
  hint_ = hint;
  auto items = over.poisoned() ? std::nullopt : items_of(over, clause.part(1).span);
  if (!items) return out.push_back({});
  for (const Value& item : *items) {
    host_.poll();
    assign_to(clause.part(0), item, clause.part(1).span);
    bool wanted = true;
    for (const syntax::Tree& test : clause.list) {
      Value value = eval_truth(*test);
      auto known = value.poisoned() ? std::nullopt : static_truth(value, test->span);
      if (!known && !value.poisoned())
        report(Diag::static_needed, test->span, "a condition of a list", describe(value))
            .help("put an `if` into a loop of the kernel");
      wanted = wanted && known.value_or(false);
    }
    if (wanted) comprehend(node, index + 1, out);
    if (!out.empty() && out.back().poisoned()) return;
    if (std::ssize(out) <= kMaxItems) continue;
    report_too_large({1, std::ssize(out)}, node.span);
    return out.push_back({});
  }
}

Value Elaborator::eval_fstring(const syntax::Node& node) {
  MessageValue out;
  for (const syntax::Tree& piece : node.list) {
    if (piece->kind == syntax::Kind::string) {
      out.text += piece->text;
      continue;
    }
    Value value = eval(piece->part(0));
    if (value.is<ObjectValue>()) value = Objects::text(*this, value, piece->name, piece->span);
    std::string format;
    if (piece->has_part(1)) {
      Value made = eval(piece->part(1));
      if (const auto* s = made.get<std::string>()) format = *s;
    }
    if (value.poisoned()) return {};
    if (const MessageValue* part = value.get<MessageValue>()) {
      out.text += part->text;
      out.values.insert(out.values.end(), part->values.begin(), part->values.end());
    } else if (value.is<Expr>() || value.is<VarValue>()) {
      const Expr dynamic = to_expr(value, piece->span);
      if (!dynamic) return {};
      out.text += kMessageMark + format + kMessageMark;
      out.values.push_back(dynamic);
    } else if (!is_compile_time(value)) {
      report(Diag::static_needed, piece->span, "a value inside an f-string", describe(value))
          .help("print it by itself: T.print(value, msg=...)");
      return {};
    } else {
      Value made = host_value(host_.format(value, piece->name.str(), format), piece->span);
      if (!made.is<std::string>()) return {};
      out.text += *made.get<std::string>();
    }
  }
  return out.values.empty() ? Value(out.text) : Value(out);
}

}  // namespace tilelab::elaborate
