// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/host/signature.h"
#include "core/sim/sim.h"

namespace tilelab::sim {

Argument argument_of(const host::Value& value);

}  // namespace tilelab::sim
