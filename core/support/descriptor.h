// SPDX-License-Identifier: Apache-2.0
// Output to file descriptors, without the buffering and locking of streams.
#pragma once

#include <unistd.h>

#include <string>

namespace tilelab {

/// Writes all of `text`; false on failure: a full disk, a closed pipe.
inline bool write_all(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

}  // namespace tilelab
