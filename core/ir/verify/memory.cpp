// SPDX-License-Identifier: Apache-2.0
// Declarations of memory: buffers, their layouts and swizzles, views, tensor maps.
#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/fitted.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verifier.h"
#include "core/layout/layout.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

bool power_of_two(int64_t x) { return x > 0 && (x & (x - 1)) == 0; }

/// Number of elements; saturates above the size of any buffer.
int64_t elements_of(const std::vector<Expr>& shape) {
  int64_t count = 1;
  for (const Expr& e : shape) {
    const int64_t extent = int_value(e).value_or(1);
    if (extent < 0 || extent > kMaxBytes) return kMaxBytes + 1;
    count = std::min(count * extent, kMaxBytes + 1);
  }
  return count;
}

}  // namespace

/// A swizzle must be injective: the bits that it reads are above those that it changes.
void Verifier::swizzle(const Swizzle& s, const std::string& of) {
  if (s == Swizzle{}) return;
  const bool reads_above = power_of_two(s.granule) && power_of_two(s.line) && s.mask >= 0 &&
                           s.mask < kMaxBytes / s.granule &&
                           (int64_t{s.mask} + 1) * s.granule <= s.line && s.line <= 1 << 16;
  if (!reads_above)
    rule("the swizzle of `" + of +
         "` is (granule, line, mask) with (mask + 1) * granule <= line, both powers of two");
}

/// A ring buffer, while the ring is a node.
void Verifier::stages(const Buffer& b) {
  if (!b.ring || level_ != Level::tile || !need(b.ring, Entry::What::ring, "a ring")) return;
  auto found = rings_.find(b.ring);
  const Ring* ring = found == rings_.end() ? nullptr : found->second;
  if (ring && (b.shape.empty() || !is_int(b.shape[0], ring->stages)))
    rule("the first extent of `" + b.name.str() + "` is not the number of stages of its ring");
}

/// Extents are integers; those of a block's memory are constant and at least 1. Returns whether the
/// size is valid for a block.
bool Verifier::shape(const Buffer& b) {
  bool good = true;
  const std::string of = "`" + b.name.str() + "`";
  const bool global = b.scope == Scope::global;
  for (const Expr& e : b.shape) {
    integer(e, "an extent");
    const auto extent = int_value(e);
    good = good && extent && *extent > 0;
    if (!global && !extent) rule("the shape of " + of + " is not constant");
    if (extent && *extent < (global ? 0 : 1))
      rule("the shape of " + of + " has the extent " + std::to_string(*extent));
  }
  const bool of_block = b.scope == Scope::shared || b.scope == Scope::fragment;
  if (of_block && b.shape.empty())
    rule(of + " has no dimension: a layout has one or more, and one element has the shape [1]");
  good = good && !(of_block && b.shape.empty());
  const bool too_large = elements_of(b.shape) * bytes(b.dtype) > kMaxBytes;
  const DType in_bytes = b.pairs == Pairs::i4 ? DType::i8 : DType::u8;
  if (b.pairs != Pairs::none && (b.dtype != in_bytes || (!global && b.scope != Scope::shared)))
    rule(of + " can't hold pairs: they are bytes (" + name(in_bytes) +
         ") of tensors and shared buffers");
  if (!global && too_large) rule(of + " is larger than the memory of any block");
  for (const Expr& e : b.strides) integer(e, "a stride");
  if (!b.strides.empty() && !global) rule(of + " has strides, but is not a tensor");
  if (!b.strides.empty() && b.strides.size() != b.shape.size())
    rule(of + " has a stride for each dimension");
  return good && !too_large;
}

void Verifier::barriers(const Buffer& b) {
  const std::string of = "`" + b.name.str() + "`";
  if (level_ == Level::flat) level_error("an array of barriers");
  if (b.shape.size() != 1) rule("the barriers " + of + " have one dimension");
  if (b.dtype != Buffer().dtype) rule("the barriers " + of + " have no dtype");
  if (elements_of(b.shape) > 1 << 16) rule(of + " has more barriers than any block");
  if (b.count < 0 || b.count > 1 << 16)
    rule("a phase of the barriers " + of + " ends after " + plural(b.count, "arrival"));
  if (b.id < -1 || b.id > 1 << 16) rule("no barrier has the number " + std::to_string(b.id));
  if (b.id == -1 && from(Stage::allocate_barriers))
    missing(Stage::allocate_barriers, "the barriers " + of + " have no number");
  if (!limits_.features.has(Feature::barriers))
    report(Diag::target_lacks, here_, b.name, func_.target, reason_without(Feature::barriers));
}

/// Barriers are initialized once, at the start of the kernel.
void Verifier::set_up_once(const Kernel& k) {
  const Seq* list = as<Seq>(k.body);
  auto outermost = [&](const Node& node) {
    return &node == k.body.get() ||
           (list && std::any_of(list->stmts.begin(), list->stmts.end(),
                                [&](const Stmt& s) { return s.get() == &node; }));
  };
  for_each(*k.body, [&](const Buffer& b) {
    if (b.scope == Scope::barrier && !outermost(b))
      report(Diag::ir_rule, b.span,
             "the barriers `" + b.name.str() +
                 "` are declared in a loop, branch or role, but initialized once");
  });
}

/// The address of a shared buffer, once planned.
void Verifier::place(const Buffer& b) {
  const std::string of = "`" + b.name.str() + "`";
  if (b.at < -1 || b.at > kMaxBytes)
    return rule(of + " has no offset " + std::to_string(b.at) + " in shared memory");
  if (b.at < 0 && from(Stage::plan_shared_memory))
    return missing(Stage::plan_shared_memory, of + " has no offset in shared memory");
  if (b.at < 0 && level_ == Level::flat) return rule(of + " has no offset in shared memory");
  if (b.at < 0 || !from(Stage::plan_shared_memory) || !kernel_) return;
  const int64_t end = b.at + allocated_bytes(b);
  if (end > kernel_->smem)
    missing(Stage::plan_shared_memory,
            of + " ends at byte " + std::to_string(end) + " of the kernel's " +
                std::to_string(std::max<int64_t>(kernel_->smem, 0)) + " (`smem`)");
}

/// An element map depends only on the indices, exists only at tile level, and requires a row-major
/// layout.
void Verifier::element_map(const Buffer& b) {
  const std::string of = "the map of `" + b.name.str() + "`";
  if (level_ != Level::tile) level_error(of);
  if (b.scope != Scope::shared && b.scope != Scope::fragment)
    return rule(of + " is of memory that is neither shared nor a fragment");
  if (b.where.places.size() != 1 || b.where.extents.size() != 1)
    return rule(of + " has " + plural(int64_t(b.where.places.size()), "location"));
  if (b.scope == Scope::fragment && b.layout.shape != b.where.extents)
    return rule(of + " needs a layout of as many elements as it numbers");
  if (b.swizzle.known()) rule(of + " cannot be combined with a swizzle");
  const size_t scope = enter();
  for (Symbol name : b.where.names) declare_value(name, {DType::i32});
  for (const Expr& place : b.where.places) integer(place, "a location");
  leave(scope);
  ElementMap map = b.where;
  Index shape;
  for (const Expr& e : b.shape) shape.push_back(int_value(e).value_or(0));
  const std::string wrong = finalize(map, shape);
  if (!wrong.empty()) return rule(of + " " + wrong);
  if (map.extents != b.where.extents)
    return rule(of + " has extents that differ from the declared ones");
  if (b.scope != Scope::fragment || !well_formed(b.layout)) return;
  if (element_at(b.where, shape, extent(b.layout, 'r'), int_const(0)).empty())
    rule(of + " cannot be inverted by an expression");
}

void Verifier::memory(const Buffer& n) {
  const bool sized = shape(n);
  const bool declared = kernel_ && n.scope == Scope::global;
  if (n.address && declared)
    address(n);
  else if (n.address)
    rule("`" + n.name.str() + "` has an address, but is not a tensor of a kernel");
  if (n.pointers && (n.dtype != DType::i64 || n.scope != Scope::global))
    rule("`" + n.name.str() + "` can't hold pointers: they are i64 elements of tensors");
  if (n.safe) {
    expr(n.safe);
    if (n.safe->type != Type{n.dtype})
      report(Diag::ir_type, n.safe->span, to_string(n.safe->type), name(n.dtype));
  }
  if (level_ != Level::tile && n.scope == Scope::fragment) level_error("a fragment");
  if (level_ == Level::flat && n.scope != Scope::global && n.shape.size() != 1)
    level_error("memory of " + plural(int64_t(n.shape.size()), "dimension"));
  if (level_ == Level::flat && n.scope == Scope::shared && (n.layout.known() || n.swizzle.known()))
    level_error("the layout of a shared buffer");
  if (n.scope == Scope::barrier) barriers(n);
  if (layout(n) && sized && n.scope == Scope::shared) place(n);
  swizzle(n.swizzle, n.name.str());
  if (n.where.known()) element_map(n);
  stages(n);
  declare_buffer(n);
}

/// The address of a tensor that the kernel declares. Each access evaluates it, so it depends only
/// on values that are bound once, and reads no memory. The call determines the extents.
void Verifier::address(const Buffer& b) {
  const std::string of = "the address of `" + b.name.str() + "`";
  expr(b.address);
  if (b.address->type != Type{DType::i64})
    report(Diag::ir_type, b.address->span, to_string(b.address->type), "i64 for an address");
  if (contains<Load, Region, Call>(*b.address)) rule(of + " reads memory, or calls a function");
  const bool changes = any_of(*b.address, [&](const Name& name) {
    const Entry* entry = find(name.id);
    return entry && entry->what == Entry::What::var;
  });
  if (changes) rule(of + " depends on a variable");
  for (const auto* list : {&b.shape, &b.strides})
    for (const Expr& extent : *list)
      if (any_of(*extent, [&](const Name& name) { return !of_call_.count(name.id); }))
        rule("the call does not determine the extents of `" + b.name.str() + "`");
}

void Verifier::statement(const Buffer& n) {
  in_kernel("a buffer");
  if (n.scope == Scope::global && !n.address)
    rule("`" + n.name.str() +
         "` is a tensor: a parameter of the function, a workspace, or at an address");
  memory(n);
}

void Verifier::more(const TensorMap& n) {
  constexpr size_t most = 5;  // dimensions of a copy engine
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
  if (n.bits != 0 && n.bits != 8 && n.bits != 16 && n.bits != 32 && n.bits != 64)
    rule("the elements of a tensor map have 8, 16, 32 or 64 bits");
  const Entry* of = find(n.buffer);
  if (of && of->scope != Scope::global) rule("a tensor map is of a tensor");
  declare(n.name, {Entry::What::map, {}, 0, Scope::global, false});
}

}  // namespace tilelab
