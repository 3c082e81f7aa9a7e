// SPDX-License-Identifier: Apache-2.0
// clang++ -std=c++20 -g -O1 -fsanitize=fuzzer,address,undefined -I. tests/fuzz/layout_fuzz.cpp \
//   tests/unit/layout_properties.cpp core/layout/*.cpp core/support/*.cpp -o layout_fuzz
#include <cstdio>
#include <cstdlib>

#include "tests/unit/layout_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string broken = tilelab::test::check_layout_properties(data, size);
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}
