// SPDX-License-Identifier: Apache-2.0
// The memory order of an atomic access (attribute `order`), as in C++.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

struct MemoryOrder {
  bool acquires = false;  // later accesses come after it and after the observed release
  bool releases = false;  // earlier accesses are visible to threads that acquire its value
  bool sequential = false;
};

MemoryOrder memory_order(const Call& call);
/// Of the statement itself: its call (under Do or as the value of a let) or tile atomic.
MemoryOrder memory_order_of(const Node& stmt);
/// The union over all atomic accesses.
MemoryOrder memory_orders_in(const Node& code);

}  // namespace tilelab
