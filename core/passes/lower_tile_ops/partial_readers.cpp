// SPDX-License-Identifier: Apache-2.0
#include "core/passes/lower_tile_ops/lowering.h"

#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/thread_range.h"

namespace tilelab {
namespace {

class PartialReaders {
 public:
  PartialReaders(const Kernel& kernel, const BufferViews& views)
      : views_(views), block_{0, kernel.block} {
    visit(kernel.body, nullptr);
  }

  bool any() const {
    for (const auto& [buffer, parts] : readers_)
      for (const Node* part : parts)
        if (const auto found = writers_.find(buffer); found != writers_.end())
          for (const Node* writer : found->second)
            if (writer != part) return true;
    return false;
  }

 private:
  /// `part`: the branch or role of some threads around the statement; null: all threads.
  void visit(const Stmt& stmt, const Node* part) {
    if (!stmt) return;
    for (const Effect& effect : effects(*stmt)) {
      const Symbol buffer = views_.base_of(effect.buffer);
      if (effect.write && effect.who == Actor::threads) writers_[buffer].insert(part);
      if (!effect.write && effect.who == Actor::matrix && part) readers_[buffer].insert(part);
    }
    if (const If* branch = as<If>(stmt)) {
      for (bool is_else : {false, true})
        visit(is_else ? branch->else_ : branch->then_,
              threads_of(*branch, is_else, block_) ? child(*branch, is_else) : part);
    } else {
      for_each_stmt(*stmt, [&](const Stmt& s) { visit(s, as<Role>(stmt) ? stmt.get() : part); });
    }
  }

  static const Node* child(const If& branch, bool is_else) {
    return (is_else ? branch.else_ : branch.then_).get();
  }

  const BufferViews& views_;
  const ThreadRange block_;
  std::unordered_map<Symbol, std::unordered_set<const Node*>> readers_, writers_;
};

}  // namespace

bool has_partial_readers(const Kernel& kernel, const BufferViews& views) {
  return PartialReaders(kernel, views).any();
}

}  // namespace tilelab
