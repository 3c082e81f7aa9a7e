// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/build.h"

namespace tilelab {

/// Statements left over from a simplified loop or branch inherit its source location.
inline Stmt on_line(const Span& span, const Stmt& body) {
  const Seq* list = as<Seq>(body);
  if (!list) return at(span, body);
  std::vector<Stmt> out;
  for (const Stmt& each : list->stmts) out.push_back(at(span, each));
  return seq(std::move(out));
}

}  // namespace tilelab
