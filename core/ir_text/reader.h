// SPDX-License-Identifier: Apache-2.0
// Private part of ir_text.h. Files: ir_text.cpp (header, functions, buffers), calls.cpp (statements
// in call form), statements.cpp (structure, effects), expressions.cpp (expressions), references.cpp
// (references and slices), attributes.cpp (constants, words, layouts).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/ir/build.h"
#include "core/support/function_ref.h"
#include "core/syntax/tree.h"

namespace tilelab {

/// The dtype of a name in IR text: one that values have.
std::optional<DType> ir_dtype(std::string_view name);

class IrReader {
 public:
  explicit IrReader(Diagnostics& sink) : sink_(sink) {}
  std::vector<FuncRef> file(const syntax::Tree& module);

 private:
  using Tree = syntax::Tree;
  using Wanted = std::optional<DType>;

  /// Thrown after an error was reported; the enclosing statement is skipped.
  struct Stop {};

  /// The meaning of a name.
  struct Entry {
    enum class What : uint8_t { value, var, buffer, ring, map, broken } what = What::value;
    Type type;                // of a value, a var, or a buffer's elements
    std::vector<Expr> shape;  // of a buffer or view
    Span span;
  };

  /// A reference to a buffer: name, indices and slices.
  struct Reference {
    Symbol buffer;
    DType dtype = DType::f32;
    std::vector<Expr> shape;
    std::vector<RegionDim> dims;
    bool sliced = false;
  };

  class Arguments;

  // ---- errors and names
  template <class... Args> Diagnostic& report(Diag id, const Span& span, const Args&... args) {
    return sink_.report(id, span, args...);
  }
  template <class... Args> [[noreturn]] void stop(Diag id, const Span& span, const Args&... args) {
    sink_.report(id, span, args...);
    throw Stop{};
  }
  [[noreturn]] void type_error(const Tree& tree, const Expr& seen, const std::string& needed);
  const Entry* find(Symbol name) const;
  const Entry& lookup(const Tree& tree);
  /// The name as an entry of the given kind ("a buffer"); anything else is an error.
  const Entry& lookup(const Tree& tree, Entry::What what, const char* kind);
  void declare(Symbol name, Entry entry);
  void declare_value(Symbol name, Type type, const Span& span) {
    declare(name, {Entry::What::value, type, {}, span});
  }
  void declare_buffer(const Buffer& b, const Span& span) {
    declare(b.name, {Entry::What::buffer, {b.dtype}, b.shape, span});
  }
  template <class T> Stmt done(T node, const Tree& tree) {
    node.span = place(tree);
    return make(std::move(node));
  }
  static Span place(const Tree& tree) {
    if (!syntax::has_origin(tree->origin)) return tree->span;
    return tree->origin.known() ? tree->origin : Span{};
  }
  Span expr_span(const Tree& tree) const { return keep_spans_ ? tree->span : Span{}; }

  // ---- constants and words (attributes.cpp)
  std::optional<syntax::Int> constant_value(const Tree& tree, bool* named = nullptr) const;
  int64_t integer(const Tree& tree);
  int64_t positive(const Tree& tree);
  bool truth(const Tree& tree);
  std::string text(const Tree& tree);
  Symbol symbol(const Tree& tree);
  DType dtype(const Tree& tree);
  Type type(const Tree& tree);
  const syntax::Trees& items(const Tree& tree, const char* what);
  std::vector<int64_t> integers(const Tree& tree);
  std::vector<Symbol> symbols(const Tree& tree);
  std::vector<std::string> texts(const Tree& tree);
  std::vector<Expr> exprs(const Tree& tree);
  Digits digits(const Tree& tree);
  std::vector<Digits> dimensions(const Tree& tree);
  Layout layout(const Tree& tree);
  Swizzle swizzle(const Tree& tree);
  ElementMap element_map(const Tree& tree, const std::vector<Expr>& shape);
  Attr attribute(Symbol name, const Tree& value);
  std::vector<Attr> dict(const Tree& tree);
  template <class T> T word(const Tree& tree) {
    std::string given = text(tree);
    if (auto value = parse_enum<T>(given)) return *value;
    stop(Diag::ir_word, tree->span, given, choices<T>());
  }

  // ---- expressions (expressions.cpp)
  Expr value(const Tree& tree, Wanted wanted = {});
  Expr condition(const Tree& tree);
  Expr value_of(const Tree& tree, DType needed);
  bool is_literal(const Tree& tree) const;
  Expr literal(const Tree& tree, Wanted wanted);
  Expr name_value(const Tree& tree);
  Expr unary(const Tree& tree, Wanted wanted);
  Expr binary(const Tree& tree, BinOp op, const Tree& a, const Tree& b, Wanted wanted);
  Expr compare(const Tree& tree);
  Expr logical(const Tree& tree);
  Expr select(const Tree& tree, Wanted wanted);
  std::pair<Expr, Expr> pair(const Tree& a, const Tree& b, Wanted wanted);
  Expr raw_broadcast(Expr expr, int lanes);
  Expr call(const Tree& tree, bool effect_allowed, bool statement);
  Expr special_call(const Tree& tree, const std::string& name);
  Expr vector_call(const Tree& tree, VecOp op);
  Expr intrinsic_call(const Tree& tree, Intrinsic intrinsic, bool statement);
  Expr argument(const Tree& tree, OperandKind kind, Wanted wanted);
  std::string callee(const Tree& tree);
  std::vector<Expr> bounds(const syntax::Trees& trees, bool one_dtype = true);
  std::vector<Expr> same_dtype(const syntax::Trees& trees, uint32_t same,
                               FunctionRef<Expr(size_t, Wanted)> read);
  template <class T> Expr finish(T node, Type type, const Tree& tree) {
    node.type = type;
    node.span = expr_span(tree);
    return make(std::move(node));
  }

  // ---- references (references.cpp)
  bool names_buffer(const Tree& tree) const;
  Reference reference(const Tree& tree);
  [[noreturn]] void rank_error(const Tree& tree, Symbol buffer, size_t rank, size_t given);
  RegionDim dimension(const Tree& tree, const Expr& extent);
  /// Adds omitted dimensions.
  void complete(Reference& ref, const Tree& tree);
  Expr operand(const Tree& tree, Wanted wanted = {});
  Expr region_operand(const Tree& tree);
  Expr reference_value(const Tree& tree);
  Expr as_load(const Reference& ref, const Tree& tree);
  Expr as_region(Reference ref, const Tree& tree);

  // ---- functions, host section, declarations (ir_text.cpp)
  void header(const Tree& tree);
  FuncRef function(const Tree& tree);
  Stmt parameter(const Tree& tree);
  Stmt dim(const Tree& tree);
  std::optional<Stmt> declaration(const Tree& tree, Symbol name, const Tree& call);
  Stmt buffer(const Tree& tree, Symbol name, const Tree& call, Scope scope);
  void buffer_attributes(Buffer& b, Arguments& args);
  void layout_arguments(Layout& out, Arguments& args);
  Stmt workspace(const Tree& tree, Symbol name, const Tree& call);

  // ---- statements in call form (calls.cpp)
  class Fields;
  std::optional<Stmt> call_form(const Tree& tree, const Tree& call, Symbol bound);
  template <class T>
  std::optional<Stmt> read_form(const Tree& tree, const Tree& call, const std::string& function,
                                Symbol bound);
  template <class T> void declared(const T&, const Span&) {}
  void declared(const View& n, const Span& span);
  void declared(const Ring& n, const Span& span);
  void declared(const Var& n, const Span& span);
  void declared(const TensorMap& n, const Span& span);
  void declared(const RingOp& n, const Span& span);

  // ---- statements (statements.cpp)
  Stmt block(const syntax::Trees& body);
  Stmt statement(const Tree& tree);
  Stmt assignment(const Tree& tree);
  Stmt store(const Tree& tree);
  Stmt effect(const Tree& tree);
  Stmt with(const Tree& tree);
  Stmt kernel(const Tree& tree, const Tree& call, const Tree& target);
  Stmt role(const Tree& tree, const Tree& call, const Tree& target);
  Stmt loop(const Tree& tree);
  Stmt for_loop(const Tree& tree, const std::string& function);
  Stmt parallel(const Tree& tree);
  Stmt tile_loop(const Tree& tree);
  Stmt branch(const Tree& tree);
  std::vector<Symbol> targets(const Tree& tree);
  void mark_broken(const Tree& tree);

  Diagnostics& sink_;
  std::vector<std::unordered_map<Symbol, Entry>> scopes_;
  std::unordered_map<Symbol, syntax::Int> consts_;
  Func blank_;  // contents of the header
  bool keep_spans_ = true;
};

/// Arguments of a call by position or name, each consumed once; unconsumed ones are errors.
class IrReader::Arguments {
 public:
  Arguments(IrReader& reader, const Tree& call);
  /// The next positional argument, or the one named `name`; null if there is none.
  Tree take(std::string_view name);
  Tree need(std::string_view name);
  /// Only by name.
  Tree named(std::string_view name);
  /// All remaining positional arguments.
  syntax::Trees rest();
  /// The remaining named arguments, in order.
  std::vector<std::pair<Symbol, Tree>> rest_named();
  void finish();

  // An optional attribute.
  void get(std::string_view name, int64_t& out);
  void get(std::string_view name, bool& out);
  void get(std::string_view name, std::string& out);
  void get(std::string_view name, Symbol& out);  // a bare name
  template <class T> void get_word(std::string_view name, T& out) {
    if (Tree tree = named(name)) out = reader_.word<T>(tree);
  }

 private:
  IrReader& reader_;
  Tree call_;
  std::string function_;
  syntax::Trees positional_;
  std::vector<std::pair<Symbol, Tree>> named_;
  std::vector<std::string> queried_;
  size_t next_ = 0;
};

}  // namespace tilelab
