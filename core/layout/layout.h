// SPDX-License-Identifier: Apache-2.0
// The algebra of digit layouts. All operations are exact integer arithmetic on the static domain. A
// dimension is a sum of digit contributions, so most queries work per dimension, without
// enumerating the product of the dimensions. A result that has no digit form is nullopt, and the
// caller may keep a table (recognize.h).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/layout/digits.h"
#include "core/support/function_ref.h"

namespace tilelab {

using Index = std::vector<int64_t>;

/// The location of an element. An address layout uses `address` (in elements), a fragment the
/// others.
struct Place {
  int64_t thread = 0, reg = 0, address = 0;
  bool operator==(const Place&) const = default;
};

inline Digit t_digit(int64_t extent, int64_t stride) { return {'t', extent, stride}; }
inline Digit r_digit(int64_t extent, int64_t stride) { return {'r', extent, stride}; }
inline Digit a_digit(int64_t extent, int64_t stride) { return {'a', extent, stride}; }

// ---- construction

/// Row-major addresses of `shape`.
Layout row_major(const Index& shape);
/// Addresses index * stride, dimension by dimension.
Layout strided(const Index& shape, const Index& strides);
/// The whole tile replicated in each of `threads` threads, row-major in registers.
Layout fully_replicated(const Index& shape, int64_t threads);

// ---- queries

/// Product of the digits' extents.
int64_t capacity(const Digits& digits);
/// Number of elements of the domain.
int64_t element_count(const Layout& layout);
/// Digits are well formed: positive extents, strides >= 0, every dimension covered, only thread
/// digits in rep.
bool well_formed(const Layout& layout);
/// Some dimension's digits multiply to more than its extent: iterating over digits needs a
/// predicate.
bool padded(const Layout& layout);
bool padded(const Layout& layout, size_t dim);
/// True if no digit has kind 'a', except digits of stride 0.
bool is_fragment(const Layout& layout);

/// The contribution of dimension `dim` at `index`, without the base.
Place contribution(const Layout& layout, size_t dim, int64_t index);
/// Those of all indices of the dimension, in order.
std::vector<Place> contributions(const Layout& layout, size_t dim);
/// The same one after the other, by an odometer over the digits.
class Contributions {
 public:
  Contributions(const Layout& layout, size_t dim)
      : digits_(layout.dims[dim]), values_(digits_.size(), 0) {}
  const Place& place() const { return place_; }
  void next();

 private:
  const Digits& digits_;
  Index values_;
  Place place_;
};
/// All sums of digit values: sorted, distinct.
Index digit_sums(const Digits& digits);
/// Advances `element` through `shape` in row-major order; false (and reset) after the last.
bool advance(Index& element, const Index& shape);
/// Place of an element in replica 0.
Place place_of(const Layout& layout, const Index& element);
/// Distinct thread offsets of the replicas, ascending from 0.
Index replica_offsets(const Layout& layout);
/// All threads that hold the element, ascending.
Index threads_of(const Layout& layout, const Index& element);

/// The elements in register `reg` of `thread`: none (a hole), one, or several if not injective.
std::vector<Index> elements_at(const Layout& layout, int64_t thread, int64_t reg);
std::vector<Index> elements_at_address(const Layout& layout, int64_t address);
/// (register, element) pairs of `thread`, ordered by register.
std::vector<std::pair<int64_t, Index>> elements_of_thread(const Layout& layout, int64_t thread);

/// The largest thread (base and replicas included), register or address ('t', 'r', 'a') of the
/// padded domain, plus one: how many to launch or allocate.
int64_t extent(const Layout& layout, char kind);
/// Number of distinct threads that hold an element, including padding.
int64_t thread_count(const Layout& layout);

/// Distinct elements of the domain have distinct places (in one replica set).
bool injective(const Layout& layout);
/// Injective, not padded, and every (thread, register) or address below the extents is used.
bool bijective(const Layout& layout);

/// Equal as maps: the same set of places for each element, regardless of the digits.
bool same_map(const Layout& a, const Layout& b);
/// The first element, in row-major order, whose places differ. The shapes must be equal.
std::optional<Index> first_difference(const Layout& a, const Layout& b);
/// For each element, all its (thread, register, address) in `inner` are also in `outer`.
bool contains(const Layout& outer, const Layout& inner);
/// The same for threads only: a thread that runs the iteration in `inner` owns the element in
/// `outer`.
bool owns(const Layout& outer, const Layout& inner);
/// The first element, in row-major order, that violates `owns`.
std::optional<Index> first_not_owned(const Layout& outer, const Layout& inner);

// ---- transformation

/// The canonical digits of the same map: digits merged, unreachable ones dropped, the top digit of
/// a padded dimension limited to the domain; replicas sorted, largest stride first. Two layouts of
/// equal shape without replicas are the same map iff their normal forms are equal.
Layout normalized(const Layout& layout);

/// x -> outer(element inner(x), in row-major order of outer's domain); `inner` is an address
/// layout.
std::optional<Layout> compose(const Layout& outer, const Layout& inner);
/// x -> outer(map(x)) for x in `domain`; map writes one index per dimension of `outer`. nullopt if
/// a point maps outside outer's domain.
std::optional<Layout> compose(const Layout& outer, const Index& domain,
                              FunctionRef<void(const Index& point, Index& element)> map);
/// The inverse: from places to row-major element indices, with domain [threads, registers] for a
/// fragment or [addresses] for an address layout. nullopt with holes, padding or without
/// injectivity; replicas become digits of stride 0.
std::optional<Layout> inverse(const Layout& layout);

/// The same places for another shape with as many elements in row-major order. If element sizes
/// differ, the innermost digits are split or merged; registers and addresses count elements.
std::optional<Layout> reshape(const Layout& layout, const Index& shape, int64_t old_bits = 1,
                              int64_t new_bits = 1);
Layout permute(const Layout& layout, const std::vector<int>& order);
/// A slice [lo, lo + n) of a dimension and the place of its first element relative to the whole.
struct Slice {
  Layout layout;
  Place offset;
};
/// nullopt if the slice splits digits. `drop` (n == 1) removes the dimension.
std::optional<Slice> slice(const Layout& layout, size_t dim, int64_t lo, int64_t n,
                           bool drop = false);
/// Dimension `dim` reduced: its thread digits become replicas, its register digits are removed.
Layout reduced(const Layout& layout, size_t dim, bool keep_dim = false);
/// `factor` copies along `dim`, each in additional threads ('t'), registers ('r') or addresses
/// ('a'). `stride` 0: the current extent. The dimension must not be padded.
Layout repeated(const Layout& layout, size_t dim, int64_t factor, char kind, int64_t stride = 0);
/// `n` replicas, in threads `stride` apart (0: the current extent).
Layout replicated(const Layout& layout, int64_t n, int64_t stride = 0);

// ---- symbolic inverse

/// value(digit) = (place % modulus) / stride (modulus 0: no %); it adds value * weight to the index
/// of `dim` (-1: a replica digit). Values >= digit.extent are holes; `guard` states whether they
/// occur.
struct Decode {
  Digit digit;
  int dim = -1;
  int64_t weight = 0, modulus = 0;
  bool guard = false;
};
/// The digits as functions of the thread ('t'), register ('r') or address ('a'), largest stride
/// first. If the smallest stride is not 1, a last digit of extent 1 guards the places between
/// multiples. nullopt if the digits of that kind overlap or do not divide one another.
std::optional<std::vector<Decode>> decoding(const Layout& layout, char kind);

}  // namespace tilelab
