// SPDX-License-Identifier: Apache-2.0
// Decides which queued cells are aborted after a failed one.
#pragma once

#include <string>

namespace tilelab::jupyter {

/// A failed cell aborts the cells that the same client had sent before it could know of the
/// failure: those that arrived before the failed cell's reply was sent (the server collects them
/// then). Only arrival counts: a client's clock may step back or be wrong.
class AbortRule {
 public:
  /// An execute_request of `session` starts.
  void started(const std::string& session) {
    failed_ = false;
    session_ = session;
  }
  /// It failed, and its sender wants the queue aborted.
  void failed() { failed_ = true; }
  /// Whether to abort an execute_request; `was_queued`: it had arrived before the failure's reply
  /// was sent.
  bool aborts(const std::string& session, bool was_queued) const {
    return failed_ && was_queued && session == session_;
  }

 private:
  bool failed_ = false;
  std::string session_;
};

}  // namespace tilelab::jupyter
