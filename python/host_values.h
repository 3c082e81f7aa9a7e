// SPDX-License-Identifier: Apache-2.0
// Implements core/elaborate's queries of host values with CPython. Everything needs the GIL.
#pragma once

#include <map>
#include <utility>

#include "core/elaborate/host.h"
#include "python/value.h"

namespace tilelab::python {

/// A Python object inside the elaborator.
struct PythonObject : elaborate::HostObject {
  explicit PythonObject(Object o) : object(std::move(o)) {}
  Object object;
};

/// `bridge` is the module tilelab._compiler.bridge, whose functions and classes classify the
/// package's objects (T.copy, T.float16, T.dynamic("m"), macros).
class PythonHost : public elaborate::HostValues {
 public:
  explicit PythonHost(Object bridge);

  elaborate::HostResult annotation(const elaborate::HostRef& scope, Symbol parameter) override;
  elaborate::HostResult lookup(const elaborate::HostRef& scope, Symbol name) override;
  elaborate::HostResult attribute(const elaborate::Value& object, Symbol name) override;
  elaborate::HostResult subscript(const elaborate::Value& object,
                                  const elaborate::Value& index) override;
  elaborate::HostResult call(const elaborate::HostRef& callee,
                             const std::vector<elaborate::Value>& arguments,
                             const elaborate::Keywords& keywords) override;
  elaborate::HostResult enter(const elaborate::HostRef& object) override;
  elaborate::HostResult leave(const elaborate::HostRef& object, bool failed) override;
  elaborate::HostResult source(const elaborate::HostRef& callee) override;
  std::optional<elaborate::BoundCall> bound(const elaborate::HostRef& callee) override;
  elaborate::Member member(const elaborate::HostRef& type, const elaborate::HostRef& after,
                           Symbol name) override;
  bool is_meta_class(const elaborate::HostRef& type) override;
  std::string public_names(const elaborate::HostRef& type) override;
  elaborate::HostResult unary(syntax::Op op, const elaborate::Value& a) override;
  elaborate::HostResult binary(syntax::Op op, const elaborate::Value& a,
                               const elaborate::Value& b) override;
  elaborate::HostResult iterate(const elaborate::HostRef& object) override;
  elaborate::HostResult truth(const elaborate::Value& object) override;
  elaborate::HostResult format(const elaborate::Value& object, const std::string& conversion,
                               const std::string& format) override;
  elaborate::HostResult dtype(const elaborate::HostRef& object) override;
  elaborate::HostResult extern_model(const std::string& name) override;
  std::string host_function(const std::string& name, const std::string& signature,
                            const std::vector<std::string>& sources) override;
  void poll() override;

  /// After Cancelled: restores the Python error that caused it.
  void restore_error();

  /// A Python object in the elaborator's representation.
  elaborate::Value to_value(const Object& object);
  /// The inverse, for compile-time values; an empty Object for others.
  Object to_object(const elaborate::Value& value);

 private:
  Object to_layout(const ForwardMap& map);
  Object ask(const char* function, std::vector<Object> arguments);
  elaborate::HostResult answer(const Object& result);
  elaborate::HostResult answer_if_any(const Object& made);
  elaborate::HostResult failure();  // the current Python error, as text
  [[noreturn]] void cancel();       // by the current Python error
  /// Clears an error, treating it as "no"; propagates interrupts and exits.
  void forget_error();
  elaborate::Value special(const Object& object);
  elaborate::Value sequence_value(const Object& object);

  // Names looked up since Python last ran: a layout's function queries the same ones for each
  // element. Holds references to the scopes, so that no address is reused.
  std::map<std::pair<elaborate::HostRef, Symbol>, elaborate::Value> known_;
  int64_t nesting_ = 0, converted_ = 0;  // of the list or tuple that to_value converts
  Object bridge_, special_classes_, special_function_, no_builder_;
  Object error_type_, error_, error_trace_;  // of cancel()
};

/// Set by bindings.cpp: the tree inside a `_core.Tree`, or null.
syntax::Tree tree_of_object(void* object);

}  // namespace tilelab::python
