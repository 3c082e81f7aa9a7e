// SPDX-License-Identifier: Apache-2.0
// A call of a function of another language (T.call_extern). It becomes two branches, the function
// itself and its model (core/analysis/foreign.h).
#pragma once

#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

class ForeignCall {
 public:
  /// `result`: the dtype of its value; nullopt if nothing uses one.
  ForeignCall(Elaborator& elaborator, std::string name, std::optional<DType> result, Span span)
      : e_(elaborator), name_(std::move(name)), result_(result), span_(span) {}
  /// Emits the call; the value is its result.
  Value emit(std::vector<Argument> passed);

  /// The body of a kernel that is the function (source_kernel.cpp).
  void emit_kernel();
  /// Source code, or that of the file with that name; nullopt after an error.
  static std::optional<std::string> source_of(Elaborator& e, const Argument& given);
  /// A function that the language has, by its name in another one (externs.def).
  static Value known(Elaborator& e, std::string_view name, const std::vector<Argument>& passed,
                     std::optional<DType> result, Span span);
  /// The element at `index` elements after the address, as in C; nullopt after an error.
  static std::optional<std::vector<SliceDim>> pointed(Elaborator& e, const AddressValue& address,
                                                      const Value& index, Span span);
  /// Adds source code to the host section, once.
  static void add_source(Elaborator& e, const std::string& text, Span span);

 private:
  Expr operand(const Argument& argument);
  Expr address_operand(const AddressValue& address, Span span);
  const AddressValue* address(size_t i) const { return passed_[i].value.get<AddressValue>(); }
  Stmt itself();
  Stmt model();
  Stmt opaque() const;
  void emit_branches(Stmt native, Stmt otherwise);
  void model_of_user(const Value& function);
  bool hosted_model();
  std::string hosted_signature() const;
  std::vector<Expr> read_values();

  Elaborator& e_;
  std::string name_;
  std::optional<DType> result_;
  Span span_;
  std::vector<Argument> passed_;  // addresses as AddressValue
  std::vector<Expr> operands_;
  std::string access_;       // of each operand: foreign_access
  bool of_threads_ = false;  // it accesses memory that threads share: each thread executes it
  Symbol into_;              // the variable of its result
};

}  // namespace tilelab::elaborate
