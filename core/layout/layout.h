// SPDX-License-Identifier: Apache-2.0
// The algebra of digit layouts. Everything here is exact integer arithmetic on the (static) domain:
// a dimension is a sum of digit contributions, so most questions are answered a dimension at a
// time, without walking the product of the dimensions. Where a result has no digit form, the answer
// is nullopt and the caller may keep a table (recognize.h).
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "core/layout/digits.h"
#include "core/support/function_ref.h"

namespace tilelab {

using Index = std::vector<int64_t>;

/// Where an element lives. An address layout uses `address` (in elements), a fragment the others.
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
/// Every one of `threads` threads holds the whole tile, row-major in its registers.
Layout fully_replicated(const Index& shape, int64_t threads);

// ---- questions

/// Product of the digits' extents.
int64_t capacity(const Digits& digits);
/// Number of elements of the domain.
int64_t element_count(const Layout& layout);
/// Digits well formed: positive extents, strides >= 0, every dimension covered, rep of threads
/// only.
bool well_formed(const Layout& layout);
/// Some dimension's digits multiply to more than its extent: walking the digits needs a predicate.
bool padded(const Layout& layout);
bool padded(const Layout& layout, size_t dim);
/// True if no digit is of kind 'a' (stride-0 digits aside).
bool is_fragment(const Layout& layout);

/// What dimension `dim` contributes at `index` (base not included).
Place contribution(const Layout& layout, size_t dim, int64_t index);
/// All that digits can add up to: sorted, distinct.
Index digit_sums(const Digits& digits);
/// Steps `element` through `shape` in row-major order; false behind the last, back at the first.
bool advance(Index& element, const Index& shape);
/// Place of an element in replica 0.
Place place_of(const Layout& layout, const Index& element);
/// Distinct thread offsets of the replicas, ascending, starting with 0.
Index replica_offsets(const Layout& layout);
/// All threads that hold the element, ascending.
Index threads_of(const Layout& layout, const Index& element);

/// The elements in register `reg` of `thread`: none (a hole), one, or more if not injective.
std::vector<Index> elements_at(const Layout& layout, int64_t thread, int64_t reg);
std::vector<Index> elements_at_address(const Layout& layout, int64_t address);
/// (register, element) of everything that `thread` holds, by register.
std::vector<std::pair<int64_t, Index>> elements_of_thread(const Layout& layout, int64_t thread);

/// One past the largest thread (base and replicas included), register or address ('t', 'r', 'a')
/// over the padded domain: what must be launched or allocated.
int64_t extent(const Layout& layout, char kind);
/// Number of distinct threads that hold something, padding included.
int64_t thread_count(const Layout& layout);

/// No two elements of the domain share a place (of the same replica set).
bool injective(const Layout& layout);
/// Injective, not padded, and every (thread, register) or address below the extents is used.
bool bijective(const Layout& layout);

/// Equal as maps: the same set of places for each element, however the digits are written.
bool same_map(const Layout& a, const Layout& b);
/// The first element, in row-major order, whose places differ. The shapes must be equal.
std::optional<Index> first_difference(const Layout& a, const Layout& b);
/// For each element, all (thread, register, address) of `inner` are places of it in `outer`.
bool contains(const Layout& outer, const Layout& inner);
/// The same for threads alone: whoever runs the iteration in `inner` owns the element in `outer`.
bool owns(const Layout& outer, const Layout& inner);
/// First element that breaks `owns`, in row-major order.
std::optional<Index> first_not_owned(const Layout& outer, const Layout& inner);

// ---- transformation

/// The canonical digits of the same map: digits merged, unreachable ones dropped, the top digit of
/// a padded dimension cut to what the domain reaches; replicas sorted, largest stride first.
/// Two layouts of equal shape without replicas are the same map iff their normal forms are equal.
Layout normalized(const Layout& layout);

/// x -> outer(element number inner(x) of outer's row-major domain); `inner` is an address layout.
std::optional<Layout> compose(const Layout& outer, const Layout& inner);
/// x -> outer(map(x)) for x in `domain`; map writes one index per dimension of `outer`.
/// A point that maps outside outer's domain gives nullopt.
std::optional<Layout> compose(const Layout& outer, const Index& domain,
                              FunctionRef<void(const Index& point, Index& element)> map);
/// From places back to row-major element numbers: domain [threads, registers] of a fragment or
/// [addresses] of an address layout. nullopt with holes, padding or without injectivity; replicas
/// become digits of stride 0.
std::optional<Layout> inverse(const Layout& layout);

/// The same places under another shape of as many elements (row-major order kept). With different
/// element sizes the innermost digits are split or merged; registers and addresses count elements.
std::optional<Layout> reshape(const Layout& layout, const Index& shape, int64_t old_bits = 1,
                              int64_t new_bits = 1);
Layout permute(const Layout& layout, const std::vector<int>& order);
/// A slice [lo, lo + n) of a dimension and the place of its first element relative to the whole.
struct Slice {
  Layout layout;
  Place offset;
};
/// nullopt if the slice cuts through digits. With `drop` (n == 1) the dimension vanishes.
std::optional<Slice> slice(const Layout& layout, size_t dim, int64_t lo, int64_t n,
                           bool drop = false);
/// Dimension `dim` reduced: its thread digits become replicas, its register digits vanish.
Layout reduced(const Layout& layout, size_t dim, bool keep_dim = false);
/// `factor` copies along `dim`, each in further threads ('t'), registers ('r') or addresses ('a').
/// `stride` 0: right behind the extent. The dimension must not be padded.
Layout repeated(const Layout& layout, size_t dim, int64_t factor, char kind, int64_t stride = 0);
/// `n` replicas, in threads `stride` apart (0: right behind the extent).
Layout replicated(const Layout& layout, int64_t n, int64_t stride = 0);

// ---- symbolic inverse

/// value(digit) = (place % modulus) / stride (modulus 0: no %); it adds value * weight to the index
/// of `dim` (-1: a replica digit). Values >= digit.extent are holes; `guard` says if that can be.
struct Decode {
  Digit digit;
  int dim = -1;
  int64_t weight = 0, modulus = 0;
  bool guard = false;
};
/// How the thread ('t'), register ('r') or address ('a') number gives the digits back, largest
/// stride first; if the smallest stride is not 1, a last digit of extent 1 guards what lies
/// between. nullopt if the digits of that kind overlap or don't divide one another.
std::optional<std::vector<Decode>> decoding(const Layout& layout, char kind);

}  // namespace tilelab
