// SPDX-License-Identifier: Apache-2.0
// Taking each wait, barrier, arrival, fence and commit of a kernel's text away, one at a time:
// every time the simulator must have a finding that names lines.
#pragma once

#include <cstdlib>

#include "core/support/text.h"
#include "tests/unit/sim/kernels.h"

namespace tilelab::test {

inline bool synchronises(const std::string& line) {
  for (const char* word :
       {"bar_wait(",    "bar_arrive(",  "bar_arrive_expect(", "bar_expect(",  "bar_init(",
        "block_sync(",  "group_sync(",  "mma_wait(",          "mma_commit(",  "cp_wait(",
        "cp_commit(",   "fence_proxy(", "bulk_wait(",         "bulk_commit(", "bulk_wait_read(",
        "mma_fence(",   "init_fence(",  "warp_sync(",         "role_sync(",   "ring_acquire(",
        "ring_commit(", "ring_wait(",   "ring_release("})
    if (line.find(word) != std::string::npos) return true;
  return false;
}

using Wanted = bool (*)(const std::string& line);

struct Removal {
  std::string line, text;
};

/// The text without each of its synchronising lines, one at a time. `pass` takes the place; a slot
/// that is never taken is the first.
inline std::vector<Removal> removals(const std::string& text, Wanted wanted) {
  std::vector<std::string> lines = split(text, '\n');
  std::vector<Removal> out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (!synchronises(lines[i]) || !wanted(lines[i])) continue;
    std::vector<std::string> changed = lines;
    const size_t binds = lines[i].find(" = ring_");
    changed[i] = binds != std::string::npos
                     ? lines[i].substr(0, binds) + " = 0"
                     : lines[i].substr(0, lines[i].find_first_not_of(' ')) + "pass";
    out.push_back(
        {std::to_string(i + 1) + ": " + std::string(strip(lines[i])), join(changed, "\n")});
  }
  return out;
}

inline bool every_line(const std::string&) { return true; }

/// The number of sites.
template <class Run>
size_t expect_found(const std::string& text, Run&& run, Wanted wanted = every_line) {
  const bool show = std::getenv("TILELAB_SHOW_FINDINGS") != nullptr;
  const std::vector<Removal> all = removals(text, wanted);
  for (size_t i = seed() % every; i < all.size(); i += every) {
    const Removal& r = all[i];
    sim::RunOptions o;
    o.watch = sim::Watch::all();
    o.threads = 1;
    KernelRun k = run(r.text, o);
    if (show)
      std::printf("== %s   [error %g]\n%s", r.line.c_str(), k.error, describe(k.result).c_str());
    bool named = false;
    for (const sim::Finding& f : k.result.findings)
      for (const sim::FindingSide& w : f.where) named |= w.span.known();
    if (!named) fail("without line", 0, r.line + "\n" + describe(k.result));
  }
  return all.size();
}

}  // namespace tilelab::test
