// SPDX-License-Identifier: Apache-2.0
// Which queued cells die with a failed one.
#pragma once

#include <string>

namespace tilelab::jupyter {

/// A cell that fails takes along the cells that the same client had sent before it could know:
/// those that have arrived when the failed cell's reply leaves (the server collects them then).
/// Only arrival counts, because it alone is known: a client's clock may step back, or lie.
class AbortRule {
 public:
  /// An execute_request of `session` begins to run.
  void started(const std::string& session) {
    failed_ = false;
    session_ = session;
  }
  /// It failed, and its sender wants the queue stopped.
  void failed() { failed_ = true; }
  /// Whether an execute_request dies; `was_queued` = it had arrived before the failure's reply
  /// left.
  bool aborts(const std::string& session, bool was_queued) const {
    return failed_ && was_queued && session == session_;
  }

 private:
  bool failed_ = false;
  std::string session_;
};

}  // namespace tilelab::jupyter
