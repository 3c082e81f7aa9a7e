// SPDX-License-Identifier: Apache-2.0
// Bitwise operations and shifts, and the bits of registers that are known to be 0: with them a
// constant passes through the exclusive or of a swizzle, so that the addresses of an unrolled loop
// differ in their constants.
#include <bit>

#include "codegen/ptx/writer.h"
#include "core/ir/build.h"

namespace tilelab::codegen {

namespace {

/// All bits up to the highest one of the value.
uint32_t up_to(uint64_t value) {
  return value > UINT32_MAX ? ~0u : uint32_t(std::bit_ceil(value + 1) - 1);
}

}  // namespace

uint32_t bits_of_sum(uint32_t a, uint32_t b) {
  return (a & b) == 0 ? a | b : up_to(uint64_t(a) + b);
}

uint32_t bits_of_product(uint32_t a, uint64_t factor) {
  if (a == 0 || factor > UINT32_MAX) return a == 0 ? 0 : ~0u;
  const int zeros = std::countr_zero(a) + std::countr_zero(factor);
  return zeros > 31 ? 0 : up_to(a * factor) & ~0u << zeros;
}

Lane PtxWriter::bitwise(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  const auto is_zero = [](const Lane& lane) { return lane.constant && *lane.constant == 0; };
  const bool both = op == BinOp::band;
  if (is_zero(b)) return both ? b : a;
  if (is_zero(a)) return both ? a : b;
  const Bank bank = bank_of(dtype);
  const bool word = bits(dtype) == 32;
  if (word && op == BinOp::bxor && !a.constant && !b.constant) {
    if (a.plus != 0 && b.plus == 0 && (a.maybe & uint32_t(a.plus)) == 0) return swizzled(a, b);
    if (b.plus != 0 && a.plus == 0 && (b.maybe & uint32_t(b.plus)) == 0) return swizzled(b, a);
  }
  if (word && op == BinOp::bor && b.constant && !a.masked.empty() && a.plus == 0)
    return emit_to(bank, "lop3.b32",
                   {a.masked, std::to_string(a.maybe), use(b, dtype), "0xea"});  // (x & y) | z
  const char* mnemonic = both ? "and" : op == BinOp::bor ? "or" : "xor";
  Lane out = emit_to(bank, mnemonic + ptx_bits(bank), {use(a, dtype), use(b, dtype)});
  if (!word) return out;
  const auto maybe = [](const Lane& lane) {
    return lane.constant ? uint32_t(*lane.constant) : lane.plus == 0 ? lane.maybe : ~0u;
  };
  out.maybe = both ? maybe(a) & maybe(b) : maybe(a) | maybe(b);
  const bool fuses = both && b.constant && !a.constant && a.plus == 0 && !a.changes;
  if (fuses) out.masked = a.text, out.maybe = uint32_t(*b.constant);
  return out;
}

/// (a + plus) ^ b for a constant without bits of a: its bits below those of b are added afterwards.
Lane PtxWriter::swizzled(const Lane& a, const Lane& b) {
  const uint32_t low = b.maybe == 0 ? ~0u : (1u << std::countr_zero(b.maybe)) - 1;
  const uint32_t plus = uint32_t(a.plus), high = plus & ~low;
  Lane out = emit_to(Bank::b32, "xor.b32", {a.text, b.text});
  if (high != 0) out = emit_to(Bank::b32, "xor.b32", {out.text, std::to_string(int32_t(high))});
  out.maybe = a.maybe | b.maybe | high;
  out.plus = int32_t(plus & low);
  return out;
}

/// By the width or more: 0, or the sign. PTX clamps the amount, an unsigned 32-bit number.
Lane PtxWriter::shift(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  const Bank bank = bank_of(dtype);
  const std::string mnemonic = op == BinOp::shl
                                   ? "shl" + ptx_bits(bank)
                                   : std::string("shr") + (is_unsigned(dtype) ? ".u" : ".s") +
                                         (bank == Bank::b64 ? "64" : "32");
  if (!b.constant) {
    Lane amount = b;
    if (bank == Bank::b64) {
      const Lane least = emit_to(Bank::b64, "min.u64", {use(b, dtype), "64"});
      amount = emit_to(Bank::b32, "cvt.u32.u64", {least.text});
    }
    return narrowed(dtype, emit_to(bank, mnemonic, {use(a, dtype), use(amount, DType::u32)}));
  }
  const auto by = int64_t(*b.constant);
  const int64_t width = bits(dtype);
  if (by < 0 || by >= width) {
    if (op == BinOp::shl || is_unsigned(dtype)) return {"", 0};
    return emit_to(bank, mnemonic, {use(a, dtype), std::to_string(width - 1)});
  }
  if (by == 0) return a;
  if (op == BinOp::shl && width >= 32 && !a.constant) {
    Lane out = emit_to(bank, mnemonic, {a.text, std::to_string(by)});
    out.plus = int64_t(uint64_t(a.plus) << by);
    if (width == 32) out.plus = int32_t(uint32_t(out.plus)), out.maybe = a.maybe << by;
    return out;
  }
  Lane out = narrowed(dtype, emit_to(bank, mnemonic, {use(a, dtype), std::to_string(by)}));
  const bool keeps_zeros = is_unsigned(dtype) || a.maybe >> 31 == 0;  // no copies of a sign
  if (op == BinOp::shr && width == 32 && a.plus == 0 && keeps_zeros) out.maybe = a.maybe >> by;
  return out;
}

}  // namespace tilelab::codegen
