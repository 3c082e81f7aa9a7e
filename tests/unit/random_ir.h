// SPDX-License-Identifier: Apache-2.0
// Random functions of all node kinds, typed and scoped as the text form needs it, not meaningful.
#pragma once

#include <cstdint>

#include "core/ir/func.h"

namespace tilelab::test {

FuncRef random_func(uint64_t seed);

}  // namespace tilelab::test
