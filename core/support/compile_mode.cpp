// SPDX-License-Identifier: Apache-2.0
#include "core/support/compile_mode.h"

#include <atomic>

namespace tilelab {

static std::atomic<bool> code_may_be_compiled{true};

bool may_compile_code() { return code_may_be_compiled.load(std::memory_order_relaxed); }
void set_may_compile_code(bool may) { code_may_be_compiled = may; }

}  // namespace tilelab
