// SPDX-License-Identifier: Apache-2.0
// Going back in a list that a walk only adds to, without a copy of all of it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

namespace tilelab {

/// How long the list was at some moment, and what has come since.
template <class T> struct UndoLog {
  size_t before = 0;
  std::vector<T> since;

  UndoLog(const std::vector<T>& list, size_t begin)
      : before(begin), since(list.begin() + int64_t(begin), list.end()) {}
  /// The list as it was when this was made, from a later or another state behind the same moment.
  void restore(std::vector<T>& list) {
    list.resize(before);
    std::move(since.begin(), since.end(), std::back_inserter(list));
  }
};

}  // namespace tilelab
