// SPDX-License-Identifier: Apache-2.0
// Writes one kernel. Expressions in write_expr.cpp, intrinsics in write_call.cpp, statements in
// write_stmt.cpp, the frame in write_kernel.cpp.
//
// Input (flat level): global, local and shared buffers have one dimension, in elements; shared ones
// a byte offset `at`. Byte addresses in the arena are integers. Barriers are IDs (or Regions of a
// barrier buffer with an ID). No roles, tile operations, digits or swizzles.
#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "codegen/c_family/names.h"
#include "codegen/codegen.h"
#include "core/support/function_ref.h"

namespace tilelab::codegen {

/// C operator precedence, loosest first.
enum Strength {
  kLoosest,
  kTernary,
  kOr,
  kAnd,
  kBitOr,
  kBitXor,
  kBitAnd,
  kEqual,
  kRelation,
  kShift,
  kSum,
  kProduct,
  kUnary,
  kPostfix,
  kPrimary
};

/// Text of an expression, and the precedence of its outermost operator.
struct Piece {
  std::string text;
  int strength = kPrimary;
};

inline const std::string kZero = "tl_zero()";

class KernelWriter {
 public:
  KernelWriter(const Func& func, const Kernel& kernel, const Target& target,
               const RenderOptions& options, Diagnostics& sink);
  /// Appends the kernel to `out`.
  RenderedKernel write(std::string& out);

 private:
  friend class HostNames;

  // ---- write_expr.cpp
  Piece expr(const Expr& e);
  /// The text, in parentheses if it binds more loosely than `strength`.
  std::string text(const Expr& e, int strength = kLoosest);
  std::string argument(const Expr& e);
  Piece binary_expr(const Bin& e);
  Piece operator_expr(const Bin& e, const char* op, int strength);
  bool tests_sign(const Expr& condition) const;
  bool hides(const Expr& value) const;
  /// The text of a value that is assigned to a name, or stored in an array.
  std::string given(Symbol to, const Expr& value) {
    return clamped_.count(to) && hides(value) ? kZero : text(value);
  }
  Piece unary_expr(const Un& e);
  Piece cast_expr(const Cast& e);
  Piece vec_expr(const Vec& e);
  Piece region_value(const Region& e);
  std::string element(Symbol buffer, const Expr& index);
  /// A local array of one element that is only accessed and read by that element: written as a
  /// variable.
  bool is_single(Symbol buffer) const {
    return single_.count(buffer) && is_read(buffer) && !indexed_.count(buffer);
  }
  /// "A + i": address of an element, as a pointer.
  Piece pointer(const Region& region);
  Piece offset(const std::string& base, const Expr& index);
  const Expr& flat_index(const Region& region) const;
  bool evicts_first(const Region& from) const;
  std::string variable(Symbol id);

  // ---- write_call.cpp
  Piece call_expr(const Call& call);
  std::string fill(const Call& call, std::string_view spelling, size_t& at, bool optional,
                   bool& complete);
  std::string hole(const Call& call, std::string_view name, bool& given);
  std::string operand(const Call& call, size_t i);
  std::string address(const Expr& e);
  std::string barrier_id(const Expr& e);
  std::string coordinates(const Call& call, std::string_view which);
  MatrixShape shape_of(const Call& call);
  std::string slices(const Call& call);
  std::string wgmma(const Call& call);
  std::string foreign(const Call& call);
  std::string leader_test(const Call& call);
  std::string maximum(const Call& call);
  std::string copied_bytes(const Call& call);
  std::string part_sync_phase(const Call& call);

  // ---- write_stmt.cpp
  void stmt(const Stmt& s);
  void block(const Stmt& body);
  void seq_stmt(const Seq& s);
  void buffer_stmt(const Buffer& b);
  void array(const Buffer& b);
  void tensor_at(const Buffer& b);
  void view_stmt(const View& v);
  void in_order(const Stmt& s, FunctionRef<void()> write);
  void let_stmt(const Let& s);
  void assign_stmt(const Assign& s);
  void store_stmt(const Store& s);
  bool copied_as_words(const Store& to, const Region& from) const;
  void if_stmt(const If& s, const char* lead);
  void for_stmt(const For& s);
  void for_steps(const For& s);
  int64_t copies_for_loads(const For& s) const;
  std::string for_head(const For& s);
  void record_stmt(const Record& s);
  std::string stored(const Symbol buffer, const Expr& value);
  void share_offsets(const Node& statement);
  void line(const std::string& text, const Span& span);
  void line(const std::string& text) { line(text, Span{}); }
  /// A block is the body of a loop nest: its memory is private.
  bool one_thread() const { return target_.family == Family::cpu; }

  // ---- write_kernel.cpp
  void scan();
  void note_use(const Node& node);
  /// Whether a variable or local array is read other than to be updated; C compilers warn
  /// otherwise.
  bool is_read(Symbol name) const { return reads_.count(name) && reads_.at(name) > 0; }
  void note_index(const Node& node);
  void note_clamped(const If& s);
  void note_read(const Node& node);
  void note_buffer(const Buffer& b);
  std::string cluster_text() const;
  std::string signature();
  std::string parameter(Symbol id);
  void prologue();
  void thread_names(const std::string& tid);
  int block_loops();
  [[noreturn]] void refuse(const Span& span, const std::string& what, const std::string& why);

  const Func& func_;
  const Kernel& kernel_;
  const Target& target_;
  const RenderOptions& options_;
  Diagnostics& sink_;
  RenderedKernel result_;
  Names names_;
  std::string body_;
  int depth_ = 1;
  int64_t copies_ = 1;                   // of a statement, by the enclosing unrolled loops
  std::unordered_set<const For*> kept_;  // kept_loops.h
  Span last_location_, here_;            // here_: of the current statement

  std::unordered_map<Symbol, const Buffer*> buffers_;
  std::unordered_set<Symbol> used_, written_, vector_access_, assigned_;
  std::unordered_set<Symbol> clamped_;           // assigned within an `if` that tests a sign
  std::unordered_set<Symbol> single_, indexed_;  // local arrays of one; those accessed beyond [0]
  std::unordered_map<Symbol, int> reads_;        // except in assignments to the name itself
  std::map<int64_t, std::string> sync_phases_;   // of parts of the block, by barrier id
  std::unordered_set<const Node*> places_;       // regions that are operands, not values
  std::vector<std::pair<Expr, std::string>> shared_;  // offsets of this statement with a name
  std::string arena_ = "smem", events_;               // generated names, distinct from the kernel's
  bool uses_arena_ = false;
  bool uses_operands_ = false;     // descriptors, which are relative to the arena
  int64_t barriers_ = 0;           // words at the end of the arena
  std::string operands_, bars_;    // names of the base addresses of both
  std::vector<std::string> maps_;  // tensor maps among the parameters
  bool hex_ = false;               // inside a descriptor, which is written in hexadecimal
};

/// Names and expressions of the host section: the same C, without built-in names.
class HostNames {
 public:
  HostNames(const Func& func, const Target& target)
      : writer_(func, nothing_, target, options_, sink_) {
    writer_.names_.open();
  }
  std::string declare_host(Symbol id) { return writer_.names_.declare(id); }
  std::string make_host(const std::string& wish) { return writer_.names_.make(wish); }
  std::string expression(const Expr& e) const { return writer_.text(e, kTernary); }

 private:
  Kernel nothing_ = [] {
    Kernel k;
    k.body = make(Seq());
    return k;
  }();
  RenderOptions options_;
  Diagnostics sink_;
  mutable KernelWriter writer_;
};

/// The parameters of the C function, in order: those of the kernel; if its grid is written as
/// loops, also the inputs of the grid's extents.
std::vector<Symbol> parameters(const Kernel& kernel, const Target& target);

/// Thrown inside the renderer after a message was reported; render() catches it.
struct Refused {};

}  // namespace tilelab::codegen
