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
struct KnownValue {
  int64_t number = 0;
  std::vector<std::pair<int, int64_t>> unknowns;  // by their number, with factors that are not 0
  bool lost = false;                              // not even two of them can be compared
  std::vector<int> made_of;  // unknowns that are elements of memory, sorted, few

  bool is_number() const { return !lost && unknowns.empty(); }
  bool same(const KnownValue& other) const {
    return !lost && !other.lost && number == other.number && unknowns == other.unknowns;
  }
  bool same_unknowns(const KnownValue& other) const {
    return !lost && !other.lost && unknowns == other.unknowns;
  }
  bool uses(int element) const {
    return std::binary_search(made_of.begin(), made_of.end(), element);
  }
};

/// Makes values: each unknown has a text that says how it is made.
class KnownValues {
 public:
  static KnownValue of(int64_t number);
  static KnownValue lost();
  KnownValue unknown(const std::string& text);
  /// An element of memory at this place.
  KnownValue element(Symbol buffer, const std::vector<KnownValue>& place);

  KnownValue unary(const Un& node, const KnownValue& a);
  KnownValue binary(const Bin& node, const KnownValue& a, const KnownValue& b);
  KnownValue cast(const Cast& node, const KnownValue& a);
  KnownValue select(const KnownValue& condition, const KnownValue& a, const KnownValue& b);
  /// Of a function without effect.
  KnownValue call(const Call& node, const std::vector<KnownValue>& arguments);
  KnownValue vector(const Vec& node, const std::vector<KnownValue>& parts);

  static KnownValue sum(const KnownValue& a, const KnownValue& b, int64_t factor);
  static std::string text(const KnownValue& value);

 private:
  KnownValue made(const std::string& how, const std::vector<KnownValue>& parts, bool ordered);
  int number_of(const std::string& text);

  std::unordered_map<std::string, int> unknowns_;
};

}  // namespace tilelab
