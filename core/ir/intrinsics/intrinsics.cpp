// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics/intrinsics.h"

#include <unordered_map>

namespace tilelab {
namespace {

struct Operands {
  std::array<OperandInfo, 4> list;
  uint8_t count = 0;
};

/// Parses "s:w g:r e?"; an undefined notation is a compile-time error.
constexpr Operands parse(std::string_view text) {
  Operands out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == ' ') continue;
    OperandInfo& operand = out.list.at(out.count++);
    constexpr std::string_view kinds = "evxfwnirgsdlbmca";
    if (kinds.find(text[i]) == kinds.npos) throw "no kind of operand";
    operand.kind = OperandKind(text[i]);
    for (; i + 1 < text.size() && text[i + 1] != ' '; ++i) switch (text[i + 1]) {
        case ':': break;
        case 'r': operand.access = Access::read; break;
        case 'w': operand.access = Access::write; break;
        case 'u': operand.access = Access::update; break;
        case '?': operand.optional = true; break;
        case '*': operand.repeats = true; break;
        case '=': operand.uniform = true; break;
        default: throw "no mark of an operand";
      }
  }
  return out;
}

constexpr IntrinsicInfo kIntrinsics[] = {
#define INTRINSIC(id, operands, result, scope, async, step, needs) \
  {#id,                                                            \
   parse(operands).list,                                           \
   parse(operands).count,                                          \
   CallResult::result,                                             \
   CollectiveScope::scope,                                         \
   Async::async,                                                   \
   Step::step,                                                     \
   Feature::needs},
#include "core/ir/intrinsics/intrinsics.def"
#undef INTRINSIC
};

constexpr const char* kReasons[] = {
    "",
#define FEATURE(id, without) without,
#include "core/ir/intrinsics/features.def"
#undef FEATURE
};

}  // namespace

const IntrinsicInfo& info(Intrinsic intrinsic) { return kIntrinsics[static_cast<int>(intrinsic)]; }

const char* reason_without(Feature feature) { return kReasons[static_cast<int>(feature)]; }

bool has_atomic(Intrinsic atomic, DType dtype) {
  switch (atomic) {
    case Intrinsic::atomic_load:
    case Intrinsic::atomic_store: return true;
    case Intrinsic::atomic_or:
    case Intrinsic::atomic_and:
    case Intrinsic::atomic_xor: return !is_float(dtype);
    default: return dtype != DType::bool_;
  }
}

std::optional<Intrinsic> intrinsic_from_name(std::string_view name) {
  static const auto* by_name = [] {
    auto* map = new std::unordered_map<std::string_view, Intrinsic>;
    for (int i = 0; i < kIntrinsicCount; ++i)
      map->emplace(kIntrinsics[i].name, static_cast<Intrinsic>(i));
    return map;
  }();
  auto it = by_name->find(name);
  if (it == by_name->end()) return std::nullopt;
  return it->second;
}

const OperandInfo* operand_info(Intrinsic intrinsic, size_t i) {
  const IntrinsicInfo& row = info(intrinsic);
  if (i < row.operand_count) return &row.operands[i];
  if (row.operand_count && row.operands[row.operand_count - 1].repeats)
    return &row.operands[row.operand_count - 1];
  return nullptr;
}

OperandCount operand_count(Intrinsic intrinsic) {
  const IntrinsicInfo& row = info(intrinsic);
  OperandCount count;
  for (int i = 0; i < row.operand_count; ++i) {
    const OperandInfo& operand = row.operands[size_t(i)];
    count.least += !operand.optional;  // a repeated operand occurs at least once
    count.most = operand.repeats ? -1 : count.most + 1;
  }
  return count;
}

}  // namespace tilelab
