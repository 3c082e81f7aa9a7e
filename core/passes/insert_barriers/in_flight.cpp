// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/in_flight.h"

#include <optional>
#include <utility>

#include "core/ir/build.h"
#include "core/ir/traverse.h"
#include "core/passes/shared/hardware_units.h"

namespace tilelab {
namespace {

const Call* call_of(const Stmt& stmt) {
  const Do* statement = as<Do>(stmt);
  return statement ? as<Call>(statement->call) : nullptr;
}

bool group_of_its_own(const Copy& copy) { return by_hand(copy) && !copy.barrier; }

}  // namespace

bool copies_go_on(const Stmt& stmt) {
  if (const Copy* copy = as<Copy>(stmt)) return group_of_its_own(*copy);
  return !calls(*stmt, {Intrinsic::cp_wait});
}

void InFlight::follow_products(const Stmt& stmt, const Numbers& accesses,
                               const AccessTable& table) {
  const Gemm* product = as<Gemm>(stmt);
  const Call* call = call_of(stmt);
  std::optional<int64_t> left;
  if (product && product->wait >= 0) {
    Numbers& reads = products_.emplace_back();
    for (int access : accesses)
      if (!table[access].access.write) reads.push_back(access);
    left = product->wait;
  } else if (call && call->intrinsic == Intrinsic::mma_wait) {
    left = int_value(call->args[0]);
  }
  while (left && int64_t(products_.size()) > *left) products_.pop_front();
}

InFlight::Numbers InFlight::follow(const Stmt& stmt, const Numbers& accesses,
                                   const AccessTable& table) {
  follow_products(stmt, accesses, table);
  for (int access : accesses)
    if (table[access].access.copied) issued_.push_back(access);
  const Copy* copy = as<Copy>(stmt);
  const Call* call = call_of(stmt);
  if ((copy && group_of_its_own(*copy)) || (call && call->intrinsic == Intrinsic::cp_commit))
    copies_.push_back(std::exchange(issued_, {}));
  Numbers arrived;
  if (!call || call->intrinsic != Intrinsic::cp_wait) return arrived;
  const int64_t left = int_value(call->args[0]).value_or(0);
  for (; int64_t(copies_.size()) > left; copies_.pop_front())
    arrived.insert(arrived.end(), copies_.front().begin(), copies_.front().end());
  return arrived;
}

}  // namespace tilelab
