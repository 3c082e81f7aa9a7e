// SPDX-License-Identifier: Apache-2.0
#include "core/sim/unwritten.h"

#include <algorithm>

#include "core/analysis/effects.h"
#include "core/ir/traverse.h"
#include "core/sim/sample.h"

namespace tilelab::sim {

Unwritten unwritten_of(const GlobalMemory& memory, const Sample* sample) {
  Unwritten out{memory.name.str(), 0, 1, {}};
  for (int64_t extent : memory.shape) out.elements *= extent;
  auto visit = [&](const std::vector<int64_t>& index) {
    int64_t offset = 0;
    for (size_t d = 0; d < index.size(); ++d) offset += index[d] * memory.strides[d];
    if (memory.written[offset * bytes(memory.dtype)]) return;
    if (sample && !sample->decides(memory.name, index)) return;
    if (out.count++ == 0 || index < out.first) out.first = index;
  };
  std::optional<std::vector<Sample::Box>> boxes;
  if (sample && sample->covers(memory.name, memory.shape))
    boxes = sample->boxes(memory.name, memory.shape);
  if (!boxes) boxes = {{std::vector<int64_t>(memory.shape.size()), memory.shape}};
  for (const Sample::Box& box : *boxes) each_index(box, visit);
  return out;
}

std::vector<Span> stores_of(const Func& func, Symbol tensor) {
  constexpr size_t most = 3;
  const BufferViews views = views_of(*func.body);
  std::vector<Span> out;
  Span at;
  for_each(*func.body, [&](const StmtNode& node) {
    if (node.span.known()) at = node.span;
    for (const Effect& effect : effects(node)) {
      if (!effect.write || views.base_of(effect.buffer) != tensor || !at.known()) continue;
      const bool known = std::any_of(out.begin(), out.end(), [&](const Span& one) {
        return one.file == at.file && one.line == at.line;
      });
      if (!known && out.size() < most) out.push_back(at);
    }
  });
  return out;
}

}  // namespace tilelab::sim
