// SPDX-License-Identifier: Apache-2.0
// What is known of values before a kernel runs: a number, or a sum of numbers and of what memory
// and arguments hold. Two values that are made alike are one, whatever they are.
#pragma once

#include <algorithm>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ir/expr.h"

namespace tilelab {

/// number + sum of factor * unknown.
struct SymbolicValue {
  int64_t number = 0;
  std::vector<std::pair<int, int64_t>> unknowns;  // by their number, with factors that are not 0
  bool lost = false;                              // not even two of them can be compared
  std::vector<int> made_of;  // unknowns that are elements of memory, sorted, few

  bool is_number() const { return !lost && unknowns.empty(); }
  bool same(const SymbolicValue& other) const {
    return !lost && !other.lost && number == other.number && unknowns == other.unknowns;
  }
  bool same_unknowns(const SymbolicValue& other) const {
    return !lost && !other.lost && unknowns == other.unknowns;
  }
  bool uses(int element) const {
    return std::binary_search(made_of.begin(), made_of.end(), element);
  }
};

/// Makes values: each unknown has a text that says how it is made.
class ValueNumbering {
 public:
  static SymbolicValue of(int64_t number);
  static SymbolicValue lost();
  SymbolicValue unknown(const std::string& text);
  /// An element of memory at this place.
  SymbolicValue element(Symbol buffer, const std::vector<SymbolicValue>& place);

  SymbolicValue unary(const Un& node, const SymbolicValue& a);
  SymbolicValue binary(const Bin& node, const SymbolicValue& a, const SymbolicValue& b);
  SymbolicValue cast(const Cast& node, const SymbolicValue& a);
  SymbolicValue select(const SymbolicValue& condition, const SymbolicValue& a,
                       const SymbolicValue& b);
  /// Of a function without effect.
  SymbolicValue call(const Call& node, const std::vector<SymbolicValue>& arguments);
  SymbolicValue vector(const Vec& node, const std::vector<SymbolicValue>& parts);

  static SymbolicValue sum(const SymbolicValue& a, const SymbolicValue& b, int64_t factor);
  static std::string text(const SymbolicValue& value);

 private:
  SymbolicValue made(const std::string& how, const std::vector<SymbolicValue>& parts, bool ordered);
  int number_of(const std::string& text);

  std::unordered_map<std::string, int> unknowns_;
};

}  // namespace tilelab
