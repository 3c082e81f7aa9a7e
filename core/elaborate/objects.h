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
  /// The name of memory that the target of an assignment takes: that of `self._count` in an object
  /// with the name `tiles` is `tiles_count`.
  static Symbol name_for(Elaborator& e, const syntax::Node& target);
  /// isinstance() for values of the kernel; nullopt after an error.
  static std::optional<bool> is_instance(Elaborator& e, const Value& value, const Argument& types);
  /// "it has size, step", without private names.
  static std::string attributes_text(Elaborator& e, const ObjectValue& object);

 private:
  static Value* find(const ObjectValue& object, Symbol name);
  static bool is_of_class(Elaborator& e, const ObjectValue& object, const Value& type);
  static Symbol prefix_of(const FunctionValue& init, const std::vector<Argument>& positional,
                          const KeywordArguments& keywords);
};

}  // namespace tilelab::elaborate
