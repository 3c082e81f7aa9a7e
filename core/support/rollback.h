// SPDX-License-Identifier: Apache-2.0
// Undo log for append-only lists.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace tilelab {

/// The length of the list at a checkpoint, and the items appended since.
template <class T> struct UndoLog {
  size_t before = 0;
  std::vector<T> since;

  UndoLog(const std::vector<T>& list, size_t begin)
      : before(begin), since(list.begin() + int64_t(begin), list.end()) {}
  /// Restores the recorded state, from any other state after the same checkpoint.
  void restore(std::vector<T>& list) {
    list.resize(before);
    std::move(since.begin(), since.end(), std::back_inserter(list));
  }
};

}  // namespace tilelab
