// SPDX-License-Identifier: Apache-2.0
// File descriptors, where a stream would buffer or lock.
#pragma once

#include <string>

namespace tilelab {

/// Writes all of `text`. False when the descriptor takes no more: a full disk, a closed pipe.
bool write_all(int descriptor, const std::string& text);

}  // namespace tilelab
