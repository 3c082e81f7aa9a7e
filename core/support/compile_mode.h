// SPDX-License-Identifier: Apache-2.0
// Whether this process may compile machine code (tilelab.set_compile_mode, TILELAB_COMPILE).
#pragma once

#include <atomic>

namespace tilelab {

inline std::atomic<bool> code_may_be_compiled{true};

inline bool may_compile_code() { return code_may_be_compiled.load(std::memory_order_relaxed); }
inline void set_may_compile_code(bool may) { code_may_be_compiled = may; }

}  // namespace tilelab
