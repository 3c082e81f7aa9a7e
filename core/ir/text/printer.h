// SPDX-License-Identifier: Apache-2.0
// The printer behind print.h: expressions in print_expr.cpp, statements in print.cpp. Private.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ir/text/print.h"

namespace tilelab {

/// Shapes of the buffers and views declared so far, to leave out slices that take all of a
/// dimension.
using Shapes = std::unordered_map<Symbol, std::vector<Expr>>;
/// The dtype that an expression's place asks for, if it asks.
using Wanted = std::optional<DType>;

class ExprPrinter {
 public:
  explicit ExprPrinter(const Shapes& shapes) : shapes_(shapes) {}
  /// Flat level, where one index is an offset into the whole buffer: regions keep all slices.
  void set_flat(bool flat) { flat_ = flat; }

  /// `outer`: precedence of the operator around; brackets where the expression binds looser.
  std::string value(const Expr& expr, Wanted wanted = {}, int outer = 0) const;
  /// As operand of a tile operation or collective: a region is not a value here.
  std::string operand(const Expr& expr, bool shorten, Wanted wanted = {}) const;
  std::string list(const std::vector<Expr>& exprs) const;
  /// "A[i, 0:4]"; `shorten` leaves out trailing dimensions that are taken whole.
  std::string reference(Symbol buffer, const std::vector<RegionDim>& dims, bool shorten) const;
  /// `statement`: the call stands for its effect, so that its type is expected to be Type{}.
  std::string call(const Call& n, bool statement) const;
  /// Loop bounds and the like: literals take the dtype of the first that is no literal.
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

/// A literal as the reader sees it: an integer or a float in decimal, signed or not.
bool is_literal(const Expr& expr);
std::string attr_value(const Attr& attr);
std::string int_list(const std::vector<int64_t>& values);

}  // namespace tilelab
