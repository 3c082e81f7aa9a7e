// SPDX-License-Identifier: Apache-2.0
#include "codegen/ptx/text.h"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace tilelab::codegen {

namespace {

constexpr const char* kLetters = "phrd";  // of the banks
constexpr const char* kTypes[] = {".pred", ".b16", ".b32", ".b64"};
// Registers for the values of one iteration: those that a loop must have for anything to move, and
// those that remain. With fewer, moving only part of an address costs more than it saves.
constexpr int64_t kEnough = 64, kReserved = 32;

/// Calls `f` with the bank and the number of each register that the text names.
void for_each_register(std::string_view text, auto&& f) {
  for (size_t at = text.find('%'); at != text.npos; at = text.find('%', at + 1)) {
    const size_t bank = std::string_view(kLetters).find(text[at + 1]);
    size_t number = 0, end = at + 2;
    while (end < text.size() && text[end] >= '0' && text[end] <= '9')
      number = number * 10 + size_t(text[end++] - '0');
    if (bank < 4 && end > at + 2) f(bank, number);
  }
}

/// Whether an operation depends on its operands only, and may be computed without need.
bool is_movable(std::string_view mnemonic) {
  static const std::unordered_set<std::string_view> kMovable = {
      "add",  "sub", "mul", "shl", "shr", "and", "or",  "xor", "not",
      "lop3", "cvt", "neg", "min", "max", "abs", "rem", "div", "selp"};
  return kMovable.count(mnemonic.substr(0, mnemonic.find('.')));
}

}  // namespace

std::string PtxText::fresh(Bank bank) {
  auto& registers = registers_[size_t(bank)];
  registers.push_back({SIZE_MAX});
  return std::string("%") + kLetters[size_t(bank)] + std::to_string(registers.size() - 1);
}

void PtxText::emit(const std::string& instruction) {
  note_uses(instruction, before_loops_.size());
  body_.append("  ").append(instruction).append(";\n");
}

size_t PtxText::length() const {
  size_t total = body_.size();
  for (const std::string& text : before_loops_) total += text.size();
  return total;
}

void PtxText::note_uses(const std::string& line, size_t depth) {
  if (depth == 0) return;
  for_each_register(line, [&](size_t bank, size_t number) {
    Register& used = registers_[bank].at(number);
    if (!used.unused || used.depth >= depth) return;
    used.unused = false;
    kept_ += Bank(bank) == Bank::b64 ? 2 : 1;
  });
}

/// The loops in which an operation has to be repeated. Predicates are few, and stay.
size_t PtxText::depth_of(Bank bank, std::string_view mnemonic, const std::string& operands) const {
  const size_t here = before_loops_.size();
  if (!moves_ || bank == Bank::truth || !is_movable(mnemonic) ||
      budget_.arrays + kept_ + kReserved > budget_.registers)
    return here;
  size_t depth = 0;
  for_each_register(operands, [&](size_t from, size_t number) {
    depth = std::max(depth, registers_[from].at(number).depth);
  });
  return std::min(depth, here);
}

Lane PtxText::emit_to(Bank bank, std::string_view mnemonic,
                      std::initializer_list<std::string_view> operands) {
  std::string list;
  for (const std::string_view operand : operands) list.append(", ").append(operand);
  return emit_listed(bank, mnemonic, list);
}

Lane PtxText::emit_to(Bank bank, std::string_view mnemonic,
                      const std::vector<std::string>& operands) {
  std::string list;
  for (const std::string& operand : operands) list.append(", ").append(operand);
  return emit_listed(bank, mnemonic, list);
}

Lane PtxText::emit_listed(Bank bank, std::string_view mnemonic, const std::string& operands) {
  const size_t depth = depth_of(bank, mnemonic, operands);
  note_uses(operands, depth);
  Lane result{fresh(bank)};
  registers_[size_t(bank)].back() = {depth, depth < before_loops_.size()};
  std::string& text = depth < before_loops_.size() ? before_loops_[depth] : body_;
  text.append("  ").append(mnemonic).append(" ").append(result.text).append(operands).append(";\n");
  return result;
}

void PtxText::begin_loop(const std::string& label, const std::string& counter) {
  if (before_loops_.empty()) moves_ = budget_.arrays + kEnough <= budget_.registers;
  before_loops_.push_back(std::exchange(body_, {}));
  place_label(label);
  for_each_register(counter, [&](size_t bank, size_t number) {
    registers_[bank].at(number).depth = before_loops_.size();
  });
}

void PtxText::end_loop() {
  body_ = std::move(before_loops_.back()) + body_;
  before_loops_.pop_back();
  if (before_loops_.empty()) kept_ = 0, moves_ = false;
}

std::string PtxText::declarations() const {
  std::string out;
  for (size_t i = 0; i < 4; ++i)
    if (!registers_[i].empty())
      out += std::string("  .reg ") + kTypes[i] + " %" + kLetters[i] + "<" +
             std::to_string(registers_[i].size()) + ">;\n";
  return out;
}

}  // namespace tilelab::codegen
