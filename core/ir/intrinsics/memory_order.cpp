// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics/memory_order.h"

#include "core/ir/intrinsics/intrinsics.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"

namespace tilelab {

namespace {

MemoryOrder order_named(const std::string& order) {
  const bool sequential = order == "seq_cst", both = order == "acq_rel" || sequential;
  return {both || order == "acquire" || order == "consume", both || order == "release", sequential};
}

}  // namespace

MemoryOrder memory_order(const Call& call) {
  const Attr* attr =
      info(call.intrinsic).step == Step::atomic ? find_attr(call.attrs, Symbol("order")) : nullptr;
  if (!attr) return {};
  MemoryOrder order = order_named(attr->string);
  order.acquires &= call.intrinsic != Intrinsic::atomic_store;  // a store does not acquire
  order.releases &= call.intrinsic != Intrinsic::atomic_load;
  return order;
}

MemoryOrder memory_order_of(const Node& stmt) {
  if (const Atomic* tile = as<Atomic>(&stmt)) return order_named(tile->order);
  const Let* let = as<Let>(&stmt);
  const Do* effect = as<Do>(&stmt);
  const Call* call = let ? as<Call>(let->value) : effect ? as<Call>(effect->call) : nullptr;
  return call ? memory_order(*call) : MemoryOrder{};
}

MemoryOrder memory_orders_in(const Node& code) {
  MemoryOrder all;
  for_each(code, [&](const StmtNode& node) {
    const MemoryOrder one = memory_order_of(node);
    all.acquires |= one.acquires, all.releases |= one.releases, all.sequential |= one.sequential;
  });
  return all;
}

}  // namespace tilelab
