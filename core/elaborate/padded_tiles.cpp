// SPDX-License-Identifier: Apache-2.0
// Tiles that are larger than a slice of a tensor.
#include <utility>
#include <vector>

#include "core/elaborate/elaborator.h"
#include "core/ir/linear.h"
#include "core/support/text.h"

namespace tilelab::elaborate {
namespace {

std::vector<size_t> longer_than_one(const Operand& operand) {
  std::vector<size_t> out;
  for (size_t d = 0; d < operand.dims.size(); ++d)
    if (!is_int(operand.dims[d].extent, 1)) out.push_back(d);
  return out;
}

/// Corresponding dimensions of a tensor slice and a tile: (slice's, tile's).
std::vector<std::pair<size_t, size_t>> correspondence(const Operand& slice, const Operand& tile) {
  if (slice.buffer->scope != Scope::global || tile.buffer->scope == Scope::global) return {};
  const auto ours = longer_than_one(slice), theirs = longer_than_one(tile);
  std::vector<std::pair<size_t, size_t>> out;
  for (size_t d = 0; ours.size() == theirs.size() && d < ours.size(); ++d)
    out.emplace_back(ours[d], theirs[d]);
  return out;
}

std::string slice_text(const Operand& tensor, const Operand& tile) {
  std::vector<std::string> parts;
  for (const SliceDim& dim : tensor.dims) parts.push_back(expr_text(dim.lo));
  const auto pairs = correspondence(tensor, tile);
  if (pairs.empty()) return "";
  for (const auto& [ours, theirs] : pairs) {
    const Expr& lo = tensor.dims[ours].lo;
    const std::string separator = int_value(lo) ? ":" : " : ";
    parts[ours] += separator + expr_text(offset_by(lo, tile.dims[theirs].extent));
  }
  return tensor.buffer->name.str() + "[" + join(parts, ", ") + "]";
}

}  // namespace

void extend_past_edge(Operand& slice, const Operand& tile, const Substitution& lets) {
  if (slice.form != Operand::Form::slice) return;  // a tile cannot extend a whole tensor
  for (const auto& [ours, theirs] : correspondence(slice, tile)) {
    SliceDim& dim = slice.dims[ours];
    const auto sliced = int_value(dim.extent), wanted = int_value(tile.dims[theirs].extent);
    if (!sliced || !wanted || *wanted <= *sliced) continue;
    const Expr end = offset_by(dim.lo, dim.extent);
    if (constant_difference(end, slice.buffer->shape[ours], lets) == 0)
      dim.extent = tile.dims[theirs].extent;
  }
}

std::string slice_of_tile(const Operand& a, const Operand& b) {
  const std::string text = slice_text(a, b);
  return text.empty() ? slice_text(b, a) : text;
}

}  // namespace tilelab::elaborate
