// SPDX-License-Identifier: Apache-2.0
#include "core/sim/machine/report.h"

#include "core/ir/traverse.h"
#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab::sim {
namespace {

struct Row {
  const char *name, *meaning, *help;
};
constexpr Row rows[] = {
#define FINDING(id, name, meaning, help) {name, meaning, help},
#include "core/sim/machine/findings.def"
#undef FINDING
};

}  // namespace

std::string thread_name(int64_t thread, int warp) {
  return "thread " + std::to_string(thread) + " (warp " + std::to_string(thread / warp) +
         ", lane " + std::to_string(thread % warp) + ")";
}

FindingSide declaration(const Span& span, const std::string& buffer,
                        const std::vector<int64_t>& shape) {
  const auto text = [](int64_t e) { return e < 0 ? "?" : std::to_string(e); };
  return {span, "", "declares " + buffer + ", shape [" + join(shape, ", ", text) + "]"};
}

const char* finding_name(FindingKind kind) { return rows[int(kind)].name; }
const char* finding_meaning(FindingKind kind) { return rows[int(kind)].meaning; }
const char* finding_help(FindingKind kind) { return rows[int(kind)].help; }

bool is_advice(FindingKind kind) {
  return kind == FindingKind::dead_store || kind == FindingKind::padding ||
         kind == FindingKind::padded_result || kind == FindingKind::redundant_sum ||
         kind == FindingKind::overflow;
}

int64_t record_number(const Func& func, RecordKind what, const std::string& message,
                      const std::string& buffer, const Span& span) {
  int64_t number = 0;
  bool found = false;
  for_each(func, [&](const Record& record) {
    found |= record.what == what && record.message == message && record.buffer == buffer &&
             record.span == span;
    number += !found;
  });
  CHECK(found, "an event of no statement");
  return number;
}

}  // namespace tilelab::sim
