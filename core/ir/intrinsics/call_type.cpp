// SPDX-License-Identifier: Apache-2.0
#include "core/ir/intrinsics/call_type.h"

namespace tilelab {
namespace {

Type type_of(const std::vector<Expr>& args, size_t i) {
  return i < args.size() && args[i] ? args[i]->type : Type{};
}

}  // namespace

Type natural_type(Intrinsic intrinsic, const std::vector<Expr>& args) {
  const IntrinsicInfo& row = info(intrinsic);
  const Type first = type_of(args, 0);
  const int lanes = row.operands[0].vector() ? first.lanes : 1;
  switch (row.result) {
    case CallResult::first: return first;
    case CallResult::second: return type_of(args, 1);
    case CallResult::element: return {first.dtype};
    case CallResult::truth: return {DType::bool_, lanes};
    case CallResult::i32: return {DType::i32, lanes};
    case CallResult::u32: return {DType::u32, lanes};
    case CallResult::nothing:
    case CallResult::stated: return {};
  }
  UNREACHABLE("unknown result");
}

uint32_t same_dtype_operands(Intrinsic intrinsic) {
  if (info(intrinsic).step == Step::atomic)  // the element and the values
    return (1u << info(intrinsic).operand_count) - 1;
  uint32_t mask = 0;
  for (size_t i = 0; i < info(intrinsic).operand_count; ++i) {
    const OperandInfo& operand = *operand_info(intrinsic, i);
    if (operand.vector() || operand.kind == OperandKind::integer) mask |= 1u << i;
  }
  return mask;
}

const OperandInfo* operand_info(const Call& call, size_t i) {
  const OperandInfo* row = operand_info(call.intrinsic, i);
  if (!row || row->kind != OperandKind::any) return row;
  static constexpr OperandInfo kValue{OperandKind::value, Access::none},
      kRead{OperandKind::place, Access::read}, kWritten{OperandKind::place, Access::write},
      kUpdated{OperandKind::place, Access::update};
  const Attr* access = find_attr(call.attrs, "access");
  switch (access && i < access->string.size() ? access->string[i] : foreign_access::updates) {
    case foreign_access::value: return &kValue;
    case foreign_access::reads: return &kRead;
    case foreign_access::writes: return &kWritten;
    default: return &kUpdated;
  }
}

Symbol positional_attr(Intrinsic intrinsic) {
  static const Symbol scope = "scope";
  return intrinsic == Intrinsic::leader ? scope : Symbol();
}

}  // namespace tilelab
