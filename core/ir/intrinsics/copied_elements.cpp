// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics/copied_elements.h"

#include <utility>
#include <vector>

#include "core/ir/build.h"
#include "core/ir/intrinsics/expanded_matrices.h"
#include "core/ir/regions.h"

namespace tilelab {
namespace {}  // namespace

const Call* element_copy(const Stmt& stmt) {
  const Call* call = called(stmt);
  const bool copies = call && call->intrinsic == Intrinsic::cp_async && call->args.size() >= 2;
  return copies && as<Region>(call->args[0]) && as<Region>(call->args[1]) ? call : nullptr;
}

bool arrives_after_copies(const Call& call) {
  const Attr* unit =
      call.intrinsic == Intrinsic::bar_arrive ? find_attr(call.attrs, "unit") : nullptr;
  return unit && unit->string == "copies";
}

bool completes_copies(const Call& call) {
  return call.intrinsic == Intrinsic::cp_wait || arrives_after_copies(call);
}

Feature needed(Intrinsic intrinsic, Level level) {
  const IntrinsicInfo& row = info(intrinsic);
  const bool expands = row.async == Async::cp || expands_to_shuffles(intrinsic);
  return level == Level::tile && expands ? Feature::any : row.needs;
}

Stmt copied_elements(const Call& copy) {
  const Region &into = to<Region>(copy.args[0]), &from = to<Region>(copy.args[1]);
  const Expr inside = copy.args.size() > 2 ? copy.args[2] : nullptr;
  std::vector<Stmt> out;
  for (int64_t k = 0; k < elements(into); ++k) {
    const DType dtype = from.type.dtype;
    Expr value = load(from.buffer, dtype, offset_element(from.dims, k));
    if (inside) value = select(inside, std::move(value), number(0, dtype));
    out.push_back(store(into.buffer, points(offset_element(into.dims, k)), std::move(value)));
  }
  return seq(std::move(out));
}

}  // namespace tilelab
