// SPDX-License-Identifier: Apache-2.0
#include "core/layout/shared_operand.h"

namespace tilelab {
namespace {

/// Chunk widths: 128, 64 or 32 bytes that divide a row. Each `part` of the columns (read by one
/// instruction) consists of whole chunks or is within one, so all parts have the same layout.
std::vector<int64_t> chunks_of_lines_128(int64_t cols, int64_t part, int64_t bits) {
  std::vector<int64_t> out;
  for (int64_t bytes : {128, 64, 32}) {
    const int64_t chunk = bytes * 8 / bits;
    if (cols % chunk == 0 && (part % chunk == 0 || chunk % part == 0)) out.push_back(chunk);
  }
  return out;
}

/// The columns that one instruction reads; all columns if they are its K.
int64_t columns_of_part(MatrixOperand operand, int64_t cols, const MatrixShape& shape) {
  if (k_major(operand)) return cols;
  return operand == MatrixOperand::a_mn ? shape.m : shape.n;
}

/// log2 of `bytes`, from 1 for 8 bytes to 6 for 256; 0 if not such a power of two.
uint64_t pitch_code(int64_t bytes) {
  for (uint64_t code = 1; code <= 6; ++code)
    if (bytes == int64_t{4} << code) return code;
  return 0;
}

/// Chunk widths: a pitch that a descriptor can encode, at most 256 bytes, which divides a row. A
/// part of a row is within one chunk.
std::vector<int64_t> chunks_of_lines_256(MatrixOperand operand, int64_t cols, int64_t bits,
                                         const MatrixShape& shape) {
  std::vector<int64_t> out;
  auto take = [&](int64_t chunk, int64_t part) {
    const bool encodable = chunk * bits <= 256 * 8 && pitch_code(chunk * bits / 8) != 0;
    if (encodable && cols % chunk == 0 && chunk % part == 0) out.push_back(chunk);
  };
  if (operand == MatrixOperand::b_mn) {
    const int64_t chunk = shape.n < cols ? shape.n : cols;
    take(chunk, chunk);
    return out;
  }
  const int64_t whole = operand == MatrixOperand::a_mn ? shape.m : shape.k;
  const int64_t part = whole < cols ? whole : cols;
  for (int64_t chunk = 256 * 8 / bits; chunk >= part; chunk /= 2) take(chunk, part);
  return out;
}

int32_t granule_of_lines_256(MatrixOperand operand, int64_t bits) {
  if (k_major(operand) || bits == 8) return 16;
  return bits == 16 ? 32 : 64;
}

/// Whether element [r, c] has a byte offset of `at(r, c)` from the first.
template <class F> bool has_offsets(const Layout& tile, int64_t bits, F at) {
  const std::vector<Place> rows = contributions(tile, 0), columns = contributions(tile, 1);
  for (int64_t r = 0; r < tile.shape[0]; ++r)
    for (int64_t c = 0; c < tile.shape[1]; ++c)
      if ((rows[size_t(r)].address + columns[size_t(c)].address) * bits / 8 != at(r, c * bits / 8))
        return false;
  return true;
}

std::optional<uint64_t> fields_of_wgmma(const Layout& tile, const Swizzle& swizzle, int64_t bits,
                                        bool k_is_columns) {
  const int64_t line = (swizzle.mask + 1) * int64_t{16};
  const bool known =
      swizzle.granule == 16 && swizzle.line == 128 && (line == 128 || line == 64 || line == 32);
  const int64_t columns = tile.shape[1] * bits / 8;
  if (!known || (k_is_columns && columns > line)) return std::nullopt;
  auto bytes_to = [&](size_t dim, int64_t index) {
    return index < tile.shape[dim] ? contribution(tile, dim, index).address * bits / 8 : 0;
  };
  const int64_t stride = tile.shape[0] > 8 ? bytes_to(0, 8) : 8 * line;
  const int64_t leading = bytes_to(1, line * 8 / bits);  // 0: one chunk
  if (!has_offsets(tile, bits, [&](int64_t r, int64_t c) {
        return r / 8 * stride + r % 8 * line + c / line * leading + c % line;
      }))
    return std::nullopt;
  const uint64_t code = line == 128 ? 1 : line == 64 ? 2 : 3;
  const auto lead = uint64_t(leading ? leading / 16 : 1), step = uint64_t(stride / 16);
  if (lead >> 14 || step >> 14) return std::nullopt;
  return lead << 16 | step << 32 | code << 62;
}

std::optional<uint64_t> fields_of_sqmma(const Layout& tile, const Swizzle& swizzle, int64_t bits) {
  const int64_t pitch = contribution(tile, 0, 1).address * bits / 8;
  if (!has_offsets(tile, bits, [&](int64_t r, int64_t c) { return r * pitch + c; }))
    return std::nullopt;
  uint64_t granule = 0;
  if (swizzle.known()) {
    granule = swizzle.granule == 16 ? 1 : swizzle.granule == 32 ? 2 : 3;
    if (swizzle != Swizzle{swizzle.granule, 256, 256 / swizzle.granule - 1}) return std::nullopt;
  }
  const uint64_t code = pitch_code(pitch);
  if (code == 0) return std::nullopt;
  return granule << 21 | code << 18;
}

}  // namespace

// wgmma transposes only 16-bit operands, SQMMA all but 8-bit ones.
bool k_major_alone(const MatrixInstruction& row, int64_t bits) {
  return (row.shared == SharedRule::lines_128 && bits != 16) ||
         (row.shared == SharedRule::lines_256 && bits == 8);
}

bool fits_line(const MatrixInstruction& row, MatrixOperand operand, const MatrixShape& shape,
               int64_t bits) {
  if (row.shared != SharedRule::lines_256 || k_major(operand)) return true;
  return columns_of_part(operand, 0, shape) * bits <= 256 * 8;
}

std::vector<SharedOperand> operands_in_shared(const MatrixInstruction& row, MatrixOperand operand,
                                              int64_t rows, int64_t cols, int64_t bits,
                                              const MatrixShape& shape) {
  std::vector<SharedOperand> out;
  auto add = [&](int64_t chunk, const Swizzle& swizzle) {
    SharedOperand form{{{rows, cols}, {{a_digit(rows, chunk)}, {a_digit(chunk, 1)}}, {}, 0},
                       swizzle,
                       chunk,
                       cols / chunk};
    Digits& along = form.layout.dims[1];
    if (form.boxes > 1) along.insert(along.begin(), a_digit(form.boxes, rows * chunk));
    out.push_back(std::move(form));
  };
  switch (row.shared) {
    case SharedRule::rows: add(cols, {}); break;
    case SharedRule::lines_128:
      for (int64_t chunk : chunks_of_lines_128(cols, columns_of_part(operand, cols, shape), bits))
        add(chunk, {16, 128, int32_t(chunk * bits / 128) - 1});
      break;
    case SharedRule::lines_256: {
      const int32_t granule = granule_of_lines_256(operand, bits);
      for (int64_t chunk : chunks_of_lines_256(operand, cols, bits, shape))
        add(chunk, {granule, 256, 256 / granule - 1});
      break;
    }
  }
  return out;
}

std::optional<SharedOperand> operand_in_shared(const MatrixInstruction& row, MatrixOperand operand,
                                               int64_t rows, int64_t cols, int64_t bits,
                                               const MatrixShape& shape) {
  auto all = operands_in_shared(row, operand, rows, cols, bits, shape);
  return all.empty() ? std::nullopt : std::optional(std::move(all[0]));
}

std::optional<uint64_t> descriptor_fields(const MatrixInstruction& row, MatrixOperand operand,
                                          const Layout& tile, const Swizzle& swizzle,
                                          int64_t bits) {
  if (tile.shape.size() != 2 || row.in_shared(row.b) == false) return std::nullopt;
  if (!k_major(operand) && k_major_alone(row, bits)) return std::nullopt;
  if (row.shared == SharedRule::lines_128)
    return fields_of_wgmma(tile, swizzle, bits, k_major(operand));
  if (row.shared == SharedRule::lines_256) return fields_of_sqmma(tile, swizzle, bits);
  return std::nullopt;
}

int64_t descriptor_unit(const MatrixInstruction& row) {
  return row.shared == SharedRule::lines_128 ? 16 : 1;
}

}  // namespace tilelab
