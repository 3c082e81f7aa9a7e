// SPDX-License-Identifier: Apache-2.0
#include "core/passes/insert_barriers/pending_accesses.h"

#include <optional>
#include <utility>

#include "core/ir/build.h"
#include "core/ir/intrinsics/copied_elements.h"
#include "core/ir/traverse.h"
#include "core/passes/shared/hardware_units.h"

namespace tilelab {
namespace {

bool has_own_group(const Copy& copy) { return has_explicit_wait(copy) && !copy.barrier; }

}  // namespace

bool copies_in_flight_after(const Stmt& stmt) {
  if (const Copy* copy = as<Copy>(stmt)) return has_own_group(*copy);
  return !any_of(*stmt, completes_copies);
}

void InFlight::follow_matmuls(const Stmt& stmt, const Numbers& accesses, const AccessTable& table) {
  const Gemm* matmul = as<Gemm>(stmt);
  const Call* call = called(stmt);
  std::optional<int64_t> left;
  if (matmul && matmul->wait >= 0) {
    Numbers& reads = matmuls_.emplace_back();
    for (int access : accesses)
      if (!table[access].access.write) reads.push_back(access);
    left = matmul->wait;
  } else if (call && call->intrinsic == Intrinsic::mma_wait) {
    left = int_value(call->args[0]);
  }
  while (left && int64_t(matmuls_.size()) > *left) matmuls_.pop_front();
}

InFlight::Numbers InFlight::follow(const Stmt& stmt, const Numbers& accesses,
                                   const AccessTable& table) {
  follow_matmuls(stmt, accesses, table);
  for (int access : accesses)
    if (table[access].access.copied) issued_.push_back(access);
  const Copy* copy = as<Copy>(stmt);
  const Call* call = called(stmt);
  if ((copy && has_own_group(*copy)) || (call && call->intrinsic == Intrinsic::cp_commit))
    copies_.push_back(std::exchange(issued_, {}));
  Numbers arrived;
  if (!call || !completes_copies(*call)) return arrived;
  const bool groups = call->intrinsic == Intrinsic::cp_wait;
  if (!groups) copies_.push_back(std::exchange(issued_, {}));
  const int64_t left = groups ? int_value(call->args[0]).value_or(0) : 0;
  for (; int64_t(copies_.size()) > left; copies_.pop_front())
    arrived.insert(arrived.end(), copies_.front().begin(), copies_.front().end());
  return arrived;
}

}  // namespace tilelab
