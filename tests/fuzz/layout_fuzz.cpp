// SPDX-License-Identifier: Apache-2.0
// Any bytes, taken as choices for a layout: the algebra on it agrees with enumeration.
#include <cstdio>
#include <cstdlib>

#include "tests/unit/layout/layout_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string broken = tilelab::test::check_layout_properties(data, size);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}
