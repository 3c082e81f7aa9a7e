// SPDX-License-Identifier: Apache-2.0
// Which statements of a list use a buffer.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/passes/schedule_pipelines/pipeline_plan.h"

namespace tilelab {

/// How often the statements of a list use a name, and which of them, in order.
struct UsesInList {
  int count = 0;
  std::vector<size_t> at;
};

/// By the buffers that the names refer to.
inline std::unordered_map<Symbol, UsesInList> uses_in(const Seq& list, const BufferViews& views) {
  std::unordered_map<Symbol, UsesInList> out;
  for (size_t i = 0; i < list.stmts.size(); ++i)
    for_each(*list.stmts[i], [&](const Node& node) {
      for_each_use(node, [&](Symbol name) {
        UsesInList& uses = out[views.base_of(name)];
        ++uses.count;
        if (uses.at.empty() || uses.at.back() != i) uses.at.push_back(i);
      });
    });
  return out;
}

/// Uses of names in a list's statements, computed lazily.
class ListUses {
 public:
  ListUses(const Seq& list, const BufferViews& views) : list_(list), views_(views) {}
  const Seq& list() const { return list_; }
  const UsesInList& of(Symbol name) const {
    if (!found_) found_ = uses_in(list_, views_);
    static const UsesInList kNone;
    auto it = found_->find(name);
    return it == found_->end() ? kNone : it->second;
  }

 private:
  const Seq& list_;
  const BufferViews& views_;
  mutable std::optional<std::unordered_map<Symbol, UsesInList>> found_;
};

}  // namespace tilelab
