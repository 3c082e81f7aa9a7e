// SPDX-License-Identifier: Apache-2.0
// unit_tests [FILTER]: runs the cases whose name contains FILTER; the last line counts them.
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>

#include "tests/unit/test.h"

namespace tilelab::test {

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

static int failures_in_case = 0;

void fail(const char* file, int line, const std::string& what) {
  ++failures_in_case;
  std::printf("%s:%d: %s\n", file, line, what.c_str());
}

uint64_t seed() {
  static const uint64_t value = [] {
    if (const char* text = std::getenv("TILELAB_SEED")) return std::strtoull(text, nullptr, 10);
    return static_cast<unsigned long long>(
        std::chrono::steady_clock::now().time_since_epoch().count() & 0xffffffff);
  }();
  return value;
}

}  // namespace tilelab::test

int main(int argc, char** argv) {
  using namespace tilelab::test;
  std::setvbuf(stdout, nullptr, _IOLBF, 0);  // what was said survives a crash
  int passed = 0, failed = 0;
  for (const Case& c : cases()) {
    if (argc > 1 && !std::strstr(c.name, argv[1])) continue;
    failures_in_case = 0;
    try {
      c.body();
    } catch (const std::exception& e) {
      fail(c.name, 0, std::string("exception: ") + e.what());
    }
    failures_in_case ? ++failed : ++passed;
    if (failures_in_case)
      std::printf("FAILED %s (seed %llu)\n", c.name, (unsigned long long)seed());
  }
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
