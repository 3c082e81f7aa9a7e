// SPDX-License-Identifier: Apache-2.0
// unit_tests [FILTER [PART PARTS]]: runs the cases whose name contains FILTER; the last line counts
// them. Of PARTS processes that share them, this one is number PART, from 0.
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
  const char* filter = argc > 1 ? argv[1] : "";
  const int part = argc > 3 ? std::atoi(argv[2]) : 0, parts = argc > 3 ? std::atoi(argv[3]) : 1;
  int passed = 0, failed = 0, found = 0;
  for (const Case& c : cases()) {
    if (!std::strstr(c.name, filter) || found++ % parts != part) continue;
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
