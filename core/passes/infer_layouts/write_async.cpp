// SPDX-License-Identifier: Apache-2.0
// Whether a copy or a gather loop can use asynchronous copies that complete in groups, after its
// distribution over threads is known.
#include "core/passes/infer_layouts/write.h"

namespace tilelab {

/// Whether each thread copies vectors of 4, 8 or 16 bytes, which no edge of the tensor cuts.
bool LayoutRewriter::fits_asynchronous(const LayoutOp& op, const Copy& copy) {
  const Symbol tensor = to<Region>(copy.src).buffer;
  const int64_t vec = std::max<int64_t>(1, copy.vec), size = vec * bytes(problem_.dtype_of(tensor));
  const Digits& digits = copy.layout.dims.back();
  const bool last = vec == 1 || (!digits.empty() && digits.back().extent == vec);
  const bool whole = vec == 1 || problem_.rows_are_multiples(op, tensor, vec);
  if (last && whole && (size == 4 || size == 8 || size == 16)) return true;
  problem_.context().reasons.push_back(
      line_prefix(copy) + "copy: loads and stores by the threads; not asynchronous: vectors of " +
      std::to_string(size) + " bytes that an edge of `" + tensor.str() + "` may cut");
  return false;
}

/// Whether each thread gathers vectors of 4, 8 or 16 bytes.
bool LayoutRewriter::fits_asynchronous(const LayoutOp& op, const Parallel& loop) {
  const Digits& digits = loop.layout.dims.back();
  const bool last = loop.vec == 1 || (!digits.empty() && digits.back().extent == loop.vec);
  int64_t size = 0;
  for (const BufferAccess& access : op.memory)
    if (access.write) size = loop.vec * bytes(problem_.dtype_of(access.buffer));
  if (op.gathers > 0 && op.gathers % loop.vec == 0 && last &&
      (size == 4 || size == 8 || size == 16))
    return true;
  problem_.context().reasons.push_back(
      line_prefix(loop) +
      "T.Parallel: loads and stores by the threads; not asynchronous: vectors of " +
      std::to_string(size) + " bytes");
  return false;
}

}  // namespace tilelab
