// SPDX-License-Identifier: Apache-2.0
// Calls: builtins of the table, and calls that Python evaluates at compile time.
#include <algorithm>
#include <array>
#include <optional>

#include "core/diagnostics/usage.h"
#include "core/elaborate/builtins/hints.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/objects.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

using syntax::Op;

/// The arguments of T.if_then_else(test, a, b), which are evaluated like `a if test else b`;
/// nullopt for other calls, or if an argument is missing.
static std::optional<std::array<syntax::Tree, 3>> choice(const Value& callee,
                                                         const syntax::Node& call) {
  const Builtin* const* row = callee.get<const Builtin*>();
  if (!row || (*row)->data != "lazy" || call.list.size() != 3) return std::nullopt;
  std::array<syntax::Tree, 3> out;
  for (size_t i = 0; i < 3; ++i) {
    const syntax::Tree& item = call.list[i];
    if (item->kind == syntax::Kind::starred) return std::nullopt;
    size_t to = i;
    if (item->kind == syntax::Kind::keyword)
      for (to = 0; to < 3 && (*row)->parameters[to].name != item->name.str();) ++to;
    if (to == 3) return std::nullopt;
    out[to] = item->kind == syntax::Kind::keyword ? item->parts[0] : item;
  }
  return out[0] && out[1] && out[2] ? std::optional(out) : std::nullopt;
}

Value Elaborator::eval_call(const syntax::Node& node) {
  Symbol hint = hint_;
  hint_ = {};
  Value callee = eval(node.part(0));
  if (const auto of = choice(callee, node)) {
    hint_ = hint;
    const auto& [test, a, b] = *of;
    return chosen(*test, *a, *b, node.span);
  }
  std::vector<Argument> positional;
  KeywordArguments keywords;
  bool good = !callee.poisoned();
  for (const syntax::Tree& item : node.list) {
    bool plain = item->kind != syntax::Kind::keyword && item->kind != syntax::Kind::starred;
    Value value = eval(plain ? *item : item->part(0));
    good = good && !value.poisoned();
    if (value.poisoned()) continue;
    if (item->kind == syntax::Kind::starred) {
      if (auto items = items_of(value, item->span))
        for (const Value& one : *items) positional.push_back({one, item->span, true});
    } else if (plain) {
      positional.push_back({std::move(value), item->span, true});
    } else if (item->name) {
      keywords.push_back({item->name, {std::move(value), item->span, true}});
    } else if (auto keys = items_of(value, item->span)) {  // **options
      for (const Value& key : *keys) {
        const auto* text = key.get<std::string>();
        Value entry = text ? subscript(value, key, item->span) : Value{};
        good = good && !entry.poisoned();
        if (text)
          keywords.push_back({Symbol(*text), {std::move(entry), item->span, true}});
        else
          report(Diag::expression_unsupported, item->span, "** of " + describe(value))
              .help("pass ** a dict whose keys are names of options");
      }
    }
  }
  hint_ = hint;
  if (!good) return {};
  return call(callee, std::move(positional), keywords, node.span, node.part(0).span);
}

Value Elaborator::call(const Value& callee, std::vector<Argument> positional,
                       const KeywordArguments& keywords, Span span, Span callee_span) {
  if (const Builtin* const* row = callee.get<const Builtin*>())
    return call_builtin(**row, std::move(positional), keywords, span);
  if (const FunctionValue* function = callee.get<FunctionValue>())
    return call_function(*function, positional, keywords, span);
  if (const Method* method = callee.get<Method>())
    return call_method(*method, positional, keywords, span);
  if (const HostRef* object = callee.get<HostRef>())
    return call_host(*object, positional, keywords, span);
  if (const ObjectValue* object = callee.get<ObjectValue>())
    return Objects::call(*this, *object, "__call__", std::move(positional), keywords, span);
  if (const auto places =
          callee.is<LayoutValue>() ? find_attribute(callee, "__call__", span) : std::nullopt)
    return call(*places, std::move(positional), keywords, span, callee_span);
  if (callee.is<DTypeValue>()) {  // T.float32(x)
    if (positional.size() == 1) return convert(positional[0].value, {callee, callee_span}, span);
    if (!positional.empty()) {
      const auto type = element_type(callee, callee_span);
      return type ? make_vector(positional, *type, span) : Value{};
    }
    auto dtype = dtype_of(callee, callee_span);
    if (!dtype) return {};
    const Symbol name = ir_.fresh(hint_ ? hint_ : "v");
    unbound_.insert(name);
    return VarValue{name, *dtype, span};
  }
  Diagnostic& message = report(Diag::not_callable, callee_span, subject(callee));
  if (const BufferRef* buffer = callee.get<BufferRef>())
    message.help("access elements with brackets: `" + element_text(**buffer) + "`");
  else
    message.help("call a function of T, a T.macro or a Python function");
  return {};
}

Value Elaborator::call_method(const Method& method, const std::vector<Argument>& positional,
                              const KeywordArguments& keywords, Span span) {
  const std::string& name = method.name.str();
  if (const ObjectValue* object = method.object->get<ObjectValue>())
    return Objects::call(*this, *object, method.name, positional, keywords, span);
  if (const BufferRef* buffer = method.object->get<BufferRef>(); buffer && name == "access_ptr")
    return call_access_ptr(*buffer, positional, keywords, span);
  if (name == "astype" && positional.size() == 1)
    return convert(*method.object, positional[0], span);
  if (name == "scope" && method.object->is<std::string>()) return *method.object;
  if (const Sequence* items = method.object->get<Sequence>()) {
    if (name == "append" && items->is_list && positional.size() == 1) {
      // Lists created by elaboration are not shared with Python; the change is visible through
      // every reference.
      if (may_change(*items, {positional[0].value}, span))
        extend(*items, {evaluated(positional[0].value, positional[0].span)});
      return None{};
    }
  }
  if (const Dictionary* dict = method.object->get<Dictionary>()) {
    std::vector<Value> out;
    for (const auto& [key, value] : *dict->items) {
      if (name == "items") out.push_back(tuple_of({key, value}));
      if (name == "keys") out.push_back(key);
      if (name == "values") out.push_back(value);
    }
    if (name == "items" || name == "keys" || name == "values") return list_of(std::move(out));
  }
  bool list = method.object->is<Sequence>(), dict = method.object->is<Dictionary>();
  if (list || dict)
    if (auto made = Objects::call_python_method(*this, method, positional, keywords, span))
      return *made;
  report(Diag::attribute_unknown, span, subject(*method.object), method.name)
      .help(list   ? "lists of a kernel have append, extend, insert, pop, index and similar methods"
            : dict ? "dicts of a kernel have get, items, keys, values, update and similar methods"
                   : "values have dtype and astype(dtype)");
  return {};
}

/// Keywords of the call precede those of the callable.
Value Elaborator::call_bound(const BoundCall& bound, const std::vector<Argument>& positional,
                             const KeywordArguments& keywords, Span span) {
  std::vector<Argument> all;
  for (const Value& value : bound.first) all.push_back({of_program(value), span, true});
  all.insert(all.end(), positional.begin(), positional.end());
  KeywordArguments named = keywords;
  for (const auto& [name, value] : bound.named) {
    auto same = [&, key = name](const auto& given) { return given.first == key; };
    if (std::none_of(keywords.begin(), keywords.end(), same))
      named.push_back({name, {value, span, true}});
  }
  return call(bound.callee, std::move(all), named, span, span);
}

Value Elaborator::call_host(const HostRef& callee, const std::vector<Argument>& positional,
                            const KeywordArguments& keywords, Span span) {
  if (const auto* text = positional.size() == 1 ? positional[0].value.get<std::string>() : nullptr;
      text && keywords.empty() && host_name(callee) == "eval")
    if (auto result = eval_text(*text)) return *result;
  if (auto object = Objects::of_python(*this, callee, positional)) return *object;
  bool fixed = !host_.is_meta_class(callee);
  const std::vector<Value> values = Objects::arguments_for_python(*this, positional);
  for (const Value& value : values) fixed = fixed && is_compile_time(value);
  Keywords named;
  for (const auto& [name, argument] : keywords) {
    fixed = fixed && is_compile_time(argument.value);
    named.emplace_back(name, argument.value);
  }
  if (fixed) {
    HostResult result = host_.call(callee, values, named);
    if (!result.needs_inline) return host_value(std::move(result), span);
  }
  if (auto bound = host_.bound(callee)) return call_bound(*bound, positional, keywords, span);
  if (auto made = Objects::construct(*this, callee, positional, keywords, span)) return *made;
  HostResult source = host_.source(callee);
  if (source.ok() && source.value.is<FunctionValue>())
    return call_function(*source.value.get<FunctionValue>(), positional, keywords, span);
  if (!source.error.empty()) return host_value(std::move(source), span);
  std::string name = host_name(callee);
  if (auto made =
          positional.empty() ? std::nullopt : Objects::by_function(*this, name, positional, span))
    return *made;
  if (name == "isinstance" && positional.size() == 2) {
    if (auto is = Objects::is_instance(*this, positional[0].value, positional[1])) return *is;
    return {};
  }
  if ((name == "getattr" || name == "hasattr") && positional.size() >= 2)
    if (const auto* wanted = positional[1].value.get<std::string>()) {
      const auto found = find_attribute(positional[0].value, Symbol(*wanted), span);
      if (name == "hasattr") return found.has_value();
      if (found) return *found;
      return positional.size() > 2 ? positional[2].value
                                   : attribute(positional[0].value, Symbol(*wanted), span);
    }
  std::string instead = instead_of(name), ours = builtin_instead(name);
  if (instead.empty() && !ours.empty()) instead = "T." + ours + " does this inside a kernel";
  Diagnostic& message =
      report(Diag::host_call_runtime, span, name.empty() ? "this function" : "`" + name + "`");
  for (const Argument& argument : positional)
    if (!is_compile_time(argument.value)) {
      message.label(argument.span, "only known at run time");
      break;
    }
  if (fixed)
    message.help("make it a T.macro: it calls functions of T, which exist only in a kernel");
  else
    message.help(instead.empty() ? "compute it in the kernel, with functions of T or a T.macro"
                                 : instead);
  return {};
}

// ---- builtins

Value Elaborator::call_builtin(const Builtin& row, std::vector<Argument> positional,
                               const KeywordArguments& keywords, Span span) {
  if (row.status == Status::accepted) {
    if (reported_options_.insert(row.name).second)
      report(usage::option_no_effect, span, row.shown()).note(row.doc);
    return None{};
  }
  if (row.status != Status::works && row.of_python()) {
    report(Diag::syntax_unsupported, span, row.shown() + "()").help(row.doc);
    return {};
  }
  if (row.status != Status::works) {
    report(row.status == Status::planned ? Diag::builtin_planned : Diag::builtin_refused, span,
           row.name)
        .note(row.doc);
    return {};
  }
  Arguments args;
  args.row = &row;
  args.span = span;
  args.bound.resize(row.parameters.size());
  if (!bind_positional(args, std::move(positional)) || !bind_keywords(args, keywords) ||
      !bind_defaults(args))
    return {};
  int errors = diagnostics_.errors();
  Value result = (this->*row.handler)(args);
  if (diagnostics_.errors() == errors) report_without_effect(args);
  return result;
}

/// Adds the signature "T.copy(src, dst, *, ...)" as help.
void Elaborator::help_signature(Diagnostic& message, const Builtin& row) {
  message.help(row.shown() + "(" + row.signature + ")");
}

bool Elaborator::bind_positional(Arguments& args, std::vector<Argument> positional) {
  const Builtin& row = *args.row;
  size_t next = 0;
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const Parameter& parameter = row.parameters[i];
    if (parameter.form == Parameter::Form::rest)
      for (; next < positional.size(); ++next) args.rest.push_back(std::move(positional[next]));
    if (parameter.form == Parameter::Form::positional && next < positional.size())
      args.bound[i] = std::move(positional[next++]);
  }
  if (next == positional.size()) return true;
  help_signature(
      report(Diag::call_extra, args.span, row.shown(),
             plural(static_cast<int64_t>(next), "positional argument"), positional.size()),
      row);
  return false;
}

namespace {

struct ParameterName {
  std::string_view theirs, ours;
};
constexpr ParameterName kParameterNames[] = {
#define PARAMETER(theirs, ours) {theirs, ours},
#include "core/elaborate/builtins/parameters.def"
#undef PARAMETER
};

/// Index of the parameter that a keyword argument sets; nothing if there is none.
std::optional<size_t> parameter_named(const Builtin& row, std::string_view name) {
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const Parameter::Form form = row.parameters[i].form;
    if (form != Parameter::Form::positional && form != Parameter::Form::keyword) continue;
    if (row.parameters[i].name == name) return i;
  }
  return {};
}

/// The same for the name that TileLang gives to a parameter.
std::optional<size_t> parameter_of_tilelang(const Builtin& row, std::string_view name) {
  for (const ParameterName& pair : kParameterNames)
    if (pair.theirs == name)
      if (const auto found = parameter_named(row, pair.ours)) return found;
  return {};
}

bool takes_all_keywords(const Builtin& row) {
  return std::any_of(row.parameters.begin(), row.parameters.end(), [](const Parameter& parameter) {
    return parameter.form == Parameter::Form::keywords;
  });
}

}  // namespace

bool Elaborator::bind_keywords(Arguments& args, const KeywordArguments& keywords) {
  const Builtin& row = *args.row;
  for (const auto& [name, argument] : keywords) {
    auto place = parameter_named(row, name.str());
    if (!place && takes_all_keywords(row)) {
      args.keywords.emplace_back(name, argument);
      continue;
    }
    if (!place) place = parameter_of_tilelang(row, name.str());
    const bool twice = place && args.bound[*place].given;
    if (place && !twice) {
      args.bound[*place] = argument;
      continue;
    }
    Diagnostic& message =
        report(twice ? Diag::call_twice : Diag::call_keyword, argument.span, row.shown(), name);
    if (!twice) suggest(message, name.str(), names_of(row.parameters));
    help_signature(message, row);
    const Builtin* reduction = find_builtin("reduce_" + row.name);
    if (reduction && (name.str() == "axis" || name.str() == "dim"))
      message.help(instead_of_method(row.name));
    return false;
  }
  return true;
}

bool Elaborator::bind_defaults(Arguments& args) {
  const Builtin& row = *args.row;
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const Parameter& parameter = row.parameters[i];
    if (args.bound[i].given || parameter.form == Parameter::Form::rest ||
        parameter.form == Parameter::Form::keywords)
      continue;
    if (!parameter.fallback) {
      help_signature(report(Diag::call_missing, args.span, row.shown(), parameter.name), row);
      return false;
    }
    args.bound[i] = {*parameter.fallback, args.span, false};
  }
  return true;
}

namespace {

/// Whether an argument has no effect: it is the default, or None.
bool is_default(const Value& value, const Parameter& parameter) {
  if (value.is<None>() || !parameter.fallback) return value.is<None>();
  const Value& usual = *parameter.fallback;
  if (const auto* text = value.get<std::string>()) {
    const auto* other = usual.get<std::string>();
    return other && *text == *other;
  }
  if (const auto* items = value.get<Sequence>()) return items->items->empty();
  auto number = integer_of(value), other = integer_of(usual);
  if (number && parameter.name == "mask")
    return *number == -1 || *number == 0xffffffff;  // all lanes
  if (number && usual.is<None>()) return value.is<bool>() && *number == 0;
  return number && other && *number == *other;
}

}  // namespace

/// Reports, once per kernel, options without effect: those that the handler never read, and those
/// of options.def.
void Elaborator::report_without_effect(const Arguments& args) {
  const Builtin& row = *args.row;
  for (size_t i = 0; i < row.parameters.size(); ++i) {
    const Parameter& parameter = row.parameters[i];
    if (i >= args.bound.size() || !args.bound[i].given) continue;
    const Option* known = find_option(row.name, parameter.name);
    if (!known && args.was_read(i)) continue;
    if (is_default(args.bound[i].value, parameter)) continue;
    if (!reported_options_.insert(row.name + "." + parameter.name).second) continue;
    bool demand = known && known->kind == Option::Kind::demand;
    Diagnostic& message = report(demand ? usage::option_ignored : usage::option_no_effect,
                                 args.bound[i].span, "`" + parameter.name + "` of T." + row.name);
    if (known) message.note(known->note());
    if (demand) message.help("remove it if the kernel is correct without it");
  }
}

}  // namespace tilelab::elaborate
