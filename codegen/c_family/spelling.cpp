// SPDX-License-Identifier: Apache-2.0
#include "codegen/c_family/spelling.h"

#include <array>

namespace tilelab::codegen {

namespace {

struct Row {
  const char* column[2] = {nullptr, nullptr};  // of the family's newer and older architecture
};
using Table = std::array<Row, size_t(kIntrinsicCount)>;

/// MATH and ATOMIC rows: functions of the device header with the row's name and operand count.
constexpr Table functions() {
  Table table;
#define CALL(id, operands)                                                 \
  {                                                                        \
    size_t count = 1;                                                      \
    for (const char c : std::string_view(operands)) count += c == ' ';     \
    const char* const calls[] = {"tl_" #id "($0)", "tl_" #id "($0, $1)",   \
                                 "tl_" #id "($0, $1, $2)"};                \
    table[size_t(Intrinsic::id)] = {{calls[count - 1], calls[count - 1]}}; \
  }
#define INTRINSIC(id, operands, result, scope, async, step, needs)
#define MATH(id, operands, result, lane) CALL(id, operands)
#define ATOMIC(id, operands, result, update) CALL(id, operands)
#include "core/ir/intrinsics/intrinsics.def"
#undef INTRINSIC
#undef CALL
  return table;
}
/// Spellings shared by all families.
constexpr Table common() {
  Table table = functions();
#define SPELL(id, both) table[size_t(Intrinsic::id)] = {{both, both}};
#include "codegen/c_family/spelling.def"
#undef SPELL
  return table;
}
constexpr Table musa() {
  Table table = common();
#define SPELL(id, both) table[size_t(Intrinsic::id)] = {{both, both}};
#define SPELL2(id, mp_31, mp_22) table[size_t(Intrinsic::id)] = {{mp_31, mp_22}};
#include "codegen/musa/spelling.def"
#undef SPELL
#undef SPELL2
  return table;
}
constexpr Table cuda() {
  Table table = common();
#define SPELL(id, both) table[size_t(Intrinsic::id)] = {{both, both}};
#define SPELL2(id, sm_90a, sm_80) table[size_t(Intrinsic::id)] = {{sm_90a, sm_80}};
#include "codegen/cuda/spelling.def"
#undef SPELL
#undef SPELL2
  return table;
}
constexpr Table cpu() {
  Table table = common();
#define SPELL(id, text) table[size_t(Intrinsic::id)] = {{text, text}};
#include "codegen/cpu/spelling.def"
#undef SPELL
  return table;
}
constexpr Table kTables[] = {musa(), cuda(), cpu()};  // by family

constexpr const char* kLacking[] = {
    "",
#define FEATURE(id, without) "!" without,
#include "core/ir/intrinsics/features.def"
#undef FEATURE
};

}  // namespace

const char* spelling(Intrinsic intrinsic, const Target& target) {
  const Feature needs = info(intrinsic).needs;
  if (!target.has(needs)) return kLacking[size_t(needs)];
  const char* text = kTables[size_t(target.family)][size_t(intrinsic)].column[target.column];
  return text ? text : "!not written yet";
}

}  // namespace tilelab::codegen
