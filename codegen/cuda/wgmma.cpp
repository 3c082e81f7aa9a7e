// SPDX-License-Identifier: Apache-2.0
#include "codegen/cuda/wgmma.h"

#include "core/support/check.h"

namespace tilelab::codegen {
std::string wgmma_types(DType dtype) {
  switch (dtype) {
    case DType::f16: return ".f32.f16.f16";
    case DType::bf16: return ".f32.bf16.bf16";
    case DType::f32: return ".f32.tf32.tf32";
    case DType::e4m3: return ".f32.e4m3.e4m3";
    case DType::e5m2: return ".f32.e5m2.e5m2";
    case DType::i8: return ".s32.s8.s8";
    case DType::u8: return ".s32.u8.u8";
    default: UNREACHABLE(std::string("wgmma of ") + tilelab::name(dtype));
  }
}

namespace {

/// "%4, %5, %6" for operands [first, first + n), with a line break after every 16.
std::string operands(int64_t first, int64_t n) {
  std::string out;
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) out += i % 16 == 0 ? ", \"\n      \"" : ", ";
    out += "%" + std::to_string(first + i);
  }
  return out;
}

/// "\"+f\"(c[0]), \"+f\"(c[1])"
std::string constraints(const std::string& kind, const std::string& array, int64_t n) {
  std::string out;
  for (int64_t i = 0; i < n; ++i) {
    if (i > 0) out += i % 6 == 0 ? ",\n        " : ", ";
    out += "\"" + kind + "\"(" + array + "[" + std::to_string(i) + "])";
  }
  return out;
}

}  // namespace

std::string Wgmma::name() const {
  return "tl_wgmma_" + to_text(shape) + "_" + std::string(tilelab::name(dtype)) +
         (a_in_registers ? "_rs" : "_ss");
}

std::string Wgmma::text() const {
  const bool integer = is_integer(dtype);
  const int64_t sums = shape.m * shape.n / 128;
  const int64_t a_words = a_in_registers ? 4 : 1;  // 32-bit registers, or a descriptor
  const int64_t b = sums + a_words, accumulate = b + 1;
  const std::string sum = integer ? "int" : "float";
  std::string out = "/// C of " + std::to_string(shape.m) + " x " + std::to_string(shape.n) +
                    ": += A B, or = A B.\ntemplate <int accumulate";
  if (has_major()) out += a_in_registers ? ", int tB" : ", int tA, int tB";
  out += ">\nTL_FN void " + name() + "(" + sum + "* c, " +
         (a_in_registers ? "const void* registers" : "tl_u64 a") + ", tl_u64 b) {\n";
  if (a_in_registers) out += "  const unsigned* a = (const unsigned*)registers;\n";
  out += "  asm volatile(\n      \"{\\n.reg .pred p;\\nsetp.ne.b32 p, %" +
         std::to_string(accumulate) + ", 0;\\n\"\n";
  out += "      \"wgmma.mma_async.sync.aligned." + to_text(shape) + wgmma_types(dtype) + " {\"\n";
  out += "      \"" + operands(0, sums) + "}, \"\n      \"";
  out += a_in_registers ? "{" + operands(sums, 4) + "}" : operands(sums, 1);
  out += ", " + operands(b, 1) + ", p" + (integer ? "" : ", 1, 1");
  if (has_major() && !a_in_registers) out += ", %" + std::to_string(accumulate + 1);
  if (has_major()) out += ", %" + std::to_string(accumulate + (a_in_registers ? 1 : 2));
  out += ";\\n}\"\n      : " + constraints(integer ? "+r" : "+f", "c", sums) + "\n      : ";
  out += a_in_registers ? constraints("r", "a", 4) : "\"l\"(a)";
  out += ", \"l\"(b), \"n\"(accumulate)";
  if (has_major()) out += a_in_registers ? ", \"n\"(tB)" : ", \"n\"(tA), \"n\"(tB)";
  return out + ");\n}\n";
}

}  // namespace tilelab::codegen
