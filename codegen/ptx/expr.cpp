// SPDX-License-Identifier: Apache-2.0
// Expressions. Operations round, wrap and compare as docs/ir.md, "Numbers", states.
#include <bit>
#include <cinttypes>
#include <cstdio>

#include "codegen/ptx/writer.h"
#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::codegen {

namespace {

const char* compare_name(BinOp op, bool floating) {
  switch (op) {
    case BinOp::eq: return "eq";
    case BinOp::ne: return floating ? "neu" : "ne";  // true for NaN
    case BinOp::lt: return "lt";
    case BinOp::le: return "le";
    case BinOp::gt: return "gt";
    default: return "ge";
  }
}

bool is_half(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

}  // namespace

std::string ptx_type(DType dtype) {
  if (is_half(dtype)) return "." + std::string(name(dtype));
  if (is_float(dtype)) return bits(dtype) == 64 ? ".f64" : ".f32";
  return (is_unsigned(dtype) ? ".u" : ".s") + std::to_string(bits(dtype) == 64 ? 64 : 32);
}

std::string ptx_bits(Bank bank) {
  switch (bank) {
    case Bank::truth: return ".pred";
    case Bank::b16: return ".b16";
    case Bank::b32: return ".b32";
    default: return ".b64";
  }
}

Lane known(int64_t value) { return {"", uint64_t(value)}; }

std::string PtxWriter::use(const Lane& lane, DType dtype) {
  if (!lane.constant) {
    if (lane.plus == 0) return lane.text;
    const Bank bank = bank_of(dtype);
    return emit_to(bank, bank == Bank::b64 ? "add.s64" : "add.s32",
                   {lane.text, std::to_string(lane.plus)})
        .text;
  }
  if (dtype == DType::bool_ || is_half(dtype)) return in_register(lane, dtype);
  char text[32];
  const uint64_t raw = *lane.constant;
  if (dtype == DType::f32)
    std::snprintf(text, sizeof text, "0f%08" PRIX32, uint32_t(raw));
  else if (dtype == DType::f64)
    std::snprintf(text, sizeof text, "0d%016" PRIX64, raw);
  else
    std::snprintf(text, sizeof text, "%" PRId64, int64_t(raw));
  return text;
}

std::string PtxWriter::in_register(const Lane& lane, DType dtype) {
  if (!lane.constant) return use(lane, dtype);
  if (dtype == DType::bool_)
    return emit_to(Bank::truth, "setp.ne.b32", {*lane.constant ? "1" : "0", "0"}).text;
  char text[32];
  const Bank bank = bank_of(dtype);
  const uint64_t mask = bank == Bank::b64   ? ~uint64_t{0}
                        : bank == Bank::b32 ? 0xffffffffu
                                            : 0xffffu;
  std::snprintf(text, sizeof text, "0x%" PRIX64, *lane.constant & mask);
  return emit_to(bank, "mov" + ptx_bits(bank), {text}).text;
}

/// A copy that later assignments to variables do not change.
Lane PtxWriter::frozen(const Lane& lane, DType dtype) {
  if (lane.constant || !lane.changes) return lane;
  const Bank bank = bank_of(dtype);
  Lane copy = emit_to(bank, "mov" + ptx_bits(bank), {lane.text});
  copy.plus = lane.plus;
  return copy;
}

Lanes PtxWriter::frozen(const Lanes& value) {
  Lanes out = value;
  for (Lane& lane : out.lanes) lane = frozen(lane, value.dtype);
  for (Lane& word : out.words) word = frozen(word, DType::u32);
  return out;
}

Lanes one(DType dtype, Lane lane) { return {dtype, {std::move(lane)}, {}, 1}; }

Lanes PtxWriter::expr(const Expr& e) {
  switch (e->kind) {
    case Kind::Const: return constant(to<Const>(e));
    case Kind::Name: {
      const auto found = names_.find(to<Name>(e).id);
      CHECK(found != names_.end(), "no such name at flat level: " + to<Name>(e).id.str());
      return found->second;
    }
    case Kind::Un: return unary(to<Un>(e));
    case Kind::Bin: return is_logical(to<Bin>(e).op) ? logical(to<Bin>(e)) : binary(to<Bin>(e));
    case Kind::Select: return select(to<Select>(e));
    case Kind::Cast: {
      const Call* power = as<Call>(to<Cast>(e).a);
      if (power && power->intrinsic == Intrinsic::exp2 && e->type == Type{DType::f16}) {
        // As in the C: powers that the fast form flushes are 0 in f16 anyway.
        const Lane x = scalar(power->args[0]);
        const Lane y = emit_to(Bank::b32, "ex2.approx.ftz.f32", {use(x, DType::f32)});
        return one(DType::f16, convert(y, DType::f32, DType::f16));
      }
      return cast(expr(to<Cast>(e).a), e->type.dtype);
    }
    case Kind::Load: return load(to<Load>(e).buffer, to<Load>(e).index.at(0), 1);
    case Kind::Region: {
      const auto& region = to<Region>(e);
      return load(region.buffer, region.dims.at(0).lo, e->type.lanes);
    }
    case Kind::Vec: return vec(to<Vec>(e));
    case Kind::Call: return call(to<Call>(e));
    default: refuse(name(e->kind));
  }
}

Lane PtxWriter::scalar(const Expr& e) {
  Lanes value = expr(e);
  CHECK(value.count == 1, "a scalar");
  return value.words.empty() ? std::move(value.lanes[0])
                             : extracted(value.words[0], value.dtype, 0);
}

Lanes PtxWriter::constant(const Const& e) {
  uint64_t raw = e.bits;
  if (e.type.dtype == DType::f32) raw &= 0xffffffffu;
  return {e.type.dtype, std::vector<Lane>(size_t(e.type.lanes), Lane{"", raw}), {}, e.type.lanes};
}

Lanes PtxWriter::vec(const Vec& e) {
  switch (e.op) {
    case VecOp::broadcast: {
      const Lane lane = scalar(e.parts[0]);
      return {e.type.dtype, std::vector<Lane>(size_t(e.type.lanes), lane), {}, e.type.lanes};
    }
    case VecOp::extract: {
      const auto at = int_value(e.parts[1]);
      if (!at) refuse("an element of a vector by a number that is not known");
      return one(e.type.dtype, unpacked(expr(e.parts[0])).at(size_t(*at)));
    }
    case VecOp::concat: {
      Lanes out{e.type.dtype, {}, {}, e.type.lanes};
      for (const Expr& part : e.parts)
        for (Lane& lane : unpacked(expr(part))) out.lanes.push_back(std::move(lane));
      return out;
    }
    case VecOp::list: break;
  }
  UNREACHABLE("a list is only valid as coordinates");
}

Lane PtxWriter::narrowed(DType dtype, const Lane& word) {
  if (bits(dtype) >= 32) return word;
  const std::string part = (is_unsigned(dtype) ? ".u" : ".s") + std::to_string(bits(dtype));
  return emit_to(Bank::b32, "cvt" + ptx_type(dtype) + part, {use(word, dtype)});
}

Lanes PtxWriter::unary(const Un& e) {
  const DType dtype = e.type.dtype;
  const Lanes a = expr(e.a);
  Lanes out{dtype, {}, {}, a.count};
  for (const Lane& lane : unpacked(a)) {
    Lane made;
    if (dtype == DType::bool_)
      made = lane.constant ? known(!*lane.constant) : emit_to(Bank::truth, "not.pred", {lane.text});
    else if (is_half(dtype))
      made = convert(emit_to(Bank::b32, "neg.f32", {use(widened(lane, dtype), DType::f32)}),
                     DType::f32, dtype);
    else if (is_float(dtype) && bits(dtype) < 32)
      refuse("arithmetic of narrow floats");
    else if (e.op == UnOp::neg)
      made = narrowed(dtype, lane.constant && !is_float(dtype)
                                 ? known(wrap_int(dtype, -int64_t(*lane.constant)))
                                 : emit_to(bank_of(dtype),
                                           "neg" + (is_float(dtype)     ? ptx_type(dtype)
                                                    : bits(dtype) == 64 ? ".s64"
                                                                        : ".s32"),
                                           {use(lane, dtype)}));
    else
      made = narrowed(
          dtype, emit_to(bank_of(dtype), "not" + ptx_bits(bank_of(dtype)), {use(lane, dtype)}));
    out.lanes.push_back(made);
  }
  return out;
}

Lanes PtxWriter::binary(const Bin& e) {
  const Lanes a = expr(e.a), b = expr(e.b);
  const std::vector<Lane> left = unpacked(a), right = unpacked(b);
  CHECK(left.size() == right.size(), "lanes of both operands");
  Lanes out{e.type.dtype, {}, {}, int(left.size())};
  for (size_t i = 0; i < left.size(); ++i)
    out.lanes.push_back(is_compare(e.op) ? compare(e.op, a.dtype, left[i], right[i])
                                         : operation(e.op, a.dtype, left[i], right[i]));
  return out;
}

std::optional<Lane> PtxWriter::folded(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  if (!a.constant || !b.constant || is_float(dtype)) return std::nullopt;
  const Expr value = tilelab::binary(op, tilelab::constant(Type{dtype}, *a.constant),
                                     tilelab::constant(Type{dtype}, *b.constant));
  return is_const(value) ? std::optional(Lane{"", to<Const>(value).bits}) : std::nullopt;
}

Lane PtxWriter::operation(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  if (is_float(dtype)) return float_operation(op, dtype, a, b);
  if (const auto constant = folded(op, dtype, a, b)) return *constant;
  if (dtype == DType::bool_) {
    const char* mnemonic = op == BinOp::band  ? "and.pred"
                           : op == BinOp::bor ? "or.pred"
                                              : "xor.pred";
    if (op != BinOp::band && op != BinOp::bor && op != BinOp::bxor) refuse("arithmetic of truths");
    return emit_to(Bank::truth, mnemonic, {use(a, dtype), use(b, dtype)});
  }
  return whole_operation(op, dtype, a, b);
}

/// A product with a constant. ptxas combines a shift of 64 bits with the sum that follows, but
/// takes three instructions for a product.
Lane PtxWriter::times(Bank bank, const std::string& a, int64_t factor) {
  if (bank == Bank::b64 && factor > 0 && std::has_single_bit(uint64_t(factor)))
    return emit_to(bank, "shl.b64", {a, std::to_string(std::countr_zero(uint64_t(factor)))});
  return emit_to(bank, bank == Bank::b64 ? "mul.lo.s64" : "mul.lo.s32",
                 {a, std::to_string(factor)});
}

/// Integers: constants are added last, so that an address can absorb them.
Lane PtxWriter::whole_operation(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  const Bank bank = bank_of(dtype);
  const bool late = bits(dtype) >= 32;
  const std::string s = bank == Bank::b64 ? ".s64" : ".s32", raw = ptx_bits(bank);
  const auto is = [](const Lane& lane, int64_t value) {
    return lane.constant && int64_t(*lane.constant) == value;
  };
  const auto moved = [&](const Lane& lane, int64_t by) {
    Lane out = lane;
    out.plus = bits(dtype) == 32 ? int64_t(int32_t(uint32_t(uint64_t(lane.plus) + uint64_t(by))))
                                 : int64_t(uint64_t(lane.plus) + uint64_t(by));
    return out;
  };
  switch (op) {
    case BinOp::add:
    case BinOp::sub: {
      if (is(b, 0)) return a;
      if (is(a, 0) && op == BinOp::add) return b;
      if (late && b.constant)
        return moved(a, op == BinOp::add ? int64_t(*b.constant) : int64_t(0 - *b.constant));
      if (late && a.constant && op == BinOp::add) return moved(b, int64_t(*a.constant));
      if (late && !a.constant && !b.constant) {
        Lane sum = emit_to(bank, (op == BinOp::add ? "add" : "sub") + s, {a.text, b.text});
        if (op == BinOp::add) sum.maybe = bits_of_sum(a.maybe, b.maybe);
        return moved(moved(sum, a.plus), op == BinOp::add ? b.plus : int64_t(0 - uint64_t(b.plus)));
      }
      return narrowed(dtype, emit_to(bank, (op == BinOp::add ? "add" : "sub") + s,
                                     {use(a, dtype), use(b, dtype)}));
    }
    case BinOp::mul: {
      if (is(a, 0) || is(b, 0)) return known(0);
      if (is(b, 1)) return a;
      if (is(a, 1)) return b;
      if (b.constant && late) {
        Lane product = times(bank, a.text, int64_t(*b.constant));
        product.maybe = bits_of_product(a.maybe, *b.constant);
        return moved(product, int64_t(uint64_t(a.plus) * *b.constant));
      }
      if (a.constant && late) return whole_operation(op, dtype, b, a);
      return narrowed(dtype, emit_to(bank, "mul.lo" + s, {use(a, dtype), use(b, dtype)}));
    }
    case BinOp::band:
    case BinOp::bor:
    case BinOp::bxor: return bitwise(op, dtype, a, b);
    case BinOp::shl:
    case BinOp::shr: return shift(op, dtype, a, b);
    default: return division(op, dtype, a, b);
  }
}

/// Integer division. A divisor of 0 gives 0; -1 is handled separately, since the instruction's
/// quotient of the smallest integer is undefined.
Lane PtxWriter::division(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  const bool rest = op == BinOp::tmod || op == BinOp::floormod;
  const bool floors = (op == BinOp::floordiv || op == BinOp::floormod) && !is_unsigned(dtype);
  if (b.constant && int64_t(*b.constant) > 0) {
    const auto by = int64_t(*b.constant);
    if (by == 1) return rest ? Lane{"", 0} : a;
    if ((by & (by - 1)) == 0) {  // of tdiv and tmod: a is not negative
      if (rest) return bitwise(BinOp::band, dtype, a, {"", uint64_t(by - 1)});
      return shift(BinOp::shr, dtype, a, {"", uint64_t(__builtin_ctzll(uint64_t(by)))});
    }
    return quotient(rest, floors, dtype, use(a, dtype), {"", *b.constant});
  }
  const std::string divisor = in_register(b, dtype), dividend = in_register(a, dtype);
  const Lane zero = compare(BinOp::eq, dtype, {divisor}, {"", 0});
  const Lane safe = choose(dtype, zero, {"", 1}, {divisor});
  if (is_unsigned(dtype))
    return choose(dtype, zero, {"", 0}, quotient(rest, false, dtype, dividend, safe));
  const Lane minus = compare(BinOp::eq, dtype, {divisor}, {"", ~uint64_t{0}});
  const Lane used = choose(dtype, minus, {"", 1}, safe);
  const Lane plain = quotient(rest, floors, dtype, dividend, used);
  const Lane turned = rest ? Lane{"", 0} : operation(BinOp::sub, dtype, {"", 0}, {dividend});
  return choose(dtype, zero, {"", 0}, choose(dtype, minus, turned, plain));
}

/// By a divisor other than 0 and -1. With rounding down, the remainder has the divisor's sign.
Lane PtxWriter::quotient(bool rest, bool floors, DType dtype, const std::string& a, const Lane& b) {
  const Bank bank = bank_of(dtype);
  const std::string type = ptx_type(dtype), divisor = use(b, dtype);
  if (!floors) return emit_to(bank, (rest ? "rem" : "div") + type, {a, divisor});
  const Lane r = emit_to(bank, "rem" + type, {a, divisor});
  Lane away = compare(BinOp::lt, dtype, r, {"", 0});
  if (!b.constant) {
    const Lane below = compare(BinOp::lt, dtype, b, {"", 0});
    const Lane some = compare(BinOp::ne, dtype, r, {"", 0});
    const Lane differ = emit_to(Bank::truth, "xor.pred", {away.text, below.text});
    away = emit_to(Bank::truth, "and.pred", {some.text, differ.text});
  }
  if (rest) return choose(dtype, away, emit_to(bank, "add" + type, {r.text, divisor}), r);
  const Lane q = emit_to(bank, "div" + type, {a, divisor});
  return choose(dtype, away, emit_to(bank, "add" + type, {q.text, "-1"}), q);
}

/// Each rounds once: .rn prevents contraction by ptxas.
Lane PtxWriter::float_operation(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  const char* mnemonic = op == BinOp::add   ? "add.rn"
                         : op == BinOp::sub ? "sub.rn"
                         : op == BinOp::mul ? "mul.rn"
                         : op == BinOp::div ? "div.rn"
                                            : nullptr;
  if (!mnemonic || bits(dtype) < 16) refuse("arithmetic of narrow floats");
  if (bits(dtype) >= 32 || (dtype == DType::f16 && op != BinOp::div))
    return emit_to(bank_of(dtype), mnemonic + ptx_type(dtype), {use(a, dtype), use(b, dtype)});
  if (dtype == DType::bf16 && op != BinOp::div) {
    // As in the C: rounding once gives the same as float arithmetic that is then rounded.
    const Lane &x = op == BinOp::sub ? b : a, &z = op == BinOp::sub ? a : b;
    const Lane y = op == BinOp::mul ? b : Lane{"", op == BinOp::sub ? 0xbf80u : 0x3f80u};
    const Lane sum = op == BinOp::mul ? Lane{"", 0x8000u} : z;
    return emit_to(Bank::b16, "fma.rn.bf16", {use(x, dtype), use(y, dtype), use(sum, dtype)});
  }
  const Lane wide =
      emit_to(Bank::b32, std::string(mnemonic) + ".f32",
              {use(widened(a, dtype), DType::f32), use(widened(b, dtype), DType::f32)});
  return convert(wide, DType::f32, dtype);
}

Lane PtxWriter::compare(BinOp op, DType dtype, const Lane& a, const Lane& b) {
  if (const auto constant = folded(op, dtype, a, b)) return *constant;
  if (dtype == DType::bool_) {
    const Lane differ = emit_to(Bank::truth, "xor.pred", {use(a, dtype), use(b, dtype)});
    if (op == BinOp::ne) return differ;
    if (op != BinOp::eq) refuse("an order of truths");
    return emit_to(Bank::truth, "not.pred", {differ.text});
  }
  if (is_float(dtype) && bits(dtype) < 32)
    return compare(op, DType::f32, widened(a, dtype), widened(b, dtype));
  return emit_to(Bank::truth,
                 std::string("setp.") + compare_name(op, is_float(dtype)) + ptx_type(dtype),
                 {a.constant ? in_register(a, dtype) : use(a, dtype), use(b, dtype)});
}

/// Whether `e` may be evaluated speculatively: it reads no memory.
bool PtxWriter::harmless(const Expr& e) const {
  return !any_of(
      *e, [&](const Load& l) { return !is_in_registers(l.buffer); },
      [&](const Region& r) { return !is_in_registers(r.buffer); });
}

bool PtxWriter::is_in_registers(Symbol buffer) const {
  return memory(buffer).space == Memory::Space::registers;
}

Lanes PtxWriter::logical(const Bin& e) {
  const bool both = e.op == BinOp::land;
  const Lane a = scalar(e.a);
  if (a.constant) return bool(*a.constant) == both ? expr(e.b) : one(DType::bool_, a);
  if (harmless(e.b)) {
    const Lane b = scalar(e.b);
    if (b.constant) return one(DType::bool_, bool(*b.constant) == both ? a : b);
    return one(DType::bool_, emit_to(Bank::truth, both ? "and.pred" : "or.pred", {a.text, b.text}));
  }
  const Lane out{fresh(Bank::truth)};
  const std::string end = label();
  emit("mov.pred " + out.text + ", " + a.text);
  emit(std::string(both ? "@!" : "@") + a.text + " bra " + end);
  emit("mov.pred " + out.text + ", " + in_register(scalar(e.b), DType::bool_));
  place_label(end);
  return one(DType::bool_, out);
}

Lane PtxWriter::choose(DType dtype, const Lane& condition, const Lane& a, const Lane& b) {
  if (condition.constant) return *condition.constant ? a : b;
  if (dtype == DType::bool_) {
    const Lane not_taken = emit_to(Bank::truth, "not.pred", {condition.text});
    const Lane left = emit_to(Bank::truth, "and.pred", {condition.text, use(a, dtype)});
    const Lane right = emit_to(Bank::truth, "and.pred", {not_taken.text, use(b, dtype)});
    return emit_to(Bank::truth, "or.pred", {left.text, right.text});
  }
  return emit_to(bank_of(dtype), "selp" + ptx_bits(bank_of(dtype)),
                 {in_register(a, dtype), in_register(b, dtype), condition.text});
}

Lanes PtxWriter::select(const Select& e) {
  const Lane condition = scalar(e.cond);
  if (condition.constant) return expr(*condition.constant ? e.a : e.b);
  if (predicate_.empty())
    if (auto out = guarded_load(e, condition)) return *out;
  const DType dtype = e.type.dtype;
  if (harmless(e.a) && harmless(e.b)) {
    const std::vector<Lane> a = unpacked(expr(e.a)), b = unpacked(expr(e.b));
    Lanes out{dtype, {}, {}, int(a.size())};
    for (size_t i = 0; i < a.size(); ++i) out.lanes.push_back(choose(dtype, condition, a[i], b[i]));
    return out;
  }
  const std::string otherwise = label(), end = label();
  const bool words = in_word(dtype) > 1 && e.type.lanes % in_word(dtype) == 0;
  const DType held = words ? DType::u32 : dtype;
  std::vector<Lane> results(size_t(words ? e.type.lanes / in_word(dtype) : e.type.lanes));
  for (Lane& result : results) result = Lane{fresh(bank_of(held))};
  const auto side = [&](const Expr& value) {
    const Lanes made = expr(value);
    const std::vector<Lane> parts = words ? packed(made) : unpacked(made);
    for (size_t i = 0; i < results.size(); ++i)
      emit("mov" + ptx_bits(bank_of(held)) + " " + results[i].text + ", " +
           in_register(parts[i], held));
  };
  emit("@!" + condition.text + " bra " + otherwise);
  side(e.a);
  emit("bra " + end);
  place_label(otherwise);
  side(e.b);
  place_label(end);
  if (words) return {dtype, {}, results, e.type.lanes};
  return {dtype, results, {}, e.type.lanes};
}

}  // namespace tilelab::codegen
