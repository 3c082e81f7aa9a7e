// SPDX-License-Identifier: Apache-2.0
#include "jupyter/history_query.h"

#include <fnmatch.h>

#include <algorithm>
#include <set>

namespace tilelab::jupyter {

History history_tail(const History& all, int n) {
  size_t wanted = n > 0 ? static_cast<size_t>(n) : 0;
  return History(all.end() - static_cast<long>(std::min(wanted, all.size())), all.end());
}

/// The number of the session `back` sessions before the current one; 0 if there is none. The
/// current one, if it has entries, is the last in `all`.
static int session_before(const History& all, const History& current, int back) {
  std::set<int> earlier;
  for (const HistoryEntry& entry : all) earlier.insert(entry.session);
  if (!current.empty()) earlier.erase(all.back().session);
  if (back < 1 || back > static_cast<int>(earlier.size())) return 0;
  return *std::prev(earlier.end(), back);
}

History history_range(const History& all, const History& current, int session, int start,
                      int stop) {
  if (session < 0) {
    session = session_before(all, current, -session);
    if (session == 0) return {};
  }
  const History& from = session == 0 ? current : all;
  History result;
  for (const HistoryEntry& entry : from) {
    bool of_session = session == 0 || entry.session == session;
    if (of_session && entry.line >= start && entry.line < stop) result.push_back(entry);
  }
  return result;
}

History history_search(const History& all, const std::string& pattern, int n, bool unique) {
  History result;
  std::set<std::string> seen;
  for (size_t i = all.size(); i-- > 0 && static_cast<int>(result.size()) < n;) {
    if (fnmatch(pattern.c_str(), all[i].input.c_str(), FNM_NOESCAPE) != 0) continue;
    if (unique && !seen.insert(all[i].input).second) continue;
    result.push_back(all[i]);
  }
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace tilelab::jupyter
