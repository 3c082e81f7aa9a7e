// SPDX-License-Identifier: Apache-2.0
#include "tests/mutants/mutate_tree.h"

#include <type_traits>

#include "core/ir/build.h"
#include "core/ir/text/print.h"
#include "core/ir/traverse.h"
#include "core/support/check.h"
#include "core/support/text.h"

namespace tilelab::test {
namespace {

bool chance(Generator& random, size_t n) { return below(random, n) == 0; }

constexpr size_t dtypes = 0
#define DTYPE(...) +1
#define DECLARED_DTYPE(...)
#include "core/ir/dtypes.def"
#undef DTYPE
    ;
constexpr size_t unary = 0
#define UNOP(...) +1
#define BINOP(...)
#include "core/ir/operators.def"
#undef UNOP
#undef BINOP
    ;
constexpr size_t binary = 0
#define UNOP(...)
#define BINOP(...) +1
#include "core/ir/operators.def"
#undef UNOP
#undef BINOP
    ;

/// The parts of a tree.
struct Parts {
  std::vector<Expr> exprs;
  std::vector<Stmt> stmts;
  std::vector<Symbol> names;
  std::vector<Layout> layouts;
  std::vector<Intrinsic> intrinsics;

  void add(const Stmt& stmt);
  void add(const Expr& expr) {
    exprs.push_back(expr);
    fields(*expr);
    for_each_child(
        *expr, [&](const Expr& e) { add(e); }, [](const Stmt&) {});
  }

 private:
  void fields(const Node& node);
  void keep(const Symbol& name) {
    if (name) names.push_back(name);
  }
  void keep(const std::vector<Symbol>& list) {
    for (const Symbol& name : list) keep(name);
  }
  void keep(const Layout& layout) {
    if (!layout.dims.empty()) layouts.push_back(layout);
  }
  void keep(Intrinsic intrinsic) { intrinsics.push_back(intrinsic); }
  template <class T> void keep(const T&) {}
};

void Parts::add(const Stmt& stmt) {
  if (!as<Seq>(stmt)) stmts.push_back(stmt);
  fields(*stmt);
  for_each_child(
      *stmt, [&](const Expr& e) { add(e); }, [&](const Stmt& s) { add(s); });
}

void Parts::fields(const Node& node) {
  visit(node, [&](const auto& n) {
    using T = std::remove_cvref_t<decltype(n)>;
    T::fields([&](const char*, auto member, Is = Is::plain) { keep(n.*member); });
  });
}

/// Gives a field another value; `made` says whether it has one.
class Change {
 public:
  Change(const Parts& own, Generator& random) : own_(own), random_(random) {}

  void operator()(int64_t& x) { x = number(x); }
  void operator()(uint64_t& x) { x = uint64_t(number(int64_t(x))); }
  void operator()(bool& x) { x = !x; }
  void operator()(DType& x) { x = static_cast<DType>(below(random_, dtypes)); }
  void operator()(UnOp& x) { x = static_cast<UnOp>(below(random_, unary)); }
  void operator()(BinOp& x) { x = static_cast<BinOp>(below(random_, binary)); }
  void operator()(Intrinsic& x) { x = pick(own_.intrinsics, x); }
  void operator()(Symbol& x) { x = chance(random_, 8) ? Symbol() : pick(own_.names, x); }
  void operator()(Layout& x) {
    if (chance(random_, 3) || x.dims.empty())
      x = chance(random_, 4) ? Layout() : pick(own_.layouts, x);
    else
      digits(x);
  }
  void operator()(Swizzle& x) {
    int32_t* parts[] = {&x.granule, &x.line, &x.mask};
    int32_t& part = *parts[below(random_, 3)];
    part = int32_t(number(part));
  }
  void operator()(Expr& x) { x = pick(own_.exprs, x); }
  void operator()(Stmt& x) { x = pick(own_.stmts, x); }
  void operator()(RegionDim& x) {
    switch (below(random_, 3)) {
      case 0: (*this)(x.extent); break;
      case 1: x.point = !x.point; break;
      default: (*this)(x.lo);
    }
  }
  void operator()(Attr& x) {
    x.form = static_cast<Attr::Form>(below(random_, 4));
    x.integer = number(x.integer);
  }
  void operator()(std::string& x) {
    static const char* const kWords[] = {
        "",        "mp_22",   "mp_31", "sm_80", "sm_90a", "canonicalize", "lower_tile_ops",
        "flatten", "relaxed", "lanes", "x"};
    x = kWords[below(random_, std::size(kWords))];
  }
  template <class E>
  requires requires(E e) { parse_enum<E>(name(e)); }
  void operator()(E& x) {
    const std::vector<std::string> words = split(choices<E>(), ',');
    x = parse_enum<E>(strip(words[below(random_, words.size())])).value_or(x);
  }
  template <class T> void operator()(std::vector<T>& list) {
    const size_t at = below(random_, list.size());
    const auto place = list.begin() + std::ptrdiff_t(at);
    switch (list.empty() ? 4 : below(random_, 5)) {
      case 0: list.erase(place); break;
      case 1: list.insert(place, T(list[at])); break;
      case 2: std::swap(list[at], list[below(random_, list.size())]); break;
      case 3: (*this)(list[at]); break;
      default: {
        T made{};
        (*this)(made);
        list.insert(place, std::move(made));
      }
    }
  }
  template <class T> void operator()(T&) {}

 private:
  template <class T> T pick(const std::vector<T>& from, const T& old) {
    return from.empty() ? old : from[below(random_, from.size())];
  }

  int64_t number(int64_t x) {
    static constexpr int64_t kEdges[] = {0,
                                         1,
                                         -1,
                                         2,
                                         3,
                                         7,
                                         16,
                                         31,
                                         33,
                                         64,
                                         128,
                                         1000000,
                                         int64_t{1} << 31,
                                         -(int64_t{1} << 31),
                                         int64_t{1} << 40};
    switch (below(random_, 5)) {
      case 0: return x + 1;
      case 1: return x - 1;
      case 2: return int64_t(uint64_t(x) * 2);
      case 3: return x / 2;
      default: return kEdges[below(random_, std::size(kEdges))];
    }
  }

  void digits(Layout& x) {
    Digits& dim = chance(random_, 5) ? x.rep : x.dims[below(random_, x.dims.size())];
    if (dim.empty() || chance(random_, 4)) return dim.push_back({"tra"[below(random_, 3)], 2, 1});
    Digit& digit = dim[below(random_, dim.size())];
    switch (below(random_, 4)) {
      case 0: digit.extent = number(digit.extent); break;
      case 1: digit.stride = number(digit.stride); break;
      case 2: digit.kind = "tra"[below(random_, 3)]; break;
      default: std::swap(digit, dim[below(random_, dim.size())]);
    }
  }

  const Parts& own_;
  Generator& random_;
};

/// The node with one of its fields changed; expressions change their type as well.
template <class Handle>
Handle with_field_changed(const Handle& node, Change& change, Generator& random) {
  return visit(*node, [&](const auto& n) -> Handle {
    using T = std::remove_cvref_t<decltype(n)>;
    if constexpr (requires { Handle(make(T(n))); }) {
      T copy(n);
      size_t count = 0, at = 0;
      T::fields([&](const char*, auto, Is = Is::plain) { ++count; });
      const size_t chosen = below(random, count);
      T::fields([&](const char*, auto member, Is = Is::plain) {
        if (at++ == chosen) change(copy.*member);
      });
      if constexpr (requires { copy.type.dtype; })
        if (chance(random, 3)) change(copy.type.dtype);
      return make(std::move(copy));
    } else {
      UNREACHABLE("an expression among statements, or the reverse");
    }
  });
}

/// One change somewhere in the function.
class TreeMutation {
 public:
  TreeMutation(const FuncRef& func, const FuncRef& other, Generator& random)
      : func_(func), random_(random) {
    if (func->body) own_.add(func->body);  // an earlier change may have left nothing
    if (other->body) theirs_.add(other->body);
  }

  FuncRef made() {
    if (own_.stmts.empty()) return func_;
    Func out(*func_);
    if (chance(random_, 20)) {
      Change change(own_, random_);
      return to_func(with_field_changed(Stmt(func_), change, random_));
    }
    out.body = chance(random_, 2) && !own_.exprs.empty() ? expression() : statement();
    return tilelab::make(std::move(out));
  }

 private:
  static FuncRef to_func(const Stmt& stmt) { return FuncRef(&to<Func>(stmt)); }

  Stmt statement() {
    const Stmt one = own_.stmts[below(random_, own_.stmts.size())];
    const Stmt two = own_.stmts[below(random_, own_.stmts.size())];
    const size_t way = below(random_, 8);
    Change change(own_, random_);
    bool done = false;  // a shared node occurs several times: the first is meant
    return rewritten(func_->body, [&](const Stmt& s) -> Stmt {
      if (way == 3 && s.same(two) && !one.same(two)) return one;
      if (!s.same(one) || done) return s;
      done = true;
      switch (way) {
        case 0: return nullptr;
        case 1: return tilelab::seq({s, s});
        case 2: return tilelab::seq({theirs_.stmts[below(random_, theirs_.stmts.size())], s});
        case 3: return two;
        case 4: return if_then(own_.exprs.empty() ? int_const(1) : own_.exprs[0], s);
        default: return with_field_changed(s, change, random_);
      }
    });
  }

  /// From the outside in, so that what is exchanged is found before it is rebuilt.
  Stmt rewritten(const Stmt& stmt, FunctionRef<Stmt(const Stmt&)> f) {
    Stmt made = f(stmt);
    if (!made || !made.same(stmt)) return made;
    return map_children(
        stmt, [](const Expr& e) { return e; }, [&](const Stmt& s) { return rewritten(s, f); });
  }

  Stmt expression() {
    const Expr one = own_.exprs[below(random_, own_.exprs.size())];
    const Expr two = own_.exprs[below(random_, own_.exprs.size())];
    const size_t way = below(random_, 6);
    Change change(own_, random_);
    return rewrite_exprs(func_->body, [&](const Expr& e) -> Expr {
      if (way == 0 && e.same(two)) return one;
      if (!e.same(one)) return e;
      switch (way) {
        case 0:
        case 1: return two;
        case 2:
          return theirs_.exprs.empty() ? e : theirs_.exprs[below(random_, theirs_.exprs.size())];
        default: return with_field_changed(e, change, random_);
      }
    });
  }

  const FuncRef& func_;
  Generator& random_;
  Parts own_, theirs_;
};

}  // namespace

std::string mutated_tree(const FuncRef& func, const FuncRef& other, Generator& random) {
  try {
    FuncRef out = func;
    for (size_t changes = 1 + below(random, 3); changes > 0; --changes)
      out = TreeMutation(out, other, random).made();
    return out->body ? print(*out) : "";
  } catch (const InternalError&) {  // the printer can't print such a tree
    return "";
  }
}

}  // namespace tilelab::test
