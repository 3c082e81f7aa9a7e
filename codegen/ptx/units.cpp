// SPDX-License-Identifier: Apache-2.0
// Asynchronous copies and matrix instructions, equivalent to tl_async_cuda.h and
// codegen/cuda/wgmma.cpp in C.
#include "codegen/cuda/wgmma.h"
#include "codegen/ptx/writer.h"
#include "core/ir/build.h"
#include "core/layout/matrix.h"

namespace tilelab::codegen {

// ---- asynchronous copies

bool PtxWriter::asynchronous(const Call& c) {
  switch (c.intrinsic) {
    case Intrinsic::cp_async: copy_async(c); return true;
    case Intrinsic::cp_commit: emit("cp.async.commit_group"); return true;
    case Intrinsic::cp_wait:
      emit("cp.async.wait_group " + immediate_text(c.args.at(0)));
      return true;
    case Intrinsic::bulk_commit: emit("cp.async.bulk.commit_group"); return true;
    case Intrinsic::bulk_wait_read:
      emit("cp.async.bulk.wait_group.read " + immediate_text(c.args.at(0)));
      return true;
    case Intrinsic::bulk_wait:
      emit("cp.async.bulk.wait_group " + immediate_text(c.args.at(0)));
      return true;
    case Intrinsic::tma_load: {
      const std::string place = shared_address(c.args.at(0));
      const std::string box =
          "[" + maps_.at(to<Name>(c.args.at(1)).id) + ", " + coordinates(c.args.at(2)) + "]";
      const CachePolicy policy = cache_policy(find_attr(c.attrs, "evict_first"));
      emit("cp.async.bulk.tensor." + rank_of(c.args.at(2)) +
           "d.shared::cluster.global.mbarrier::complete_tx::bytes" + policy.hint + " " + place +
           ", " + box + ", " + barrier(c.args.at(3)) + policy.operand);
      return true;
    }
    case Intrinsic::tma_store:
    case Intrinsic::tma_add: {
      const std::string place = shared_address(c.args.at(2));
      const bool adds = c.intrinsic == Intrinsic::tma_add;
      emit(std::string(adds ? "cp.reduce" : "cp") + ".async.bulk.tensor." + rank_of(c.args.at(1)) +
           "d.global.shared::cta" + (adds ? ".add" : "") + ".bulk_group [" +
           maps_.at(to<Name>(c.args.at(0)).id) + ", " + coordinates(c.args.at(1)) + "], " + place);
      return true;
    }
    default: return false;
  }
}

std::string PtxWriter::rank_of(const Expr& list) {
  return std::to_string(to<Vec>(list).parts.size());
}

std::string PtxWriter::coordinates(const Expr& list) {
  std::string out;
  for (const Expr& part : to<Vec>(list).parts)
    out += (out.empty() ? "{" : ", ") +
           in_register(convert(scalar(part), part->type.dtype, DType::i32), DType::i32);
  return out + "}";
}

void PtxWriter::copy_async(const Call& c) {
  const Region* from = as<Region>(c.args.at(1));
  if (!from) refuse("a copy from no part of a buffer");
  const int64_t size = elements(*from) * bytes(from->type.dtype);
  const std::string place = shared_address(c.args.at(0)), source = address(*from);
  const std::string number = std::to_string(size);
  const CachePolicy policy = cache_policy(memory(from->buffer).evict_first);
  std::string instruction = std::string("cp.async.") + (size == 16 ? "cg" : "ca") +
                            ".shared.global" + policy.hint + " " + place + ", " + source + ", " +
                            number;
  if (c.args.size() > 2) {
    const Lane inside = scalar(c.args[2]);
    instruction +=
        ", " + emit_to(Bank::b32, "selp.b32", {number, "0", use(inside, DType::bool_)}).text;
  }
  emit(instruction + policy.operand);
}

/// Of a copy: lines that it brings into the L2 cache are the first to evict, or as usual.
PtxWriter::CachePolicy PtxWriter::cache_policy(bool evict_first) {
  if (!evict_first) return {};
  return {".L2::cache_hint", ", " + emit_to(Bank::b64, "mov.b64", {"0x12F0000000000000"}).text};
}

// ---- matrix instructions

bool PtxWriter::matrix(const Call& c) {
  switch (c.intrinsic) {
    case Intrinsic::wgmma: wgmma(c); return true;
    case Intrinsic::mma: mma(c); return true;
    case Intrinsic::mma_fence: emit("wgmma.fence.sync.aligned"); return true;
    case Intrinsic::mma_commit: emit("wgmma.commit_group.sync.aligned"); return true;
    case Intrinsic::mma_wait:
      emit("wgmma.wait_group.sync.aligned " + immediate_text(c.args.at(0)));
      return true;
    case Intrinsic::ldmatrix:
    case Intrinsic::stmatrix: {
      const bool load = c.intrinsic == Intrinsic::ldmatrix;
      const std::vector<Lane> held = registers(c.args.at(load ? 0 : 1));
      const std::string place = shared_address(c.args.at(load ? 1 : 0));
      const std::string words = "{" + join_lanes(held) + "}";
      emit(std::string(load ? "ldmatrix" : "stmatrix") + ".sync.aligned.m8n8.x" +
           std::to_string(held.size()) + (has_flag(c, "trans") ? ".trans" : "") + ".shared.b16 " +
           (load ? words + ", " + place : place + ", " + words));
      return true;
    }
    default: return false;
  }
}

void PtxWriter::wgmma(const Call& c) {
  const Attr* named = find_attr(c.attrs, "dtype");
  const Attr* shape = find_attr(c.attrs, "shape");
  CHECK(named && shape, "at flat level wgmma has its shape and dtype");
  const DType dtype = *dtype_from_name(named->string);
  const bool held = as<Region>(c.args.at(1)) != nullptr;
  const std::string sums = join_lanes(registers(c.args.at(0)));
  const auto descriptor = [&](const Expr& e) {
    const Lane place = convert(scalar(e), e->type.dtype, DType::u64);
    return use(operation(BinOp::add, DType::u64, {operands_}, place), DType::u64);
  };
  const std::string a = held ? "{" + join_lanes(registers(c.args[1])) + "}" : descriptor(c.args[1]);
  const std::string b = descriptor(c.args.at(2));
  const std::string adds =
      emit_to(Bank::truth, "setp.ne.b32", {has_flag(c, "zero") ? "0" : "1", "0"}).text;
  std::string line = "wgmma.mma_async.sync.aligned." + shape->string + wgmma_types(dtype) + " {" +
                     sums + "}, " + a + ", " + b + ", " + adds;
  if (!is_integer(dtype)) line += ", 1, 1";
  if (bits(dtype) == 16) {
    if (!held) line += has_flag(c, "tA") ? ", 1" : ", 0";
    line += has_flag(c, "tB") ? ", 1" : ", 0";
  }
  emit(line);
}

void PtxWriter::mma(const Call& c) {
  const Attr* shape = find_attr(c.attrs, "shape");
  CHECK(shape, "at flat level mma has its shape");
  const DType factor = to<Region>(c.args.at(1)).type.dtype;
  const char* types = nullptr;
  switch (factor) {
    case DType::f16: types = ".f32.f16.f16.f32"; break;
    case DType::bf16: types = ".f32.bf16.bf16.f32"; break;
    case DType::f32: types = ".f32.tf32.tf32.f32"; break;
    case DType::i8: types = ".s32.s8.s8.s32"; break;
    case DType::u8: types = ".s32.u8.u8.s32"; break;
    case DType::e4m3: types = ".f32.e4m3.e4m3.f32"; break;
    case DType::e5m2: types = ".f32.e5m2.e5m2.f32"; break;
    case DType::f64: types = ".f64.f64.f64.f64"; break;
    default: refuse("such a matrix instruction");
  }
  const std::string sums = "{" + join_lanes(registers(c.args[0])) + "}";
  emit("mma.sync.aligned." + shape->string + ".row.col" + types + " " + sums + ", {" +
       join_lanes(registers(c.args[1])) + "}, {" + join_lanes(registers(c.args[2])) + "}, " + sums);
}

}  // namespace tilelab::codegen
