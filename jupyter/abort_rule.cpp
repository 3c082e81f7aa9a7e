// SPDX-License-Identifier: Apache-2.0
#include "jupyter/abort_rule.h"

#include "jupyter/dates.h"

namespace tilelab::jupyter {

void AbortRule::started(const std::string& session, const std::string& date) {
  failed_ = false;
  session_ = session;
  date_ = date;
}

void AbortRule::failed(double seconds) {
  failed_ = true;
  seconds_ = seconds;
}

bool AbortRule::aborts(const std::string& session, const std::string& date, bool was_queued) const {
  if (!failed_ || session != session_) return false;
  if (was_queued) return true;
  auto sent = parse_iso_date(date), failed_sent = parse_iso_date(date_);
  return sent && failed_sent && *sent <= *failed_sent + seconds_;
}

}  // namespace tilelab::jupyter
