// SPDX-License-Identifier: Apache-2.0
// What an atomic access says of the accesses around it (attribute `order`), as C++ has it.
#pragma once

#include "core/ir/expr.h"

namespace tilelab {

struct MemoryOrder {
  bool acquires = false;  // what follows comes behind it, and behind what it saw released
  bool releases = false;  // who acquires what it leaves sees what came before
  bool sequential = false;
};

MemoryOrder memory_order(const Call& call);
/// Of a statement itself: the call that it makes, alone or for a let, or the tile operation.
MemoryOrder memory_order_of(const Node& stmt);
/// Of all atomic accesses in it together.
MemoryOrder memory_orders_in(const Node& code);

}  // namespace tilelab
