// SPDX-License-Identifier: Apache-2.0
// Writes one kernel as PTX. Expressions in expr.cpp, conversions in convert.cpp, memory in
// memory.cpp, functions and thread communication in call.cpp, copies and matmuls in units.cpp,
// statements and the frame in kernel.cpp. Instructions: PTX ISA 8.0.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/ptx/lanes.h"
#include "codegen/ptx/text.h"
#include "core/ir/func.h"
#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab::codegen {

/// Thrown if a kernel contains something for which this writer has no instructions.
struct NotInPtx {
  std::string what;
};

class PtxWriter : private PtxText {
 public:
  PtxWriter(const Func& func, const Kernel& kernel, const Target& target);
  std::string write();

 private:
  // ---- kernel.cpp
  void parameter(Symbol id, const std::string& name, std::string* declared);
  void prologue();
  void prefetch_maps();
  void stmt(const Stmt& s);
  void buffer_stmt(const Buffer& b);
  void view_stmt(const View& v);
  void if_stmt(const If& s);
  bool guarded_store(const If& s);
  void for_stmt(const For& s);
  void counted_loop(const For& s);
  void while_stmt(const While& s);
  bool unrolled(const For& s) const;
  int64_t copies(const For& s) const;
  void bind(Symbol id, const Lanes& value);
  void assign(const Lane& variable, DType dtype, const Lane& value);

  // ---- expr.cpp
  Lanes expr(const Expr& e);
  Lanes constant(const Const& e);
  Lanes unary(const Un& e);
  Lanes binary(const Bin& e);
  Lanes logical(const Bin& e);
  Lanes select(const Select& e);
  Lanes vec(const Vec& e);
  /// A single value: a constant, or a register.
  Lane scalar(const Expr& e);
  static std::optional<Lane> folded(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane operation(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane whole_operation(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane float_operation(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane times(Bank bank, const std::string& a, int64_t factor);
  Lane division(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane quotient(bool rest, bool floors, DType dtype, const std::string& a, const Lane& b);
  Lane compare(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane choose(DType dtype, const Lane& condition, const Lane& a, const Lane& b);
  Lane narrowed(DType dtype, const Lane& word);
  bool harmless(const Expr& e) const;
  bool is_in_registers(Symbol buffer) const;

  // ---- bitwise.cpp
  Lane bitwise(BinOp op, DType dtype, const Lane& a, const Lane& b);
  Lane swizzled(const Lane& a, const Lane& b);
  Lane shift(BinOp op, DType dtype, const Lane& a, const Lane& b);

  // ---- convert.cpp
  Lanes cast(const Lanes& value, DType to);
  Lane convert(const Lane& a, DType from, DType to);
  Lane convert_pairwise(const Lane& a, DType from, DType to);
  Lane pair_of(DType to, const Lane& low, const Lane& high);
  Lane rounded_to_bf16(const Lane& a, DType from);
  Lane to_integer(const Lane& a, DType from, DType to);
  Lanes reinterpret(const Lanes& value, Type to);
  std::optional<Lane> half_of_word(const Call& c);
  Lane widened(const Lane& a, DType from) { return convert(a, from, DType::f32); }
  /// Its elements unpacked, or packed into words.
  std::vector<Lane> unpacked(const Lanes& value);
  std::vector<Lane> packed(const Lanes& value);
  Lane extracted(const Lane& word, DType dtype, int place);
  Lane word_of(const std::vector<Lane>& elements, size_t first, DType dtype);

  // ---- memory.cpp
  Lane place(const Expr& index);
  /// "[%d4+16]": an element's address.
  std::string address(const Memory& memory, const Expr& index);
  std::string address(const Region& region);
  /// Where `predicate_` is false, a load gives `otherwise`, and a store does nothing.
  Lanes load(Symbol buffer, const Expr& index, int count, const std::vector<Lane>& otherwise = {});
  std::optional<Lanes> guarded_load(const Select& e, const Lane& condition);
  Lanes load_registers(const Memory& memory, int64_t first, int count);
  void store(Symbol buffer, const Expr& index, const Lanes& value);
  void store_registers(Memory& memory, int64_t first, const Lanes& value);
  const Memory& memory(Symbol buffer) const;
  int64_t known_index(const Expr& index);
  std::vector<Lane> registers(const Expr& operand);
  static std::string offset_by(const std::string& at, int64_t bytes);
  std::string shared_address(const Expr& e);

  // ---- call.cpp, units.cpp
  Lanes call(const Call& c);
  bool synchronisation(const Call& c);
  bool asynchronous(const Call& c);
  bool matrix(const Call& c);
  Lanes lane_by_lane(const Call& c);
  Lane math(const Call& c, DType dtype, const std::vector<Lane>& a);
  Lane float_math(const Call& c, DType dtype, const std::vector<Lane>& a);
  Lane chosen(const Call& c, DType dtype, const Lane& a, const Lane& b);
  Lanes shuffle(const Call& c);
  Lanes vote(const Call& c, DType dtype, const std::string& form);
  Lane leader(const Call& c);
  Lanes atomic_in_order(const Call& c);
  Lanes atomic(const Call& c);
  void atomic_sums(const Call& c, const Memory& place, const Region& region);
  void wgmma(const Call& c);
  void mma(const Call& c);
  void copy_async(const Call& c);
  struct CachePolicy {
    std::string hint, operand;  // of an instruction
  };
  CachePolicy cache_policy(bool evict_first);
  std::string barrier(const Expr& e);
  static std::string rank_of(const Expr& list);
  std::string coordinates(const Expr& list);
  void arrive(const Call& c);
  void wait(const Call& c);

  // ---- helpers
  [[noreturn]] static void refuse(const std::string& what) { throw NotInPtx{what}; }
  void emit_access(const std::string& instruction) {
    emit(predicate_.empty() ? instruction : "@" + predicate_ + " " + instruction);
  }
  /// As an operand: a register, or an immediate if instructions on that type accept one.
  std::string use(const Lane& lane, DType dtype);
  std::string in_register(const Lane& lane, DType dtype);
  Lane frozen(const Lane& lane, DType dtype);
  Lanes frozen(const Lanes& value);
  bool sm90() const { return target_.name == "sm_90a"; }

  const Func& func_;
  const Kernel& kernel_;
  const Target& target_;
  const BufferTable buffers_;
  std::string tid_;
  std::string predicate_;  // of the current access to memory, or ""
  std::string arena_, operands_,
      bars_;  // registers: the arena, in wgmma's units, the first barrier
  std::unordered_map<Symbol, Lanes> names_;
  std::unordered_map<Symbol, Memory> memories_;
  std::unordered_map<Symbol, const Buffer*> barriers_;
  std::unordered_map<Symbol, std::string> maps_;
  std::unordered_set<Symbol> written_;
  std::unordered_set<Symbol> indexing_;  // loop variables that index registers
  std::vector<std::string> ends_;        // end labels of the enclosing loops: targets of break
};

/// The bits that a sum or product may have, from those that its operands may have.
uint32_t bits_of_sum(uint32_t a, uint32_t b);
uint32_t bits_of_product(uint32_t a, uint64_t factor);
/// ".s32", ".f16": the type suffix of arithmetic.
std::string ptx_type(DType dtype);
/// ".b32": the type suffix of moves.
std::string ptx_bits(Bank bank);
/// "%r1, %r2"
std::string join_lanes(const std::vector<Lane>& lanes);
/// A flag attribute; the text of an immediate operand.
bool has_flag(const Call& call, const char* attribute);
std::string immediate_text(const Expr& e);

}  // namespace tilelab::codegen
