// SPDX-License-Identifier: Apache-2.0
// Compiles IR expressions and control flow to lane programs. One compiler for all levels: each
// level derives from it and defines its buffers, calls and structural statements.
//
// The base class handles constants (folded), names, operators, casts, lazy `a if c else b` and
// `and`/`or` (a side that reads memory runs under its mask), pure intrinsics of lanes/lanes.def,
// Let, Var, Assign, If, For (unrolled: each copy sees the variable as a constant), While, Break.
#pragma once

#include <optional>
#include <unordered_map>
#include <vector>

#include "core/ir/func.h"
#include "core/sim/program/build.h"

namespace tilelab::sim {

/// The vector kernel of a pure elementwise intrinsic, if it has one (fast forms: the plain kernel).
std::optional<LaneOp> lane_op_of(Intrinsic intrinsic);

/// A compiled expression: one register per vector component; scalar constants keep their value.
struct Value {
  Elem elem = Elem::i32;
  std::vector<Reg> regs;
  std::optional<uint64_t> constant;  // bits; integers sign- or zero-extended to 64

  int width() const { return constant ? 1 : int(regs.size()); }
  /// Value of an integer constant.
  std::optional<int64_t> integer() const {
    if (!constant || is_float(elem)) return std::nullopt;
    return int64_t(*constant);
  }
};

/// Thrown by the compiler for IR that this level does not support; the simulator's entry point
/// catches it and returns an error.
struct CannotRun {
  Span span;
  std::string what;
};

/// The text of each statement, for traced programs.
using StatementTexts = std::unordered_map<const Node*, std::string>;
StatementTexts statement_texts(const Func& func);

class BodyCompiler {
 public:
  explicit BodyCompiler(int lanes) : b(lanes) {}
  virtual ~BodyCompiler() = default;

  Value expr(const Expr& e);
  void stmt(const Stmt& s);

 protected:
  // ---- implemented by a level
  virtual Value load(const Load& node) = 0;
  /// A region used as a value.
  virtual Value region(const Region& node) = 0;
  virtual void store(const Store& node) = 0;
  /// A call without an elementwise kernel; `result`: whether its value is used.
  virtual Value call(const Call& node, bool result) = 0;
  /// An unbound name: a built-in, a dim, a scalar parameter.
  virtual Value name(const Name& node) = 0;
  /// Declarations, roles, records, tile operations.
  virtual void other(const Stmt& node) = 0;
  /// Whether reading this buffer element has no side effect and cannot fail.
  virtual bool safe_read(const Load&) { return false; }

  // ---- helpers
  Value constant(Elem elem, uint64_t bits) const { return {elem, {}, bits}; }
  Value integer(int64_t value, Elem elem = Elem::i32) const { return {elem, {}, uint64_t(value)}; }
  Value reg(Elem elem, Reg r) const { return {elem, {r}, std::nullopt}; }
  /// The register of component `i` (a scalar is broadcast).
  Reg at(const Value& v, int i = 0);
  Value lane_op(LaneOp op, const Value& a, const Value& b = {}, const Value& c = {});
  Value binary(BinOp op, const Value& a, const Value& b);
  Value cast(Elem to, const Value& v);
  Value select(const Value& c, const Value& a, const Value& b);
  /// Emits if_ for the value of `cond`; returns its position.
  size_t open_if(const Value& value, const Expr& cond = nullptr);
  size_t open_else(size_t open);
  void close_if(size_t open);
  /// Copies `v` to registers of an array, from element `first` on, in active lanes.
  void assign(int32_t array, int64_t first, const Value& v);
  /// A variable of `elem`, as an array of `width` registers.
  int32_t variable(Symbol name, Elem elem, int width = 1) {
    return b.array(name, width, elem_bytes(elem));
  }

  struct Variable {
    int32_t array;
    Elem elem;
  };
  /// The variable of this program with that name, or null.
  const Variable* find_variable(Symbol name) const;

  void bind(Symbol name, Value value);
  const Value* find(Symbol name) const;
  size_t mark() const { return undo_.size(); }
  void unbind(size_t mark);

  [[noreturn]] void cannot(const Node& node, const std::string& what) const;

  ProgramBuilder b;
  /// Traced programs announce each statement; null: not traced.
  const StatementTexts* texts_ = nullptr;
  /// Conditions of the enclosing branches, outermost first; null for one that the machine added.
  std::vector<Expr> conditions_;

 private:
  void plain_stmt(const Stmt& s);
  void announce(const Node& stmt);
  void announce_bound(const Node& stmt);
  void emit_names(CallSite site, const std::vector<Symbol>& names);
  Value unary(const Un& node);
  Value lazy_select(const Select& node);
  Value lazy_logic(const Bin& node);
  Value vec(const Vec& node);
  Value pure_call(const Call& node);
  Value hosted(const Call& node);
  Value divide(BinOp op, const Value& a, const Value& b);
  std::optional<Value> fold(BinOp op, const Value& a, const Value& b);
  bool safe(const Expr& e);
  void seq(const Seq& node);
  void loop(const For& node);
  void unrolled(const For& node, const std::vector<int64_t>& values);
  void while_(const While& node);
  Fate fate(const While& node) const;
  void if_(const If& node);
  void break_();
  void patch_breaks(size_t target);
  void let(const Let& node);
  void assign(const Assign& node);

  std::unordered_map<Symbol, Value> names_;
  std::unordered_map<Symbol, Variable> variables_;
  std::vector<std::pair<Symbol, std::optional<Value>>> undo_;
  std::vector<std::vector<size_t>> breaks_{{}};
};

}  // namespace tilelab::sim
