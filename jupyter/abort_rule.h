// SPDX-License-Identifier: Apache-2.0
// Which queued cells die with a failed one.
#pragma once

#include <string>

namespace tilelab::jupyter {

/// A cell that fails takes along the cells that the same client had sent before it could know.
/// Those already in the socket are known by that (the server collects them before it replies);
/// those still on their way are known by their date: it lies within the failed cell's run. Only
/// the client's clock is compared with itself, so clocks that differ do no harm.
class AbortRule {
 public:
  /// An execute_request of `session`, sent at `date` (of its header), begins to run.
  void started(const std::string& session, const std::string& date);
  /// It failed after `seconds` and its sender wants the queue stopped.
  void failed(double seconds);
  /// Whether an execute_request dies: `was_queued` = it had arrived before the failure's reply.
  bool aborts(const std::string& session, const std::string& date, bool was_queued) const;

 private:
  bool failed_ = false;
  std::string session_;
  std::string date_;
  double seconds_ = 0;
};

}  // namespace tilelab::jupyter
