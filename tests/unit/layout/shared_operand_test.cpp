// SPDX-License-Identifier: Apache-2.0
// Operands in shared memory against what the vendors publish, which is written here a second time:
// the byte at which the hardware reads each element.
#include "core/layout/shared_operand.h"

#include "core/sim/thread/matrix.h"
#include "tests/unit/test.h"

using namespace tilelab;
using enum MatrixOperand;

namespace {

int64_t swizzled(int64_t x, const Swizzle& s) {
  return s.known() ? x ^ ((x / s.line & s.mask) * s.granule) : x;
}

/// PTX ISA, "Shared memory matrix layout" and "Swizzling modes": rows of `line` bytes, whose
/// 16-byte units change places with the row: in groups of 8 rows of 128 bytes, of 4 x 2 of 64, 2 x
/// 4 of 32.
int64_t wgmma_byte(int64_t row, int64_t byte, int64_t rows, int64_t line) {
  const int64_t unit = byte % line / 16, xor_row = row % 8 / (128 / line);
  return byte / line * rows * line + row * line + (unit ^ xor_row) * 16 + byte % 16;
}

/// Rows of a chunk one after another, then granules of 256-byte lines exchanged.
int64_t sqmma_byte(int64_t row, int64_t byte, int64_t rows, int64_t chunk, int64_t granule) {
  const int64_t a = byte / chunk * rows * chunk + row * chunk + byte % chunk;
  const int64_t line = a / 256, place = a % 256 / granule;
  return line * 256 + (place ^ line % (256 / granule)) * granule + a % granule;
}

template <class F>
void expect_bytes(const char* what, const std::optional<SharedOperand>& stored, int64_t rows,
                  int64_t cols, int64_t bits, F published) {
  if (!stored) return test::fail(what, 0, "no layout");
  EXPECT(bijective(stored->layout));
  EXPECT_EQ(stored->boxes * stored->chunk, cols);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < cols; ++c) {
      const int64_t byte = place_of(stored->layout, {r, c}).address * bits / 8;
      if (swizzled(byte, stored->swizzle) == published(r, c * bits / 8)) continue;
      return test::fail(what, int(r), "column " + std::to_string(c) + " is elsewhere");
    }
}

/// The part [r0, r0 + rows) x [c0, c0 + cols) of an operand, relative to its first element.
Layout part(const SharedOperand& stored, int64_t rows, int64_t cols) {
  return {{rows, cols}, stored.layout.dims, {}, 0};
}

}  // namespace

TEST(shared_operands_of_wgmma) {
  const MatrixInstruction& row = *find_matrix("wgmma");
  for (int64_t bits : {8, 16, 32})
    for (int64_t rows = 64; rows <= test::less_in_debug(256, 64); rows *= 2)
      for (int64_t line : {32, 64, 128})
        for (int64_t chunks : {1, 2, 3}) {
          if (chunks > 1 && (chunks == 2 || line < 128) && line < 128)
            continue;  // a wider line fits
          const int64_t cols = chunks * line * 8 / bits;
          for (MatrixOperand operand : {a, b, a_mn, b_mn})
            expect_bytes("wgmma", operand_in_shared(row, operand, rows, cols, bits, {64, 128, 16}),
                         rows, cols, bits,
                         [&](int64_t r, int64_t c) { return wgmma_byte(r, c, rows, line); });
        }
  EXPECT(!operand_in_shared(row, a, 64, 20, 16, {64, 128, 16}));
}

TEST(shared_operands_of_sqmma) {
  const MatrixInstruction& row = *find_matrix("sqmma");
  for (int64_t bits : {8, 16, 32})
    for (int64_t bytes : {64, 128, 256, 512}) {
      const int64_t cols = bytes * 8 / bits, chunk = bytes < 256 ? bytes : 256;
      expect_bytes("K-major", operand_in_shared(row, a, 128, cols, bits, {128, 64, 64}), 128, cols,
                   bits, [&](int64_t r, int64_t c) { return sqmma_byte(r, c, 128, chunk, 16); });
      const int64_t granule = bits == 8 ? 16 : bits == 16 ? 32 : 64;
      const int64_t m = bits == 32 ? 64 : 128;  // its part of a row is in one line
      expect_bytes("M-major", operand_in_shared(row, a_mn, 64, cols, bits, {m, 64, 64}), 64, cols,
                   bits,
                   [&](int64_t r, int64_t c) { return sqmma_byte(r, c, 64, chunk, granule); });
      const int64_t n = 32, piece = cols < n ? bytes : n * bits / 8;
      expect_bytes("N-major", operand_in_shared(row, b_mn, 64, cols, bits, {128, n, 64}), 64, cols,
                   bits,
                   [&](int64_t r, int64_t c) { return sqmma_byte(r, c, 64, piece, granule); });
    }
}

/// A row that the widest chunk does not divide is cut into narrower ones: 576 elements, 48, 40.
TEST(shared_operands_in_narrower_chunks) {
  const MatrixInstruction &wgmma = *find_matrix("wgmma"), &sqmma = *find_matrix("sqmma");
  auto chunks = [](const MatrixInstruction& row, MatrixOperand operand, int64_t cols, int64_t k) {
    std::vector<int64_t> out;
    for (const SharedOperand& one : operands_in_shared(row, operand, 64, cols, 16, {64, 64, k}))
      out.push_back(one.chunk);
    return out;
  };
  using Chunks = std::vector<int64_t>;
  EXPECT(chunks(sqmma, a, 576, 64) == Chunks({64}));
  EXPECT(chunks(sqmma, a, 128, 32) == Chunks({128, 64, 32}));
  EXPECT(chunks(sqmma, b, 48, 16) == Chunks({16}));
  EXPECT(chunks(sqmma, b_mn, 128, 16) == Chunks({64}));
  EXPECT(chunks(sqmma, a, 40, 16).empty());
  EXPECT(chunks(wgmma, a, 128, 16) == Chunks({64, 32, 16}));
  EXPECT(chunks(wgmma, b, 48, 16) == Chunks({16}));
}

/// Bytes are stored with K last: no unit transposes them.
TEST(shared_operands_of_bytes_have_k_last) {
  for (const char* name : {"wgmma", "sqmma"}) {
    const MatrixInstruction& row = *find_matrix(name);
    const auto found = [&](MatrixOperand operand, int64_t bits) {
      const auto form = operand_in_shared(row, operand, 64, 64, bits, {128, 64, 64});
      return form && descriptor_fields(row, operand, form->layout, form->swizzle, bits).has_value();
    };
    EXPECT(found(a, 8) && found(b, 8) && found(a_mn, 16) && found(b_mn, 16));
    EXPECT(!found(a_mn, 8) && !found(b_mn, 8));
  }
}

/// The descriptor as the compiler writes it and as the simulator reads it.
TEST(shared_operand_descriptors_read_back) {
  for (const char* name : {"wgmma", "sqmma"})
    for (int64_t bits : {8, 16, 32})
      for (MatrixOperand operand : {a, b, a_mn, b_mn}) {
        const MatrixInstruction& row = *find_matrix(name);
        const int64_t k = row.k_bits / bits, mn = 64;
        const bool rows_are_k = !k_major(operand);
        if (rows_are_k && bits != 16) continue;  // only 16-bit operands may be M- or N-major
        const int64_t rows = rows_are_k ? k : mn, cols = rows_are_k ? mn : k;
        const auto stored = operand_in_shared(row, operand, 128, 1024 / bits, bits, {64, 64, k});
        EXPECT(stored.has_value());
        if (!stored) continue;
        const Layout tile = part(*stored, rows, cols);
        const auto fields = descriptor_fields(row, operand, tile, stored->swizzle, bits);
        EXPECT(fields.has_value());
        if (!fields) continue;
        const auto places = row.intrinsic == "wgmma"
                                ? sim::decode_wgmma(*fields, rows, cols, int(bits / 8))
                                : sim::decode_sqmma(*fields, rows, cols, int(bits / 8));
        EXPECT(places.swizzle == stored->swizzle);
        size_t piece = 0;
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t c = 0; c < cols; c += places.run)
            EXPECT_EQ(places.row_pieces[piece++], place_of(tile, {r, c}).address * bits / 8);
      }
}

/// One descriptor's fields hold for all parts that instructions of one shape read.
TEST(shared_operand_parts_have_the_layout_of_the_first) {
  const MatrixInstruction& wg = *find_matrix("wgmma");
  for (int64_t cols : {48, 64, 80, 96, 144, 160, 192, 256, 288})
    for (int64_t n = 16; n <= cols; n += 16) {
      const auto stored = operand_in_shared(wg, b_mn, 32, cols, 16, {64, n, 16});
      EXPECT(stored.has_value());
      if (!stored || cols % n != 0) continue;
      for (int64_t at = n; at < cols; at += n)
        for (int64_t c = 0; c < n; ++c)
          EXPECT_EQ(place_of(stored->layout, {0, at + c}).address -
                        place_of(stored->layout, {0, at}).address,
                    place_of(stored->layout, {0, c}).address);
    }
  EXPECT_EQ(operand_in_shared(wg, b_mn, 32, 96, 16, {64, 96, 16})->chunk, 32);
  EXPECT_EQ(operand_in_shared(wg, b_mn, 32, 96, 16, {64, 48, 16})->chunk, 16);
}

TEST(shared_operand_descriptors_of_the_worked_kernels) {
  const MatrixInstruction &sq = *find_matrix("sqmma"), &wg = *find_matrix("wgmma");
  auto fields = [](const MatrixInstruction& row, MatrixOperand operand, Index buffer, Index tile,
                   int64_t n) {
    const auto stored = operand_in_shared(row, operand, buffer[0], buffer[1], 16, {64, n, 16});
    return descriptor_fields(row, operand, part(*stored, tile[0], tile[1]), stored->swizzle, 16);
  };
  EXPECT(fields(sq, a, {128, 64}, {128, 64}, 64) == (1u << 21 | 5u << 18));
  EXPECT(fields(sq, b_mn, {64, 128}, {64, 64}, 64) == (2u << 21 | 5u << 18));
  const uint64_t line_128 = uint64_t{1} << 62, atoms = uint64_t{64} << 32;
  EXPECT(fields(wg, b, {128, 128}, {128, 16}, 128) == (line_128 | atoms | 1 << 16));
  EXPECT(fields(wg, b_mn, {128, 128}, {16, 128}, 128) == (line_128 | atoms | 1024 << 16));
  // Plain rows, and rows without their swizzle, are nothing that wgmma reads.
  EXPECT(!descriptor_fields(wg, b, row_major({128, 128}), {16, 128, 7}, 16));
  EXPECT(!descriptor_fields(wg, b, row_major({128, 16}), {}, 16));
  EXPECT(!descriptor_fields(sq, a, row_major({128, 96}), {16, 256, 15}, 16));
  // wgmma transposes nothing but operands of 16 bits.
  const auto bytes = operand_in_shared(wg, b_mn, 128, 128, 8, {64, 128, 32});
  EXPECT(!descriptor_fields(wg, b_mn, part(*bytes, 32, 128), bytes->swizzle, 8));
}
