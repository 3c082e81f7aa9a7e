// SPDX-License-Identifier: Apache-2.0
// Declarations of memory: buffers, their layouts and swizzles, views, tensor maps.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/verify_impl.h"
#include "core/layout/layout.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

bool power_of_two(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

/// Elements of a constant shape, or of one whose product is too large: more than any buffer has.
int64_t elements_of(const std::vector<Expr>& shape) {
  int64_t count = 1;
  for (const Expr& e : shape) {
    const int64_t extent = int_value(e).value_or(1);
    if (extent < 0 || extent > kMostBytes) return kMostBytes + 1;
    count = std::min(count * extent, kMostBytes + 1);
  }
  return count;
}

}  // namespace

/// Digits that no layout has: `layout.h` counts with them without looking.
bool Verifier::digits(const Layout& l, const std::string& of) {
  if (!l.known() && l.rep.empty()) return true;
  auto good = [](const Digit& d) {
    return d.extent >= 1 && d.extent <= kMostBytes && d.stride >= 0 && d.stride <= kMostBytes;
  };
  auto sized = [&](const Digits& digits) {
    int64_t product = 1;
    for (const Digit& d : digits)
      if (!good(d) || (product *= d.extent) > kMostBytes) return false;
    return true;
  };
  if (!std::all_of(l.dims.begin(), l.dims.end(), sized) || !sized(l.rep)) {
    rule("the layout of " + of + " has a digit without an extent, or too large a one");
    return false;
  }
  if (l.dims.size() != l.shape.size()) {
    rule("dimensions are missing of the layout of " + of);
    return false;
  }
  for (size_t d = 0; d < l.dims.size(); ++d)
    if (l.shape[d] < 1 || capacity(l.dims[d]) < l.shape[d]) {
      rule("the digits of dimension " + std::to_string(d) + " of the layout of " + of +
           " do not cover it");
      return false;
    }
  if (well_formed(l)) return true;
  rule("the layout of " + of + " has a copy in something that is no thread");
  return false;
}

/// Elements of a box go to threads and their registers.
void Verifier::spread(const Layout& l, const std::vector<int64_t>& box, const std::string& of) {
  if (!l.known()) return;
  if (!is_fragment(l)) rule("the layout of " + of + " goes to addresses, not to threads");
  if (l.shape != box) rule("the layout of " + of + " has another shape than its box");
}

void Verifier::layout(const Buffer& b) {
  const Layout& l = b.layout;
  const std::string of = "`" + b.name.str() + "`";
  if (!digits(l, of) || !l.known()) return;
  if (b.scope != Scope::shared && b.scope != Scope::fragment) return;
  for (size_t d = 0; d < std::max(l.shape.size(), b.shape.size()); ++d) {
    bool same = d < l.shape.size() && d < b.shape.size() && is_int(b.shape[d], l.shape[d]);
    if (!same) return rule("the shape of the layout of " + of + " is not the buffer's");
  }
}

/// It must give every byte another one: the bits that it reads lie above those that it changes.
void Verifier::swizzle(const Swizzle& s, const std::string& of) {
  if (s == Swizzle{}) return;
  const bool reads_above = power_of_two(s.granule) && power_of_two(s.line) && s.mask >= 0 &&
                           s.mask < kMostBytes / s.granule &&
                           (int64_t{s.mask} + 1) * s.granule <= s.line && s.line <= 1 << 16;
  if (!reads_above)
    rule("the swizzle of `" + of +
         "` is (granule, line, mask) with (mask + 1) * granule <= line, both powers of two");
}

/// A buffer of a ring, where the ring is a node.
void Verifier::stages(const Buffer& b) {
  if (!b.ring || level_ != Level::tile || !need(b.ring, Entry::What::ring, "a ring")) return;
  auto found = rings_.find(b.ring);
  const Ring* ring = found == rings_.end() ? nullptr : found->second;
  if (ring && (b.shape.empty() || !is_int(b.shape[0], ring->stages)))
    rule("the first extent of `" + b.name.str() + "` is not the stages of its ring");
}

/// Extents are counted; those of a block's memory are constants, and there is at least one element.
void Verifier::shape(const Buffer& b) {
  const std::string of = "`" + b.name.str() + "`";
  const bool global = b.scope == Scope::global;
  for (const Expr& e : b.shape) {
    integer(e, "an extent");
    const auto extent = int_value(e);
    if (!global && !extent) rule("the shape of " + of + " is not constant");
    if (extent && *extent < (global ? 0 : 1))
      rule("the shape of " + of + " has the extent " + std::to_string(*extent));
  }
  if (!global && elements_of(b.shape) * bytes(b.dtype) > kMostBytes)
    rule(of + " is larger than the memory of any block");
  for (const Expr& e : b.strides) integer(e, "a stride");
  if (!b.strides.empty() && !global) rule(of + " has strides, but is no tensor");
  if (!b.strides.empty() && b.strides.size() != b.shape.size())
    rule(of + " has a stride for each dimension");
}

void Verifier::barriers(const Buffer& b) {
  const std::string of = "`" + b.name.str() + "`";
  if (level_ == Level::flat) level_error("an array of barriers");
  if (b.shape.size() != 1) rule("the barriers " + of + " have one dimension");
  if (elements_of(b.shape) > 1 << 16) rule(of + " has more barriers than any block");
  if (b.count < 0 || b.count > 1 << 16)
    rule("a phase of the barriers " + of + " ends after " + plural(b.count, "arrival"));
}

void Verifier::memory(const Buffer& n) {
  shape(n);
  if (n.safe) {
    expr(n.safe);
    if (n.safe->type != Type{n.dtype})
      report(Diag::ir_type, n.safe->span, to_string(n.safe->type), name(n.dtype));
  }
  if (level_ != Level::tile && n.scope == Scope::fragment) level_error("a fragment");
  if (level_ == Level::flat && n.scope == Scope::shared && (n.layout.known() || n.swizzle.known()))
    level_error("the layout of a shared buffer");
  if (level_ == Level::flat && n.scope == Scope::shared && n.at < 0)
    rule("`" + n.name.str() + "` has no place in shared memory");
  if (n.at < -1 || n.at > kMostBytes)
    rule("`" + n.name.str() + "` has no place " + std::to_string(n.at) + " in shared memory");
  if (n.scope == Scope::barrier) barriers(n);
  layout(n);
  swizzle(n.swizzle, n.name.str());
  stages(n);
  declare_buffer(n);
}

void Verifier::statement(const Buffer& n) {
  in_kernel("a buffer");
  if (n.scope == Scope::global)
    rule("`" + n.name.str() + "` is a tensor: a parameter of the function, or a workspace");
  memory(n);
}

void Verifier::more(const View& n) {
  const Entry* of = find(n.buffer);
  declare(n.name,
          {Entry::What::buffer, {n.dtype}, n.shape.size(), of ? of->scope : Scope::global, false});
}

void Verifier::more(const TensorMap& n) {
  constexpr size_t most = 5;  // dimensions that an engine walks
  if (n.dims.empty() || n.dims.size() > most || n.strides.size() + 1 != n.dims.size())
    rule("a tensor map has 1 to 5 dimensions and one stride less");
  for (const Expr& e : n.dims) integer(e, "a dimension");
  for (const Expr& e : n.strides) integer(e, "a stride");
  if (!n.box.empty() && n.box.size() != n.dims.size())
    rule("the box of a tensor map has an extent for each dimension");
  for (int64_t extent : n.box)
    if (extent < 1 || extent > 1 << 16)
      rule("the box of a tensor map has the extent " + std::to_string(extent));
  swizzle(n.swizzle, n.name.str());
  const Entry* of = find(n.buffer);
  if (of && of->scope != Scope::global) rule("a tensor map is of a tensor");
  declare(n.name, {Entry::What::map, {}, 0, Scope::global, false});
}

}  // namespace tilelab
