// SPDX-License-Identifier: Apache-2.0
// Structural equality and hashing. Both ignore spans and the nesting of Seqs (a Seq of one
// statement equals that statement, an empty Seq an absent one), but not names.
#pragma once

#include <cstdint>

#include "core/ir/node.h"

namespace tilelab {

bool equal(const Node& a, const Node& b);
uint64_t hash(const Node& node);

template <class T> bool equal(const Ref<T>& a, const Ref<T>& b) {
  if (a.same(b)) return true;
  return a && b && equal(static_cast<const Node&>(*a), static_cast<const Node&>(*b));
}

}  // namespace tilelab
