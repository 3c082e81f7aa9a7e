// SPDX-License-Identifier: Apache-2.0
// Output to file descriptors, without the buffering and locking of streams.
#pragma once

#include <string>

namespace tilelab {

/// Writes all of `text`; false on failure: a full disk, a closed pipe.
bool write_all(int descriptor, const std::string& text);

}  // namespace tilelab
