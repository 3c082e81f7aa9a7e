// SPDX-License-Identifier: Apache-2.0
// Recovers digits from a tabulated map. A layout that a user defined as a Python lambda is
// evaluated over its static domain; this module finds its digits (and the swizzle of an address
// map).
#pragma once

#include "core/layout/layout.h"

namespace tilelab {

/// A map as an explicit table, in row-major order of the domain.
struct LayoutTable {
  Index shape;
  std::vector<Place> places;
};

/// Digits that are equivalent to this table. nullopt if the map is not a sum over the dimensions, a
/// digit would move two kinds at once or backwards, or register/address of element 0 is not 0.
std::optional<Layout> recognize(const LayoutTable& table);

/// An address map as digits followed by an exclusive-or swizzle on byte addresses.
struct SwizzledLayout {
  Layout layout;
  Swizzle swizzle;  // unknown: none
};
std::optional<SwizzledLayout> recognize_swizzled(const LayoutTable& table, int64_t element_bytes);

/// Any static map: digits with a swizzle if it has that form; otherwise the table, which answers
/// the same queries more slowly.
struct AnyLayout {
  SwizzledLayout digits;
  LayoutTable table;  // filled only if !is_digits()
  int64_t element_bytes = 1;
  bool is_digits() const { return digits.layout.known(); }
};
Place place_of(const AnyLayout& layout, const Index& element);
std::vector<Index> elements_at(const AnyLayout& layout, const Place& place);

LayoutTable tabulate(const Layout& layout, Swizzle swizzle = {}, int64_t element_bytes = 1);
/// x -> x ^ (((x / line) & mask) * granule): its own inverse if line >= (mask + 1) * granule.
int64_t swizzled(const Swizzle& swizzle, int64_t byte_address);

}  // namespace tilelab
