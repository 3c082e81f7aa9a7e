// SPDX-License-Identifier: Apache-2.0
// The result of an expression: PTX registers and constants.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/ir/dtype.h"

namespace tilelab::codegen {

/// PTX's register banks: predicates, or a number of bits of any type.
enum class Bank : uint8_t { truth, b16, b32, b64 };

/// The bank of a value of that type. Integers of 8 and 16 bits are sign- or zero-extended to 32,
/// floats of 8 bits are stored as bits.
inline Bank bank_of(DType dtype) {
  if (dtype == DType::bool_) return Bank::truth;
  if (bits(dtype) == 64) return Bank::b64;
  return dtype == DType::f16 || dtype == DType::bf16 ? Bank::b16 : Bank::b32;
}

/// One value: a register, or a constant, or a register plus a constant not yet added (for integers
/// of 32 and 64 bits: addresses take both).
struct Lane {
  std::string text;                  // a register, or "" for a constant
  std::optional<uint64_t> constant;  // its bits, as those of a Const
  int64_t plus = 0;
  bool changes = false;  // a variable's register, which a later statement may write
  uint32_t maybe = ~0u;  // bits that a register of 32 bits may have: the others are 0
  std::string masked;    // not "": the register has the bits `maybe` of this one
};

/// An expression's value. A vector of elements narrower than 32 bits may be packed into words, as
/// memory and matrix instructions expect; `lanes` is then empty.
struct Lanes {
  DType dtype = DType::i32;
  std::vector<Lane> lanes;
  std::vector<Lane> words;
  int count = 1;
};

/// Elements per 32-bit word; 1 for predicates and elements of 32 bits or more.
inline int in_word(DType dtype) {
  return dtype == DType::bool_ || bits(dtype) >= 32 ? 1 : 32 / bits(dtype);
}

/// The storage of a buffer.
struct Memory {
  enum class Space : uint8_t { global, shared, registers };
  Space space = Space::global;
  DType dtype = DType::f32;
  std::string base;             // a register, or "smem"
  int64_t at = 0;               // byte offset from it
  bool read_only = false;       // nothing writes it while the kernel runs
  bool evict_first = false;     // Buffer::evict_first
  std::vector<Lane> registers;  // in words
};

}  // namespace tilelab::codegen
