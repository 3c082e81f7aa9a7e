// SPDX-License-Identifier: Apache-2.0
// unit_tests [FILTER [PART PARTS]]: runs the cases whose name contains FILTER; the last line counts
// them, and the lines above it name the cases that took longest. Of PARTS processes that share
// them, this one is number PART, from 0.
#include <algorithm>
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
  std::vector<std::pair<double, const char*>> took;  // seconds
  for (const Case& c : cases()) {
    if (!std::strstr(c.name, filter) || found++ % parts != part) continue;
    failures_in_case = 0;
    const auto begun = std::chrono::steady_clock::now();
    try {
      c.body();
    } catch (const std::exception& e) {
      fail(c.name, 0, std::string("exception: ") + e.what());
    }
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begun;
    took.push_back({spent.count(), c.name});
    failures_in_case ? ++failed : ++passed;
    if (failures_in_case)
      std::printf("FAILED %s (seed %llu)\n", c.name, (unsigned long long)seed());
  }
  std::sort(took.rbegin(), took.rend());
  took.resize(std::min<size_t>(took.size(), 5));
  for (auto [seconds, name] : took)
    if (seconds > 1) std::printf("%6.1f s  %s\n", seconds, name);
  std::printf("%d passed, %d failed\n", passed, failed);
  return failed ? 1 : 0;
}
