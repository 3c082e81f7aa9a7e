// SPDX-License-Identifier: Apache-2.0
// Operators, brackets, iteration and calls of functions such as len() on objects: the methods that
// Python looks up in their class, with its rules for reflected methods and NotImplemented. An
// object of the program takes part where its method uses the language or an operand is a dynamic
// value.
#include <algorithm>

#include "core/elaborate/objects.h"
#include "core/ir/fold.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

using syntax::Op;

namespace {

struct OperatorMethod {
  Op op;
  const char *method, *reflected;
};
constexpr OperatorMethod kOperatorMethods[] = {
    {Op::add, "__add__", "__radd__"},
    {Op::sub, "__sub__", "__rsub__"},
    {Op::mul, "__mul__", "__rmul__"},
    {Op::matmul, "__matmul__", "__rmatmul__"},
    {Op::div, "__truediv__", "__rtruediv__"},
    {Op::floordiv, "__floordiv__", "__rfloordiv__"},
    {Op::mod, "__mod__", "__rmod__"},
    {Op::pow, "__pow__", "__rpow__"},
    {Op::shl, "__lshift__", "__rlshift__"},
    {Op::shr, "__rshift__", "__rrshift__"},
    {Op::bit_and, "__and__", "__rand__"},
    {Op::bit_or, "__or__", "__ror__"},
    {Op::bit_xor, "__xor__", "__rxor__"},
    {Op::eq, "__eq__", "__eq__"},
    {Op::ne, "__ne__", "__ne__"},
    {Op::lt, "__lt__", "__gt__"},
    {Op::le, "__le__", "__ge__"},
    {Op::gt, "__gt__", "__lt__"},
    {Op::ge, "__ge__", "__le__"},
    {Op::neg, "__neg__", ""},
    {Op::pos, "__pos__", ""},
    {Op::invert, "__invert__", ""},
};

const OperatorMethod* methods_of(Op op) {
  const auto* row = std::find_if(std::begin(kOperatorMethods), std::end(kOperatorMethods),
                                 [&](const OperatorMethod& one) { return one.op == op; });
  return row == std::end(kOperatorMethods) ? nullptr : row;
}

bool may_have_methods(const Value& value) { return value.is<ObjectValue>() || value.is<HostRef>(); }

}  // namespace

/// The class of an object of the kernel or of the program; null for other values.
HostRef Objects::class_of(Elaborator& e, const Value& value) {
  if (const ObjectValue* object = value.get<ObjectValue>()) return object->type;
  if (!value.is<HostRef>()) return nullptr;
  const HostResult found = e.host_.attribute(value, "__class__");
  const HostRef* type = found.ok() ? found.value.get<HostRef>() : nullptr;
  return type ? *type : nullptr;
}

std::optional<Value> Objects::special(Elaborator& e, const Value& object, Symbol method,
                                      const std::vector<Value>& arguments, Span span) {
  const HostRef type = may_have_methods(object) ? class_of(e, object) : nullptr;
  const Member member = type ? e.host_.member(type, {}, method) : Member{};
  if (member.kind != Member::Kind::method) return std::nullopt;
  std::vector<Argument> positional{{object, span, true}};
  for (const Value& argument : arguments) positional.push_back({argument, span, true});
  Value result = e.call(member.value, std::move(positional), {}, span, span);
  const bool refused =
      result.is<HostRef>() && e.host_name(class_of(e, result)) == "NotImplementedType";
  return refused ? std::nullopt : std::optional(std::move(result));
}

std::optional<Value> Objects::unary(Elaborator& e, Op op, const Value& a, Span span) {
  return special(e, a, methods_of(op)->method, {}, span);
}

/// Whether the class of `b` derives from that of `a` and has its own version of the method.
bool Objects::is_refined(Elaborator& e, const Value& a, const Value& b, Symbol method) {
  const HostRef base = class_of(e, a), derived = class_of(e, b);
  if (!base || !derived || e.same(base, derived) || !is_of_class(e, derived, base)) return false;
  const Value ours = e.host_.attribute(derived, method).value;
  return !e.same(ours, e.host_.attribute(base, method).value);
}

std::optional<Value> Objects::binary(Elaborator& e, Op op, const Value& a, const Value& b,
                                     Span span) {
  if (!may_have_methods(a) && !may_have_methods(b)) return std::nullopt;
  const OperatorMethod* row = methods_of(op);
  if (!row) return std::nullopt;
  const bool reflected_first = is_refined(e, a, b, row->reflected);
  for (const bool reflected : {reflected_first, !reflected_first}) {
    auto made = reflected ? special(e, b, row->reflected, {a}, span)
                          : special(e, a, row->method, {b}, span);
    if (made) return made;
  }
  if (op == Op::ne || op == Op::eq) {
    const auto equal = op == Op::ne ? binary(e, Op::eq, a, b, span) : std::nullopt;
    if (equal)
      return equal->poisoned() ? Value{} : e.unary_op(Op::not_, truth(e, *equal, span), span);
    if (a.is<ObjectValue>() || b.is<ObjectValue>()) return Value(e.same(a, b) == (op == Op::eq));
  }
  const Value* object = a.is<ObjectValue>() ? &a : b.is<ObjectValue>() ? &b : nullptr;
  if (!object) return std::nullopt;
  e.report(Diag::operator_type, span, syntax::op_text(op), describe(*object))
      .help("give its class a method `" + std::string(object == &a ? row->method : row->reflected) +
            "`");
  return Value{};
}

std::optional<Value> Objects::in_place(Elaborator& e, Op op, const Value& a, const Value& b,
                                       Span span) {
  if (!a.is<ObjectValue>()) return std::nullopt;
  return special(e, a, std::string("__i") + (methods_of(op)->method + 2), {b}, span);
}

std::optional<Value> Objects::by_function(Elaborator& e, const std::string& name,
                                          const std::vector<Argument>& arguments, Span span) {
  const Value& first = arguments[0].value;
  if (name == "iter" && arguments.size() == 1) {
    const auto items = e.items_of(first, span);
    return items ? list_of(*items) : Value{};
  }
  if (!first.is<ObjectValue>()) return std::nullopt;
  if (name == "bool") return e.unary_op(Op::not_, e.unary_op(Op::not_, first, span), span);
  std::vector<Value> others;
  for (const Argument& one : arguments) others.push_back(one.value);
  others.erase(others.begin());
  return special(e, first, "__" + name + "__", others, span);
}

Value Objects::text(Elaborator& e, const Value& object, Symbol conversion, Span span) {
  auto made = conversion.str() == "r" ? std::nullopt : special(e, object, "__str__", {}, span);
  if (!made) made = special(e, object, "__repr__", {}, span);
  return made ? *made : Value("<" + object.get<ObjectValue>()->type_name + " object>");
}

bool Objects::read_message(const Value& value, Record& record) {
  if (const MessageValue* message = value.get<MessageValue>()) {
    record.message = message->text;
    record.values.insert(record.values.end(), message->values.begin(), message->values.end());
  } else if (const auto* text = value.get<std::string>()) {
    record.message = *text;
  }
  return value.is<MessageValue>() || value.is<std::string>() || value.is<None>();
}

Value Objects::truth(Elaborator& e, const Value& value, Span span) {
  if (!value.is<ObjectValue>()) return value;
  if (auto made = special(e, value, "__bool__", {}, span)) return *made;
  const auto length = special(e, value, "__len__", {}, span);
  if (!length) return true;
  return length->poisoned() ? Value{} : e.compare_op(Op::ne, *length, 0, span);
}

/// Lists and tuples with dynamic items, in Python's lexicographic order.
Value Objects::compare_items(Elaborator& e, Op op, const Sequence& a, const Sequence& b,
                             Span span) {
  if (op == Op::ne) return e.unary_op(Op::not_, compare_items(e, Op::eq, a, b, span), span);
  const size_t count = std::min(a.items->size(), b.items->size());
  const bool equal = op == Op::eq;
  if (equal && (a.is_list != b.is_list || a.items->size() != b.items->size())) return false;
  Value result =
      equal ? Value(true) : e.compare_op(op, std::ssize(*a.items), std::ssize(*b.items), span);
  const auto joined = [&](BinOp with, const Value& x, const Value& y) -> Value {
    const Expr left = e.to_bool(x, span), right = e.to_bool(y, span);
    if (!left || !right) return {};
    const Expr both = tilelab::binary(with, left, right);
    const auto known = number_value(both);
    return known ? Value(*known != 0) : Value(both);
  };
  for (size_t i = count; i-- > 0;) {  // a[i] < b[i] or (a[i] == b[i] and the rest)
    const Value &x = (*a.items)[i], &y = (*b.items)[i];
    result = joined(BinOp::land, e.compare_op(Op::eq, x, y, span), result);
    if (equal || result.poisoned()) continue;
    const Op strict = op == Op::le ? Op::lt : op == Op::ge ? Op::gt : op;
    result = joined(BinOp::lor, e.compare_op(strict, x, y, span), result);
  }
  return result;
}

std::optional<Value> Objects::iterated(Elaborator& e, const Value& object, Span span) {
  if (auto made = special(e, object, "__iter__", {}, span)) return made;
  const auto length = special(e, object, "__len__", {}, span);
  const auto count =
      length ? e.static_int(*length, span, "the len() of an object in a loop") : std::nullopt;
  if (!count) return length ? std::optional(Value{}) : std::nullopt;
  std::vector<Value> items;
  for (int64_t i = 0; i < *count; ++i) {
    auto item = special(e, object, "__getitem__", {i}, span);
    if (!item) return std::nullopt;
    items.push_back(std::move(*item));
  }
  return list_of(std::move(items));
}

}  // namespace tilelab::elaborate
