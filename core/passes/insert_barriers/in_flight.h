// SPDX-License-Identifier: Apache-2.0
// What goes on beside the threads until the program waits for it, as insert_barriers follows it:
// products that T.wait_wgmma ends, and copies that T.ptx_wait_group(n) ends group by group.
#pragma once

#include <deque>
#include <vector>

#include "core/passes/insert_barriers/pending_accesses.h"

namespace tilelab {

/// Whether copies of the statement that end with their group go on behind it.
bool copies_go_on(const Stmt& stmt);

class InFlight {
 public:
  using Numbers = std::vector<int>;  // of accesses, in the table

  /// Behind the statement, which did `accesses`: what copies have written and it has waited for.
  /// The thread that waits sees it; others do when they have met behind that.
  Numbers follow(const Stmt& stmt, const Numbers& accesses, const AccessTable& table);
  /// What products that nobody has waited for read: threads that meet before know nothing of it.
  const std::deque<Numbers>& products() const { return products_; }

 private:
  void follow_products(const Stmt& stmt, const Numbers& accesses, const AccessTable& table);

  std::deque<Numbers> products_, copies_;  // the oldest first
  Numbers issued_;                         // by copies of no group yet
};

}  // namespace tilelab
