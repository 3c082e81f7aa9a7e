// SPDX-License-Identifier: Apache-2.0
#include "core/passes/schedule_pipelines/role_registers.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/fold.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/support/extents.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

constexpr int64_t kLeast = 24, kMost = 240, kStep = 8;  // of setmaxnreg, with a margin
constexpr int64_t kBesideFragments = kReservedRegisters + 8;

}  // namespace

RoleRegisters::RoleRegisters(const Kernel& kernel, const Target& target)
    : kernel_(kernel),
      target_(target),
      group_(4 * target.lanes),
      threads_(kernel.block + group_),
      blocks_(kernel.min_blocks()) {
  for_each(*kernel.body, [&](const Buffer& buffer) {
    if (buffer.scope == Scope::fragment)
      fragments_ += allocated_elements(buffer) * bits(buffer.dtype) / 32 / kernel.block;
  });
}

void RoleRegisters::choose_blocks(int64_t processors, FunctionRef<bool(int64_t)> fits) {
  constexpr int64_t kMostBlocks = 4;
  if (find_attr(kernel_.attrs, "min_blocks") || !target_.register_handover) return;
  int64_t most = resident(kMostBlocks, processors);
  while (most > 1 && !(suffice(most) && fits(most))) --most;
  const int64_t each = round_up(fragments_ + kBesideFragments, kStep),
                otherwise = of_consumers() > 0 ? 1 : target_.registers / (each * threads_);
  if (most >= 2 * otherwise) blocks_ = most;
}

/// The most blocks that a processor gets of a grid of constant extents; at most `most`.
int64_t RoleRegisters::resident(int64_t most, int64_t processors) const {
  int64_t all = 1;
  for (const Expr& extent : kernel_.grid) {
    const auto blocks = int_value(extent);
    if (!blocks || processors == 0) return most;
    all *= *blocks;
    if (all > most * processors) return most;
  }
  return ceil_div(all, processors);
}

/// Whether consumers can hold their fragments.
bool RoleRegisters::suffice(int64_t blocks) const {
  return fragments_ + kBesideFragments <= left(kLeast, blocks) && launches(blocks);
}

/// Whether the registers at launch can hold the accumulator of each instruction: ptxas refuses one
/// that takes more, even if the thread has got more since.
bool RoleRegisters::launches(int64_t blocks) const {
  constexpr int64_t kOfInstruction = 32;  // beside its accumulator
  return !any_of(*kernel_.body, [&](const Gemm& gemm) {
    if (!asynchronous(gemm)) return false;
    const int64_t results = gemm.inst[0] * gemm.inst[1] * bits(gemm.c->type.dtype);
    return results / 32 / group_ + kOfInstruction > launched(blocks);
  });
}

std::string RoleRegisters::refused() const {
  if (!target_.register_handover || launches(blocks_)) return "";
  return plural(blocks_, "block") + " at once leave a thread " + std::to_string(launched(blocks_)) +
         " registers at launch, too few for a matrix instruction";
}

/// Registers of a consumer's thread if the producer's threads keep `given`. The sum must not exceed
/// the block's allocation at launch.
int64_t RoleRegisters::left(int64_t given, int64_t blocks) const {
  const int64_t groups = kernel_.block / group_;
  return std::min(kMost, (launched(blocks) * (groups + 1) - given) / groups / kStep * kStep);
}

/// A producer that computes addresses needs 56; it gets the least if the consumers' fragments need
/// the rest.
int64_t RoleRegisters::of_producer() const {
  constexpr int64_t kOfAddresses = 56;
  if (!target_.register_handover || left(kLeast, blocks_) <= launched(blocks_)) return 0;
  const int64_t rest = left(kOfAddresses, blocks_);
  const bool ample = rest > launched(blocks_) && fragments_ + kReservedRegisters <= rest;
  return ample ? kOfAddresses : kLeast;
}

int64_t RoleRegisters::of_consumers() const {
  return of_producer() > 0 ? left(of_producer(), blocks_) : 0;
}

}  // namespace tilelab
