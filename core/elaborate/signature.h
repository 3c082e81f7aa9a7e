// SPDX-License-Identifier: Apache-2.0
// The signature of a function: parameters, dynamic extents, and the host section before the first
// kernel.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "core/analysis/effects.h"
#include "core/elaborate/emitter.h"
#include "core/elaborate/reporter.h"
#include "core/elaborate/value.h"

namespace tilelab::elaborate {

/// The declaration of a buffer in the IR.
Stmt buffer_stmt(const BufferInfo& info);

class Signature {
 public:
  explicit Signature(Reporter& reporter) : reporter_(reporter) {}

  struct Parameter {
    Symbol name;
    BufferRef tensor;  // null for a scalar
    DType dtype = DType::i32;
    Span span;
  };
  const std::vector<Parameter>& parameters() const { return parameters_; }
  const Parameter* find(Symbol name) const;
  /// Adds a parameter; it replaces the parameter `pointer` if that is an address.
  void add(Parameter parameter, Symbol pointer = {});
  /// Sorts the parameters as `names`, those of the Python function: annotations may come in another
  /// order. A parameter of another name follows its predecessor; outputs are last.
  void arrange(const std::vector<Symbol>& names);

  /// The dynamic extents in the order of their declaration.
  std::vector<std::pair<Symbol, DType>> extents() const {
    std::vector<std::pair<Symbol, DType>> out;
    for (Symbol name : order_) out.emplace_back(name, dims_.at(name));
    return out;
  }
  bool is_extent(Symbol name) const { return dims_.count(name) > 0; }
  bool has(Symbol name) const { return is_extent(name) || find(name); }
  /// Adds the dynamic extents that occur in `exprs`.
  void use_extents(const std::vector<Expr>& exprs, Emitter& ir);
  /// An extent whose value the caller supplies.
  void add_constant(Symbol name) { constants_.insert(name); }
  /// Whether the host can compute it: it depends only on extents and scalar arguments.
  bool computes(const Expr& expr) const;

  /// Statements of the host before `body`.
  std::vector<Stmt> host_section(const Stmt& body, Span function) const;
  void declare_in(Func& func) const;

 private:
  Stmt bind_dim(Symbol dim, const Touched& used) const;

  Reporter& reporter_;
  std::vector<Parameter> parameters_;
  std::map<Symbol, DType> dims_;
  std::vector<Symbol> order_;  // of the extents
  std::set<Symbol> constants_;
};

}  // namespace tilelab::elaborate
