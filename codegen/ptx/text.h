// SPDX-License-Identifier: Apache-2.0
// The lines of a kernel in PTX: its registers, labels and loops.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/ptx/lanes.h"

namespace tilelab::codegen {

/// Appends instructions. In a loop, an operation on values from outside of it is written ahead of
/// the loop (loop-invariant code motion), while a thread has registers for the results: ptxas moves
/// little out of loops with asynchronous steps.
class PtxText {
 protected:
  /// A register that any later statement may write.
  std::string fresh(Bank bank);
  std::string label() { return "$L" + std::to_string(labels_++); }
  void place_label(const std::string& name) { body_ += name + ":\n"; }
  void emit(const std::string& instruction);
  /// The bytes that are written, in all enclosing loops.
  size_t length() const;
  /// Emits `mnemonic result, operands...` and returns the result.
  Lane emit_to(Bank bank, std::string_view mnemonic,
               std::initializer_list<std::string_view> operands);
  Lane emit_to(Bank bank, std::string_view mnemonic, const std::vector<std::string>& operands);
  /// Of a loop that begins at this label; `counter`: "" or the register that counts iterations and
  /// is written at the end of one.
  void begin_loop(const std::string& label, const std::string& counter = "");
  void end_loop();
  /// ".reg .b32 %r<9>;" for each bank.
  std::string declarations() const;

  /// The registers of a thread, and those that arrays of the current scope take.
  struct Budget {
    int64_t registers = 0, arrays = 0;
  } budget_;
  std::string body_;  // what is written of the innermost loop, or of the kernel outside of loops

 private:
  struct Register {
    size_t depth;         // loops around its only assignment; SIZE_MAX if there may be several
    bool unused = false;  // moved, and only moved operations have used it so far
  };
  Lane emit_listed(Bank bank, std::string_view mnemonic, const std::string& operands);
  size_t depth_of(Bank bank, std::string_view mnemonic, const std::string& operands) const;
  /// Notes that a line in `depth` loops uses the registers it names.
  void note_uses(const std::string& line, size_t depth);

  std::vector<Register> registers_[4];
  std::vector<std::string> before_loops_;  // what precedes each enclosing loop in the one around it
  bool moves_ = false;  // whether the enclosing loops have registers for moved results
  int64_t kept_ = 0;    // registers of moved results that the enclosing loops use
  int labels_ = 0;
};

}  // namespace tilelab::codegen
