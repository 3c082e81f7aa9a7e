// SPDX-License-Identifier: Apache-2.0
// The three kinds of history_request, on a session's entries.
#pragma once

#include <string>
#include <vector>

#include "session/session.h"

namespace tilelab::jupyter {

using History = std::vector<HistoryEntry>;

/// The last n entries, oldest first.
History history_tail(const History& all, int n);

/// Lines start <= line < stop of one session: 0 is the current one (whose entries are `current`; in
/// `all` they come last), -k the k-th before it, a positive number the session itself.
History history_range(const History& all, const History& current, int session, int start, int stop);

/// The last n entries whose input matches a glob pattern (* ? [...]), oldest first; with `unique`
/// only the latest of those with equal input.
History history_search(const History& all, const std::string& pattern, int n, bool unique);

}  // namespace tilelab::jupyter
