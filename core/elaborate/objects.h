// SPDX-License-Identifier: Apache-2.0
// Objects of Python classes that a kernel makes, because their methods use the language or because
// an argument of the constructor is a dynamic value. Attributes are values of the kernel; methods,
// properties and super() follow the class's order of inheritance; each call is inlined. Without
// that, a class of variables and buffers would need a macro with all of them as arguments.
#pragma once

#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

class Objects {
 public:
  /// The object that a call of a class makes; nullopt if the callee is not a class of Python code.
  static std::optional<Value> construct(Elaborator& e, const HostRef& type,
                                        std::vector<Argument> positional,
                                        const KeywordArguments& keywords, Span span);
  /// The value of super() in a method, super(C, object) or type(object); nullopt for other calls.
  static std::optional<Value> of_python(Elaborator& e, const HostRef& callee,
                                        const std::vector<Argument>& positional);
  /// `object.name`: an attribute, a property, a method, or what the class has; nullopt if nothing.
  static std::optional<Value> attribute(Elaborator& e, const ObjectValue& object, Symbol name,
                                        Span span);
  static Value call(Elaborator& e, const ObjectValue& object, Symbol method,
                    std::vector<Argument> positional, const KeywordArguments& keywords, Span span);
  /// `object.name = value`; false if the target is not an attribute of such an object.
  static bool assign(Elaborator& e, const syntax::Node& target, const Value& value,
                     Span value_span);
  /// The result of a special method; nullopt if the class has none, or if it gives NotImplemented.
  static std::optional<Value> special(Elaborator& e, const Value& object, Symbol method,
                                      const std::vector<Value>& arguments, Span span);
  /// Operators, by the methods of the operands' classes; nullopt if no operand is an object.
  static std::optional<Value> unary(Elaborator& e, syntax::Op op, const Value& a, Span span);
  static std::optional<Value> binary(Elaborator& e, syntax::Op op, const Value& a, const Value& b,
                                     Span span);
  /// `a += b` by `__iadd__`.
  static std::optional<Value> in_place(Elaborator& e, syntax::Op op, const Value& a, const Value& b,
                                       Span span);
  /// `len(object)`, `int(object)` and similar by `__len__`, `__int__`: any function of that name.
  static std::optional<Value> by_function(Elaborator& e, const std::string& name,
                                          const std::vector<Argument>& arguments, Span span);
  static Value* entry(Elaborator& e, const Dictionary& dict, const Value& key, Span span);
  static std::optional<std::pair<int64_t, int64_t>> item_range(Elaborator& e, const Sequence& list,
                                                               const Value& index, Span span);
  static bool remove(Elaborator& e, const Value& object, const Value& index, Span span);
  /// A method of a list or a dict that is written in Python, or whose result Python knows.
  static std::optional<Value> call_python_method(Elaborator& e, const Method& method,
                                                 const std::vector<Argument>& positional,
                                                 const KeywordArguments& keywords, Span span);
  /// The values of arguments; a range as the list of its numbers.
  static std::vector<Value> arguments_for_python(Elaborator& e,
                                                 const std::vector<Argument>& arguments);
  /// The object in an f-string: `__str__`, or `__repr__` if there is none or it is asked for.
  static Value text(Elaborator& e, const Value& object, Symbol conversion, Span span);
  static std::string exception_text(Elaborator& e, const Value& exception, Span span);
  /// Takes a text, or an f-string with its values, as the message; false if it is neither.
  static bool read_message(const Value& value, Record& record);
  /// What decides a condition: that of an object by `__bool__` or `__len__`, or the value itself.
  static Value truth(Elaborator& e, const Value& value, Span span);
  static Value compare_items(Elaborator& e, syntax::Op op, const Sequence& a, const Sequence& b,
                             Span span);
  /// What `__iter__` gives, or the items by `__len__` and `__getitem__`; nullopt without these.
  static std::optional<Value> iterated(Elaborator& e, const Value& object, Span span);
  /// The name of memory that the target of an assignment takes: that of `self._count` in an object
  /// with the name `tiles` is `tiles_count`.
  static Symbol name_for(Elaborator& e, const syntax::Node& target);
  /// isinstance() for values of the kernel; nullopt after an error.
  static std::optional<bool> is_instance(Elaborator& e, const Value& value, const Argument& types);
  /// "it has size, step", without private names.
  static std::string attributes_text(Elaborator& e, const ObjectValue& object);

 private:
  static Value* find(const ObjectValue& object, Symbol name);
  static HostRef class_of(Elaborator& e, const Value& value);
  static bool is_refined(Elaborator& e, const Value& a, const Value& b, Symbol method);
  static bool is_of_class(Elaborator& e, const HostRef& of, const Value& type);
  static Symbol prefix_of(const FunctionValue& init, const std::vector<Argument>& positional,
                          const KeywordArguments& keywords);
};

}  // namespace tilelab::elaborate
