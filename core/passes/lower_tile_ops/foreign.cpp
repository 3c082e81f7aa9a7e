// SPDX-License-Identifier: Apache-2.0
// Addresses that foreign functions get: of the first of several elements, from which the function
// reads on. The elements must be adjacent in memory, in row-major order:
//     decode(s[i, 0:8])   with a swizzle of 16 bytes: adjacent if the elements have 2 bytes, not 4
#include <bit>
#include <limits>
#include <numeric>

#include "core/ir/build.h"
#include "core/ir/intrinsics/intrinsics.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// How many indices from a multiple of `factor` on have addresses `stride` apart for certain.
int64_t adjacent(const Digits& digits, int64_t stride, int64_t factor) {
  int64_t run = 1;
  size_t i = digits.size();
  while (i > 0 && digits[i - 1].stride == stride * run) run *= digits[--i].extent;
  return i == 0 ? std::numeric_limits<int64_t>::max() : std::gcd(factor, run);
}

bool keeps_adjacent(const Region& region, const Storage& memory, const LoweringScope& here) {
  const int64_t count = elements(region);
  if (count == 1 || memory.scope() != Scope::shared) return true;
  const auto layout = memory.addresses();
  if (!layout) return false;
  int64_t stride = 1;
  for (size_t d = region.dims.size(); d-- > 0; stride *= region.dims[d].extent) {
    const RegionDim& dim = region.dims[d];
    if (dim.extent > adjacent(layout->dims[d], stride, here.facts.range(dim.lo).multiple))
      return false;
  }
  if (!memory.buffer->swizzle.known()) return true;
  const auto bytes = (uint64_t)(count * bits(memory.dtype) + 7) / 8;
  return is_contiguous((int64_t)std::bit_ceil(bytes), memory, region.dims.back().lo, here);
}

}  // namespace

void check_addresses(const StmtNode& stmt, const LoweringScope& here, Lowering& lowering) {
  for_each_expr(stmt, [&](const Expr& value) {
    const Call* call = as<Call>(value);
    if (!call || info(call->intrinsic).step != Step::foreign) return;
    for (const Expr& argument : call->args) {
      const Region* region = as<Region>(argument);
      if (!region || keeps_adjacent(*region, lowering.storage(region->buffer), here)) continue;
      lowering.diagnostics()
          .report(Diag::layout_form, stmt.span, "`" + region->buffer.str() + "`",
                  "does not keep the " + plural(elements(*region), "element") +
                      " of this address adjacent")
          .help(
              "pass the address of one element, T.access_ptr(s[i, j], \"r\", 1), or annotate a "
              "layout of rows, T.Layout(shape, lambda i, j: i * stride + j)");
    }
  });
}

}  // namespace tilelab
