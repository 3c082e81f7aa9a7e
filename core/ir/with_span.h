// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/ir/build.h"

namespace tilelab {

/// What stays of a loop or branch comes from its line, where it has none of its own.
inline Stmt on_line(const Span& span, const Stmt& body) {
  const Seq* list = as<Seq>(body);
  if (!list) return at(span, body);
  std::vector<Stmt> out;
  for (const Stmt& each : list->stmts) out.push_back(at(span, each));
  return seq(std::move(out));
}

}  // namespace tilelab
