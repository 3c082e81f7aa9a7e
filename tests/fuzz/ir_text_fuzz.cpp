// SPDX-License-Identifier: Apache-2.0
// Any text: the reader gives a function or diagnostics, and what it gives prints, reads back equal
// and can be verified.
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/unit/ir_text/ir_text_properties.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string broken = tilelab::test::check_ir_text({reinterpret_cast<const char*>(data), size});
  if (broken.empty()) return 0;
  std::fprintf(stderr, "%s\n", broken.c_str());
  std::abort();
}
