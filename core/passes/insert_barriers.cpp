// SPDX-License-Identifier: Apache-2.0
// insert_barriers: between two tile operations that touch the same memory, one of them writing, the
// threads must meet, unless each element is touched by one and the same thread. Runs on tile
// operations, where an access is a whole buffer and a map, so every hazard is seen once; loops are
// walked twice, so that hazards with the next iteration are. Sound because later passes keep
// thread <-> iteration and all workspaces are in the IR.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <optional>
#include <set>
#include <tuple>
#include <unordered_set>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/ir/varying.h"
#include "core/layout/layout.h"
#include "core/passes/linear.h"
#include "core/passes/passes.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

/// One access of a statement to a buffer. With `layout`, the thread of each element is known: the
/// box [lo, lo + extent) is spread over threads by the layout, position by position.
struct Access {
  Symbol buffer;
  bool write = false;
  std::string atomic;    // the operation
  bool element = false;  // of one element, outside of T.Parallel
  bool own = false;      // and in code that the user wrote for each thread
  std::optional<Layout> layout;
  std::vector<Expr> lo;
  std::vector<int64_t> extents;
  Span span;
  std::vector<Expr> index = {};  // of an element
};

using Accesses = std::vector<Access>;

/// Byte range of a buffer in the arena, to see aliases.
struct Place {
  int64_t lo = 0, hi = 0;
};

class BarrierInserter {
 public:
  BarrierInserter(const Func& func, const Kernel& kernel, Diagnostics& diagnostics)
      : diagnostics_(diagnostics), buffers_(buffers_of(func)), varying_(kernel) {
    fixed_.insert(kernel.indices.begin(), kernel.indices.end());
    for (const Stmt& dim : func.dims) fixed_.insert(to<Dim>(dim).name);
    for (const Stmt& param : func.params) fixed_.insert(to<Param>(param).name);
    for (auto& [name, buffer] : buffers_)
      if (buffer->scope == Scope::shared && buffer->at >= 0) places_[name] = place(*buffer);
    walk(*kernel.body, [&](const Node& node) {
      if (const View* view = as<View>(&node)) views_[view->name] = view->buffer;
      if (const Let* let = as<Let>(&node)) lets_[let->name] = substitute(let->value, lets_);
      return group(node.kind) != Group::expr;
    });
  }

  Stmt run(const Stmt& body) { return visit(body); }
  int inserted() const { return inserted_; }
  const std::vector<std::string>& reasons() const { return reasons_; }

 private:
  static Place place(const Buffer& buffer) {
    int64_t elements = buffer.layout.known() ? extent(buffer.layout, 'a') : 1;
    if (!buffer.layout.known())
      for (int64_t e : const_shape(buffer)) elements *= e;
    return {buffer.at, buffer.at + elements * bytes(buffer.dtype)};
  }

  Symbol root(Symbol name) const {
    for (auto it = views_.find(name); it != views_.end(); it = views_.find(name)) name = it->second;
    return name;
  }

  bool tracked(Symbol name) const {
    auto it = buffers_.find(root(name));
    return it != buffers_.end() &&
           (it->second->scope == Scope::shared || it->second->scope == Scope::global);
  }
  bool global(Symbol name) const { return buffers_.at(root(name))->scope == Scope::global; }

  bool overlap(Symbol a, Symbol b) const {
    if (root(a) == root(b)) return true;
    auto x = places_.find(root(a)), y = places_.find(root(b));
    if (x == places_.end() || y == places_.end()) return false;
    return x->second.lo < y->second.hi && y->second.lo < x->second.hi;
  }

  /// The same thread touches each element in both.
  static bool same_thread(const Access& a, const Access& b) {
    if (a.buffer != b.buffer || !a.layout || !b.layout || !(*a.layout == *b.layout)) return false;
    if (!a.layout->rep.empty() || a.extents != b.extents) return false;
    for (size_t i = 0; i < a.lo.size(); ++i)
      if (!tilelab::equal(a.lo[i], b.lo[i])) return false;
    return true;
  }

  /// Sums among themselves and so on; a sum and a minimum depend on their order. Single loads and
  /// stores by atomics are how threads talk without meeting: no barrier of ours comes between.
  static bool commute(const std::string& a, const std::string& b) {
    if (a.empty() || b.empty()) return false;
    auto talks = [](const std::string& op) { return op == "load" || op == "store"; };
    return a == b || talks(a) || talks(b);
  }

  bool hazard(const Access& before, const Access& now) const {
    if (!before.write && !now.write) return false;
    if (commute(before.atomic, now.atomic)) return false;
    return overlap(before.buffer, now.buffer) && !same_thread(before, now);
  }

  // ---- what a statement touches

  /// The access of a tile operation to a region under its layout.
  void touch(const Expr& expr, bool write, const Layout& layout, Accesses& out) const {
    const Region* region = as<Region>(expr);
    if (!region || !tracked(region->buffer)) return;
    Access access = unknown(region->buffer, write, expr->span);
    if (layout.known()) access.layout = layout;
    for (const RegionDim& d : region->dims)
      access.lo.push_back(d.lo), access.extents.push_back(d.extent);
    settle(access);
    out.push_back(std::move(access));
  }

  static Access unknown(Symbol buffer, bool write, Span span, std::string atomic = "") {
    return {buffer, write, std::move(atomic), false, false, std::nullopt, {}, {}, span};
  }

  /// Keeps the layout only if equal boxes mean equal elements: the box lies at the same place each
  /// time, or moves by at least its own width with every enclosing loop that moves it.
  void settle(Access& access) const {
    if (!access.layout) return;
    std::vector<Symbol> moving;
    for (Expr& lo : access.lo) {
      lo = substitute(lo, lets_);
      walk(*lo, [&](const Node& node) {
        if (as<Load>(&node)) access.layout.reset();
        const Name* name = as<Name>(&node);
        if (!name || fixed_.count(name->id)) return true;
        if (std::find(loops_.begin(), loops_.end(), name->id) == loops_.end())
          access.layout.reset();
        else
          moving.push_back(name->id);
        return true;
      });
    }
    for (Symbol var : moving) {
      bool steps_over = false;
      for (size_t d = 0; d < access.lo.size(); ++d) {
        Linear lo = linear_of(access.lo[d]);
        bool alone = !lo.nested(var);
        for (Symbol other : moving)
          alone = alone && (other == var || !mentions(access.lo[d], other));
        steps_over |= alone && std::abs(lo.coefficient(var)) >= access.extents[d];
      }
      if (!steps_over) access.layout.reset();
    }
  }

  /// Loads inside an expression.
  void reads(const Expr& expr, const Parallel* loop, Accesses& out) const {
    walk(*expr, [&](const Node& node) {
      if (const Load* l = as<Load>(&node); l && tracked(l->buffer))
        out.push_back(element(l->buffer, l->index, false, loop, node.span));
      if (const Region* r = as<Region>(&node); r && tracked(r->buffer))
        out.push_back(unknown(r->buffer, false, node.span));
      return true;
    });
  }

  /// An element access in a T.Parallel, seen as a box: each loop variable stands alone, times one,
  /// in one index (then elements and iterations correspond).
  Access element(Symbol buffer, const std::vector<Expr>& index, bool write, const Parallel* loop,
                 Span span) const {
    Access access = unknown(buffer, write, span);
    access.element = !loop;
    if (!loop)
      for (const Expr& i : index) access.index.push_back(substitute(i, lets_));
    if (!loop || !loop->layout.known()) return access;
    std::vector<int> uses(loop->vars.size(), 0);
    std::vector<size_t> order;  // of the loop's variables in the box's dimensions
    for (const Expr& i : index) {
      Linear lo = linear_of(substitute(i, lets_));
      int64_t extent = 1;
      for (size_t v = 0; v < loop->vars.size(); ++v) {
        int64_t c = lo.coefficient(loop->vars[v]);
        if (lo.nested(loop->vars[v]) || (c != 0 && (c != 1 || extent != 1))) return access;
        if (c == 0) continue;
        ++uses[v];
        if (loop->layout.shape[v] != 1) order.push_back(v);
        extent = loop->layout.shape[v];
        lo.add(linear_of(name_ref(loop->vars[v])), -1);
      }
      access.lo.push_back(expr_of(lo, i->type.dtype));
      access.extents.push_back(extent);
    }
    for (int n : uses)
      if (n != 1) return access;
    access.layout = loop->layout;
    // The box's dimensions must come in the order of the loop's (S[j, i] is a transposed box).
    if (!std::is_sorted(order.begin(), order.end())) access.layout.reset();
    settle(access);
    return access;
  }

  void collect(const Stmt& stmt, const Parallel* loop, Accesses& out) const {
    if (const Copy* c = as<Copy>(stmt)) {
      touch(c->src, false, c->layout, out);
      touch(c->dst, true, c->layout, out);
    } else if (const Fill* f = as<Fill>(stmt)) {
      touch(f->dst, true, f->layout, out);
      reads(f->value, loop, out);
    } else if (const Gemm* g = as<Gemm>(stmt)) {
      touch(g->a, false, {}, out);
      touch(g->b, false, {}, out);
    } else if (const Reduce* r = as<Reduce>(stmt)) {
      touch(r->src, false, {}, out);
      touch(r->dst, true, {}, out);
    } else if (const Atomic* a = as<Atomic>(stmt)) {
      size_t first = out.size();
      touch(a->dst, true, a->layout, out);
      for (size_t i = first; i < out.size(); ++i) out[i].atomic = name(a->op);
      reads(a->value, loop, out);
    } else if (const Store* s = as<Store>(stmt)) {
      std::vector<Expr> index;
      for (const RegionDim& d : s->dims) index.push_back(d.lo), reads(d.lo, loop, out);
      reads(s->value, loop, out);
      if (tracked(s->buffer)) out.push_back(element(s->buffer, index, true, loop, stmt->span));
    } else if (const Do* d = as<Do>(stmt)) {
      intrinsic(to<Call>(d->call), loop, stmt->span, out);
    } else {
      const Parallel* inner = as<Parallel>(stmt);
      for_each_child(
          *stmt, [&](const Expr& e) { reads(e, loop, out); },
          [&](const Stmt& s) { collect(s, inner ? inner : loop, out); });
    }
  }

  void intrinsic(const Call& call, const Parallel* loop, Span span, Accesses& out) const {
    const std::string word(name(call.intrinsic));
    const bool atomic = word.substr(0, 7) == "atomic_";
    for (const Expr& arg : call.args) {
      const Region* r = as<Region>(arg);
      if (atomic && r && tracked(r->buffer))
        out.push_back(unknown(r->buffer, true, span, word.substr(7)));
      else
        reads(arg, loop, out);
    }
  }

  /// Workspaces that an operation writes, meets over, and reads.
  static std::vector<Symbol> workspaces(const Stmt& stmt) {
    if (const Reduce* r = as<Reduce>(stmt); r && r->workspace) return {r->workspace};
    std::vector<Symbol> out;
    if (const Gemm* g = as<Gemm>(stmt))
      for (Symbol w : g->workspaces)
        if (w) out.push_back(w);
    return out;
  }

  // ---- the walk

  static bool is_barrier(const Stmt& stmt) {
    const Do* d = as<Do>(stmt);
    const Call* c = d ? as<Call>(d->call) : nullptr;
    return c && (c->intrinsic == Intrinsic::block_sync || c->intrinsic == Intrinsic::role_sync);
  }

  /// A barrier, if something pending conflicts with what comes.
  Stmt barrier_for(const Accesses& next) {
    for (const Access& before : pending_)
      for (const Access& now : next)
        if (hazard(before, now)) {
          reasons_.push_back((now.span.known() ? std::to_string(now.span.line) + ": " : "") +
                             "block_sync: other threads " + (before.write ? "write " : "read ") +
                             before.buffer.str() + " before it is " +
                             (now.write ? "written" : "read") + " here");
          tell_all(next);
          bool all = global(before.buffer) || global(now.buffer);
          pending_.clear();
          ++inserted_;
          std::vector<Attr> attrs;
          if (all) attrs.push_back(attr("mem", "all"));
          return do_call(in_role_ ? Intrinsic::role_sync : Intrinsic::block_sync, {}, attrs);
        }
    return nullptr;
  }

  /// Upstream repairs a T.sync_threads() that is missing between the lines of threads, and so do
  /// we. Whoever wrote them should know: elsewhere the same lines race.
  void tell_all(const Accesses& next) {
    for (const Access& before : pending_)
      for (const Access& now : next)
        if (hazard(before, now) && before.own && now.own && !own_element(before, now))
          tell(before, now);
  }

  /// Each thread touches one element, its own, in both.
  static bool own_element(const Access& before, const Access& now) {
    if (before.buffer != now.buffer || before.index.size() != now.index.size()) return false;
    bool apart = false;  // threads have different elements
    for (size_t d = 0; d < now.index.size(); ++d) {
      if (!tilelab::equal(before.index[d], now.index[d])) return false;
      Linear linear = linear_of(now.index[d]);
      apart |= linear.coefficient("tid") != 0 && !linear.nested("tid");
    }
    return apart;
  }

  void tell(const Access& before, const Access& now) {
    if (root(before.buffer) != root(now.buffer)) return;
    if (!before.span.known() || !now.span.known()) return;
    if (!told_.insert({before.span.file, before.span.line, now.span.file, now.span.line}).second)
      return;
    std::string name = root(now.buffer).str();
    bool later =
        std::tie(before.span.line, before.span.col) >= std::tie(now.span.line, now.span.col);
    diagnostics_
        .report(Diag::barrier_inserted, now.span, before.write ? "write" : "read", name,
                now.write ? "written" : "read")
        .mark((now.write ? "writes " : "reads ") + name + (later ? " in the next iteration" : ""))
        .label(before.span, (before.write ? "writes " : "reads ") + name)
        .help("write T.sync_threads() between the two, so that it stands where it is needed");
  }

  void leave(const Stmt& stmt, const Accesses& accesses) {
    auto scratch = workspaces(stmt);
    if (!scratch.empty()) pending_.clear();  // the operation meets in between
    append(pending_, accesses);
    for (Symbol w : scratch) pending_.push_back(unknown(w, false, stmt->span));
  }

  Stmt leaf(const Stmt& stmt) {
    if (is_barrier(stmt)) return pending_.clear(), stmt;
    Accesses accesses;
    collect(stmt, nullptr, accesses);
    for (Access& access : accesses) {
      access.own = access.element && varying_(*stmt);
      if (!access.span.known()) access.span = stmt->span;
    }
    Accesses enter = accesses;
    for (Symbol w : workspaces(stmt)) enter.push_back(unknown(w, true, stmt->span));
    Stmt barrier = barrier_for(enter);
    leave(stmt, accesses);
    return seq({barrier, stmt});
  }

  /// Statements in which barriers may stand: every thread comes there equally often.
  bool compound(const Stmt& stmt) const {
    switch (stmt->kind) {
      case Kind::Seq:
      case Kind::Role: return true;
      case Kind::For:
      case Kind::While:
      case Kind::If:
      case Kind::TileLoop: return !varying_(*stmt);
      default: return false;
    }
  }

  static bool same(const Access& a, const Access& b) {
    return a.buffer == b.buffer && a.write == b.write && a.atomic == b.atomic &&
           a.element == b.element && a.own == b.own && a.span == b.span && a.layout == b.layout &&
           a.extents == b.extents && equal(a.lo, b.lo) && equal(a.index, b.index);
  }

  static bool equal(const std::vector<Expr>& a, const std::vector<Expr>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Expr& x, const Expr& y) { return tilelab::equal(x, y); });
  }

  /// What is there already does not come twice: pending accesses meet again behind every loop.
  static void append(Accesses& to, const Accesses& more) {
    for (const Access& access : more)
      if (std::none_of(to.begin(), to.end(), [&](const Access& a) { return same(a, access); }))
        to.push_back(access);
  }

  /// The body of a loop with what it reads to go on. Behind the loop is pending what any way out
  /// leaves: the end of the body, a break, and, unless the loop surely runs, what there was before.
  Stmt loop_body(const Stmt& body, const Accesses& conditions, bool runs) {
    const Accesses entry = pending_;
    Accesses breaks = std::exchange(broken_, {});
    Stmt now = body;
    for (int round : {0, 1}) {  // in the second what the iteration before left is pending too
      if (round) append(pending_, entry);
      broken_.clear();
      now = visit(now);
      now = seq({now, barrier_for(conditions)});
      append(pending_, conditions);
    }
    append(pending_, broken_);
    if (!runs) append(pending_, entry);
    broken_ = std::move(breaks);
    return now;
  }

  static bool surely_runs(const Stmt& stmt) {
    const For* loop = as<For>(stmt);
    if (!loop || !loop->steps.empty()) return loop != nullptr;
    auto lo = int_value(loop->lo), hi = int_value(loop->hi), step = int_value(loop->step);
    return lo && hi && step && (*step > 0 ? *lo < *hi : *lo > *hi);
  }

  Stmt visit(const Stmt& stmt) {
    if (as<Break>(stmt)) return append(broken_, pending_), stmt;
    if (!compound(stmt)) return leaf(stmt);
    if (const Seq* s = as<Seq>(stmt)) {
      std::vector<Stmt> out;
      for (const Stmt& inner : s->stmts) out.push_back(visit(inner));
      return at(stmt->span, seq(std::move(out)));
    }
    Accesses conditions;
    for_each_child(
        *stmt, [&](const Expr& e) { reads(e, nullptr, conditions); }, [](const Stmt&) {});
    Stmt barrier = barrier_for(conditions);
    append(pending_, conditions);
    return seq({barrier, inside(stmt, as<While>(stmt) ? conditions : Accesses{})});
  }

  Stmt inside(const Stmt& stmt, const Accesses& conditions) {
    if (const If* s = as<If>(stmt)) {
      If out(*s);
      Accesses entry = pending_;
      out.then_ = visit(s->then_);
      Accesses after_then = std::exchange(pending_, entry);
      if (s->else_) out.else_ = visit(s->else_);
      append(pending_, after_then);
      return make(std::move(out));
    }
    if (const Role* r = as<Role>(stmt)) {
      Role out(*r);
      in_role_ = true;
      out.body = visit(r->body);
      in_role_ = false;
      return make(std::move(out));
    }
    if (const For* loop = as<For>(stmt)) loops_.push_back(loop->var);
    Stmt out = map_children(
        stmt, [](const Expr& e) { return e; },
        [&](const Stmt& s) { return loop_body(s, conditions, surely_runs(stmt)); });
    if (as<For>(stmt)) loops_.pop_back();
    return out;
  }

  Diagnostics& diagnostics_;
  std::set<std::array<uint32_t, 4>> told_;  // file and line, before and now
  BufferTable buffers_;
  Varying varying_;
  std::unordered_map<Symbol, Place> places_;
  std::unordered_map<Symbol, Symbol> views_;
  std::unordered_set<Symbol> fixed_;  // names that are the same throughout the kernel
  Substitution lets_;
  std::vector<Symbol> loops_;  // variables of the enclosing loops
  Accesses pending_;
  Accesses broken_;  // pending at the breaks of the innermost loop
  bool in_role_ = false;
  int inserted_ = 0;
  std::vector<std::string> reasons_;
};

}  // namespace

FuncRef insert_barriers(const FuncRef& func, PassContext& context) {
  int inserted = 0;
  Stmt body = rewrite(
      func->body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const Kernel* kernel = as<Kernel>(s);
        if (!kernel) return s;
        BarrierInserter inserter(*func, *kernel, context.diagnostics);
        Kernel out(*kernel);
        out.body = inserter.run(kernel->body);
        inserted += inserter.inserted();
        context.reasons.insert(context.reasons.end(), inserter.reasons().begin(),
                               inserter.reasons().end());
        return make(std::move(out));
      });
  context.decide(inserted ? plural(inserted, "barrier") : "none needed");
  return with_body(func, body);
}

}  // namespace tilelab
