// SPDX-License-Identifier: Apache-2.0
// Private part of verify.h. Statements: verify.cpp; call forms: calls.cpp; memory declarations:
// memory.cpp; layouts and properties established by passes: layouts.cpp; expressions:
// expressions.cpp; intrinsics: intrinsics.cpp; matrix multiplication: matrix.cpp.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/stages.h"
#include "core/ir/verify/verify.h"
#include "core/layout/matrix.h"

namespace tilelab {

/// More than the memory of any block: sizes up to it do not overflow.
inline constexpr int64_t kMaxBytes = int64_t{1} << 28;
/// More than the threads of any block: the limit of the simulator's race detector.
inline constexpr int64_t kMaxThreads = 4096;

/// Whether the text is an instruction shape of the intrinsic, for any dtype.
bool is_matrix_shape(Intrinsic intrinsic, const std::string& text);

class Verifier {
 public:
  Verifier(const Func& func, const Limits& limits, Diagnostics& sink)
      : func_(func),
        limits_(limits),
        level_(func.level),
        stage_(stage_of(func.after)),
        sink_(sink) {}
  void run();

 private:
  struct Entry {
    enum class What : uint8_t { value, var, buffer, ring, map } what = What::value;
    Type type;
    size_t rank = 0;
    Scope scope = Scope::global;
    bool unrolled = false;           // the variable of an unrolled loop
    const Buffer* memory = nullptr;  // of a buffer or view: the allocation
    const std::vector<Expr>* shape = nullptr;
  };

  // ---- reporting and names
  template <class... Args> void report(Diag id, const Span& span, const Args&... args) {
    sink_.report(id, span.known() ? span : here_, args...);
  }
  void rule(const std::string& text) { report(Diag::ir_rule, here_, text); }
  /// Whether that pass has run.
  bool from(Stage pass) const { return stage_ >= pass; }
  /// Reports a missing property that `pass` establishes.
  void missing(Stage pass, const std::string& what) {
    report(Diag::ir_after, here_, what, name(pass));
  }
  void level_error(const std::string& what) {
    report(Diag::ir_level, here_, what, std::string(name(level_)));
  }
  const Entry* find(Symbol id) const;
  const Entry* need(Symbol id, const Span& span);
  const Entry* need(Symbol id, Entry::What what, const char* kind);
  void declare(Symbol id, Entry entry);
  size_t enter() const { return outer_.size(); }
  void leave(size_t scope);
  void declare_value(Symbol id, Type type, bool unrolled = false) {
    declare(id, {Entry::What::value, type, 0, Scope::global, unrolled});
  }
  void own_name(Symbol buffer);
  void declare_buffer(const Buffer& b);

  // ---- expressions (expressions.cpp)
  void expr(const Expr& e);
  void exprs(const std::vector<Expr>& list);
  void check(const Const& n);
  void check(const Name& n);
  void check(const Un& n);
  void check(const Bin& n);
  void check(const Select& n);
  void check(const Cast& n);
  void check(const Load& n);
  void check(const Region& n);
  void region(const Region& n, bool of_barriers = false);
  void check(const Vec& n);
  void check(const Call& n);
  void call(const Call& n, bool result = false);
  std::pair<bool, const char*> is_operand(const Call& call, size_t i) const;
  void operand(const Call& call, size_t i);
  void registers(const Expr& arg, OperandKind kind);
  void attributes(const Call& call);
  void partial_barrier(const Call& n);
  void named(const Call& n);
  void reserved_barriers(const Call& n);
  void numbered_barriers(const Kernel& k);
  void set_up_once(const Kernel& k);
  void check_barrier_space(int64_t count);
  void operand_types(const Call& n);
  void copied_vector(const Call& n);
  void atomic_elements(const Call& n, bool result);
  void result_type(const Call& n);
  void integer(const Expr& e, const char* what);
  void boolean(const Expr& e, const char* what);
  void boolean_type(const Expr& e, const char* what);
  void reference(Symbol buffer, size_t indices, const Span& span, Type type);
  void no_barriers(Symbol buffer);
  bool constant_when_unrolled(const Expr& e) const;
  void effect_call(const Expr& e);
  static bool same_type(const Expr& a, const Expr& b);

  // ---- statements (verify.cpp)
  void stmt(const Stmt& s);
  void block(const Stmt& s);
  void sequence(const Stmt& s);
  void tile_only(const char* what);
  bool in_kernel(const char* what);
  /// The number of threads of the current role or block.
  int64_t threads_here() const {
    return role_ ? role_->hi - role_->lo : kernel_ ? kernel_->block : 0;
  }
  bool on_host(const char* what);
  void param(const Param& p);
  void swizzle(const Swizzle& s, const std::string& of);
  void element_map(const Buffer& b);
  bool shape(const Buffer& b);
  void place(const Buffer& b);
  void barriers(const Buffer& b);
  void barrier(const Region* box, const std::string& of);
  void memory(const Buffer& b);
  void stages(const Buffer& b);
  void address(const Buffer& b);
  void register_budget(const Kernel& k);
  void parameters(const Kernel& k);
  void ring_roles();
  void arrivals(const Ring& ring);
  void loop_bounds(const For& n);
  void counter(Symbol name);
  void mailbox(const TileLoop& n);
  template <class T> void statement(const T& n) {
    if constexpr (requires { T::kCall; })
      call_form(n);
    else
      rule("this node is not a statement");
  }
  void statement(const Buffer& n);
  void statement(const Workspace& n);
  void statement(const Seq& n);
  void statement(const Kernel& n);
  void statement(const Role& n);
  void statement(const For& n);
  void statement(const TileLoop& n);
  void statement(const While& n);
  void statement(const If& n);
  void statement(const Break& n);
  void statement(const Parallel& n);
  void statement(const Let& n);
  void statement(const Assign& n);
  void statement(const Store& n);
  void statement(const Do& n);

  // ---- layouts, and operands in a block's memory (layouts.cpp)
  bool digits(const Layout& l, const std::string& of);
  void threads(const Layout& l, const std::string& of);
  void spread(const Layout& l, const std::vector<int64_t>& box, const std::string& of);
  void distributed_over_threads(const Layout& l, const Expr& dst, const std::string& of);
  bool layout(const Buffer& b);
  void view_of(const View& n, const Entry& memory);
  bool in_fragment(const Region& r) const;
  void used_whole(const Region& r, const char* of);
  void workspace(Symbol name, DType dtype, const std::vector<Expr>& shape, bool more,
                 const char* of);
  void prepared(const Reduce& n);
  void prepared(const Gemm& n);

  // ---- matrix multiplication (matrix.cpp)
  void product(const Gemm& n);
  void multiplied(const Gemm& n, const MatrixInstruction& row);
  void distributed_over_threads(const Gemm& n, const int64_t (&product)[3]);
  void matrix_registers(const Call& n, size_t registers);
  bool expands_here(const Call& n) const;
  void expanded_operands(const Call& n);
  void matrix_operands(const Call& n);

  // ---- statements in call form, from their field lists (calls.cpp)
  template <class T> void call_form(const T& n);
  void allowed_here(const Node& n, const std::string& called);
  void operand(const Expr& e, Is is, const std::string& of);
  void field(const Expr& e, Is is, const std::string& of);
  void paired(const Expr& e, Is is, const std::string& of);
  void field(const std::vector<Expr>& list, Is is, const std::string& of);
  void field(Symbol s, Is is, const std::string& of);
  void field(const std::vector<Symbol>& list, Is is, const std::string& of);
  void field(DType dtype, Is, const std::string&) { before_ = dtype; }
  template <class X> void field(const X&, Is, const std::string&) {}
  // Beyond the fields: declarations and rules of each kind.
  template <class T> void more(const T&) {}
  void more(const View& n);
  void more(const Ring& n);
  void more(const Var& n);
  void more(const Bind& n);
  void more(const CheckTensor& n);
  void more(const TensorMap& n);
  void more(const Copy& n);
  void more(const Fill& n);
  void combined(bool bits, const Expr& dst, const char* what);
  void more(const Reduce& n);
  void reduced(const Reduce& n, const Region& src);
  void more(const Scan& n);
  void more(const Atomic& n);
  void more(const ClusterCopy& n);
  void more(const Gemm& n);
  void more(const RingOp& n);
  void more(const Record& n);

  const Func& func_;
  const Limits limits_;
  Level level_;
  const Stage stage_;
  Diagnostics& sink_;
  std::unordered_map<Symbol, Entry> names_;                     // currently in scope
  std::vector<std::pair<Symbol, std::optional<Entry>>> outer_;  // shadowed meanings
  std::unordered_set<Symbol> buffers_, kernels_;                // of the whole function
  std::unordered_set<Symbol> of_call_;                          // dims and scalar parameters
  std::unordered_set<Symbol> unbound_;                          // dims without a bind so far
  std::vector<const Role*> roles_;                              // of the kernel
  struct RingUse {
    const RingOp* op;
    const Role* role;  // null: outside of roles
    Span span;
  };
  std::unordered_map<Symbol, const Ring*> rings_;  // of the kernel
  std::vector<RingUse> ring_ops_;
  std::unordered_map<int64_t, int64_t> named_;  // barrier ID -> threads; -1: dynamic
  const Kernel* kernel_ = nullptr;
  const Role* role_ = nullptr;
  bool at_head_ = false;  // of the kernel: only declarations so far
  int loops_ = 0;
  DType before_ = DType::f32;       // of the previous operand or dtype in a call form
  const Region* region_ = nullptr;  // its previous region
  Span here_;                       // the innermost statement with a known span
};

}  // namespace tilelab
