// SPDX-License-Identifier: Apache-2.0
// Asynchronous operations in flight, for insert_barriers: matmuls that T.wait_wgmma completes, and
// copies that T.ptx_wait_group(n) completes group by group.
#pragma once

#include <deque>
#include <vector>

#include "core/passes/insert_barriers/pending_accesses.h"

namespace tilelab {

/// Whether copies of the statement that complete with their group are still in flight after it.
bool copies_in_flight_after(const Stmt& stmt);

class InFlight {
 public:
  using Numbers = std::vector<int>;  // IDs of accesses in the table

  /// Advances past the statement, which did `accesses`. Returns the writes of copies that it waited
  /// for: the waiting thread sees them, other threads only after the next barrier.
  Numbers follow(const Stmt& stmt, const Numbers& accesses, const AccessTable& table);
  /// Reads of matmuls in flight; a barrier before the wait does not complete them.
  const std::deque<Numbers>& matmuls() const { return matmuls_; }

 private:
  void follow_matmuls(const Stmt& stmt, const Numbers& accesses, const AccessTable& table);

  std::deque<Numbers> matmuls_, copies_;  // oldest first
  Numbers issued_;                        // by copies that no group contains yet
};

}  // namespace tilelab
