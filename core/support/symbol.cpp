// SPDX-License-Identifier: Apache-2.0
#include "core/support/symbol.h"

#include <deque>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "core/support/fork_safe.h"

namespace tilelab {
namespace {

struct Names {
  ForkSafe<std::shared_mutex> mutex;
  std::deque<std::string> all{""};  // a deque: references to its strings remain valid
  std::unordered_map<std::string_view, uint32_t> ids{{"", 0}};
};

Names& names() {
  static Names table;
  return table;
}

}  // namespace

Symbol::Symbol(std::string_view text) {
  Names& table = names();
  {
    std::shared_lock lock(table.mutex);
    if (auto it = table.ids.find(text); it != table.ids.end()) {
      id_ = it->second;
      return;
    }
  }
  std::unique_lock lock(table.mutex);
  if (auto it = table.ids.find(text); it != table.ids.end()) {
    id_ = it->second;
    return;
  }
  id_ = static_cast<uint32_t>(table.all.size());
  table.all.emplace_back(text);
  table.ids.emplace(table.all.back(), id_);
}

const std::string& Symbol::str() const {
  Names& table = names();
  std::shared_lock lock(table.mutex);
  return table.all[id_];
}

}  // namespace tilelab
