// SPDX-License-Identifier: Apache-2.0
#include "core/ir/call_type.h"

namespace tilelab {
namespace {

Type type_of(const std::vector<Expr>& args, size_t i) {
  return i < args.size() && args[i] ? args[i]->type : Type{};
}

bool is_atomic(Intrinsic i) { return i >= Intrinsic::atomic_add && i <= Intrinsic::atomic_load; }

}  // namespace

Type natural_type(Intrinsic intrinsic, const std::vector<Expr>& args) {
  switch (intrinsic) {
    case Intrinsic::isnan:
    case Intrinsic::isinf:
    case Intrinsic::isfinite: return {DType::bool_, type_of(args, 0).lanes};
    case Intrinsic::leader:
    case Intrinsic::guard:
    case Intrinsic::any_sync:
    case Intrinsic::all_sync: return {DType::bool_};
    case Intrinsic::popcount:
    case Intrinsic::clz: return {DType::i32, type_of(args, 0).lanes};
    case Intrinsic::ballot:
    case Intrinsic::activemask: return {DType::u32};
    case Intrinsic::select: return type_of(args, 1);
    case Intrinsic::bits:
    case Intrinsic::inf: return {};
    default: break;
  }
  if (is_atomic(intrinsic)) return {type_of(args, 0).dtype};
  char first = operand_letter(intrinsic, 0);
  bool value = info(intrinsic).pure() && (first == 'v' || first == 'e');
  return value ? type_of(args, 0) : Type{};
}

char operand_letter(Intrinsic intrinsic, size_t i) {
  const char* p = info(intrinsic).operands;
  for (;; ++p) {
    if (!*p) return 0;
    if (*p == '?') continue;
    if (i == 0 || p[1] == '*') return *p;
    --i;
  }
}

OperandCount operand_count(Intrinsic intrinsic) {
  OperandCount count;
  for (const char* p = info(intrinsic).operands; *p; ++p) {
    if (*p == '?') {
      --count.least;
    } else if (*p == '*') {
      count.most = -1;
    } else {
      ++count.least;
      if (count.most >= 0) ++count.most;
    }
  }
  return count;
}

uint32_t same_dtype_operands(Intrinsic intrinsic) {
  if (intrinsic == Intrinsic::select) return 0b110;
  if (intrinsic == Intrinsic::ceildiv) return 0b11;
  uint32_t mask = 0;
  for (size_t i = 0; operand_letter(intrinsic, i) && i < 8; ++i)
    if (operand_letter(intrinsic, i) == 'v') mask |= 1u << i;
  if (is_atomic(intrinsic) || intrinsic == Intrinsic::atomic_store) mask = 0b11;
  return mask;
}

Symbol positional_attr(Intrinsic intrinsic) {
  static const Symbol scope = "scope";
  return intrinsic == Intrinsic::leader ? scope : Symbol();
}

}  // namespace tilelab
