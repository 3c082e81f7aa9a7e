// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/report.h"

namespace tilelab::sim {
namespace {

struct Row {
  const char *name, *meaning;
};
constexpr Row rows[] = {
#define FINDING(id, name, meaning) {name, meaning},
#include "core/sim/machine/findings.def"
#undef FINDING
};

}  // namespace

FindingSide declaration(const Span& span, const std::string& buffer,
                        const std::vector<int64_t>& shape) {
  std::string extents;
  for (int64_t e : shape)
    extents += (extents.empty() ? "" : ", ") + (e < 0 ? std::string("?") : std::to_string(e));
  return {span, "", "declares " + buffer + ", shape [" + extents + "]"};
}

const char* finding_name(FindingKind kind) { return rows[int(kind)].name; }
const char* finding_meaning(FindingKind kind) { return rows[int(kind)].meaning; }

}  // namespace tilelab::sim
