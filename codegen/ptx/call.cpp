// SPDX-License-Identifier: Apache-2.0
// Intrinsics, equivalent to the device header for NVIDIA GPUs (tl_builtins_cuda.h,
// tl_async_cuda.h).
#include <cmath>

#include "codegen/ptx/writer.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/ir/intrinsics/memory_order.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

constexpr const char* kAllLanes = "0xffffffff";

std::string attr_word(const Call& c, const char* id, const char* otherwise) {
  const Attr* found = find_attr(c.attrs, id);
  return found ? found->string : otherwise;
}

std::string number_of(const Call& c, const char* id) {
  const Attr* found = find_attr(c.attrs, id);
  CHECK(found, std::string("at flat level it has its ") + id);
  return std::to_string(found->integer);
}

}  // namespace

bool has_flag(const Call& c, const char* id) {
  const Attr* found = find_attr(c.attrs, id);
  return found && found->integer;
}

std::string immediate_text(const Expr& e) {
  const auto value = int_value(e);
  CHECK(value, "an immediate");
  return std::to_string(*value);
}

std::string join_lanes(const std::vector<Lane>& lanes) {
  return join(lanes, ", ", [](const Lane& lane) { return lane.text; });
}

Lanes PtxWriter::vote(const Call& c, DType dtype, const std::string& form) {
  const std::string condition = use(scalar(c.args[0]), DType::bool_);
  return {dtype, {emit_to(bank_of(dtype), "vote.sync." + form, {condition, kAllLanes})}, {}, 1};
}

Lanes PtxWriter::call(const Call& c) {
  switch (c.intrinsic) {
    case Intrinsic::guard: return expr(c.args.at(0));
    case Intrinsic::leader: return {DType::bool_, {leader(c)}, {}, 1};
    case Intrinsic::uniform: {
      const DType dtype = c.type.dtype;
      const Lane a = scalar(c.args.at(0));
      if (!sm90() || a.constant) return {dtype, {a}, {}, 1};
      if (bits(dtype) != 32 && dtype != DType::bool_) refuse("a uniform value of such a type");
      const Lane word = convert(a, dtype, DType::i32);
      const Lane first =
          emit_to(Bank::b32, "shfl.sync.idx.b32", {use(word, DType::i32), "0", "0x1f", kAllLanes});
      return {dtype, {dtype == DType::bool_ ? convert(first, DType::i32, dtype) : first}, {}, 1};
    }
    case Intrinsic::bits:
      if (const auto half = half_of_word(c)) return {c.type.dtype, {*half}, {}, 1};
      return reinterpret(expr(c.args.at(0)), c.type);
    case Intrinsic::inf: {
      const uint64_t raw = encode_float(c.type.dtype, INFINITY);
      return {c.type.dtype, {Lane{"", raw}}, {}, 1};
    }
    case Intrinsic::shfl:
    case Intrinsic::shfl_xor:
    case Intrinsic::shfl_up:
    case Intrinsic::shfl_down: return shuffle(c);
    case Intrinsic::ballot: return vote(c, DType::u32, "ballot.b32");
    case Intrinsic::any_sync: return vote(c, DType::bool_, "any.pred");
    case Intrinsic::all_sync: return vote(c, DType::bool_, "all.pred");
    case Intrinsic::activemask: {
      const Lane mask{fresh(Bank::b32)};
      emit("activemask.b32 " + mask.text);
      return {DType::u32, {mask}, {}, 1};
    }
    case Intrinsic::ceildiv: {
      const DType dtype = c.type.dtype;
      const Lane a = scalar(c.args.at(0)), b = scalar(c.args.at(1));
      const Lane rest = operation(BinOp::floormod, dtype, a, b);
      const Lane more = convert(compare(BinOp::ne, dtype, rest, {"", 0}), DType::bool_, dtype);
      return {dtype,
              {operation(BinOp::add, dtype, operation(BinOp::floordiv, dtype, a, b), more)},
              {},
              1};
    }
    default: break;
  }
  if (info(c.intrinsic).step == Step::atomic) return atomic_in_order(c);
  if (synchronisation(c) || asynchronous(c) || matrix(c)) return {};
  return lane_by_lane(c);
}

Lane PtxWriter::leader(const Call& c) {
  const std::string scope = attr_word(c, "scope", "block");
  if (scope == "block") return emit_to(Bank::truth, "setp.eq.s32", {tid_, "0"});
  const Lane rest = emit_to(Bank::b32, "and.b32", {tid_, scope == "warp" ? "31" : "127"});
  return emit_to(Bank::truth, "setp.eq.s32", {rest.text, "0"});
}

Lanes PtxWriter::shuffle(const Call& c) {
  const Lanes value = expr(c.args.at(0));
  const DType dtype = value.dtype;
  const std::string by = use(scalar(c.args.at(1)), DType::i32);
  const std::string mode = c.intrinsic == Intrinsic::shfl       ? "idx"
                           : c.intrinsic == Intrinsic::shfl_xor ? "bfly"
                           : c.intrinsic == Intrinsic::shfl_up  ? "up"
                                                                : "down";
  const auto moved = [&](const std::string& word) {
    return emit_to(Bank::b32, "shfl.sync." + mode + ".b32",
                   {word, by, c.intrinsic == Intrinsic::shfl_up ? "0" : "0x1f", kAllLanes});
  };
  Lanes out{dtype, {}, {}, value.count};
  if (!value.words.empty()) {
    for (const Lane& word : value.words) out.words.push_back(moved(in_register(word, DType::u32)));
    return out;
  }
  for (const Lane& lane : value.lanes) {
    if (dtype == DType::bool_) {
      out.lanes.push_back(convert(moved(convert(lane, dtype, DType::i32).text), DType::i32, dtype));
    } else if (bank_of(dtype) == Bank::b64) {
      const std::string low = fresh(Bank::b32), high = fresh(Bank::b32);
      emit("mov.b64 {" + low + ", " + high + "}, " + in_register(lane, dtype));
      out.lanes.push_back(
          emit_to(Bank::b64, "mov.b64", {"{" + moved(low).text + ", " + moved(high).text + "}"}));
    } else if (bank_of(dtype) == Bank::b16) {
      const Lane word = moved(word_of({lane}, 0, dtype).text);
      out.lanes.push_back(extracted(word, dtype, 0));
    } else {
      out.lanes.push_back(moved(in_register(lane, dtype)));
    }
  }
  return out;
}

// ---- pure functions, lane by lane

Lanes PtxWriter::lane_by_lane(const Call& c) {
  std::vector<std::vector<Lane>> operands;
  std::vector<DType> dtypes;
  size_t count = 1;
  for (const Expr& arg : c.args) {
    const Lanes value = expr(arg);
    operands.push_back(unpacked(value));
    dtypes.push_back(value.dtype);
    count = std::max(count, operands.back().size());
  }
  Lanes out{c.type.dtype, {}, {}, int(count)};
  const DType dtype = dtypes.empty() ? c.type.dtype : dtypes.back();
  for (size_t i = 0; i < count; ++i) {
    std::vector<Lane> lanes;
    for (const auto& operand : operands) lanes.push_back(operand[operand.size() == 1 ? 0 : i]);
    out.lanes.push_back(c.intrinsic == Intrinsic::select
                            ? choose(dtype, lanes[0], lanes[1], lanes[2])
                            : math(c, dtype, lanes));
  }
  return out;
}

/// minimum and maximum. Of an int and 0 by bits: tl_math.h states why.
Lane PtxWriter::chosen(const Call& c, DType dtype, const Lane& a, const Lane& b) {
  const bool most = c.intrinsic == Intrinsic::maximum;
  const auto zero = [](const Lane& lane) { return lane.constant && *lane.constant == 0; };
  if (most && dtype == DType::i32 && (zero(a) || zero(b))) {
    const std::string x = in_register(zero(a) ? b : a, dtype);
    const Lane sign = emit_to(Bank::b32, "shr.s32", {x, "31"});
    const Lane kept = emit_to(Bank::b32, "not.b32", {sign.text});
    return emit_to(Bank::b32, "and.b32", {x, kept.text});
  }
  const std::string type = bits(dtype) < 32 && !is_float(dtype)
                               ? (is_unsigned(dtype) ? ".u32" : ".s32")
                               : ptx_type(dtype);
  return emit_to(bank_of(dtype), (most ? "max" : "min") + type, {use(a, dtype), use(b, dtype)});
}

Lane PtxWriter::math(const Call& c, DType dtype, const std::vector<Lane>& a) {
  if (is_float(dtype) && bits(dtype) < 16) refuse("functions of narrow floats");
  if (c.intrinsic == Intrinsic::minimum || c.intrinsic == Intrinsic::maximum)
    return chosen(c, dtype, a[0], a[1]);
  if (c.intrinsic == Intrinsic::fma && is_float(dtype) && bits(dtype) == 16)
    return emit_to(Bank::b16, "fma.rn" + ptx_type(dtype),
                   {in_register(a[0], dtype), in_register(a[1], dtype), in_register(a[2], dtype)});
  if (is_float(dtype) && bits(dtype) == 16) {
    std::vector<Lane> wide;
    for (const Lane& lane : a) wide.push_back(widened(lane, dtype));
    const Lane made = float_math(c, DType::f32, wide);
    return c.type.dtype == dtype ? convert(made, DType::f32, dtype) : made;
  }
  if (is_float(dtype)) return float_math(c, dtype, a);
  switch (c.intrinsic) {
    case Intrinsic::popcount:
    case Intrinsic::clz: {
      const std::string name = c.intrinsic == Intrinsic::clz ? "clz" : "popc";
      if (bits(dtype) == 64) return emit_to(Bank::b32, name + ".b64", {in_register(a[0], dtype)});
      const DType raw = bits(dtype) == 32 ? DType::u32 : bits(dtype) == 16 ? DType::u16 : DType::u8;
      const Lane wide = convert(convert(a[0], dtype, raw), raw, DType::u32);
      const Lane made = emit_to(Bank::b32, name + ".b32", {in_register(wide, DType::u32)});
      const int more = c.intrinsic == Intrinsic::clz ? 32 - bits(dtype) : 0;
      return more == 0 ? made : operation(BinOp::sub, DType::i32, made, {"", uint64_t(more)});
    }
    case Intrinsic::abs:
      if (is_unsigned(dtype)) return a[0];
      if (bits(dtype) >= 32)
        return emit_to(bank_of(dtype), "abs" + ptx_type(dtype), {in_register(a[0], dtype)});
      break;
    default: break;
  }
  refuse(name(c.intrinsic));
}

namespace {

/// An elementary function by one instruction: after * instruction(before * x), as in
/// tl_functions.h.
struct Approximation {
  Intrinsic function;
  float before;
  const char* mnemonic;
  float after;
};

const Approximation* approximation(Intrinsic function) {
  static constexpr float kLog2E = 1.44269504f, kLog2Of10 = 3.32192809f;
  static constexpr Approximation kAll[] = {
      {Intrinsic::fast_exp, kLog2E, "ex2.approx.ftz.f32", 1},
      {Intrinsic::fast_exp2, 1, "ex2.approx.ftz.f32", 1},
      {Intrinsic::fast_exp10, kLog2Of10, "ex2.approx.ftz.f32", 1},
      {Intrinsic::fast_log, 1, "lg2.approx.f32", 1 / kLog2E},
      {Intrinsic::fast_log2, 1, "lg2.approx.f32", 1},
      {Intrinsic::fast_log10, 1, "lg2.approx.f32", 1 / kLog2Of10},
      {Intrinsic::fast_sin, 1, "sin.approx.f32", 1},
      {Intrinsic::fast_cos, 1, "cos.approx.f32", 1},
      {Intrinsic::fast_rcp, 1, "rcp.approx.ftz.f32", 1},
  };
  for (const Approximation& each : kAll)
    if (each.function == function) return &each;
  return nullptr;
}

}  // namespace

Lane PtxWriter::float_math(const Call& c, DType dtype, const std::vector<Lane>& a) {
  const std::string type = ptx_type(dtype);
  const bool single = dtype == DType::f32;
  const auto plain = [&](const std::string& mnemonic) {
    std::vector<std::string> operands;
    for (const Lane& lane : a) operands.push_back(use(lane, dtype));
    return emit_to(bank_of(dtype), mnemonic, operands);
  };
  switch (c.intrinsic) {
    case Intrinsic::fma: return plain("fma.rn" + type);
    case Intrinsic::abs: return plain("abs" + type);
    case Intrinsic::sqrt: return plain("sqrt.rn" + type);
    case Intrinsic::floor: return plain("cvt.rmi" + type + type);
    case Intrinsic::ceil: return plain("cvt.rpi" + type + type);
    case Intrinsic::trunc: return plain("cvt.rzi" + type + type);
    case Intrinsic::nearbyint: return plain("cvt.rni" + type + type);
    case Intrinsic::exp2:
      if (single) return plain("ex2.approx.f32");
      break;
    case Intrinsic::copysign:
      if (a.size() == 2)  // PTX expects the sign first
        return emit_to(bank_of(dtype), "copysign" + type,
                       {in_register(a[1], dtype), in_register(a[0], dtype)});
      break;
    case Intrinsic::rsqrt:
      if (single) return plain("rsqrt.approx.f32");
      break;
    case Intrinsic::fast_div:
      if (single) return plain("div.full.f32");
      break;
    case Intrinsic::isnan:
      return emit_to(Bank::truth, "testp.notanumber" + type, {in_register(a[0], dtype)});
    case Intrinsic::isinf:
      return emit_to(Bank::truth, "testp.infinite" + type, {in_register(a[0], dtype)});
    case Intrinsic::isfinite:
      return emit_to(Bank::truth, "testp.finite" + type, {in_register(a[0], dtype)});
    default: break;
  }
  if (const Approximation* found = single ? approximation(c.intrinsic) : nullptr) {
    const auto times = [&](const Lane& x, float factor) {
      const Lane constant{"", encode_float(DType::f32, factor)};
      return factor == 1 ? x : operation(BinOp::mul, DType::f32, x, constant);
    };
    const Lane x = times(a[0], found->before);
    return times(emit_to(Bank::b32, found->mnemonic, {in_register(x, dtype)}), found->after);
  }
  refuse(name(c.intrinsic));
}

// ---- between threads

bool PtxWriter::synchronisation(const Call& c) {
  switch (c.intrinsic) {
    case Intrinsic::block_sync: emit("bar.sync 0"); return true;
    case Intrinsic::cluster_sync:
      emit("barrier.cluster.arrive.aligned");
      emit("barrier.cluster.wait.aligned");
      return true;
    case Intrinsic::cluster_arrive:
      emit(has_flag(c, "relaxed") ? "barrier.cluster.arrive.relaxed.aligned"
                                  : "barrier.cluster.arrive.aligned");
      return true;
    case Intrinsic::cluster_wait: emit("barrier.cluster.wait.aligned"); return true;
    case Intrinsic::warp_sync: emit(std::string("bar.warp.sync ") + kAllLanes); return true;
    case Intrinsic::role_sync:
    case Intrinsic::range_sync:
      emit("bar.sync " + number_of(c, "id") + ", " + number_of(c, "threads"));
      return true;
    case Intrinsic::group_sync: {
      const Attr* id = find_attr(c.attrs, "id");
      CHECK(id, "at flat level it has its id");
      const Lane number =
          operation(BinOp::add, DType::i32, scalar(c.args.at(0)), {"", uint64_t(id->integer)});
      emit("bar.sync " + use(number, DType::i32) + ", " + number_of(c, "threads"));
      return true;
    }
    case Intrinsic::named_arrive:
    case Intrinsic::named_sync: {
      const char* what = c.intrinsic == Intrinsic::named_sync ? "bar.sync " : "bar.arrive ";
      emit(what + use(scalar(c.args.at(0)), DType::i32) + ", " + number_of(c, "threads"));
      return true;
    }
    case Intrinsic::bar_reserve: return true;
    case Intrinsic::bar_init: {
      const Lane count = c.args.size() > 1 ? scalar(c.args[1]) : Lane{"", 1};
      emit("mbarrier.init.shared::cta.b64 " + barrier(c.args[0]) + ", " +
           in_register(count, DType::i32));
      return true;
    }
    case Intrinsic::init_fence:
      if (sm90()) emit("fence.mbarrier_init.release.cluster");
      return true;
    case Intrinsic::fence_proxy:
      if (sm90()) emit("fence.proxy.async.shared::cta");
      return true;
    case Intrinsic::bar_arrive: arrive(c); return true;
    case Intrinsic::bar_expect:
      emit("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 " + barrier(c.args[0]) + ", " +
           in_register(scalar(c.args.at(1)), DType::i32));
      return true;
    case Intrinsic::bar_arrive_expect:
      emit("mbarrier.arrive.expect_tx.shared::cta.b64 _, " + barrier(c.args[0]) + ", " +
           in_register(scalar(c.args.at(1)), DType::i32));
      return true;
    case Intrinsic::bar_wait: wait(c); return true;
    case Intrinsic::reg_limit:
      budget_.registers = int_value(c.args.at(0)).value_or(budget_.registers);
      emit(std::string("setmaxnreg.") + (has_flag(c, "grow") ? "inc" : "dec") +
           ".sync.aligned.u32 " + immediate_text(c.args.at(0)));
      return true;
    default: return false;
  }
}

/// "[%r9+8]": a word at the end of the arena.
std::string PtxWriter::barrier(const Expr& e) {
  Lane id;
  if (const Region* region = as<Region>(e)) {
    const auto found = barriers_.find(region->buffer);
    CHECK(found != barriers_.end() && found->second->id >= 0, "barriers have numbers");
    id = operation(BinOp::add, DType::i32, scalar(region->dims.at(0).lo),
                   {"", uint64_t(found->second->id)});
  } else {
    id = scalar(e);
  }
  const Lane bytes = operation(BinOp::mul, DType::i32, id, {"", uint64_t(target_.barriers.bytes)});
  if (bytes.constant) return "[" + bars_ + "+" + std::to_string(int64_t(*bytes.constant)) + "]";
  const Lane at = emit_to(Bank::b32, "add.s32", {bars_, bytes.text});
  return "[" + at.text + "+" + std::to_string(bytes.plus) + "]";
}

/// Arrivals counted in lanes, in warps (all lanes reach it, one arrives), in groups of 4 warps (its
/// first thread arrives), or of lanes whose copies are done.
void PtxWriter::arrive(const Call& c) {
  const std::string unit = attr_word(c, "unit", "warp");
  const std::string bar = barrier(c.args.at(0));
  if (unit == "copies") return emit("cp.async.mbarrier.arrive.noinc.shared::cta.b64 " + bar);
  const std::string instruction = "mbarrier.arrive.shared::cta.b64 _, " + bar;
  if (unit == "lane") return emit(instruction);
  if (unit == "warp") emit(std::string("bar.warp.sync ") + kAllLanes);
  const Lane rest = emit_to(Bank::b32, "and.b32", {tid_, unit == "warp" ? "31" : "127"});
  const Lane first = emit_to(Bank::truth, "setp.eq.s32", {rest.text, "0"});
  emit("@" + first.text + " " + instruction);
}

void PtxWriter::wait(const Call& c) {
  const std::string bar = barrier(c.args.at(0));
  const std::string parity = in_register(scalar(c.args.at(1)), DType::i32);
  const std::string again = label(), done = fresh(Bank::truth);
  place_label(again);
  emit("mbarrier.try_wait.parity.shared::cta.b64 " + done + ", " + bar + ", " + parity);
  emit("@!" + done + " bra " + again);
}

/// The access itself is relaxed; fences order other accesses around it (PTX ISA, memory consistency
/// model: release and acquire patterns).
Lanes PtxWriter::atomic_in_order(const Call& c) {
  const MemoryOrder order = memory_order(c);
  const char* fence = order.sequential ? "fence.sc.gpu" : "fence.acq_rel.gpu";
  if (order.releases) emit(fence);
  Lanes old = atomic(c);
  if (order.acquires) emit(fence);
  return old;
}

/// PTX's name of the operation: "add" of atomic_add.
static std::string ptx_update(Intrinsic atomic) {
  if (atomic == Intrinsic::atomic_exchange) return "exch";
  return std::string(name(atomic)).substr(std::string_view("atomic_").size());
}

Lanes PtxWriter::atomic(const Call& c) {
  const auto& region = to<Region>(c.args.at(0));
  const Memory& place = memory(region.buffer);
  const DType dtype = place.dtype;
  const std::string space = place.space == Memory::Space::global ? ".global" : ".shared";
  if (place.space == Memory::Space::registers) refuse("an atomic access to registers");
  if (elements(region) != 1) {
    atomic_sums(c, place, region);
    return {};
  }
  if (c.intrinsic == Intrinsic::atomic_load || c.intrinsic == Intrinsic::atomic_store) {
    if (bits(dtype) < 32) refuse("atomics of such a type");
    const std::string width = ".b" + std::to_string(bits(dtype));
    if (c.intrinsic == Intrinsic::atomic_load)
      return {dtype,
              {emit_to(bank_of(dtype), "ld.volatile" + space + width, {address(region)})},
              {},
              1};
    const std::string value = in_register(scalar(c.args.at(1)), dtype);
    emit("st.volatile" + space + width + " " + address(region) + ", " + value);
    return {};
  }
  const bool adds = c.intrinsic == Intrinsic::atomic_add;
  const bool whole = is_integer(dtype) && bits(dtype) >= 32;
  if (!whole && !(adds && is_float(dtype) && bits(dtype) >= 32)) refuse("atomics of such a type");
  const bool bitwise =
      !adds && c.intrinsic != Intrinsic::atomic_max && c.intrinsic != Intrinsic::atomic_min;
  std::string type = ptx_type(dtype);
  if (bitwise) type = bits(dtype) == 64 ? ".b64" : ".b32";
  if (adds && whole && is_signed(dtype) && bits(dtype) == 64) type = ".u64";
  std::vector<std::string> operands{address(region)};
  for (size_t i = 1; i < c.args.size(); ++i)
    operands.push_back(in_register(scalar(c.args[i]), dtype));
  return {dtype,
          {emit_to(bank_of(dtype), "atom" + space + "." + ptx_update(c.intrinsic) + type,
                   std::move(operands))},
          {},
          1};
}

/// To adjacent elements in global memory, each separately; the old values are unused.
void PtxWriter::atomic_sums(const Call& c, const Memory& place, const Region& region) {
  const DType dtype = place.dtype;
  const Lanes value = expr(c.args.at(1));
  if (c.intrinsic != Intrinsic::atomic_add || place.space != Memory::Space::global ||
      !is_float(dtype) || (bits(dtype) != 32 && bits(dtype) != 16) || !sm90())
    refuse("such an atomic access");
  const std::vector<Lane> words = packed(value);
  const std::string at = address(region);
  for (size_t first = 0; first < words.size(); first += 4) {
    const size_t count = std::min<size_t>(4, words.size() - first);
    if (count == 3) refuse("such an atomic access");
    std::string list;
    for (size_t i = first; i < first + count; ++i)
      list +=
          (i > first ? ", " : "") + in_register(words[i], dtype == DType::f32 ? dtype : DType::u32);
    const std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
    const std::string rounding = dtype == DType::f32 ? "" : ".noftz";
    const std::string kind = dtype == DType::f32 ? ".f32" : "." + std::string(name(dtype)) + "x2";
    emit("red.global.add" + rounding + vector + kind + " " + offset_by(at, int64_t(first) * 4) +
         ", " + (count > 1 ? "{" + list + "}" : list));
  }
}

}  // namespace tilelab::codegen
