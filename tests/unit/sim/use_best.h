// SPDX-License-Identifier: Apache-2.0
// For tests of every instruction set: the best one is in use again when they end.
#pragma once

#include "core/sim/lanes/lanes.h"

namespace tilelab::sim {

struct UseBest {
  ~UseBest() { use_isa(best_isa()); }
};

}  // namespace tilelab::sim
