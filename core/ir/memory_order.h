// SPDX-License-Identifier: Apache-2.0
// What an atomic access says of the accesses around it (attribute `order`), as C++ has it.
#pragma once

#include "core/ir/expr.h"
#include "core/ir/tile_op.h"

namespace tilelab {

struct MemoryOrder {
  bool acquires = false;  // what follows comes behind it, and behind what it saw released
  bool releases = false;  // who acquires what it leaves sees what came before
  bool sequential = false;
};

MemoryOrder memory_order(const Call& call);
MemoryOrder memory_order(const Atomic& tile);
/// Of the call that the statement makes, alone or for a let.
MemoryOrder memory_order(const Stmt& stmt);
/// Of all atomic accesses in it together.
MemoryOrder memory_orders_in(const Node& stmt);

}  // namespace tilelab
