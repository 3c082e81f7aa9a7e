// SPDX-License-Identifier: Apache-2.0
// Whether this process may compile machine code (tilelab.set_compile_mode, TILELAB_COMPILE).
#pragma once

namespace tilelab {

bool may_compile_code();
void set_may_compile_code(bool may);

}  // namespace tilelab
