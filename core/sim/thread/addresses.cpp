// SPDX-License-Identifier: Apache-2.0
// Thread and flat level: tensors at addresses. An access has its address in a register.
#include "core/ir/linear.h"
#include "core/ir/traverse.h"
#include "core/sim/thread/block.h"

namespace tilelab::sim {

int64_t bytes_at_address(const Launch& launch, Symbol name) {
  const auto number = [&](const Expr& e) {
    return evaluate(e, [&](Symbol of) -> std::optional<int64_t> {
      for (const auto& [symbol, scalar] : launch.scalars)
        if (symbol == of) return int64_t(scalar.bits);
      return std::nullopt;
    });
  };
  int64_t last = 0, dense = 1;
  bool empty = false, known = true;
  for_each(*launch.kernel.body, [&](const Buffer& buffer) {
    if (buffer.name != name) return;
    for (size_t d = buffer.shape.size(); d-- > 0;) {
      const auto extent = number(buffer.shape[d]);
      const auto stride = buffer.strides.empty() ? std::optional(dense) : number(buffer.strides[d]);
      known = known && extent && stride;
      if (!known) return;
      empty |= *extent == 0;
      last += (*extent - 1) * *stride, dense *= *extent;
    }
    last = empty ? 0 : (last + 1) * bytes(buffer.dtype);
  });
  if (!known)
    throw LaunchError{launch.kernel.span, "the extents of " + name.str() + " have no value"};
  return last;
}

int64_t Block::located(int32_t memory, int64_t address, ThreadWarp& warp, int lane) {
  Located& known = located_[size_t(memory)];
  if (known.address == address) return known.begin;
  const MemoryInfo& m = image.memories[size_t(memory)];
  const int32_t root = m.of < 0 ? memory : m.of;
  const bool written = image.memories[size_t(root)].written;
  const int64_t bytes = launch.memories[size_t(memory)].bytes;
  AddressSpace::Tensor found = launch.space->tensor(address, bytes, written);
  if (races) launch.space->add(memory, found.data, bytes);
  known = {address, found.data - AddressSpace::begin()};
  if (!found.problem.empty()) {
    Finding f = warp.finding(FindingKind::address, lane, written ? "accesses" : "reads");
    name_buffer({memory}, f);
    f.detail = std::move(found.problem);
    report(std::move(f));
  }
  return known.begin;
}

}  // namespace tilelab::sim
