// SPDX-License-Identifier: Apache-2.0
// lower_tile_ops: from what a block does to what one thread does. No decision is left: layouts,
// widths, workspaces and barriers are in the IR. Each tile operation becomes loops over the
// registers of a thread (in its lower_*.cpp); fragments become local arrays whose `layout` keeps
// the map. Barriers are added only inside an operation's own expansion.
//   for i, j in parallel(2, 512, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]]): x[i, j] = x[i, j] / s[i]
//   ->  for i in unroll(2): for j in unroll(4): x[4 * i + j] = x[4 * i + j] / s[i]
#include "core/layout/layout.h"
#include "core/passes/lowering.h"
#include "core/passes/passes.h"

namespace tilelab {

Stmt Lowering::lower_buffer(const Buffer& buffer) {
  if (buffer.scope != Scope::fragment) return make(Buffer(buffer));
  Buffer local(buffer);
  local.scope = Scope::local;
  CHECK(buffer.layout.known(), "fragment " + buffer.name.str() + " has no layout");
  local.shape = {int_const(extent(buffer.layout, 'r'))};
  return make(std::move(local));
}

/// A statement that tile level runs once per agent: one thread does it, where others would see it.
/// Under a condition of single threads it runs in those threads, whichever they are.
Stmt Lowering::once(Stmt stmt, const Node& original) const {
  if (walk_ || varying_(original)) return stmt;
  const bool tile = group(original.kind) == Group::tile && original.kind != Kind::Record;
  if (tile && come_ != ThreadRange{0, threads_})  // of the range that does it together
    return if_then(eq(tid(), int_const(come_.lo)), stmt);
  if (divergent_) return stmt;
  const char* who = threads_ == kernel_.block ? "block" : "role";
  Expr leader = call(Intrinsic::leader, {DType::bool_}, {}, {attr("scope", who)});
  return if_then(leader, stmt);
}

Stmt Lowering::lower_store(const Store& s, const Stmt& self) {
  std::vector<Expr> index;
  for (const RegionDim& d : s.dims) {
    CHECK(d.point, "vector stores come with vectorize");
    index.push_back(simplified(lower_expr(d.lo)));
  }
  Storage target = storage(s.buffer);
  bool visible = target.scope() == Scope::global || target.scope() == Scope::shared;
  Expr bounds = target.scope() == Scope::global ? in_bounds(target.shape, index) : nullptr;
  Expr value;
  {
    Known known(*this, bounds);  // the value is only needed where the store happens
    value = lower_expr(s.value);
  }
  Stmt out = write(s.buffer, index, value, false, walk_);
  return visible ? once(out, *self) : out;
}

Stmt Lowering::lower_seq(const Seq& list) {
  const size_t before = assumed_.size();
  std::vector<Stmt> out;
  for (const Stmt& each : list.stmts) {
    forget(each);
    const Record* record = as<Record>(each);
    if (record && record->what == RecordKind::assume)
      assume(*record);
    else
      out.push_back(lower(each));
  }
  assumed_.resize(std::min(before, assumed_.size()));
  return seq(std::move(out));
}

Stmt Lowering::lower_children(const Stmt& stmt) {
  if (const Seq* list = as<Seq>(stmt)) return lower_seq(*list);
  if (const For* loop = as<For>(stmt)) facts_.enter(*loop);
  return map_children(
      stmt, [&](const Expr& e) { return lower_expr(e); }, [&](const Stmt& s) { return lower(s); });
}

Stmt Lowering::lower(const Stmt& stmt) {
  bool diverges = (as<If>(stmt) || as<While>(stmt) || as<For>(stmt)) && varying_(*stmt);
  divergent_ += diverges;
  Stmt out = lowered(stmt);
  divergent_ -= diverges;
  return out;
}

/// A branch, with what is known of the index of the threads that take it.
Stmt Lowering::lower_branch(const If& branch, bool is_else) {
  const Stmt& body = is_else ? branch.else_ : branch.then_;
  auto range = varying_(branch) && !walk_ ? threads_of(branch, is_else, come_) : std::nullopt;
  if (!range) return lower(body);
  const ThreadRange around = std::exchange(come_, *range);
  facts_.set(thread_, {range->lo, range->hi - 1});
  Stmt out = lower(body);
  come_ = around;
  facts_.set(thread_, {around.lo, around.hi - 1});
  return out;
}

Stmt Lowering::lowered(const Stmt& stmt) {
  Stmt out;
  if (const Buffer* b = as<Buffer>(stmt))
    out = lower_buffer(*b);
  else if (const Copy* c = as<Copy>(stmt))
    out = lower_copy(*c);
  else if (const Fill* f = as<Fill>(stmt))
    out = lower_fill(*f);
  else if (const Gemm* g = as<Gemm>(stmt))
    out = lower_gemm(*g);
  else if (const Reduce* r = as<Reduce>(stmt))
    out = lower_reduce(*r);
  else if (const Atomic* a = as<Atomic>(stmt))
    out = lower_atomic(*a);
  else if (const Parallel* p = as<Parallel>(stmt))
    out = lower_parallel(*p);
  else if (const Record* r = as<Record>(stmt))
    out = lower_record(*r);
  else if (const Store* s = as<Store>(stmt))
    out = lower_store(*s, stmt);
  else if (const View* v = as<View>(stmt)) {
    bool same_registers =
        storage(v->name).scope() == Scope::fragment && storage(v->name).name != v->name;
    out = same_registers ? seq({}) : stmt;
  } else if (const If* branch = as<If>(stmt)) {
    Expr cond = lower_expr(branch->cond);
    Stmt then_;
    {
      Known known(*this, cond);
      then_ = lower_branch(*branch, false);
    }
    Stmt else_ = branch->else_ ? lower_branch(*branch, true) : nullptr;
    auto always = int_value(cond);
    const Seq* nothing = as<Seq>(then_);
    if (nothing && nothing->stmts.empty() && !else_) return seq({});  // an assumption stood there
    out = !always ? if_then(cond, then_, else_) : *always ? then_ : else_ ? else_ : seq({});
  } else if (const Let* l = as<Let>(stmt)) {
    out = let(l->name, lower_expr(l->value));
    if (is_integer(l->value->type.dtype)) facts_.bind(to<Let>(out));
  } else if (const Role* role = as<Role>(stmt)) {
    Symbol outer_thread = std::exchange(thread_, role->thread);
    int64_t outer_threads = std::exchange(threads_, role->hi - role->lo);
    const ThreadRange around = std::exchange(come_, {0, threads_});
    facts_.enter(*role);
    out = lower_children(stmt);
    come_ = around;
    thread_ = outer_thread;
    threads_ = outer_threads;
    facts_.set("tid", {0, kernel_.block - 1});
  } else {
    out = lower_children(stmt);
  }
  if (const Seq* several = as<Seq>(out)) {  // joined with its neighbours, where its span is lost
    Seq placed(*several);
    for (Stmt& s : placed.stmts) s = at(stmt->span, s);
    out = make(std::move(placed));
  }
  return at(stmt->span, out);
}

FuncRef lower_tile_ops(const FuncRef& func, PassContext& context) {
  walk(*func->body, [&](const Node& node) {
    const Gemm* gemm = as<Gemm>(&node);
    const char* what = gemm && gemm->by != GemmBy::fma ? "a gemm by matrix instructions"
                       : node.kind == Kind::RingOp     ? "an operation on a ring"
                       : node.kind == Kind::Scan       ? "a scan"
                                                       : nullptr;
    if (what) context.diagnostics.report(Diag::pass_not_built, node.span, "lower_tile_ops", what);
    return true;
  });
  if (!context.diagnostics.ok()) return func;
  Stmt body = rewrite(
      func->body, [](const Expr& e) { return e; },
      [&](const Stmt& s) -> Stmt {
        const Kernel* kernel = as<Kernel>(s);
        if (!kernel) return s;
        Kernel lowered(*kernel);
        Lowering lowering(*func, *kernel, context);
        lowered.body = lowering.short_names(lowering.lower(kernel->body));
        return make(std::move(lowered));
      });
  return with_body(func, body);
}

}  // namespace tilelab
