// SPDX-License-Identifier: Apache-2.0
// Loads, stores and addresses. A thread's arrays are registers: their indices are constant after
// unrolling.
#include <algorithm>
#include <utility>

#include "codegen/ptx/writer.h"
#include "core/ir/build.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

constexpr int kWidest = 16;  // bytes per access

/// ".v4.b32" for an access of this many registers.
std::string vector_of(size_t count) { return count == 1 ? "" : ".v" + std::to_string(count); }

std::string in_braces(const std::vector<std::string>& items) {
  return items.size() == 1 ? items[0] : "{" + join(items, ", ") + "}";
}

}  // namespace

const Memory& PtxWriter::memory(Symbol buffer) const {
  const auto found = memories_.find(buffer);
  CHECK(found != memories_.end(), "no such buffer at flat level: " + buffer.str());
  return found->second;
}

int64_t PtxWriter::known_index(const Expr& index) {
  const Lane lane = scalar(index);
  if (!lane.constant) refuse("an array of a thread by an index that is not known");
  return int64_t(*lane.constant);
}

/// An index. Its terms of 32 bits do not wrap, so that the constant of one that is widened stays
/// apart, for the address.
Lane PtxWriter::place(const Expr& index) {
  const Bin* sum = as<Bin>(index);
  const Cast* wide = as<Cast>(index);
  const DType dtype = index->type.dtype;
  if (bits(dtype) == 64 && sum && (sum->op == BinOp::add || sum->op == BinOp::sub))
    return operation(sum->op, dtype, place(sum->a), place(sum->b));
  if (bits(dtype) != 64 || !wide || wide->a->type.dtype != DType::i32) return scalar(index);
  Lane narrow = scalar(wide->a);
  if (narrow.constant || narrow.plus == 0) return convert(narrow, DType::i32, dtype);
  const int64_t plus = std::exchange(narrow.plus, 0);
  Lane out = convert(narrow, DType::i32, dtype);
  out.plus += plus;
  return out;
}

/// Of an element, with an added byte offset: "[%d4+16]".
std::string PtxWriter::address(const Memory& memory, const Expr& index) {
  const Lane at = place(index);
  const int64_t size = bytes(memory.dtype);
  const DType dtype = index->type.dtype;
  int64_t plus = memory.at + size * (at.constant ? int64_t(*at.constant) : at.plus);
  std::string base = memory.base;
  const bool shared = memory.space == Memory::Space::shared;
  if (!at.constant) {
    std::string steps;
    if (shared) {
      std::string low = at.text;
      if (bits(dtype) == 64) low = emit_to(Bank::b32, "cvt.u32.u64", {low}).text;
      steps = size == 1 ? low : times(Bank::b32, low, size).text;
      base = emit_to(Bank::b32, "add.s32", {steps, base}).text;
    } else {
      steps = bits(dtype) == 64
                  ? times(Bank::b64, at.text, size).text
                  : emit_to(Bank::b64, is_unsigned(dtype) ? "mul.wide.u32" : "mul.wide.s32",
                            {at.text, std::to_string(size)})
                        .text;
      base = emit_to(Bank::b64, "add.s64", {steps, base}).text;
    }
  }
  if (plus > INT32_MAX || plus < INT32_MIN) {
    CHECK(!shared, "an arena of 2 GiB");
    base = emit_to(Bank::b64, "add.s64", {base, std::to_string(plus)}).text;
    plus = 0;
  }
  if (plus == 0) return "[" + base + "]";
  return "[" + base + "+" + std::to_string(plus) + "]";
}

std::string PtxWriter::address(const Region& region) {
  return address(memory(region.buffer), region.dims.at(0).lo);
}

Lanes PtxWriter::load(Symbol buffer, const Expr& index, int count,
                      const std::vector<Lane>& otherwise) {
  const Memory& from = memory(buffer);
  if (from.space == Memory::Space::registers)
    return load_registers(from, known_index(index), count);
  const DType dtype = from.dtype;
  const bool global = from.space == Memory::Space::global;
  const std::string space = std::string("ld.") + (global ? "global" : "shared") +
                            (global && from.read_only ? ".nc" : "") +
                            (from.evict_first ? ".L1::evict_first" : "");
  const int64_t whole = int64_t(bytes(dtype)) * count;
  const std::string at = address(from, index);
  if (count == 1) {
    if (dtype == DType::bool_) {
      const Lane byte = emit_to(Bank::b32, space + ".u8", {at});
      return {dtype, {emit_to(Bank::truth, "setp.ne.b32", {byte.text, "0"})}, {}, 1};
    }
    const Bank bank = bank_of(dtype);
    const bool extended = bank == Bank::b32 && whole < 4;
    const std::string type = extended ? (is_signed(dtype) ? ".s" : ".u") + std::to_string(whole * 8)
                                      : ".b" + std::to_string(whole * 8);
    if (otherwise.empty()) return {dtype, {emit_to(bank, space + type, {at})}, {}, 1};
    const Lane out = emit_to(bank, "mov" + ptx_bits(bank), {in_register(otherwise[0], dtype)});
    emit_access(space + type + " " + out.text + ", " + at);
    return {dtype, {out}, {}, 1};
  }
  if (dtype == DType::bool_) refuse("vectors of truths in memory");
  if (whole == 2) return {dtype, {}, {emit_to(Bank::b32, space + ".u16", {at})}, count};
  const bool wide = bits(dtype) == 64;
  const int64_t width = wide ? 8 : 4;
  if (whole % width != 0 || (whole > kWidest && whole % kWidest != 0)) refuse("such a vector");
  Lanes out{dtype, {}, {}, count};
  auto& parts = in_word(dtype) == 1 ? out.lanes : out.words;
  const DType held = in_word(dtype) == 1 ? dtype : DType::u32;
  for (int64_t done = 0; done < whole; done += kWidest) {
    std::vector<std::string> loaded;
    for (int64_t i = done; i < std::min(done + kWidest, whole); i += width) {
      const Bank bank = wide ? Bank::b64 : Bank::b32;
      loaded.push_back(otherwise.empty() ? fresh(bank)
                                         : emit_to(bank, "mov" + ptx_bits(bank),
                                                   {in_register(otherwise.at(parts.size()), held)})
                                               .text);
      parts.push_back({loaded.back()});
    }
    if (loaded.size() == 3) refuse("such a vector");
    emit_access(space + vector_of(loaded.size()) + (wide ? ".b64 " : ".b32 ") + in_braces(loaded) +
                ", " + offset_by(at, done));
  }
  return out;
}

/// An element or vector of memory, or another value, by a load with a predicate: without a branch,
/// its address is shared with those of other loads.
std::optional<Lanes> PtxWriter::guarded_load(const Select& e, const Lane& condition) {
  const Load* element = as<Load>(e.a);
  const Region* vector = as<Region>(e.a);
  if ((!element && !vector) || !harmless(e.b) || e.type.dtype == DType::bool_) return std::nullopt;
  const Symbol buffer = element ? element->buffer : vector->buffer;
  const Expr& index = element ? element->index.at(0) : vector->dims.at(0).lo;
  const int64_t whole = int64_t(bytes(e.type.dtype)) * e.type.lanes;
  if (is_in_registers(buffer) || !harmless(index) || (e.type.lanes > 1 && whole % 4 != 0))
    return std::nullopt;
  const Lanes other = expr(e.b);
  const bool words = e.type.lanes > 1 && in_word(e.type.dtype) > 1;
  const std::vector<Lane> otherwise = words ? packed(other) : unpacked(other);
  predicate_ = condition.text;
  Lanes out = load(buffer, index, e.type.lanes, otherwise);
  predicate_.clear();
  return out;
}

/// The address plus a byte offset.
std::string PtxWriter::offset_by(const std::string& at, int64_t bytes) {
  if (bytes == 0) return at;
  return at.substr(0, at.size() - 1) + "+" + std::to_string(bytes) + "]";
}

void PtxWriter::store(Symbol buffer, const Expr& index, const Lanes& value) {
  const Memory& to = memory(buffer);
  if (to.space == Memory::Space::registers) {
    const int64_t first = known_index(index);
    return store_registers(memories_.at(buffer), first, frozen(value));
  }
  const DType dtype = to.dtype;
  const std::string space = to.space == Memory::Space::global ? "st.global" : "st.shared";
  const int64_t whole = int64_t(bytes(dtype)) * value.count;
  const std::string at = address(to, index);
  if (value.count == 1) {
    const Lane lane = unpacked(value)[0];
    if (dtype == DType::bool_) {
      const Lane byte = emit_to(Bank::b32, "selp.b32", {"1", "0", use(lane, dtype)});
      return emit_access(space + ".u8 " + at + ", " + byte.text);
    }
    return emit_access(space + ".b" + std::to_string(whole * 8) + " " + at + ", " +
                       in_register(lane, dtype));
  }
  if (dtype == DType::bool_) refuse("vectors of truths in memory");
  const bool wide = bits(dtype) == 64;
  const int64_t width = wide ? 8 : 4;
  const DType held = in_word(dtype) == 1 ? dtype : DType::u32;
  const std::vector<Lane> parts = packed(value);
  if (whole == 2) return emit_access(space + ".b16 " + at + ", " + in_register(parts[0], held));
  if (whole % width != 0 || (whole > kWidest && whole % kWidest != 0)) refuse("such a vector");
  for (int64_t done = 0; done < whole; done += kWidest) {
    std::vector<std::string> stored;
    for (int64_t i = done; i < std::min(done + kWidest, whole); i += width)
      stored.push_back(in_register(parts[size_t(i / width)], held));
    if (stored.size() == 3) refuse("such a vector");
    emit_access(space + vector_of(stored.size()) + (wide ? ".b64 " : ".b32 ") +
                offset_by(at, done) + ", " + in_braces(stored));
  }
}

Lanes PtxWriter::load_registers(const Memory& from, int64_t first, int count) {
  const int each = in_word(from.dtype);
  Lanes out{from.dtype, {}, {}, count};
  const auto word = [&](int64_t i) {
    const auto at = size_t(i / each);
    if (i < 0 || at >= from.registers.size()) refuse("an element outside of its array");
    return from.registers[at];
  };
  if (each == 1) {
    for (int64_t i = first; i < first + count; ++i) out.lanes.push_back(word(i));
  } else if (first % each == 0 && count % each == 0) {
    for (int64_t i = first; i < first + count; i += each) out.words.push_back(word(i));
  } else {
    for (int64_t i = first; i < first + count; ++i)
      out.lanes.push_back(extracted(word(i), from.dtype, int(i % each)));
  }
  return out;
}

void PtxWriter::store_registers(Memory& to, int64_t first, const Lanes& value) {
  const int each = in_word(to.dtype);
  const DType held = each == 1 ? to.dtype : DType::u32;
  const std::string mov = "mov" + ptx_bits(bank_of(held)) + " ";
  const auto word = [&](int64_t i) {
    const auto at = size_t(i / each);
    if (i < 0 || at >= to.registers.size()) refuse("an element outside of its array");
    return to.registers[at].text;
  };
  if (each == 1 || (first % each == 0 && value.count % each == 0)) {
    const std::vector<Lane> parts = packed(value);
    for (size_t i = 0; i < parts.size(); ++i)
      emit(mov + word(first + int64_t(i) * each) + ", " + in_register(parts[i], held));
    return;
  }
  const std::vector<Lane> lanes = unpacked(value);
  for (int64_t i = 0; i < value.count; ++i) {
    const std::string name = word(first + i);
    const auto place = int((first + i) % each);
    const Lane& lane = lanes[size_t(i)];
    if (bank_of(to.dtype) == Bank::b16) {
      const Lane other = extracted({name}, to.dtype, 1 - place);
      const std::string given = in_register(lane, to.dtype);
      emit("mov.b32 " + name + ", {" + (place ? other.text : given) + ", " +
           (place ? given : other.text) + "}");
    } else {
      const int width = bits(to.dtype);
      emit("bfi.b32 " + name + ", " + in_register(lane, to.dtype) + ", " + name + ", " +
           std::to_string(place * width) + ", " + std::to_string(width));
    }
  }
}

/// A region of a thread's array, as whole words.
std::vector<Lane> PtxWriter::registers(const Expr& operand) {
  const auto& region = to<Region>(operand);
  const Memory& from = memory(region.buffer);
  if (from.space != Memory::Space::registers) refuse("registers of an instruction that are memory");
  const int each = in_word(from.dtype);
  const int64_t first = known_index(region.dims.at(0).lo), count = elements(region);
  if (first % each != 0 || count % each != 0) refuse("registers of an instruction in parts");
  std::vector<Lane> out;
  for (int64_t i = first; i < first + count; i += each)
    out.push_back(from.registers.at(size_t(i / each)));
  return out;
}

/// The shared memory address of a call's operand: "[%r3+64]". For an integer, bytes in the arena.
std::string PtxWriter::shared_address(const Expr& e) {
  if (const Region* region = as<Region>(e)) return address(*region);
  if (const Load* l = as<Load>(e)) return address(memory(l->buffer), l->index.at(0));
  Memory arena{Memory::Space::shared, DType::u8, arena_};
  return address(arena, e);
}

}  // namespace tilelab::codegen
