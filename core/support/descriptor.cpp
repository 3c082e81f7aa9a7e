// SPDX-License-Identifier: Apache-2.0
#include "core/support/descriptor.h"

#include <unistd.h>

namespace tilelab {

bool write_all(int descriptor, const std::string& text) {
  for (size_t done = 0; done < text.size();) {
    ssize_t n = write(descriptor, text.data() + done, text.size() - done);
    if (n <= 0) return false;
    done += size_t(n);
  }
  return true;
}

}  // namespace tilelab
