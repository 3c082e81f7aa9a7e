// SPDX-License-Identifier: Apache-2.0
#include "core/analysis/statements.h"

#include "core/ir/traverse.h"

namespace tilelab {

std::string tile_name(const Node& stmt) {
  if (group(stmt.kind) != Group::tile || stmt.kind == Kind::Record || stmt.kind == Kind::RingOp)
    return "";
  if (const Scan* scan = as<Scan>(&stmt)) return scan->op == ScanOp::sum ? "T.cumsum" : "T.cummax";
  if (const Reduce* reduce = as<Reduce>(&stmt)) return "T.reduce_" + std::string(name(reduce->op));
  if (const Atomic* atomic = as<Atomic>(&stmt)) return "T.atomic_" + std::string(name(atomic->op));
  return visit(stmt, [](const auto& n) -> std::string {
    if constexpr (requires { n.kCall; })
      return std::string("T.") + n.kCall;
    else
      UNREACHABLE("a tile operation that is not a call");
  });
}

std::string name_in_source(const Node& stmt) {
  if (!as<Fill>(&stmt) || !stmt.span.known()) return tile_name(stmt);
  const std::string line = source_line(stmt.span.file, stmt.span.line);
  return line.find("clear(") != std::string::npos ? "T.clear" : "T.fill";
}

}  // namespace tilelab
