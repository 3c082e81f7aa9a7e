// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/value.h"

#include <algorithm>

#include "core/elaborate/builtins/builtins.h"
#include "core/ir/build.h"
#include "core/layout/forward.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

Value::Value() = default;
Value::Value(const Value& other) = default;
Value::Value(Value&& other) noexcept = default;
Value& Value::operator=(const Value& other) = default;
Value& Value::operator=(Value&& other) noexcept = default;
Value::~Value() = default;
namespace {

template <class... F> struct Overloaded : F... { using F::operator()...; };
template <class... F> Overloaded(F...) -> Overloaded<F...>;

std::string with_article(const std::string& noun) {
  bool vowel = !noun.empty() && std::string_view("aeiou").find(noun[0]) != std::string_view::npos;
  return (vowel ? "an " : "a ") + noun;
}

std::string scope_word(Scope scope) { return std::string(name(scope)); }

std::string buffer_text(const BufferInfo& info) {
  return "`" + info.name.str() + "`, " + with_article(scope_word(info.scope)) + " " +
         (info.scope == Scope::global ? "tensor" : "buffer") + " of " +
         (info.variable ? "one" : shape_text(info.visible_shape())) + " " +
         type_text({info.dtype, info.lanes});
}

/// Adds parentheses to operands that bind weaker than `outer`.
std::string operand_text(const Expr& expr, int outer) {
  const Bin* bin = as<Bin>(expr);
  std::string text = expr_text(expr);
  return bin && precedence(bin->op) <= outer ? "(" + text + ")" : text;
}

std::string join_exprs(const std::vector<Expr>& exprs) { return join(exprs, ", ", expr_text); }

}  // namespace

std::optional<Type> type_from_name(std::string_view name) {
  if (const auto known = dtype_from_name(name)) return Type{*known};
  const size_t x = name.rfind('x');
  if (x == std::string_view::npos) return std::nullopt;
  const auto element = dtype_from_name(name.substr(0, x));
  const std::string_view count = name.substr(x + 1);
  for (int lanes : {2, 4, 8, 16, 32, 64})
    if (element && count == std::to_string(lanes)) return Type{*element, lanes};
  return std::nullopt;
}

std::string type_text(Type type) {
  return std::string(tilelang_name(type.dtype)) +
         (type.scalar() ? "" : "x" + std::to_string(type.lanes));
}

DTypeValue BufferInfo::type() const {
  if (lanes > 1) return {type_text({dtype, lanes}), std::nullopt};
  return {tf32 ? "tfloat32" : tilelang_name(dtype), dtype};
}

void TensorType::set_element(Type element) {
  dtype = element.dtype, lanes = element.lanes;
  if (element.scalar()) return;
  for (Expr& stride : strides) stride = mul(stride, int_const(lanes, stride->type.dtype));
  if (!strides.empty()) strides.push_back(int_const(1));
  shape.push_back(int_const(lanes));
}

Value tuple_of(std::vector<Value> items) {
  const auto all = std::make_shared<Items>(std::move(items));
  for (const Value& item : *all) Container::add(all, item);
  return Sequence{all, false};
}
Value list_of(std::vector<Value> items) {
  const auto all = std::make_shared<Items>(std::move(items));
  for (const Value& item : *all) Container::add(all, item);
  all->grows_ = true;
  return Sequence{all, true};
}
Value dict_of(std::vector<std::pair<Value, Value>> items) {
  const auto all = std::make_shared<Entries>();
  all->assign(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end()));
  for (const auto& [key, value] : *all) Container::add(all, key), Container::add(all, value);
  all->grows_ = true;
  return Dictionary{all};
}

Value of_program(Value value) {
  if (auto* list = std::get_if<Sequence>(&value.data)) list->of_program = list->is_list;
  if (auto* dict = std::get_if<Dictionary>(&value.data)) dict->of_program = true;
  return value;
}

Value object_of(HostRef type, std::string type_name, Symbol prefix, int region) {
  const auto attributes = std::make_shared<Entries>();
  attributes->grows_ = true;
  return ObjectValue{std::move(type), std::move(type_name), prefix, attributes, region, {}};
}

bool is_number(const Value& value) {
  return value.is<bool>() || value.is<int64_t>() || value.is<double>();
}

std::optional<int64_t> integer_of(const Value& value) {
  if (const auto* i = value.get<int64_t>()) return *i;
  if (const auto* b = value.get<bool>()) return *b;
  if (const auto* e = value.get<Expr>()) return int_value(*e);
  return std::nullopt;
}

bool is_compile_time(const Value& value) {
  if (const auto* items = value.get<Sequence>())
    return std::all_of(items->items->begin(), items->items->end(), is_compile_time);
  if (const auto* dict = value.get<Dictionary>())
    return std::all_of(dict->items->begin(), dict->items->end(), [](const auto& item) {
      return is_compile_time(item.first) && is_compile_time(item.second);
    });
  if (const auto* slice = value.get<SliceValue>())
    return is_compile_time(*slice->lo) && is_compile_time(*slice->hi) &&
           is_compile_time(*slice->step);
  if (const auto* layout = value.get<LayoutValue>())
    return !layout->map->coordinates.empty() || !layout->map->threads.empty();
  return is_number(value) || value.is<None>() || value.is<std::string>() ||
         value.is<DTypeValue>() || value.is<HostRef>() || value.is<const Builtin*>();
}

bool any_part(const Value& value, FunctionRef<bool(const Value&)> found) {
  const auto in = [&](const Value& part) { return any_part(part, found); };
  const auto in_any = [&](const std::vector<Value>& parts) {
    return std::any_of(parts.begin(), parts.end(), in);
  };
  if (found(value)) return true;
  if (const auto* items = value.get<Sequence>()) return in_any(*items->items);
  if (const auto* dict = value.get<Dictionary>())
    return std::any_of(dict->items->begin(), dict->items->end(),
                       [&](const auto& item) { return in(item.first) || in(item.second); });
  if (const auto* object = value.get<ObjectValue>())
    return std::any_of(object->attributes->begin(), object->attributes->end(),
                       [&](const auto& item) { return in(item.second); });
  if (const auto* slice = value.get<SliceValue>())
    return in(*slice->lo) || in(*slice->hi) || in(*slice->step);
  if (const auto* method = value.get<Method>()) return in(*method->object);
  const auto* function = value.get<FunctionValue>();
  return function && function->defaults && in_any(*function->defaults);
}

std::string expr_text(const Expr& expr) {
  if (const Const* c = as<Const>(expr)) {
    if (c->type.dtype == DType::bool_) return c->bits ? "True" : "False";
    if (auto i = int_value(expr)) return std::to_string(*i);
    if (auto d = number_value(expr)) return shortest(*d);
  }
  if (const Name* n = as<Name>(expr)) return n->id.str();
  if (const Un* u = as<Un>(expr)) return text(u->op) + operand_text(u->a, 11);
  if (const Bin* b = as<Bin>(expr)) {
    int p = precedence(b->op);
    if (!*text(b->op)) return "div(" + expr_text(b->a) + ", " + expr_text(b->b) + ")";
    return operand_text(b->a, p - 1) + " " + text(b->op) + " " + operand_text(b->b, p);
  }
  if (const Cast* c = as<Cast>(expr); c && is_float(c->type.dtype) && is_integer(c->a->type.dtype))
    return expr_text(c->a);  // Python's promotion: not in the user's source
  if (const Cast* c = as<Cast>(expr))
    return std::string(tilelang_name(c->type.dtype)) + "(" + expr_text(c->a) + ")";
  if (const Load* l = as<Load>(expr)) return l->buffer.str() + "[" + join_exprs(l->index) + "]";
  if (const Call* c = as<Call>(expr))
    return std::string(name(c->intrinsic)) + "(" + join_exprs(c->args) + ")";
  return "...";
}

std::string shape_text(const std::vector<Expr>& shape) {
  if (shape.empty()) return "no dimensions";
  const auto text = [](const Expr& e) {
    return as<Bin>(e) ? "(" + expr_text(e) + ")" : expr_text(e);
  };
  return join(shape, "x", text) +
         (shape.size() == 1 ? (is_int(shape[0], 1) ? " element" : " elements") : "");
}

std::string word_text(const Value& value) {
  const auto* text = value.get<std::string>();
  return text ? "\"" + *text + "\"" : describe(value);
}

std::string describe(const Value& value) {
  return std::visit(
      Overloaded{
          [](const Poison&) { return std::string("an erroneous value"); },
          [](const None&) { return std::string("None"); },
          [](bool b) { return std::string(b ? "True" : "False"); },
          [](int64_t i) { return "the integer " + std::to_string(i); },
          [](double d) { return "the number " + shortest(d); },
          [](const std::string& s) { return "the string \"" + s + "\""; },
          [](const Expr& e) {
            return "`" + expr_text(e) + "`, " +
                   with_article("dynamic " + std::string(tilelang_name(e->type.dtype)));
          },
          [](const BufferRef& b) { return buffer_text(*b); },
          [](const RegionValue& r) { return "a slice of " + buffer_text(*r.buffer); },
          [](const VarValue& v) { return "the variable `" + v.name.str() + "`"; },
          [](const DTypeValue& d) { return "the dtype " + d.name; },
          [](const SliceValue&) { return std::string("a slice"); },
          [](const Sequence& s) {
            return std::string(s.is_list ? "a list" : "a tuple") + " of " +
                   plural(static_cast<int64_t>(s.items->size()), "item");
          },
          [](const Dictionary&) { return std::string("a dict"); },
          [](const ObjectValue& o) { return "an object of the class `" + o.type_name + "`"; },
          [](const TensorType& t) { return "a tensor type of " + shape_text(t.shape); },
          [](const KernelFrame&) { return std::string("T.Kernel(...)"); },
          [](const LoopFrame&) { return std::string("a loop of the kernel"); },
          [](const FunctionValue& f) { return "the function `" + f.name.str() + "`"; },
          [](const Method& m) { return "the method `" + m.name.str() + "`"; },
          [](const LayoutValue&) { return std::string("a layout"); },
          [](const PointerValue& p) { return "the pointer `" + p.parameter.str() + "`"; },
          [](const AddressValue& a) {
            return "the address of `" + a.buffer->name.str() + "[" + join_exprs(a.index) + "]`";
          },
          [](const CombinerValue&) { return std::string("a T.comm_reducer"); },
          [](const MessageValue&) { return std::string("an f-string with dynamic values"); },
          [](const Builtin* b) { return "the function `T." + b->name + "`"; },
          [](const HostRef&) { return std::string("a Python object"); },
      },
      value.data);
}

std::string subject(const Value& value) {
  std::string text = describe(value);
  return text.find(", ") == std::string::npos ? text : text + ",";
}

}  // namespace tilelab::elaborate
