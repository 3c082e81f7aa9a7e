// SPDX-License-Identifier: Apache-2.0
#include "core/targets/target.h"

#include <algorithm>

#include "core/ir/intrinsics/intrinsics.h"
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
  EXPECT_EQ(named("cuda -arch=sm_89 -keys=gpu"), std::string("sm_86"));
  EXPECT_EQ(find_target("sm_86")->shared_bytes, int64_t(99) << 10);  // CUDA C++ guide: per block
  EXPECT_EQ(named("cuda --arch=sm_90"), std::string("sm_90a"));
  EXPECT_EQ(named("cuda -arch=sm_90a"), std::string("sm_90a"));
  EXPECT_EQ(named("sm_75"), std::string("none"));
  EXPECT_EQ(named("llvm"), std::string("cpu"));
  std::string problem;
  EXPECT(!parse_target("cude", &problem));
  EXPECT(problem.find("did you mean cuda") != std::string::npos);
}

// Features kept by a later architecture are unknown: sm_90a's matrix instructions are gone in
// sm_100.
TEST(target_newer_than_all_that_is_known) {
  for (const char* spelling : {"sm_100", "cuda -arch=sm_120", "cuda -arch=sm_100a", "mp_51"}) {
    std::string problem;
    EXPECT(!parse_target(spelling, &problem));
    EXPECT(problem.find("known targets are auto, musa, cuda") != std::string::npos);
    EXPECT(problem.find("is newer than all of them") != std::string::npos);
    EXPECT(problem.find("did you mean") == std::string::npos);
  }
}

TEST(target_records_are_consistent) {
  for (const Target& target : all_targets()) {
    EXPECT(find_target(target.name) == &target);
    EXPECT(target.max_threads % target.lanes == 0);
    for (const Swizzle& swizzle : target.swizzles) {
      EXPECT(swizzle.line >= (swizzle.mask + 1) * swizzle.granule);  // its own inverse
      EXPECT(target.arena_align >= swizzle.line * (swizzle.mask + 1));
    }
  }
}

TEST(target_matrix_rows_are_consistent) {
  for (const MatrixInstruction& row : matrix_instructions()) {
    EXPECT(intrinsic_from_name(row.intrinsic).has_value());
    EXPECT(parse_GemmBy(row.name).has_value());
    bool known = false;
    for (const Target& target : all_targets()) {
      if (!target.has(row)) continue;
      known = true;
      EXPECT_EQ(int64_t(row.lanes), int64_t(row.warps * target.lanes));
      EXPECT(target.matrix(*parse_GemmBy(row.name)) == &row);
      for (const std::vector<int>& mn : row.shapes_mn) {
        const MatrixInstruction* found =
            matrix_of(row.intrinsic, target.letter, MatrixShape{mn[0], mn[1], 1});
        EXPECT(found == &row || (found && found->types != row.types));  // of the same fragments
      }
    }
    EXPECT(known);
    for (const std::vector<int>& mn : row.shapes_mn) {
      std::optional<Layout> c = fragment_map(row.name, MatrixOperand::c, mn[0], mn[1], 16);
      EXPECT(c.has_value());
      if (c) EXPECT_EQ(extent(*c, 't'), int64_t(row.lanes));
    }
    // An operand that may live in registers has a map.
    const int64_t m = row.shapes_mn[0][0], n = row.shapes_mn[0][1], k = row.k_bits / 16;
    if (row.in_registers(row.a))
      EXPECT(fragment_map(row.name, MatrixOperand::a, m, n, k).has_value());
    if (row.in_registers(row.b))
      EXPECT(fragment_map(row.name, MatrixOperand::b, m, n, k).has_value());
  }
  EXPECT(parse_matrix_shape("m128n64k32") == (MatrixShape{128, 64, 32}));
  for (const char* wrong :
       {"", "m128", "m128n64", "m128n64k", "n64m128k32", "m128n64k32x", "m0n8k8"})
    EXPECT(!parse_matrix_shape(wrong));
}

/// By the tables of the headers that Moore Threads publishes, and the PTX ISA for NVIDIA.
TEST(shapes_of_matrix_instructions_of_tf32) {
  struct Legal {
    const char* row;
    std::vector<std::vector<int>> mn;
    std::vector<int> k;
  };
  const std::vector<std::vector<int>> wgmma{{64, 8},  {64, 16},  {64, 32},  {64, 48}, {64, 64},
                                            {64, 96}, {64, 128}, {64, 192}, {64, 256}};
  const Legal rows[] = {
      {"sqmma",
       {{128, 128}, {128, 64}, {64, 64}, {64, 32}, {64, 16}, {32, 64}, {32, 32}, {16, 64}},
       {8, 16, 32}},
      {"wmma", {{16, 16}}, {16}},
      {"mma_mp22", {{32, 32}}, {8}},
      {"wgmma", wgmma, {8}},
      {"mma", {{16, 8}}, {8}}};
  auto has = [](const auto& list, const auto& x) {
    return std::find(list.begin(), list.end(), x) != list.end();
  };
  for (const Legal& legal : rows)
    for (int m = 8; m <= 256; m += 8)
      for (int n = 8; n <= 256; n += 8)
        for (int k : {4, 8, 16, 32, 64}) {
          const bool expected = has(legal.mn, std::vector<int>{m, n}) && has(legal.k, k);
          EXPECT_EQ(find_matrix(legal.row)->has_shape({m, n, k}, 32), expected);
        }
  // A row of an M- or N-major operand of SQMMA is in one line of 256 bytes.
  const MatrixInstruction& sqmma = *find_matrix("sqmma");
  EXPECT(!fits_line(sqmma, MatrixOperand::a_mn, {128, 64, 32}, 32));
  EXPECT(fits_line(sqmma, MatrixOperand::a_mn, {64, 64, 32}, 32));
  EXPECT(fits_line(sqmma, MatrixOperand::a, {128, 64, 32}, 32));
  EXPECT(!fits_line(sqmma, MatrixOperand::b_mn, {64, 128, 32}, 32));
  EXPECT(fits_line(sqmma, MatrixOperand::a_mn, {128, 64, 64}, 16));
}
