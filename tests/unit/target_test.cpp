// SPDX-License-Identifier: Apache-2.0
#include "core/targets/target.h"

#include "core/layout/fragments.h"
#include "tests/unit/test.h"

using namespace tilelab;

static std::string named(const char* spelling) {
  const Target* target = parse_target(spelling);
  return target ? std::string(target->name) : "none";
}

TEST(target_spellings) {
  EXPECT_EQ(named("auto"), std::string("mp_31"));
  EXPECT_EQ(named("musa"), std::string("mp_31"));
  EXPECT_EQ(named("musa -arch=mp_22"), std::string("mp_22"));
  EXPECT_EQ(named("cuda -arch=sm_89 -keys=gpu"), std::string("sm_80"));
  EXPECT_EQ(named("cuda --arch=sm_90"), std::string("sm_90a"));
  EXPECT_EQ(named("sm_75"), std::string("none"));
  EXPECT_EQ(named("llvm"), std::string("cpu"));
  std::string problem;
  EXPECT(!parse_target("cude", &problem));
  EXPECT(problem.find("did you mean cuda") != std::string::npos);
}

TEST(target_records_are_consistent) {
  for (const Target& target : all_targets()) {
    EXPECT(find_target(target.name) == &target);
    EXPECT(target.max_threads % target.lanes == 0);
    for (const Swizzle& swizzle : target.swizzles) {
      EXPECT(swizzle.line >= (swizzle.mask + 1) * swizzle.granule);  // its own inverse
      EXPECT(target.arena_align >= swizzle.line * (swizzle.mask + 1));
    }
    for (const MatrixUnit& unit : target.matrix) {
      EXPECT(unit.lanes % target.lanes == 0);
      for (const std::vector<int>& mn : unit.shapes_mn) {
        std::optional<Layout> c = fragment_map(unit.fragments, MatrixOperand::c, mn[0], mn[1], 16);
        EXPECT(c.has_value());
        if (c) EXPECT_EQ(extent(*c, 't'), int64_t(unit.lanes));
      }
      // An operand that may live in registers has a map.
      int64_t m = unit.shapes_mn[0][0], n = unit.shapes_mn[0][1], k = unit.k_bits / 16;
      if (unit.a_in_registers)
        EXPECT(fragment_map(unit.fragments, MatrixOperand::a, m, n, k).has_value());
      if (unit.b_in_registers)
        EXPECT(fragment_map(unit.fragments, MatrixOperand::b, m, n, k).has_value());
    }
  }
}
