// SPDX-License-Identifier: Apache-2.0
// Conversions between types, and packing and unpacking of words.
#include <algorithm>

#include "codegen/ptx/writer.h"
#include "core/ir/build.h"

namespace tilelab::codegen {

std::vector<Lane> PtxWriter::unpacked(const Lanes& value) {
  if (value.words.empty()) return value.lanes;
  std::vector<Lane> out;
  const int each = in_word(value.dtype);
  for (int i = 0; i < value.count; ++i)
    out.push_back(extracted(value.words[size_t(i / each)], value.dtype, i % each));
  return out;
}

std::vector<Lane> PtxWriter::packed(const Lanes& value) {
  if (!value.words.empty()) return value.words;
  const auto each = size_t(in_word(value.dtype));
  std::vector<Lane> out;
  for (size_t i = 0; i < value.lanes.size(); i += each)
    out.push_back(each == 1 ? value.lanes[i] : word_of(value.lanes, i, value.dtype));
  return out;
}

/// Element `place` of a word.
Lane PtxWriter::extracted(const Lane& word, DType dtype, int place) {
  if (in_word(dtype) == 1) return word;
  const int width = bits(dtype);
  const std::string from = in_register(word, DType::u32);
  if (bank_of(dtype) == Bank::b16) {
    const std::string low = fresh(Bank::b16), high = fresh(Bank::b16);
    emit("mov.b32 {" + low + ", " + high + "}, " + from);
    return {place ? high : low};
  }
  return emit_to(Bank::b32, is_signed(dtype) ? "bfe.s32" : "bfe.u32",
                 {from, std::to_string(place * width), std::to_string(width)});
}

/// Packs the elements from `first` on into one word; unused bits are 0.
Lane PtxWriter::word_of(const std::vector<Lane>& elements, size_t first, DType dtype) {
  const auto count = std::min(elements.size() - first, size_t(in_word(dtype)));
  const int width = bits(dtype);
  uint64_t constant = 0;
  bool known_all = true;
  for (size_t i = 0; i < count; ++i) {
    const Lane& lane = elements[first + i];
    known_all &= lane.constant.has_value();
    if (lane.constant)
      constant |= (*lane.constant & ((uint64_t{1} << width) - 1)) << (int(i) * width);
  }
  if (known_all) return {"", constant};
  if (bank_of(dtype) == Bank::b16) {
    const Lane zero{"", 0};
    const std::string low = in_register(elements[first], dtype);
    const std::string high = in_register(count > 1 ? elements[first + 1] : zero, dtype);
    return emit_to(Bank::b32, "mov.b32", {"{" + low + ", " + high + "}"});
  }
  std::string word = in_register(elements[first], dtype);
  if (count > 0)
    word = emit_to(Bank::b32, "and.b32", {word, std::to_string((1 << width) - 1)}).text;
  for (size_t i = 1; i < count; ++i)
    word = emit_to(Bank::b32, "bfi.b32",
                   {in_register(elements[first + i], dtype), word, std::to_string(int(i) * width),
                    std::to_string(width)})
               .text;
  return {word};
}

static bool in_pairs(DType dtype) { return dtype == DType::e4m3 || dtype == DType::e5m2; }

Lanes PtxWriter::cast(const Lanes& value, DType to) {
  const DType from = value.dtype;
  if (from == to) return value;
  Lanes out{to, {}, {}, value.count};
  // Two floats per instruction, if they become a pair.
  if (from == DType::f32 && (to == DType::f16 || to == DType::bf16) && value.count % 2 == 0) {
    for (size_t i = 0; i < value.lanes.size(); i += 2)
      out.words.push_back(emit_to(Bank::b32, "cvt.rn." + std::string(name(to)) + "x2.f32",
                                  {use(value.lanes[i + 1], from), use(value.lanes[i], from)}));
    return out;
  }
  const std::vector<Lane> lanes = unpacked(value);
  if (from == DType::f32 && in_pairs(to) && sm90() && value.count % 4 == 0) {
    for (size_t i = 0; i < lanes.size(); i += 4) {
      const Lane low = pair_of(to, lanes[i], lanes[i + 1]);
      const Lane high = pair_of(to, lanes[i + 2], lanes[i + 3]);
      out.words.push_back(emit_to(Bank::b32, "mov.b32", {"{" + low.text + ", " + high.text + "}"}));
    }
    return out;
  }
  for (const Lane& lane : lanes) out.lanes.push_back(convert(lane, from, to));
  return out;
}

/// Converts two floats to 8-bit ones in 16 bits.
Lane PtxWriter::pair_of(DType to, const Lane& low, const Lane& high) {
  return emit_to(Bank::b16, "cvt.rn.satfinite." + std::string(name(to)) + "x2.f32",
                 {use(high, DType::f32), use(low, DType::f32)});
}

/// 8-bit floats, which GPUs from 8.9 on convert in pairs.
Lane PtxWriter::convert_pairwise(const Lane& a, DType from, DType to) {
  if (!sm90()) refuse("conversions of narrow floats");
  if (in_pairs(to)) {
    if (is_float(from) && bits(from) == 64) refuse("a conversion of f64 to 8 bits");
    if (!is_float(from) && bits(from) > 16) refuse("a conversion of integers to 8 bits");
    const Lane pair = pair_of(to, convert(a, from, DType::f32), {"", 0});
    return emit_to(Bank::b32, "cvt.u32.u16", {pair.text});
  }
  const Lane byte = emit_to(Bank::b16, "cvt.u16.u32", {in_register(a, from)});
  const Lane halves =
      emit_to(Bank::b32, "cvt.rn.f16x2." + std::string(name(from)) + "x2", {byte.text});
  return convert(extracted(halves, DType::f16, 0), DType::f16, to);
}

Lane PtxWriter::convert(const Lane& a, DType from, DType to) {
  if (from == to) return a;
  if (a.constant && (!is_float(from) || is_float(to)) && bits(from) >= 16 && bits(to) >= 16) {
    const Expr folded = tilelab::cast(to, tilelab::constant(Type{from}, *a.constant));
    if (is_const(folded)) {
      const uint64_t raw = ::tilelab::to<Const>(folded).bits;
      return {"", to == DType::f32 ? raw & 0xffffffffu : raw};
    }
  }
  if (in_pairs(from) || in_pairs(to)) {
    if (from == DType::bool_) return convert(convert(a, from, DType::f32), DType::f32, to);
    return to == DType::bool_ ? convert(convert_pairwise(a, from, DType::f32), DType::f32, to)
                              : convert_pairwise(a, from, to);
  }
  if (to == DType::bool_) {
    const DType wide = is_float(from) && bits(from) < 32 ? DType::f32 : from;
    return compare(BinOp::ne, wide, convert(a, from, wide), {"", 0});
  }
  if (from == DType::bool_) {
    const Lane whole = emit_to(Bank::b32, "selp.b32", {"1", "0", use(a, from)});
    return convert(whole, DType::i32, to);
  }
  if (!is_float(to)) return to_integer(a, from, to);
  if (bits(to) < 16 || (bits(from) < 16 && is_float(from))) refuse("conversions of narrow floats");
  if (!is_float(from)) {
    if (to == DType::bf16 && !sm90()) return rounded_to_bf16(a, from);
    return emit_to(bank_of(to), "cvt.rn" + ptx_type(to) + ptx_type(from), {in_register(a, from)});
  }
  if (bits(to) == 16) {
    if (bits(from) == 64) refuse("a conversion of f64 to 16 bits");
    if (bits(from) == 16) return convert(widened(a, from), DType::f32, to);
    return emit_to(Bank::b16, "cvt.rn" + ptx_type(to) + ".f32", {use(a, from)});
  }
  if (from == DType::bf16) {
    const Lane zero = emit_to(Bank::b16, "mov.b16", {"0"});
    const Lane wide =
        emit_to(Bank::b32, "mov.b32", {"{" + zero.text + ", " + in_register(a, from) + "}"});
    return convert(wide, DType::f32, to);
  }
  if (from == DType::f16) {
    const Lane wide = emit_to(Bank::b32, "cvt.f32.f16", {in_register(a, from)});
    return convert(wide, DType::f32, to);
  }
  return emit_to(bank_of(to), to == DType::f64 ? "cvt.f64.f32" : "cvt.rn.f32.f64", {use(a, from)});
}

/// An integer through a float that is rounded to odd, so that only the next rounding counts.
Lane PtxWriter::rounded_to_bf16(const Lane& a, DType from) {
  if (bits(from) == 64) refuse("a conversion of 64 bits to bf16");
  const std::string type = ptx_type(from), x = in_register(a, from);
  const Lane cut = emit_to(Bank::b32, "cvt.rz.f32" + type, {x});
  const Lane back = emit_to(Bank::b32, "cvt.rzi" + type + ".f32", {cut.text});
  const Lane lost = emit_to(Bank::truth, "setp.ne" + type, {back.text, x});
  const Lane odd = emit_to(Bank::b32, "selp.b32", {"1", "0", lost.text});
  const Lane sticky = emit_to(Bank::b32, "or.b32", {cut.text, odd.text});
  return emit_to(Bank::b16, "cvt.rn.bf16.f32", {sticky.text});
}

/// Integers wrap; floats truncate and saturate, NaN gives 0.
Lane PtxWriter::to_integer(const Lane& a, DType from, DType to) {
  const Bank bank = bank_of(to);
  if (is_float(from)) {
    if (bits(from) < 16) refuse("conversions of narrow floats");
    if (bits(from) == 16) return to_integer(widened(a, from), DType::f32, to);
    const std::string x = in_register(a, from);
    Lane whole = emit_to(bank, "cvt.rzi" + ptx_type(to) + ptx_type(from), {x});
    if (bits(to) == 64 || bits(from) == 64) {  // for 32 bits PTX defines NaN to give 0
      const Lane nan = emit_to(Bank::truth, "testp.notanumber" + ptx_type(from), {x});
      whole = choose(to, nan, {"", 0}, whole);
    }
    if (bits(to) >= 32) return whole;
    const Lane most =
        emit_to(Bank::b32, "min" + ptx_type(to), {whole.text, std::to_string(max_int(to))});
    return emit_to(Bank::b32, "max" + ptx_type(to), {most.text, std::to_string(min_int(to))});
  }
  if (bits(to) == 64 && bits(from) == 64) return a;
  if (bits(to) == 64)
    return emit_to(bank, std::string("cvt") + (is_unsigned(from) ? ".u64.u32" : ".s64.s32"),
                   {in_register(a, from)});
  Lane low = a;
  if (bits(from) == 64) low = emit_to(Bank::b32, "cvt.u32.u64", {in_register(a, from)});
  if (bits(to) >= 32 || (bits(from) < bits(to) && is_unsigned(from))) return low;
  return narrowed(to, low);
}

/// The same bits as another type.
Lanes PtxWriter::reinterpret(const Lanes& value, Type to) {
  const DType from = value.dtype, dtype = to.dtype;
  if (from == DType::bool_ || dtype == DType::bool_) refuse("the bits of truths");
  if (bits(from) == bits(dtype) && value.count == 1) {
    const Lane a = unpacked(value)[0];
    if (bank_of(from) == bank_of(dtype) && bits(from) >= 32)
      return {dtype, {a.constant ? a : Lane{use(a, from), {}, 0, a.changes}}, {}, 1};
    if (bank_of(from) == Bank::b32 && bank_of(dtype) == Bank::b16)
      return {dtype, {emit_to(Bank::b16, "cvt.u16.u32", {in_register(a, from)})}, {}, 1};
    if (bank_of(from) == Bank::b16 && bank_of(dtype) == Bank::b32)
      return {dtype,
              {emit_to(Bank::b32, is_signed(dtype) ? "cvt.s32.s16" : "cvt.u32.u16",
                       {in_register(a, from)})},
              {},
              1};
  }
  if (bits(from) > 32 || bits(dtype) > 32) refuse("the bits of several elements as one of 64 bits");
  std::vector<Lane> words = packed(value);
  for (Lane& word : words)
    word = word.constant ? word : Lane{use(word, DType::u32), {}, 0, word.changes};
  if (in_word(dtype) == 1) return {dtype, words, {}, to.lanes};
  return {dtype, {}, words, to.lanes};
}

/// The bits of half a word as a float: f16(u16(x)), f16(u16(x >> 16)). Where a move gives both
/// halves, ptxas computes with them in the word's register.
std::optional<Lane> PtxWriter::half_of_word(const Call& c) {
  const Cast* half = as<Cast>(c.args.at(0));
  if (!c.type.scalar() || bank_of(c.type.dtype) != Bank::b16 || !half) return std::nullopt;
  const Type word = half->a->type;
  if (bits(half->type.dtype) != 16 || !word.scalar() || bits(word.dtype) != 32 ||
      is_float(word.dtype))
    return std::nullopt;
  const Bin* shifted = as<Bin>(half->a);
  const bool high = shifted && shifted->op == BinOp::shr && is_int(shifted->b, 16);
  return extracted(scalar(high ? shifted->a : half->a), c.type.dtype, high);
}

}  // namespace tilelab::codegen
