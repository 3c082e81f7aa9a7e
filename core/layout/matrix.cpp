// SPDX-License-Identifier: Apache-2.0
#include "core/layout/matrix.h"

#include <algorithm>
#include <charconv>

namespace tilelab {

std::span<const MatrixInstruction> matrix_instructions() {
  static const MatrixInstruction rows[] = {
#define MATRIX(id, ...) {.name = #id, __VA_ARGS__},
#include "core/layout/matrix.def"
#undef MATRIX
  };
  return rows;
}

const MatrixInstruction* find_matrix(std::string_view name) {
  for (const MatrixInstruction& row : matrix_instructions())
    if (row.name == name) return &row;
  return nullptr;
}

const MatrixInstruction* matrix_of(std::string_view intrinsic, char target,
                                   const std::optional<MatrixShape>& shape) {
  const MatrixInstruction* first = nullptr;
  for (const MatrixInstruction& row : matrix_instructions()) {
    if (row.intrinsic != intrinsic || row.targets.find(target) == std::string_view::npos) continue;
    if (!shape || row.has_rows_and_columns(*shape)) return &row;
    if (!first) first = &row;
  }
  return first;
}

namespace {

bool listed(const std::vector<std::vector<int>>& shapes, const MatrixShape& shape) {
  return std::any_of(shapes.begin(), shapes.end(),
                     [&](const auto& mn) { return mn[0] == shape.m && mn[1] == shape.n; });
}

}  // namespace

bool MatrixInstruction::has_rows_and_columns(const MatrixShape& shape) const {
  return listed(shapes_mn, shape);
}

bool MatrixInstruction::has_shape(const MatrixShape& shape, int64_t bits) const {
  const std::vector<int>& multiples = multiples_of(bits);
  return listed(shapes_of(bits), shape) &&
         std::any_of(multiples.begin(), multiples.end(),
                     [&](int n) { return shape.k * bits == int64_t{k_bits} * n; });
}

bool MatrixInstruction::supports(std::string_view dtype) const {
  std::string_view rest = types;
  while (!rest.empty()) {
    const size_t space = rest.find(' ');
    if (rest.substr(0, space) == dtype) return true;
    rest = space == std::string_view::npos ? "" : rest.substr(space + 1);
  }
  return false;
}

std::optional<MatrixShape> parse_matrix_shape(std::string_view text) {
  MatrixShape shape;
  const char *at = text.data(), *end = at + text.size();
  for (auto [letter, number] : {std::pair('m', &shape.m), {'n', &shape.n}, {'k', &shape.k}}) {
    if (at == end || *at != letter) return std::nullopt;
    auto [next, error] = std::from_chars(at + 1, end, *number);
    if (error != std::errc() || *number < 1) return std::nullopt;
    at = next;
  }
  if (at != end) return std::nullopt;
  return shape;
}

std::string to_text(const MatrixShape& shape) {
  return "m" + std::to_string(shape.m) + "n" + std::to_string(shape.n) + "k" +
         std::to_string(shape.k);
}

}  // namespace tilelab
