// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/rewrites/rewrites.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/traverse.h"

namespace tilelab::elaborate {
namespace {

constexpr const char* kMark = "%thread_return";

bool is_mark(const Node& node) {
  const Assign* mark = as<Assign>(&node);
  return mark && mark->name == Symbol(kMark);
}

bool has_mark(const Stmt& stmt) { return stmt && has_return(*stmt); }

bool is_loop(const Stmt& stmt) {
  return stmt->kind == Kind::For || stmt->kind == Kind::While || stmt->kind == Kind::TileLoop;
}

std::vector<Stmt> list_of(const Stmt& body) {
  if (!body) return {};
  const Seq* list = as<Seq>(body);
  return list ? list->stmts : std::vector<Stmt>{body};
}

class Returns {
 public:
  explicit Returns(FunctionRef<Symbol()> name) : name_(name) {}

  Stmt of_kernel(const Stmt& body) {
    Stmt out = block(list_of(body), false).stmt;
    out = left_ ? with_variable(out) : without_marks(out);
    return tilelab::at(body->span, out);
  }

 private:
  struct Rewritten {
    Stmt stmt;
    bool always = false;  // all threads that reach it return
  };

  /// A list of statements; inside a loop a return breaks out of it.
  Rewritten block(const std::vector<Stmt>& stmts, bool in_loop) {
    std::vector<Stmt> out;
    for (size_t i = 0; i < stmts.size(); ++i) {
      const Stmt& each = stmts[i];
      if (!has_mark(each)) {
        out.push_back(each);
        continue;
      }
      const Rewritten rewritten = one(each, in_loop);
      out.push_back(rewritten.stmt);
      if (rewritten.always) return {seq(std::move(out)), true};
      const std::vector<Stmt> rest(stmts.begin() + ptrdiff_t(i) + 1, stmts.end());
      if (in_loop) {
        if (is_loop(each))
          out.push_back(tilelab::at(each->span, if_then(has_returned(), make(Break{}))));
        continue;
      }
      return append_guarded(std::move(out), each, rest);
    }
    return {seq(std::move(out)), false};
  }

  Rewritten one(const Stmt& stmt, bool in_loop) {
    if (is_mark(*stmt))
      return {in_loop ? seq({stmt, tilelab::at(stmt->span, make(Break{}))}) : stmt, true};
    if (const If* branch = as<If>(stmt)) {
      If made(*branch);
      const Rewritten then_ = block(list_of(branch->then_), in_loop);
      const Rewritten else_ = block(list_of(branch->else_), in_loop);
      made.then_ = then_.stmt;
      if (made.else_) made.else_ = else_.stmt;
      return {make(std::move(made)), then_.always && else_.always};
    }
    const bool looped = in_loop || is_loop(stmt);
    return {map_stmts(stmt, [&](const Stmt& s) { return block(list_of(s), looped).stmt; })};
  }

  /// Appends `rest`, guarded for the threads that did not return in `each`, the last of `out`.
  Rewritten append_guarded(std::vector<Stmt> out, const Stmt& each, std::vector<Stmt> rest) {
    // Memory belongs to the kernel, so its declarations are not guarded.
    auto made_here = [](const Stmt& s) { return as<Buffer>(s) != nullptr; };
    auto first = std::stable_partition(rest.begin(), rest.end(), made_here);
    out.insert(out.end() - 1, rest.begin(), first);
    rest.erase(rest.begin(), first);
    if (rest.empty()) return {seq(std::move(out)), false};
    const Rewritten after = block(rest, false);
    const If* branch = as<If>(each);
    const bool then_ends = branch && ends(branch->then_), else_ends = branch && ends(branch->else_);
    if (then_ends != else_ends && !has_mark(then_ends ? branch->else_ : branch->then_)) {
      If made(to<If>(out.back()));
      Stmt& other = then_ends ? made.else_ : made.then_;
      std::vector<Stmt> both = list_of(other);
      both.push_back(after.stmt);
      other = seq(std::move(both));
      out.back() = tilelab::at(each->span, make(std::move(made)));
    } else {
      Expr here = negated(has_returned());
      out.push_back(tilelab::at(each->span, if_then(std::move(here), after.stmt)));
    }
    return {seq(std::move(out)), after.always};
  }

  /// Whether the block returns unconditionally.
  static bool ends(const Stmt& body) {
    const std::vector<Stmt> stmts = list_of(body);
    return std::any_of(stmts.begin(), stmts.end(), [](const Stmt& s) { return is_mark(*s); });
  }

  Expr has_returned() {
    if (!left_) left_ = name_();
    return binary(BinOp::ne, name_ref(left_, {DType::i32}), int_const(0));
  }

  Stmt with_variable(const Stmt& body) const {
    const Stmt marked = rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
      if (!is_mark(*s)) return s;
      Assign mark(to<Assign>(s));
      mark.name = left_;
      return make(std::move(mark));
    });
    return seq({var(left_, DType::i32, int_const(0)), marked});
  }

  /// Removes the marks if no flag is needed.
  static Stmt without_marks(const Stmt& body) {
    return rewrite_stmts(body, [&](const Stmt& s) -> Stmt {
      if (is_mark(*s)) return seq({});
      const If* branch = as<If>(s);
      if (!branch || !list_of(branch->then_).empty()) return s;
      if (!branch->else_ || list_of(branch->else_).empty()) return seq({});
      return tilelab::at(s->span, if_then(negated(branch->cond), branch->else_));
    });
  }

  FunctionRef<Symbol()> name_;
  Symbol left_;  // flag; empty: not needed
};

}  // namespace

Stmt thread_return() { return assign(kMark, int_const(1)); }

bool has_return(const Node& body) {
  return any_of(body, [](const Assign& assign) { return is_mark(assign); });
}

Stmt without_returns(const Stmt& body, FunctionRef<Symbol()> name) {
  return has_mark(body) ? Returns(name).of_kernel(body) : body;
}

}  // namespace tilelab::elaborate
