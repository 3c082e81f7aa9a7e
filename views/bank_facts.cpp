// SPDX-License-Identifier: Apache-2.0
#include "views/statement_facts.h"

#include <algorithm>
#include <optional>

#include "core/ir/linear.h"
#include "core/layout/recognize.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

std::optional<int64_t> byte_of(const Buffer& buffer, const std::vector<Expr>& index,
                               const Parallel& loop, const Index& at) {
  auto value = [&](Symbol id) -> std::optional<int64_t> {
    const auto var = std::find(loop.vars.begin(), loop.vars.end(), id);
    return var == loop.vars.end() ? 0 : at[static_cast<size_t>(var - loop.vars.begin())];
  };
  Index element;
  for (const Expr& expr : index) {
    const auto number = evaluate(expr, value);
    if (!number || *number < 0 || *number >= buffer.layout.shape[element.size()]) return {};
    element.push_back(*number);
  }
  const int64_t plain = place_of(buffer.layout, element).address * (bits(buffer.dtype) / 8);
  return swizzled(buffer.swizzle, plain + std::max<int64_t>(0, buffer.at));
}

}  // namespace

WarpAccesses warp_accesses(const Parallel& loop, const Buffer& buffer,
                           const std::vector<Expr>& index, int64_t lanes) {
  const int64_t size = bits(buffer.dtype) / 8, vec = std::max<int64_t>(1, loop.vec);
  WarpAccesses accesses(static_cast<size_t>(vec));
  bool wide = true;
  for (int64_t lane = 0; lane < lanes; ++lane)
    for (int64_t k = 0; k < vec; ++k) {
      const std::vector<Index> run = elements_at(loop.layout, lane, k);
      if (run.empty()) break;
      const auto byte = byte_of(buffer, index, loop, run[0]);
      if (!byte) return {};
      accesses[static_cast<size_t>(k)].push_back({lane, *byte, size});
      wide &= *byte == accesses[0].back().byte_address + k * size;
    }
  if (!wide) return accesses;
  accesses.resize(1);
  for (LaneAccess& access : accesses[0]) access.bytes = vec * size;
  return accesses;
}

std::string conflicts_text(const WarpAccesses& accesses, const BankModel& banks) {
  BankReport sum;
  for (const std::vector<LaneAccess>& lanes : accesses) {
    const BankReport one = count_bank_conflicts(lanes, banks);
    sum.cycles += one.cycles, sum.transactions += one.transactions;
    sum.worst = std::max(sum.worst, one.worst);
  }
  if (sum.transactions == 0) return "";
  const std::string cycles = plural(sum.cycles, "cycle");
  if (sum.conflict_free()) return ": accesses of a warp have no bank conflicts (" + cycles + ")";
  return ": " + std::to_string(sum.worst) + "-way conflicts, " + cycles + " instead of " +
         std::to_string(sum.transactions);
}

}  // namespace tilelab
