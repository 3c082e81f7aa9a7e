// SPDX-License-Identifier: Apache-2.0
// Parses statements in call form, from their field lists (core/ir/node.h, `Is`).
#include "core/ir_text/reader.h"

namespace tilelab {

/// Parses one field after another.
class IrReader::Fields {
 public:
  Fields(IrReader& reader, Arguments& args) : reader_(reader), args_(args) {}

  void read(const char*, Layout& out, Is) { reader_.layout_arguments(out, args_); }
  template <class X> void read(const char* word, X& out, Is is) {
    if constexpr (std::is_same_v<X, std::vector<Expr>>) {
      if (has(is, Is::rest)) {
        for (const Tree& item : args_.rest()) out.push_back(reader_.value(item));
        return;
      }
    }
    Tree given = !has(is, Is::positional) ? args_.named(word)
                 : has(is, Is::optional)  ? args_.take(word)
                                          : args_.need(word);
    if (given) take(given, out, is);
  }

 private:
  void take(const Tree& tree, Expr& out, Is is) {
    if (has(is, Is::updated)) {
      out = reader_.region_operand(tree);
      before_ = out->type.dtype;
    } else if (has(is, Is::barrier)) {
      out = reader_.operand(tree, {});
    } else if (has(is, Is::condition)) {
      out = reader_.condition(tree);
    } else {
      const bool region = has(is, Is::paired) && tree->kind == syntax::Kind::subscript;
      out = has(is, Is::typed) && !region ? reader_.value_of(tree, before_) : reader_.value(tree);
    }
  }
  void take(const Tree& tree, DType& out, Is) { before_ = out = reader_.dtype(tree); }
  void take(const Tree& tree, Symbol& out, Is is) {
    if (has(is, Is::buffer)) reader_.lookup(tree, Entry::What::buffer, "a buffer");
    if (has(is, Is::ring)) reader_.lookup(tree, Entry::What::ring, "a ring");
    if (has(is, Is::map)) reader_.lookup(tree, Entry::What::map, "a tensor map");
    if (has(is, Is::value)) reader_.lookup(tree);
    out = reader_.symbol(tree);
  }
  void take(const Tree& tree, bool& out, Is) { out = reader_.truth(tree); }
  void take(const Tree& tree, int64_t& out, Is) { out = reader_.integer(tree); }
  void take(const Tree& tree, std::string& out, Is) { out = reader_.text(tree); }
  void take(const Tree& tree, Swizzle& out, Is) { out = reader_.swizzle(tree); }
  void take(const Tree& tree, std::vector<Expr>& out, Is) { out = reader_.exprs(tree); }
  void take(const Tree& tree, std::vector<int64_t>& out, Is) { out = reader_.integers(tree); }
  void take(const Tree& tree, std::vector<Symbol>& out, Is) { out = reader_.symbols(tree); }
  void take(const Tree& tree, std::vector<std::string>& out, Is) { out = reader_.texts(tree); }
  void take(const Tree& tree, std::vector<Attr>& out, Is) { out = reader_.dict(tree); }
  template <class X>
  requires std::is_enum_v<X>
  void take(const Tree& tree, X& out, Is) { out = reader_.word<X>(tree); }

  IrReader& reader_;
  Arguments& args_;
  DType before_ = DType::f32;  // of the previous operand or dtype field
};

namespace {

/// Parses the suffix of the function name; false if the name does not match.
template <class X> bool set_callee(X& out, const std::string& function, const char* begin) {
  if constexpr (std::is_enum_v<X> && !std::is_same_v<X, DType>) {
    const std::string start = begin;
    if (function.rfind(start, 0) != 0) return false;
    auto word = parse_enum<X>(function.substr(start.size()));
    if (word) out = *word;
    return word.has_value();
  }
  return false;
}

/// Sets the bound name; false if it is missing, or the statement binds none.
template <class T> bool set_bound(T& n, Symbol bound) {
  bool fits = !bound;
  T::fields([&](const char*, auto member, Is is = Is::plain) {
    if constexpr (std::is_same_v<std::remove_reference_t<decltype(n.*member)>, Symbol>) {
      if (!has(is, Is::bound)) return;
      n.*member = bound;
      fits = bound || has(is, Is::optional);
    }
  });
  return fits;
}

}  // namespace

template <class T>
std::optional<Stmt> IrReader::read_form(const Tree& tree, const Tree& call,
                                        const std::string& function, Symbol bound) {
  T n;
  bool called = function == T::kCall;
  T::fields([&](const char*, auto member, Is is = Is::plain) {
    if (has(is, Is::callee)) called = set_callee(n.*member, function, T::kCall);
  });
  if (!called || !set_bound(n, bound)) return std::nullopt;
  Arguments args(*this, call);
  Fields fields(*this, args);
  T::fields([&](const char* word, auto member, Is is = Is::plain) {
    if (!has(is, Is::bound | Is::callee)) fields.read(word, n.*member, is);
  });
  args.finish();
  declared(n, tree->span);
  return done(std::move(n), tree);
}

/// Parses a statement in call form; nullopt if the function does not exist, or cannot bind a name.
std::optional<Stmt> IrReader::call_form(const Tree& tree, const Tree& call, Symbol bound) {
  const std::string function = callee(call->parts[0]);
  std::optional<Stmt> out;
  auto read = [&]<class T>(const T*) {
    if constexpr (requires { T::kCall; })
      if (!out) out = read_form<T>(tree, call, function, bound);
  };
#define NODE(kind, group) read(static_cast<const tilelab::kind*>(nullptr));
#include "core/ir/nodes.def"
#undef NODE
  return out;
}

void IrReader::declared(const View& n, const Span& span) {
  declare(n.name, {Entry::What::buffer, {n.dtype}, n.shape, span});
}
void IrReader::declared(const Ring& n, const Span& span) {
  declare(n.name, {Entry::What::ring, {}, {}, span});
}
void IrReader::declared(const Var& n, const Span& span) {
  declare(n.name, {Entry::What::var, {n.dtype}, {}, span});
}
void IrReader::declared(const TensorMap& n, const Span& span) {
  declare(n.name, {Entry::What::map, {}, {}, span});
}
void IrReader::declared(const RingOp& n, const Span& span) {
  if (n.slot) declare_value(n.slot, {DType::i32}, span);
}

}  // namespace tilelab
