// SPDX-License-Identifier: Apache-2.0
#include "core/passes/select_instructions/select_instructions.h"

#include "core/analysis/access.h"
#include "core/analysis/divergence.h"
#include "core/ir/build.h"
#include "core/ir/regions.h"

namespace tilelab {
namespace {

constexpr int64_t kMaxBytes = 64, kMaxTotalBytes = 192;  // per thread

class Tiles {
 public:
  Tiles(const Kernel& kernel, const KernelMemory& memory)
      : kernel_(kernel), memory_(memory), varying_(kernel) {}

  std::vector<const Buffer*> run() {
    visit(kernel_.body, {});
    propagate_bound();
    std::vector<const Buffer*> out;
    int64_t together = 0;
    for (const Buffer* buffer : declared_)
      if (!bound_.count(buffer->name) && read_.count(buffer->name))
        out.push_back(buffer), together += bytes_of(*buffer);
    if (together > kMaxTotalBytes) out.clear();
    return out;
  }

 private:
  struct Around {
    const Parallel* loop = nullptr;
    bool unsuitable = false;  // not all threads reach it, or copies are prefetched
  };

  int64_t bytes_of(const Buffer& buffer) const { return allocated_bytes(buffer) / kernel_.block; }

  bool may_be(const Buffer& b) const {
    if (b.scope != Scope::shared || b.shape.empty()) return false;
    const bool with_form = b.layout.known() || b.swizzle.known() || b.where.known();
    return !with_form && !b.ring && !memory_.aliased_or_escaping(b.name) &&
           allocated_elements(b) % kernel_.block == 0 && bytes_of(b) <= kMaxBytes;
  }

  void visit(const Stmt& stmt, Around around) {
    if (!stmt) return;
    if (const Buffer* b = as<Buffer>(stmt)) {
      if (may_be(*b))
        declared_.push_back(b);
      else if (b->scope != Scope::fragment || b->layout.known() || b->where.known())
        bound_.insert(b->name);
      return;
    }
    const For* loop = as<For>(stmt);
    const Parallel* parallel = as<Parallel>(stmt);
    around.unsuitable |= (loop && loop->stages > 0) || as<Role>(stmt) || as<While>(stmt) ||
                         (as<If>(stmt) && varying_(*stmt));
    if (parallel) {
      around.loop = parallel;
      together_.clear();
      around.unsuitable |= parallel->layout.known() || !parallel->attrs.empty();
    }
    if (!around.loop) together_.clear();
    for (const Effect& effect : effects(*stmt)) visit_effect(*stmt, effect, around);
    for_each_stmt(*stmt, [&](const Stmt& s) { visit(s, around); });
  }

  void visit_effect(const Node& stmt, const Effect& effect, const Around& around) {
    const Symbol name = memory_.views.base_of(effect.buffer);
    const auto found = memory_.buffers.find(name);
    if (found == memory_.buffers.end()) return;
    const Buffer& buffer = *found->second;
    if (buffer.scope == Scope::local) return;
    if (!effect.write) read_.insert(name);
    const bool tile = buffer.scope == Scope::fragment || buffer.scope == Scope::shared;
    const bool fits =
        tile ? name == effect.buffer && element_by_element(stmt, buffer, effect, around)
             : !around.loop || is_contiguous_along(effect, *around.loop);
    if (!fits || around.unsuitable) bound_.insert(tile ? name : kNowhere);
    if (!tile && fits && !around.unsuitable) return;
    const Symbol linked = tile ? name : kNowhere;
    for (Symbol other : together_) links_.emplace_back(linked, other);
    together_.push_back(linked);
  }

  /// Whether position i of the operation accesses element i, and all of them are accessed.
  static bool element_by_element(const Node& stmt, const Buffer& buffer, const Effect& effect,
                                 const Around& around) {
    if (effect.box.size() != buffer.shape.size() || effect.atomic) return false;
    const Copy* copy = as<Copy>(&stmt);
    const bool plain = copy && copy->by == CopyBy::unset && !has_explicit_wait(*copy) &&
                       !copy->barrier && copy->attrs.empty() && !copy->layout.known();
    const Fill* fill = as<Fill>(&stmt);
    if (plain || (fill && !fill->layout.known())) {
      for (size_t d = 0; d < effect.box.size(); ++d)
        if (!is_int(effect.box[d].lo, 0) || effect.box[d].extent != int_value(buffer.shape[d]))
          return false;
      return true;
    }
    const Parallel* loop = around.loop;
    if (!loop || !effect.element || loop->vars.size() != effect.box.size()) return false;
    for (size_t d = 0; d < effect.box.size(); ++d) {
      const Name* index = as<Name>(effect.box[d].lo);
      if (!index || index->id != loop->vars[d]) return false;
      if (int_value(loop->extents[d]) != int_value(buffer.shape[d])) return false;
    }
    return true;
  }

  /// Whether consecutive iterations of the last variable access consecutive elements.
  static bool is_contiguous_along(const Effect& effect, const Parallel& loop) {
    return effect.element && !effect.atomic &&
           tilelab::is_contiguous_along(lows(effect.box), loop.vars.back());
  }

  /// Propagates: a tile used together with a bound one (to memory or a layout) is bound.
  void propagate_bound() {
    for (bool more = true; std::exchange(more, false);)
      for (const auto& [a, b] : links_)
        if (bound_.count(a) != bound_.count(b)) bound_.insert(a), bound_.insert(b), more = true;
  }

  inline static const Symbol kNowhere = "a location in a tensor";  // not a user name
  const Kernel& kernel_;
  const KernelMemory& memory_;
  const DivergenceAnalysis varying_;
  std::vector<const Buffer*> declared_;
  std::vector<Symbol> together_;  // buffers that the operation accesses
  std::vector<std::pair<Symbol, Symbol>> links_;
  std::unordered_set<Symbol> bound_, read_;
};

}  // namespace

std::vector<const Buffer*> find_private_tiles(const Kernel& kernel, const KernelMemory& memory) {
  return Tiles(kernel, memory).run();
}

}  // namespace tilelab
