// SPDX-License-Identifier: Apache-2.0
// Structural equality and hashing. Both ignore spans; names count. How statements are grouped in
// Seqs does not: a Seq of one is that one, an empty Seq is an absent statement.
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
