// SPDX-License-Identifier: Apache-2.0
#include "core/ir/fitted.h"

#include <algorithm>
#include <map>

#include "core/ir/build.h"
#include "core/support/extents.h"

namespace tilelab {
namespace {

bool is_power_of_two(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

/// Finds an expression for values over the domain of some variables.
class Fit {
 public:
  Fit(const std::vector<Counted>& variables, const Index& radices)
      : variables_(variables), radices_(radices), strides_(variables.size(), 1) {
    for (size_t v = variables.size(); v-- > 1;)
      strides_[v - 1] = strides_[v] * size_t(variables[v].extent);
    for (const Counted& v : variables) shape_.push_back(v.extent);
  }

  /// Combines digits of the value, lowest first.
  Expr digits(const Index& values) const {
    if (Expr whole = of_one_form(values)) return whole;
    const int64_t end = *std::max_element(values.begin(), values.end()) + 1;
    for (int64_t radix : radices_) {
      if (radix >= end) continue;
      Index low(values), high(values);
      for (int64_t& value : low) value %= radix;
      const Expr below = of_one_form(low);
      if (!below) continue;
      for (int64_t& value : high) value /= radix;
      if (Expr above = digits(high)) return add(mul(above, int_const(radix)), below);
    }
    return nullptr;
  }

 private:
  Expr of_one_form(const Index& values) const {
    const int64_t end = *std::max_element(values.begin(), values.end()) + 1;
    for (int64_t modulus : {int64_t{0}, end})
      if (Expr sum = as_sum(values, modulus)) return sum;
    return as_exclusive_or(values);
  }

  /// Calls f(number, point) until it returns false; returns whether it never did.
  template <class F> bool everywhere(F f) const {
    Index point(shape_.size(), 0);
    size_t number = 0;
    do {
      if (!f(number++, point)) return false;
    } while (advance(point, shape_));
    return true;
  }

  Expr as_sum(const Index& values, int64_t modulus) const {
    auto reduced = [&](int64_t x) { return modulus ? (x % modulus + modulus) % modulus : x; };
    Index factors;
    for (size_t v = 0; v < shape_.size(); ++v)
      factors.push_back(shape_[v] > 1 ? reduced(values[strides_[v]] - values[0]) : 0);
    const bool good = everywhere([&](size_t number, const Index& point) {
      int64_t sum = values[0];
      for (size_t v = 0; v < point.size(); ++v) sum += factors[v] * point[v];
      return reduced(sum) == values[number];
    });
    if (!good) return nullptr;
    Expr sum = int_const(0);
    for (size_t v = 0; v < shape_.size(); ++v)
      if (factors[v] != 0) sum = add(sum, mul(variables_[v].value, int_const(factors[v])));
    sum = add(sum, int_const(values[0]));
    return modulus ? floormod(sum, int_const(modulus)) : sum;
  }

  /// Each bit of a variable flips some bits of the value. Bits that are shifted by the same
  /// distance share a mask.
  Expr as_exclusive_or(const Index& values) const {
    if (!std::all_of(shape_.begin(), shape_.end(), is_power_of_two)) return nullptr;
    std::vector<Index> flipped(shape_.size());  // per variable, by its bit
    for (size_t v = 0; v < shape_.size(); ++v)
      for (int64_t bit = 1; bit < shape_[v]; bit *= 2)
        flipped[v].push_back(values[strides_[v] * size_t(bit)] ^ values[0]);
    const bool good = everywhere([&](size_t number, const Index& point) {
      int64_t value = values[0];
      for (size_t v = 0; v < point.size(); ++v)
        for (size_t bit = 0; bit < flipped[v].size(); ++bit)
          if (point[v] >> bit & 1) value ^= flipped[v][bit];
      return value == values[number];
    });
    if (!good) return nullptr;
    Expr out = int_const(values[0]);
    for (size_t v = 0; v < shape_.size(); ++v) {
      std::map<int, int64_t> masks;  // masks of the variable's bits, by left shift
      for (int from = 0; from < int(flipped[v].size()); ++from)
        for (int to = 0; to < 62; ++to)
          if (flipped[v][size_t(from)] >> to & 1) masks[to - from] |= int64_t{1} << from;
      for (const auto& [up, mask] : masks) {
        Expr bits = mask + 1 == shape_[v]
                        ? variables_[v].value
                        : binary(BinOp::band, variables_[v].value, int_const(mask));
        bits = up < 0 ? floordiv(bits, int_const(int64_t{1} << -up))
                      : mul(bits, int_const(int64_t{1} << up));
        out = is_int(out, 0) ? bits : binary(BinOp::bxor, out, bits);
      }
    }
    return out;
  }

  const std::vector<Counted>& variables_;
  const Index& radices_;
  Index shape_;
  std::vector<size_t> strides_;
};

/// The variable, whole and split into digits in all ways, the highest digit first.
std::vector<std::vector<Counted>> cuts(const Counted& variable, const Index& radices, int most) {
  std::vector<std::vector<Counted>> out{{variable}};
  if (most == 0) return out;
  for (int64_t radix : radices) {
    if (radix >= variable.extent || variable.extent % radix != 0) continue;
    const Counted high{floordiv(variable.value, int_const(radix)), variable.extent / radix};
    for (std::vector<Counted>& digits : cuts(high, radices, most - 1)) {
      digits.push_back({floormod(variable.value, int_const(radix)), radix});
      out.push_back(std::move(digits));
    }
  }
  return out;
}

}  // namespace

Expr fitted(const std::vector<Counted>& variables, const Index& values, const Index& radices) {
  if (values.empty()) return nullptr;
  if (Expr found = Fit(variables, radices).digits(values)) return found;
  for (size_t v = 0; v < variables.size(); ++v)
    for (const std::vector<Counted>& digits :
         cuts(variables[v], radices, variables.size() == 1 ? 3 : 1)) {
      std::vector<Counted> cut(variables.begin(), variables.begin() + int64_t(v));
      cut.insert(cut.end(), digits.begin(), digits.end());
      cut.insert(cut.end(), variables.begin() + int64_t(v) + 1, variables.end());
      if (Expr found = Fit(cut, radices).digits(values)) return found;
    }
  return nullptr;
}

Index radices_of(const Index& shape, int64_t registers) {
  const int64_t count = volume(shape);
  Index out;
  auto take = [&](int64_t radix) {
    if (radix > 1 && radix < count && std::find(out.begin(), out.end(), radix) == out.end())
      out.push_back(radix);
  };
  take(registers);
  for (int64_t extent : shape) take(extent);
  for (int64_t extent : shape)
    if (registers > 0 && extent % registers == 0) take(extent / registers);
  return out;
}

std::vector<Expr> element_at(const ElementMap& where, const Index& shape, int64_t registers,
                             const Expr& number) {
  const auto places = all_places(where, shape);
  if (!places || where.extents.size() != 1 || int64_t(places->size()) != where.extents[0])
    return {};
  std::vector<Index> indices(shape.size(), Index(places->size(), -1));
  Index element(shape.size(), 0);
  for (const Index& place : *places) {
    if (place[0] < 0 || place[0] >= where.extents[0]) return {};
    for (size_t d = 0; d < shape.size(); ++d) indices[d][size_t(place[0])] = element[d];
    advance(element, shape);
  }
  for (const Index& of : indices)
    if (std::find(of.begin(), of.end(), -1) != of.end()) return {};
  Index radices = radices_of(shape, registers);
  for (size_t d = 0; d < shape.size(); ++d) {  // for row-major elements
    size_t inner_elements = 1;
    for (size_t i = d + 1; i < shape.size(); ++i) inner_elements *= size_t(shape[i]);
    const int64_t step = shape[d] > 1 ? (*places)[inner_elements][0] - (*places)[0][0] : 0;
    if (step > 1 && !std::count(radices.begin(), radices.end(), step)) radices.push_back(step);
  }
  std::vector<Expr> out;
  for (const Index& of : indices) {
    out.push_back(fitted({{number, where.extents[0]}}, of, radices));
    if (!out.back()) return {};
  }
  return out;
}

}  // namespace tilelab
