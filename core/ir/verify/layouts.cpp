// SPDX-License-Identifier: Apache-2.0
// Layouts, and properties that the layout passes establish: layouts of views, operands and
// workspaces as the lowering requires them.
#include <algorithm>
#include <optional>

#include "core/ir/build.h"
#include "core/ir/regions.h"
#include "core/ir/verify/verifier.h"
#include "core/layout/layout.h"
#include "core/support/text.h"

namespace tilelab {

/// Rejects invalid digits: `layout.h` does not validate them.
bool Verifier::digits(const Layout& l, const std::string& of) {
  if (!l.known() && l.rep.empty()) return true;
  auto good = [](const Digit& d) {
    return d.extent >= 1 && d.extent <= kMaxBytes && d.stride >= 0 && d.stride <= kMaxBytes;
  };
  auto sized = [&](const Digits& digits) {
    int64_t product = 1;
    for (const Digit& d : digits)
      if (!good(d) || (product *= d.extent) > kMaxBytes) return false;
    return true;
  };
  if (!std::all_of(l.dims.begin(), l.dims.end(), sized) || !sized(l.rep)) {
    rule("the layout of " + of + " has a digit without an extent, or too large a one");
    return false;
  }
  if (l.base < 0 || l.base > kMaxBytes) {
    rule("the layout of " + of + " starts at a negative thread");
    return false;
  }
  if (l.dims.size() != l.shape.size()) {
    rule("missing dimensions in the layout of " + of);
    return false;
  }
  for (size_t d = 0; d < l.dims.size(); ++d)
    if (l.shape[d] < 1 || capacity(l.dims[d]) < l.shape[d]) {
      rule("the digits of dimension " + std::to_string(d) + " of the layout of " + of +
           " do not cover it");
      return false;
    }
  if (well_formed(l)) return true;
  rule("the layout of " + of + " has a replica that is not in a thread");
  return false;
}

/// Threads can be decoded from the layout, and they exist.
void Verifier::threads(const Layout& l, const std::string& of) {
  if (!decoding(l, 't')) return rule("the threads of the layout of " + of + " are not distinct");
  const int64_t last = extent(l, 't') - 1;
  const int64_t all = role_ ? role_->hi - role_->lo : kernel_ ? kernel_->block : last + 1;
  if (last >= all)
    rule("the layout of " + of + " names thread " + std::to_string(last) + " of " +
         plural(all, "thread"));
}

/// The layout maps elements of a box to threads and registers.
void Verifier::spread(const Layout& l, const std::vector<int64_t>& box, const std::string& of) {
  if (!l.known()) return;
  if (!is_fragment(l)) return rule("the layout of " + of + " maps to addresses, not to threads");
  if (l.shape != box) return rule("the layout of " + of + " has another shape than its box");
  threads(l, of);
}

/// How an operation distributes its box over threads.
void Verifier::distributed_over_threads(const Layout& l, const Expr& dst, const std::string& of) {
  const Region* box = as<Region>(dst);
  if (box && digits(l, of)) spread(l, long_extents(*box), of);
}

/// Whether the layout consists only of address digits.
static bool of_addresses(const Layout& l) {
  auto addressed = [](const Digit& d) { return d.kind == 'a' || d.extent == 1; };
  return l.rep.empty() && std::all_of(l.dims.begin(), l.dims.end(), [&](const Digits& digits) {
           return std::all_of(digits.begin(), digits.end(), addressed);
         });
}

/// Whether the buffer's layout is valid.
bool Verifier::layout(const Buffer& b) {
  const Layout& l = b.layout;
  const std::string of = "`" + b.name.str() + "`";
  if (b.scope == Scope::fragment && !l.known() && from(Stage::infer_layouts))
    missing(Stage::infer_layouts, "the fragment " + of + " has no layout");
  if (b.scope == Scope::shared && !l.known() && from(Stage::infer_layouts) && level_ != Level::flat)
    missing(Stage::infer_layouts, "the shared buffer " + of + " has no layout");
  if (!digits(l, of)) return false;
  if (!l.known() || (b.scope != Scope::shared && b.scope != Scope::fragment)) return true;
  const bool numbered = b.where.known() && b.scope == Scope::fragment;
  for (size_t d = 0; !numbered && d < std::max(l.shape.size(), b.shape.size()); ++d)
    if (d >= l.shape.size() || d >= b.shape.size() || !is_int(b.shape[d], l.shape[d])) {
      rule("the shape of the layout of " + of + " is not the buffer's");
      return false;
    }
  if (b.scope == Scope::fragment ? !is_fragment(l) : !of_addresses(l)) {
    rule("the layout of " + of + " maps to " +
         (b.scope == Scope::fragment ? "addresses, not to threads" : "threads, not to addresses"));
    return false;
  }
  if (b.scope == Scope::fragment) threads(l, of);
  const char kind = b.scope == Scope::fragment ? 'r' : 'a';
  const bool fits = extent(l, kind) <= kMaxBytes / bytes(b.dtype);
  if (!fits) rule("the layout of " + of + " needs more than the memory of any block");
  return fits;
}

// ---- views

namespace {

/// Constant extents of at least 1; nullopt if one is not.
std::optional<Index> fixed(const std::vector<Expr>& shape) {
  Index out;
  for (const Expr& e : shape) {
    const auto extent = e ? int_value(e) : std::nullopt;
    if (!extent || *extent < 1 || *extent > kMaxBytes) return std::nullopt;
    out.push_back(*extent);
  }
  return out;
}

/// In elements; saturates above the size of any memory.
int64_t size_of(const Index& shape) {
  int64_t count = 1;
  for (int64_t extent : shape) count = std::min(count * extent, kMaxBytes + 1);
  return count;
}

}  // namespace

/// A view of a block's memory has the same size in bits; its layout follows from the buffer's.
void Verifier::view_of(const View& n, const Entry& memory) {
  const std::string of = "`" + n.name.str() + "`";
  if (memory.scope == Scope::barrier) return rule("barriers have no views");
  if (memory.scope == Scope::global || !memory.memory || !memory.shape) return;
  const auto shape = fixed(n.shape), whole = fixed(*memory.shape);
  if (!shape) return rule("the shape of the view " + of + " is not constant, or empty");
  // Below tile level fragments are counted in registers, and flat memory has no shape.
  const bool counted =
      level_ == Level::tile || (level_ == Level::thread && memory.scope == Scope::shared);
  if (!whole) return;
  const int64_t size = size_of(*shape) * bits(n.dtype);
  const int64_t room = size_of(*whole) * bits(memory.type.dtype);
  if (!counted) {
    if (memory.scope == Scope::shared && size > room)
      rule("the view " + of + " is larger than `" + n.buffer.str() + "`");
    return;
  }
  if (size != room)
    return rule("the view " + of + " has another size than `" + n.buffer.str() + "`");
  const Buffer& root = *memory.memory;
  const auto base = fixed(root.shape);
  if (!root.layout.known() || !base || root.layout.shape != *base) return;
  if (!well_formed(root.layout) || size_of(*base) > kMaxBytes) return;
  if (!reshape(root.layout, *shape, bits(root.dtype), bits(n.dtype)))
    rule("the view " + of + " cuts through the layout of `" + root.name.str() + "`");
}

// ---- operands as the lowering requires them

bool Verifier::in_fragment(const Region& r) const {
  const Entry* entry = find(r.buffer);
  return entry && entry->what == Entry::What::buffer && entry->scope == Scope::fragment;
}

/// Threads access a fragment as a whole: parts were copied out before.
void Verifier::used_whole(const Region& r, const char* of) {
  const Entry* entry = find(r.buffer);
  if (!in_fragment(r) || !entry->shape || entry->shape->size() != r.dims.size()) return;
  for (size_t d = 0; d < r.dims.size(); ++d)
    if (!is_int((*entry->shape)[d], r.dims[d].extent) || !is_int(r.dims[d].lo, 0))
      return missing(Stage::infer_layouts,
                     std::string(of) + " takes a part of the fragment `" + r.buffer.str() + "`");
}

/// Shared memory of that dtype and shape, with one dimension `more` if several threads hold partial
/// results of an element.
void Verifier::workspace(Symbol name, DType dtype, const std::vector<Expr>& shape, bool more,
                         const char* of) {
  const Entry* entry = find(name);
  if (!entry || entry->what != Entry::What::buffer || !entry->shape) return;  // reported by name
  bool fits = entry->scope == Scope::shared && entry->type.dtype == dtype &&
              entry->shape->size() == shape.size() + more;
  for (size_t d = 0; fits && d < shape.size(); ++d) {
    const auto extent = int_value(shape[d]);
    fits = extent && is_int((*entry->shape)[d], *extent);
  }
  if (!fits)
    missing(Stage::infer_layouts, "the workspace `" + name.str() + "` does not fit the " + of);
}

void Verifier::prepared(const Reduce& n) {
  const Region &src = to<Region>(n.src), &dst = to<Region>(n.dst);
  if (!from(Stage::infer_layouts) || !in_fragment(src)) return;
  used_whole(src, "a reduction"), used_whole(dst, "a reduction");
  const Entry* into = find(dst.buffer);
  const size_t kept = src.dims.size() - std::min(src.dims.size(), n.dims.size());
  if (dst.dims.size() != src.dims.size() && dst.dims.size() != std::max<size_t>(kept, 1))
    missing(Stage::infer_layouts, "the reduced dimensions do not match `" + dst.buffer.str() + "`");
  if (n.workspace && into && into->shape)
    workspace(n.workspace, into->type.dtype, *into->shape, true, "reduction");
}

void Verifier::prepared(const Gemm& n) {
  if (!from(Stage::infer_layouts)) return;
  const Expr* operands[] = {&n.a, &n.b, &n.c};
  for (size_t i = 0; i < 3; ++i) {
    const Region& operand = to<Region>(*operands[i]);
    used_whole(operand, "a gemm");
    if (i == 2 || n.by != GemmBy::fma || !in_fragment(operand)) continue;
    const Entry& factor = *find(operand.buffer);
    if (i >= n.workspaces.size() || !n.workspaces[i])
      missing(Stage::infer_layouts,
              "an operand of gemm in the fragment `" + operand.buffer.str() + "` has no workspace");
    else if (factor.shape)
      workspace(n.workspaces[i], factor.type.dtype, *factor.shape, false, "gemm");
  }
}

}  // namespace tilelab
