// SPDX-License-Identifier: Apache-2.0
// A host without Python for tests of core/elaborate: tables of names, and the arithmetic that
// kernels ask for.
#pragma once

#include <map>

#include "core/elaborate/elaborate.h"

namespace tilelab::test {

class FakeHost : public elaborate::HostValues {
 public:
  /// Names that the source does not bind. `T` and `tilelang` are there already.
  std::map<std::string, elaborate::Value> globals;
  /// Functions in source form that only Python code names, for `call` with run-time values.
  std::map<std::string, elaborate::Value> sources;

  elaborate::HostResult lookup(const elaborate::HostRef& scope, Symbol name) override;
  elaborate::HostResult attribute(const elaborate::Value& object, Symbol name) override;
  elaborate::HostResult subscript(const elaborate::Value&, const elaborate::Value&) override;
  elaborate::HostResult call(const elaborate::HostRef&, const std::vector<elaborate::Value>&,
                             const elaborate::Keywords&) override;
  elaborate::HostResult source(const elaborate::HostRef& callee) override;
  elaborate::HostResult unary(syntax::Op, const elaborate::Value&) override;
  elaborate::HostResult binary(syntax::Op op, const elaborate::Value& a,
                               const elaborate::Value& b) override;
  elaborate::HostResult iterate(const elaborate::HostRef&) override;
  elaborate::HostResult truth(const elaborate::Value& object) override;
  elaborate::HostResult format(const elaborate::Value& object, const std::string&,
                               const std::string&) override;
  elaborate::HostResult dtype(const elaborate::HostRef& object) override;
};

/// The function that `text` ends with, elaborated; names of earlier functions in it are macros.
struct Elaborated {
  elaborate::Result result;
  Diagnostics diagnostics;
  std::string messages() const;
  std::string complaints() const;  // the messages that are more than notes
};
Elaborated elaborate_text(const std::string& text, FakeHost& host, elaborate::Request request = {});

}  // namespace tilelab::test
