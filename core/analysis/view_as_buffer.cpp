// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statements.h"

#include "core/ir/build.h"
#include "core/layout/layout.h"

namespace tilelab {

std::optional<Buffer> view_as_buffer(const Buffer& memory, const View& view) {
  if (!memory.strides.empty() || memory.where.known()) return std::nullopt;
  Buffer out(memory);
  out.name = view.name, out.dtype = view.dtype, out.shape = view.shape;
  if (!memory.layout.known()) return out;
  auto layout = reshape(memory.layout, const_shape(out), bits(memory.dtype), bits(out.dtype));
  if (!layout) return std::nullopt;
  out.layout = *layout;
  return out;
}

}  // namespace tilelab
