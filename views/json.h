// SPDX-License-Identifier: Apache-2.0
// JSON of every model: one object or list on one line, keys in a fixed order. Invalid UTF-8 is
// replaced. nlohmann-json is used in json.cpp only.
#pragma once

#include <variant>

#include "views/diff.h"
#include "views/layout_view.h"
#include "views/models.h"
#include "views/shown.h"

namespace tilelab {

std::string json_of(const MessagePage& page);
std::string json_of(const GlossaryTerm& term);
std::string json_of(const ExplainedKernel& kernel);
std::string json_of(const KernelMap& map);
std::string json_of(const PipelineRun& run);
std::string json_of(const KernelIr& ir);
std::string json_of(const KernelSource& source);
std::string json_of(const LayoutView& view);
std::string json_of(const LayoutDifference& difference);
std::string json_of(const std::vector<LeveledFinding>& findings);
std::string json_of(const CheckReport& report);
/// A diff of several parts, under a title.
std::string json_of(const std::string& title, const std::vector<DiffPart>& parts);
/// A list of objects with the heads as keys. Integers in right-aligned columns are numbers.
std::string json_of(const ViewTable& table);

/// For data outside kernels, such as devices and history: a list of objects, or (`fields`) an
/// object with further fields, followed by the list under `key`.
struct JsonField {
  const char* key;
  std::variant<std::string, int64_t, bool> value;
};
using JsonRow = std::vector<JsonField>;
std::string json_of(const std::vector<JsonRow>& rows);
std::string json_of(const JsonRow& fields, const char* key, const std::vector<JsonRow>& rows);

/// Everything about a kernel: `source` is null if it has no code.
std::string json_of(const PipelineRun& passes, const std::vector<KernelIr>& snapshots,
                    const KernelSource* source, const std::string& target);

}  // namespace tilelab
