// SPDX-License-Identifier: Apache-2.0
// Interface to the host language: names that the kernel's source does not bind, and operations on
// host objects. python/ implements it with CPython; core's tests with tables.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// The IR name of T.dynamic's extent: the user's, unless the IR reserves it for thread indices.
inline Symbol extent_name(std::string name) {
  if (name == "tid" || name == "lane" || name == "warp") name += "_extent";
  return Symbol(name);
}

/// A value, or the host's exception ("ZeroDivisionError: division by zero").
struct HostResult {
  Value value;
  std::string error;
  std::string raised_at;      // "file.py, line 9: return sizes[n]", in user code
  bool missing = false;       // no such name or attribute
  bool needs_inline = false;  // it uses the language: inline the callee's source instead
  bool ok() const { return error.empty() && !missing && !needs_inline; }

  static HostResult fail(std::string text, std::string at = {}) {
    return {{}, std::move(text), std::move(at)};
  }
  static HostResult absent() { return {{}, {}, {}, true}; }
};

using Keywords = std::vector<std::pair<Symbol, Value>>;

/// A callable that calls `callee` with `first` prepended to the arguments.
struct BoundCall {
  Value callee;
  std::vector<Value> first;
  Keywords named;
};

/// What a class gives its objects under a name.
struct Member {
  enum class Kind : uint8_t { none, value, method, property };
  Kind kind = Kind::none;
  Value value;   // of a property: its getter
  Value setter;  // of a property; None if it has none
};

class HostValues {
 public:
  virtual ~HostValues() = default;
  /// The free name `name` of the function with that scope: enclosing functions, module globals,
  /// builtins, in this order.
  virtual HostResult lookup(const HostRef& scope, Symbol name) = 0;
  /// What the host evaluated for the annotation of a parameter of that function.
  virtual HostResult annotation(const HostRef& /*scope*/, Symbol /*parameter*/) {
    return HostResult::absent();
  }
  virtual HostResult attribute(const Value& object, Symbol name) = 0;
  virtual HostResult subscript(const Value& object, const Value& index) = 0;
  /// Arguments are compile-time values.
  virtual HostResult call(const HostRef& callee, const std::vector<Value>& arguments,
                          const Keywords& keywords) = 0;
  /// The value of `with object:`; `missing` if the object is not a context manager.
  virtual HostResult enter(const HostRef&) { return HostResult::absent(); }
  /// The end of such a `with`; `failed`: its body had an error.
  virtual HostResult leave(const HostRef&, bool /*failed*/) { return {None{}}; }
  /// The callee's source, for inlining; `missing` if it has none.
  virtual HostResult source(const HostRef& callee) = 0;
  /// The underlying call of a method, a partial application or a callable object.
  virtual std::optional<BoundCall> bound(const HostRef&) { return std::nullopt; }
  /// What a class has under that name, after the class `after` in the order of inheritance if one
  /// is given; `none` if the host object is not a class.
  virtual Member member(const HostRef& /*type*/, const HostRef& /*after*/, Symbol /*name*/) {
    return {};
  }
  /// Whether a kernel makes all objects of that class itself: dict, and those of T.meta_class.
  virtual bool is_meta_class(const HostRef& /*type*/) { return false; }
  /// "init, m_idx": what a class gives its objects, without private names.
  virtual std::string public_names(const HostRef& /*type*/) { return ""; }
  virtual HostResult unary(syntax::Op op, const Value& a) = 0;
  virtual HostResult binary(syntax::Op op, const Value& a, const Value& b) = 0;
  /// All items, as a Sequence.
  virtual HostResult iterate(const HostRef& object) = 0;
  virtual HostResult truth(const Value& object) = 0;
  /// The model of a foreign function, as a function in source form; `missing` if it has none.
  virtual HostResult extern_model(const std::string& /*name*/) { return HostResult::absent(); }
  /// Compiles a function of the sources for this machine, with a signature of
  /// core/sim/program/hosted.h. The key by which the simulator finds it; "" if that is impossible.
  virtual std::string host_function(const std::string& /*name*/, const std::string& /*signature*/,
                                    const std::vector<std::string>& /*sources*/) {
    return "";
  }
  /// str(object), with the f-string's conversion and format.
  virtual HostResult format(const Value& object, const std::string& conversion,
                            const std::string& format) = 0;
  /// The element type of an object (torch.float16, numpy.dtype("f4")).
  virtual HostResult dtype(const HostRef& object) = 0;
  /// Called at every statement and item; throws Cancelled if the user interrupts. Any other
  /// function may throw it, too.
  virtual void poll() {}
};

}  // namespace tilelab::elaborate
