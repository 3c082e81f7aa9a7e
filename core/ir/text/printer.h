// SPDX-License-Identifier: Apache-2.0
// Private part of print.h: expressions in expressions.cpp, statements in print.cpp.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/text/print.h"

namespace tilelab {

/// Shapes of the buffers and views in scope, to omit slices of whole dimensions.
using Shapes = std::unordered_map<Symbol, std::vector<Expr>>;
/// The dtype that the context implies, if any.
using Wanted = std::optional<DType>;

class ExprPrinter {
 public:
  explicit ExprPrinter(const Shapes& shapes) : shapes_(shapes) {}
  /// Flat level: an index is an offset into the whole buffer, so regions keep all slices.
  void set_flat(bool flat) { flat_ = flat; }

  /// `outer`: precedence of the enclosing operator; adds parentheses if the expression binds
  /// looser.
  std::string value(const Expr& expr, Wanted wanted = {}, int outer = 0) const;
  /// As operand of a tile operation or collective, where a region is not a value.
  std::string operand(const Expr& expr, bool shorten, Wanted wanted = {}) const;
  std::string list(const std::vector<Expr>& exprs) const;
  /// "A[i, 0:4]"; `shorten` omits trailing whole dimensions.
  std::string reference(Symbol buffer, const std::vector<RegionDim>& dims, bool shorten) const;
  /// `statement`: the call is a statement, so its expected type is Type{}.
  std::string call(const Call& n, bool statement) const;
  /// Loop bounds and similar lists: literals take the dtype of the first item that is not a
  /// literal.
  std::vector<std::string> bounds(const std::vector<Expr>& exprs) const;

 private:
  std::string constant(const Const& c, Wanted wanted) const;
  std::string unary(const Un& n, Wanted wanted, int outer) const;
  std::string binary(const Bin& n, Wanted wanted, int outer) const;
  std::string select(const Select& n, Wanted wanted, int outer) const;
  std::string vector(const Vec& n) const;
  std::string dimension(const RegionDim& dim) const;

  const Shapes& shapes_;
  bool flat_ = false;
};

/// A literal as printed: an integer or a float in decimal, signed or not.
bool is_literal(const Expr& expr);
std::string attr_value(const Attr& attr);
std::string int_list(const std::vector<int64_t>& values);

}  // namespace tilelab
