// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/objects.h"

#include <algorithm>

#include "core/support/text.h"

namespace tilelab::elaborate {

Value* Objects::find(const ObjectValue& object, Symbol name) {
  if (object.after) return nullptr;
  for (auto& [key, value] : *object.attributes)
    if (*key.get<std::string>() == name.str()) return &value;
  return nullptr;
}

/// The argument `name` of the constructor, if a name can begin with it.
Symbol Objects::prefix_of(const FunctionValue& init, const std::vector<Argument>& positional,
                          const KeywordArguments& keywords) {
  const std::string* text = nullptr;
  const syntax::Trees& parameters = init.tree->list;
  for (size_t i = 0; i < parameters.size() && i < positional.size(); ++i)
    if (parameters[i]->name.str() == "name") text = positional[i].value.get<std::string>();
  for (const auto& [key, argument] : keywords)
    if (key.str() == "name") text = argument.value.get<std::string>();
  const auto letter = [](char c) {
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const auto fits = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  const bool good = text && !text->empty() && letter(text->front()) &&
                    std::all_of(text->begin(), text->end(), fits);
  return good ? Symbol(*text) : Symbol();
}

std::optional<Value> Objects::construct(Elaborator& e, const HostRef& type,
                                        std::vector<Argument> positional,
                                        const KeywordArguments& keywords, Span span) {
  const Member init = e.host_.member(type, {}, "__init__");
  if (init.kind != Member::Kind::method) return std::nullopt;
  const FunctionValue* source = init.value.get<FunctionValue>();
  positional.insert(positional.begin(), {Value{}, span, true});
  const Symbol prefix = source ? prefix_of(*source, positional, keywords) : Symbol();
  Value object = object_of(type, e.host_name(type), prefix, e.ir_.region());
  positional[0].value = object;
  const int errors = e.diagnostics_.errors();
  e.call(init.value, std::move(positional), keywords, span, span);
  return e.diagnostics_.errors() == errors ? object : Value{};
}

std::optional<Value> Objects::of_python(Elaborator& e, const HostRef& callee,
                                        const std::vector<Argument>& positional) {
  Value object;
  if (!positional.empty()) {
    object = positional.back().value;
  } else if (e.frame_->function && !e.frame_->function->list.empty()) {
    const Binding* self = e.frame_->find(e.frame_->function->list[0]->name);
    if (self) object = self->value;
  }
  const ObjectValue* made = object.get<ObjectValue>();
  const std::string name = made ? e.host_name(callee) : "";
  if (name == "type" && positional.size() == 1) return Value(made->type);
  if (name != "super" || positional.size() == 1) return std::nullopt;
  const Value type =
      positional.empty() ? e.host_.lookup(e.frame_->scope, "__class__").value : positional[0].value;
  if (!type.is<HostRef>()) return std::nullopt;
  ObjectValue out = *made;
  out.after = *type.get<HostRef>();
  return out;
}

std::optional<Value> Objects::attribute(Elaborator& e, const ObjectValue& object, Symbol name,
                                        Span span) {
  const Member member = e.host_.member(object.type, object.after, name);
  if (member.kind == Member::Kind::property) {
    ObjectValue self = object;
    self.after = {};
    return e.call(member.value, {{Value(self), span, true}}, {}, span, span);
  }
  if (const Value* value = find(object, name)) return *value;
  if (name.str() == "__class__") return Value(object.type);
  if (member.kind == Member::Kind::method) return Method{std::make_shared<Value>(object), name};
  if (member.kind == Member::Kind::value) return member.value;
  if (name.str().rfind("__", 0) == 0) return std::nullopt;
  return special(e, object, "__getattr__", {name.str()}, span);
}

Value Objects::call(Elaborator& e, const ObjectValue& object, Symbol method,
                    std::vector<Argument> positional, const KeywordArguments& keywords, Span span) {
  const Member member = e.host_.member(object.type, object.after, method);
  if (member.kind != Member::Kind::method) {
    e.report(Diag::not_callable, span, subject(object))
        .help("give its class a method `" + method.str() + "`");
    return {};
  }
  ObjectValue self = object;
  self.after = {};
  positional.insert(positional.begin(), {Value(self), span, true});
  return e.call(member.value, std::move(positional), keywords, span, span);
}

/// As for names: a variable keeps its memory and takes the value, unless the value is a new one.
bool Objects::assign(Elaborator& e, const syntax::Node& target, const Value& value,
                     Span value_span) {
  const Value owner = e.eval(target.part(0));
  const ObjectValue* object = owner.get<ObjectValue>();
  if (owner.is<HostRef>())
    e.report(Diag::store_target, target.span, "an attribute of a Python object")
        .help("mark its class with T.meta_class, and make the object in the kernel");
  if (!object) return owner.poisoned() || owner.is<HostRef>();
  const Span span = join(target.span, value_span);
  const Member member = e.host_.member(object->type, {}, target.name);
  if (member.kind == Member::Kind::property) {
    if (!member.setter.is<None>()) {
      e.call(member.setter, {{owner, span, true}, {value, value_span, true}}, {}, span, span);
    } else {
      e.report(Diag::store_target, target.span, "`" + target.name.str() + "`, a property")
          .help("assign to the attribute that it reads, or give it a setter");
    }
    return true;
  }
  Value* old = find(*object, target.name);
  const VarValue* variable = old ? old->get<VarValue>() : nullptr;
  const VarValue* given = value.get<VarValue>();
  if (variable && !value.poisoned() && !(given && value_span.contains(given->span))) {
    const VarValue into = *variable;
    e.assign_var(into, value, span);
    return true;
  }
  Value taken = value.poisoned() ? value : e.evaluated(value, value_span);
  if (!e.may_change(owner, {taken}, span)) return true;
  if (old) {
    Container::add(object->attributes, *old, -1);
    *old = taken;
  } else {
    object->attributes->emplace_back(target.name.str(), taken);
  }
  Container::add(object->attributes, taken);
  return true;
}

Symbol Objects::name_for(Elaborator& e, const syntax::Node& target) {
  if (target.kind == syntax::Kind::name) return target.name;
  if (target.kind != syntax::Kind::attribute || target.part(0).kind != syntax::Kind::name)
    return {};
  const Binding* owner = e.find(target.part(0).name);
  const ObjectValue* object = owner ? owner->value.get<ObjectValue>() : nullptr;
  const std::string& name = target.name.str();
  const size_t first = name.find_first_not_of('_');
  if (!object || first == std::string::npos) return {};
  return Symbol((object->prefix ? object->prefix.str() + "_" : "") + name.substr(first));
}

std::string Objects::attributes_text(Elaborator& e, const ObjectValue& object) {
  std::vector<std::string> names;
  for (const auto& [key, value] : *object.attributes)
    if (const std::string& name = *key.get<std::string>(); name[0] != '_') names.push_back(name);
  const std::string of_class = e.host_.public_names(object.type);
  if (!of_class.empty()) names.push_back(of_class);
  return names.empty() ? "it has no public attributes yet" : "it has " + join(names, ", ");
}

bool Objects::is_of_class(Elaborator& e, const HostRef& of, const Value& type) {
  const HostResult classes = e.host_.attribute(of, "__mro__");
  const Sequence* order = classes.ok() ? classes.value.get<Sequence>() : nullptr;
  return order && std::any_of(order->items->begin(), order->items->end(),
                              [&](const Value& one) { return e.same(one, type); });
}

/// A run-time value is a T.PrimExpr, a variable also a T.Var, a buffer a T.Buffer or T.Tensor.
std::optional<bool> Objects::is_instance(Elaborator& e, const Value& value, const Argument& types) {
  auto all = types.value.is<Sequence>() ? e.items_of(types.value, types.span)
                                        : std::vector<Value>{types.value};
  if (!all) return std::nullopt;
  std::vector<std::string_view> kinds;
  const Expr* expr = value.get<Expr>();
  if (expr || value.is<VarValue>()) kinds = {"PrimExpr", "Expr"};
  if (value.is<VarValue>() || (expr && as<Name>(*expr) && !e.element_read(*expr)))
    kinds.insert(kinds.end(), {"Var", "Symbolic"});
  if (expr && e.element_read(*expr)) kinds.push_back("BufferLoad");
  if (value.is<BufferRef>()) kinds = {"Buffer", "Tensor"};
  if (value.is<RegionValue>()) kinds = {"BufferRegion"};
  if (const Sequence* items = value.get<Sequence>()) kinds = {items->is_list ? "list" : "tuple"};
  if (value.is<Dictionary>()) kinds = {"dict"};
  if (value.is<SliceValue>()) kinds = {"slice"};
  for (const Value& type : *all) {
    if (const ObjectValue* object = value.get<ObjectValue>()) {
      if (is_of_class(e, object->type, type)) return true;
      continue;
    }
    const Builtin* const* row = type.get<const Builtin*>();
    const std::string name = row ? (*row)->name : e.host_name(type);
    if (std::count(kinds.begin(), kinds.end(), name.substr(name.rfind('.') + 1))) return true;
  }
  return false;
}

}  // namespace tilelab::elaborate
