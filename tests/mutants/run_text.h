// SPDX-License-Identifier: Apache-2.0
// One IR text the whole way, as a user's edited snapshot goes it: read, verify, the remaining
// passes, the simulator, C.
#pragma once

#include <atomic>
#include <string>
#include <vector>

namespace tilelab::test {

/// The last stage that a text reached.
enum class Reached { nothing, read, passes, run, code };

struct Outcome {
  Reached reached = Reached::nothing;
  std::string broken;  // an internal error, or a refusal without a word; "" = good
};

/// `stop` ends passes and simulation.
Outcome run_text(const std::string& text, const std::atomic<bool>* stop);

/// The texts of a function after every pass; none if it does not go through.
std::vector<std::string> snapshots_of(const std::string& text);

}  // namespace tilelab::test
