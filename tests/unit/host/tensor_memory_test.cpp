// SPDX-License-Identifier: Apache-2.0
// Layouts of arguments against the set of bytes that their elements occupy.
#include "core/host/tensor_memory.h"

#include <random>
#include <set>
#include <vector>

#include "tests/unit/test.h"

using namespace tilelab;
using namespace tilelab::host;
using namespace tilelab::test;

namespace {

struct Random {
  std::mt19937_64 engine{test::seed()};
  int64_t in(int64_t lo, int64_t hi) {
    return std::uniform_int_distribution<int64_t>(lo, hi)(engine);
  }
};

struct Placed {
  int64_t address = 0, item = 1;
  std::vector<int64_t> shape, strides;

  TensorMemory memory() const {
    // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return {reinterpret_cast<const void*>(address), item, item, shape, strides};
  }

  /// The address of each element.
  std::vector<int64_t> addresses() const {
    std::vector<int64_t> out{address};
    for (size_t i = 0; i < shape.size(); ++i) {
      std::vector<int64_t> before = std::move(out);
      out.clear();
      for (const int64_t at : before)
        for (int64_t x = 0; x < shape[i]; ++x) out.push_back(at + x * strides[i] * item);
    }
    return out;
  }

  std::set<int64_t> bytes() const {
    std::set<int64_t> out;
    for (const int64_t at : addresses())
      for (int64_t i = 0; i < item; ++i) out.insert(at + i);
    return out;
  }
};

Placed random_tensor(Random& random) {
  Placed out;
  out.item = int64_t{1} << random.in(0, 3);
  out.address = 4096 + random.in(0, 12) * out.item;
  for (int64_t rank = random.in(0, 3); rank > 0; --rank) {
    out.shape.push_back(random.in(0, 5));
    out.strides.push_back(random.in(0, 14));
  }
  return out;
}

std::string_view fault(std::vector<int64_t> shape, std::vector<int64_t> strides,
                       bool written = false, int64_t address = 4096) {
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return layout_problem({reinterpret_cast<const void*>(address), 4, 1, shape, strides}, written)
      .what;
}

}  // namespace

TEST(layouts_of_arguments_agree_with_their_bytes) {
  Random random;
  for (int round = 0; round < rounds(20'000); ++round) {
    const Placed a = random_tensor(random), b = random_tensor(random);
    const std::vector<int64_t> elements = a.addresses();
    const std::set<int64_t> of_a = a.bytes(), of_b = b.bytes();
    const bool distinct =
        std::set<int64_t>(elements.begin(), elements.end()).size() == elements.size();
    EXPECT_EQ(layout_problem(a.memory(), true).what == "", distinct);
    EXPECT(layout_problem(a.memory(), false).what == "");
    EXPECT_EQ(reach(a.memory()), of_a.empty() ? 0 : *of_a.rbegin() + 1 - a.address);
    bool common = false;
    for (const int64_t at : of_a) common |= of_b.count(at) != 0;
    EXPECT_EQ(overlap(a.memory(), b.memory()), common);
  }
}

TEST(faults_of_layouts) {
  EXPECT(fault({3, 4}, {16, 4}) == "");
  EXPECT(fault({8}, {5}) == "fractional stride");
  EXPECT(fault({8}, {-4}) == "negative stride");
  EXPECT(fault({8}, {-5}) == "fractional stride");
  EXPECT(fault({2, 2}, {int64_t{1} << 62, 4}) == "large stride");
  EXPECT(fault({8}, {4}, false, 4097) == "misaligned");
  EXPECT(fault({8}, {4}, false, 0) == "no memory");
  EXPECT(fault({8}, {0}) == "");
  EXPECT(fault({8}, {0}, true) == "shared elements");
  EXPECT(fault({1, 8}, {-5, 4}, true) == "");  // the first stride does not count
  EXPECT(fault({0, 8}, {5, -4}, true, 0) == "");
  // A search that is too long is taken for an overlap.
  EXPECT(fault({1 << 20, 1 << 20}, {4'000'036, 4'000'004}, true) == "shared elements");
}
