// SPDX-License-Identifier: Apache-2.0
#include "core/targets/target.h"

#include <optional>

#include "core/support/text.h"

namespace tilelab {

const MatrixInstruction* Target::matrix(GemmBy by) const {
  const MatrixInstruction* row = find_matrix(tilelab::name(by));
  return row && has(*row) ? row : nullptr;
}

int64_t Target::widest_sum(DType dtype) const {
  switch (dtype) {
    case DType::f32: return sums.f32;
    case DType::f16: return sums.f16;
    case DType::bf16: return sums.bf16;
    default: return 1;
  }
}

bool Target::has(Feature feature) const {
  switch (feature) {
    case Feature::any: return true;
    case Feature::lane_masks: return lanes > 1 && lanes <= 32;
    case Feature::part_sync: return named_barriers > 0 || barriers.kind != Barriers::Kind::none;
    case Feature::barriers: return barriers.kind != Barriers::Kind::none;
    case Feature::barrier_ids: return barriers.kind == Barriers::Kind::by_id;
    case Feature::async_copy: return async_copy;
    case Feature::tensor_copy: return tensor.exists;
    case Feature::tensor_sums: return tensor.sums;
    case Feature::load_matrix: return load_matrix;
    case Feature::store_matrix: return store_matrix;
    case Feature::mma: return matrix_of("mma", letter) != nullptr;
    case Feature::wgmma: return matrix(GemmBy::wgmma) != nullptr;
    case Feature::sqmma: return matrix(GemmBy::sqmma) != nullptr;
    case Feature::async_matrix: return matrix_waits != Waits::none;
    case Feature::clusters: return cluster_blocks > 0;
    case Feature::resident_blocks: return family != Family::cpu;
    case Feature::register_handover: return register_handover;
  }
  UNREACHABLE("unknown feature");
}

const std::vector<Target>& all_targets() {
  static const std::vector<Target> targets = {
#define TARGET(...) Target{__VA_ARGS__},
#include "core/targets/targets.def"
#undef TARGET
  };
  return targets;
}

const Target* find_target(std::string_view name) {
  for (const Target& target : all_targets())
    if (target.name == name) return &target;
  return nullptr;
}

Limits limits_of(const Func& func) {
  const Target* found = find_target(func.target);
  const Target& target = found ? *found : all_targets().front();
  Features features;
  for (int f = 0; f < kFeatureCount; ++f)
    if (target.has(Feature(f))) features.add(Feature(f));
  const bool by_id = target.barriers.kind == Barriers::Kind::by_id;
  return {target.lanes,
          target.registers,
          features,
          target.letter,
          by_id ? target.barriers.limit : 0,
          by_id ? 0 : target.barriers.bytes};
}

int architecture_number(std::string_view arch) {
  size_t digit = arch.find_first_of("0123456789");
  if (digit == std::string_view::npos) return -1;
  int number = 0;
  for (; digit < arch.size() && arch[digit] >= '0' && arch[digit] <= '9'; ++digit)
    number = number * 10 + (arch[digit] - '0');
  return number;
}

namespace {

/// The newest record of the family up to `arch`; of all, for `arch` "".
const Target* newest_of(Family family, std::string_view arch = "") {
  const Target* best = nullptr;
  for (const Target& target : all_targets()) {
    int number = architecture_number(target.name);
    if (target.family != family || (!arch.empty() && number > architecture_number(arch))) continue;
    if (!best || number > architecture_number(best->name)) best = &target;
  }
  return best;
}

std::optional<Family> family_of(std::string_view arch) {
  if (arch.substr(0, 3) == "mp_") return Family::musa;
  if (arch.substr(0, 3) == "sm_") return Family::cuda;
  return std::nullopt;
}

/// Whether an architecture is newer than all records: its features are unknown.
bool is_unknown_future(std::string_view arch) {
  const auto family = family_of(arch);
  return family && architecture_number(arch) > architecture_number(newest_of(*family)->name);
}

/// The record for `arch`: its own, or that of the newest earlier architecture.
const Target* best_of(Family family, std::string_view arch) {
  if (family_of(arch) != family || is_unknown_future(arch)) return nullptr;
  return newest_of(family, arch);
}

const Target* of_kind(std::string_view kind, std::string_view arch) {
  if (kind == "auto") return &all_targets().front();
  if (kind == "c" || kind == "llvm" || kind == "cpu") return find_target("cpu");
  if (kind == "musa") return arch.empty() ? find_target("mp_31") : best_of(Family::musa, arch);
  if (kind == "cuda") return arch.empty() ? find_target("sm_90a") : best_of(Family::cuda, arch);
  if (kind.substr(0, 3) == "mp_") return best_of(Family::musa, kind);
  if (kind.substr(0, 3) == "sm_") return best_of(Family::cuda, kind);
  return nullptr;
}

}  // namespace

const Target* parse_target(std::string_view spelling, std::string* problem) {
  std::string kind;
  std::string arch;
  for (const std::string& word : split(strip(spelling), ' ')) {
    if (word.empty()) continue;
    if (kind.empty()) {
      kind = word;
    } else if (word.substr(0, 6) == "-arch=") {
      arch = word.substr(6);
    } else if (word.substr(0, 7) == "--arch=") {
      arch = word.substr(7);
    }  // other options (-keys=, -libs=) have no effect here
  }
  const Target* target = of_kind(kind, arch);
  if (!target && problem) {
    std::vector<std::string> known{"auto", "musa", "cuda", "c", "llvm"};
    for (const Target& each : all_targets()) known.emplace_back(each.name);
    std::string near = nearest(kind, known);
    const std::string_view machine = arch.empty() ? kind : arch;
    *problem =
        "'" + std::string(spelling) + "' is not a target; known targets are " + join(known, ", ");
    if (is_unknown_future(machine))
      *problem += "; " + std::string(machine) + " is newer than all of them";
    else if (!near.empty())
      *problem += " (did you mean " + near + "?)";
  }
  return target;
}

}  // namespace tilelab
