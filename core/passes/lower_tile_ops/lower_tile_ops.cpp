// SPDX-License-Identifier: Apache-2.0
// lower_tile_ops: lowers block-level operations to the program of one thread. All decisions are in
// the IR already: layouts, widths, workspaces and barriers. Each tile operation becomes loops over
// the registers of a thread (in a separate file); fragments become local arrays whose `layout`
// keeps the distribution. Barriers are added only inside an operation's expansion.
//   for i, j in parallel(2, 512, lay=[[r(2, 4)], [t(128, 1), r(4, 1)]]): x[i, j] = x[i, j] / s[i]
//   ->  for i in unroll(2): for j in unroll(4): x[4 * i + j] = x[4 * i + j] / s[i]
#include <optional>
#include <unordered_set>

#include "core/analysis/effects.h"
#include "core/ir/tile_loop.h"
#include "core/ir/traverse.h"
#include "core/layout/layout.h"
#include "core/passes/lower_tile_ops/lowering.h"
#include "core/passes/lower_tile_ops/mapped_accesses.h"
#include "core/passes/pass.h"
#include "core/targets/target.h"

namespace tilelab {

Stmt lower(const Buffer& buffer, const LoweringScope&, Lowering& lowering) {
  if (buffer.scope == Scope::barrier) return lower_barriers(buffer, lowering);
  if (buffer.scope != Scope::fragment && !buffer.ring) return Stmt(&buffer);
  Buffer local(buffer);
  local.ring = {};  // its barriers and cursors replace it
  if (buffer.scope != Scope::fragment) return make(std::move(local));
  local.scope = Scope::local;
  CHECK(buffer.layout.known(), "fragment " + buffer.name.str() + " has no layout");
  local.shape = {int_const(extent(buffer.layout, 'r'))};
  return make(std::move(local));
}

Stmt lower(const View& view, const LoweringScope&, Lowering& lowering) {
  const Storage memory = lowering.storage(view.name);
  if (!memory.spread()) return Stmt(&view);
  if (memory.name != view.name) return seq({});  // the same registers
  View bits(view);
  bits.shape = {int_const(extent(memory.layout, 'r'))};
  return make(std::move(bits));
}

Stmt Lowering::once(Stmt stmt, const Node& original, const LoweringScope& here) const {
  if (here.walk || here.single || varying_(original)) return stmt;
  const bool tile = group(original.kind) == Group::tile && original.kind != Kind::Record;
  if (tile && !here.all_threads_reach())  // of the range that executes it
    return if_then(eq(here.tid(), int_const(here.range.lo)), stmt);
  if (here.divergent) return stmt;
  return if_then(leader(here), stmt);
}

Stmt lower(const Store& s, const LoweringScope& here, Lowering& lowering) {
  std::vector<Expr> index;
  for (const RegionDim& d : s.dims) {
    CHECK(d.point, "only vectorize makes vector stores");
    index.push_back(here.simplified(lowering.expr(d.lo, here)));
  }
  Storage target = lowering.storage(s.buffer);
  Expr bounds = target.scope() == Scope::global ? here.in_bounds(target.shape, index) : nullptr;
  // The value is only needed if the store is executed.
  Expr value = lowering.expr(s.value, lowering.where(here, bounds));
  Stmt out = lowering.write(s.buffer, index, value, false, here.walk, here);
  return target.visible() ? lowering.once(out, s, here) : out;
}

Stmt lower(const Seq& list, LoweringScope here, Lowering& lowering) {
  std::vector<Stmt> out;
  for (const Stmt& each : list.stmts) {
    here.forget(each);
    const Record* record = as<Record>(each);
    if (record && record->what == RecordKind::assume) {
      const Expr condition = lowering.expr(record->values.at(0), here);
      here.assume(condition);
      if (lowering.is_invariant_condition(condition)) here.facts.learn(condition);
      continue;
    }
    out.push_back(lowering.stmt(each, here));
    const Let* let = as<Let>(out.back());
    if (let && is_integer(let->value->type.dtype)) here.facts.bind(*let);
  }
  return seq(std::move(out));
}

Stmt lower(const For& loop, LoweringScope here, Lowering& lowering) {
  here.facts.enter(loop);
  const auto held = pipeline_matmul(loop, here, lowering);
  const Stmt loop_stmt = lowering.children(held ? held->loop : Stmt(&loop), here);
  return held ? seq({held->before, loop_stmt, held->after}) : loop_stmt;
}

/// A loop over tickets from a mailbox, as operations on its ring.
static Stmt lower_mailbox(const TileLoop& loop, const LoweringScope& here, Lowering& lowering) {
  const Buffer* mail = mailbox_of(loop, lowering.kernel());
  CHECK(mail, "a mailbox without a buffer of tickets");  // a rule of the verifier
  if (loop.counter && !here.single)
    return lowering.refuse(loop, "a mailbox that several threads fill");
  const MailboxNames names{lowering.fresh_var("tile"), lowering.fresh("mail_slot"),
                           lowering.fresh("drawn"), lowering.fresh("last")};
  return lowering.stmt(mailbox_loop(loop, lowering.kernel(), mail->name, names), here);
}

/// As a loop over tickets. C has loops with constant steps only.
Stmt lower(const TileLoop& loop, LoweringScope here, Lowering& lowering) {
  if (loop.source == TileSource::mailbox) return lower_mailbox(loop, here, lowering);
  const Symbol ticket = lowering.fresh("tile");
  auto plan = tickets(loop, lowering.kernel(), ticket);
  CHECK(plan, "a persistent loop with another source");  // reported before
  Expr first = here.simplified(plan->first), count = here.simplified(plan->count);
  For strided;
  strided.var = ticket, strided.lo = first, strided.hi = count, strided.step = plan->stride;
  const bool constant = int_value(plan->stride).has_value();
  if (constant) here.facts.enter(strided);
  std::vector<Stmt> body;
  for (size_t i = 0; i < plan->coordinates.size(); ++i) {
    const Let& coordinate = to<Let>(plan->coordinates[i]);
    body.push_back(let(coordinate.name, here.simplified(coordinate.value)));
    const bool last = i + 1 == plan->coordinates.size();
    const int64_t end = here.facts.range(loop.domain[last ? i : loop.domain.size() - 2 - i]).hi;
    here.facts.set(coordinate.name, {0, std::max<int64_t>(0, end - 1)});
  }
  Stmt inner = lowering.stmt(loop.body, lowering.where(here, plan->inside));
  body.push_back(plan->inside ? if_then(plan->inside, inner) : inner);
  if (constant) {
    strided.body = seq(std::move(body));
    return make(std::move(strided));
  }
  const Expr number = name_ref(ticket, first->type);
  body.push_back(assign(ticket, add(number, plan->stride)));
  return seq(
      {var(ticket, first->type.dtype, first), while_loop(lt(number, count), seq(std::move(body)))});
}

namespace {

/// A branch, with the range of the thread index in it.
Stmt lower_branch(const If& branch, bool is_else, LoweringScope here, Lowering& lowering) {
  const Stmt& body = is_else ? branch.else_ : branch.then_;
  const bool parts = lowering.varies(branch) && !here.walk;
  if (auto range = parts ? threads_of(branch, is_else, here.range) : std::nullopt) {
    here.range = *range;
    here.facts.set("tid", {range->lo, range->hi - 1});
  }
  return lowering.stmt(body, here);
}

}  // namespace

Stmt lower(const If& branch, const LoweringScope& here, Lowering& lowering) {
  Expr cond = lowering.expr(branch.cond, here);
  Stmt then_ = lower_branch(branch, false, lowering.where(here, cond), lowering);
  Stmt else_ = branch.else_ ? lower_branch(branch, true, here, lowering) : nullptr;
  const Seq* nothing = as<Seq>(then_);
  if (nothing && nothing->stmts.empty() && !else_) return seq({});  // an assumption was there
  auto always = int_value(cond);
  if (!always) return if_then(cond, then_, else_);
  return *always ? joined(then_, lowering) : else_ ? joined(else_, lowering) : seq({});
}

Stmt Lowering::children(const Stmt& stmt, const LoweringScope& here) {
  return map_children(
      stmt, [&](const Expr& e) { return expr(e, here); },
      [&](const Stmt& s) { return this->stmt(s, here); });
}

/// Sets the location of the statement, and of nested ones without a location, to `span`.
static Stmt with_location(Span span, const Stmt& stmt) {
  return at(span, map_stmts(stmt, [&](const Stmt& inner) { return with_location(span, inner); }));
}

static bool has_statements(const Node& node) {
  bool found = false;
  for_each_stmt(node, [&](const Stmt&) { found = true; });
  return found;
}

Stmt Lowering::stmt(const Stmt& stmt, const LoweringScope& around) {
  LoweringScope here = around;
  here.divergent |= (as<If>(stmt) || as<While>(stmt) || as<For>(stmt)) && varying_(*stmt);
  check_addresses(*stmt, here, *this);
  Stmt out = visit(*stmt, [&](const auto& node) -> Stmt {
    if constexpr (requires { lower(node, here, *this); })
      return lower(node, here, *this);
    else
      return children(stmt, here);
  });
  if (out && !has_statements(*stmt)) return with_location(stmt->span, out);
  if (const Seq* several = as<Seq>(out)) {  // spliced into the parent, which drops its span
    Seq placed(*several);
    for (Stmt& s : placed.stmts) s = at(stmt->span, s);
    out = make(std::move(placed));
  }
  return at(stmt->span, out);
}

namespace {

/// The reason why a node cannot be lowered; empty if it can.
std::string not_lowered(const Node& node, const Target& target) {
  if (const Gemm* gemm = as<Gemm>(&node)) {
    const MatrixInstruction* row = target.matrix(gemm->by);
    return row ? not_lowered_by(*gemm, *row) : "";
  }
  if (const Copy* copy = as<Copy>(&node))
    return copy->by == CopyBy::ldmatrix ? "a copy by ldmatrix" : "";
  if (const Ring* ring = as<Ring>(&node)) return not_lowered(*ring, target);
  if (const Role* role = as<Role>(&node); role && role->copies > 1) return "a role with copies";
  return node.kind == Kind::Scan ? "a scan" : "";
}

/// A slot that an engine fills is passed on when the bytes have arrived: nothing would order stores
/// by threads that fill it. Those who have waited for it may store.
void reject_stores_with_engines(const Func& func, PassContext& context) {
  const BufferTable buffers = buffers_of(func);
  const BufferViews views = views_of(*func.body);
  std::unordered_set<Symbol> by_engine, filled;
  for_each(
      *func.body,
      [&](const Ring& ring) {
        if (ring.fill == RingFill::tx) by_engine.insert(ring.name);
      },
      [&](const RingOp& op) {
        if (op.op == RingOpKind::wait) filled.insert(op.slot);
      });
  if (by_engine.empty()) return;
  const auto has_waited = [&](const StmtNode& node) {
    const Store* store = as<Store>(&node);
    const Name* slot = store && !store->dims.empty() ? as<Name>(store->dims[0].lo) : nullptr;
    return slot && filled.count(slot->id);
  };
  for_each(*func.body, [&](const StmtNode& node) {
    for (const Effect& effect : effects(node)) {
      auto it = buffers.find(views.base_of(effect.buffer));
      if (effect.write && effect.who == Actor::threads && it != buffers.end() &&
          by_engine.count(it->second->ring) && !has_waited(node))
        context.diagnostics.report(Diag::pass_not_built, node.span, "lower_tile_ops",
                                   "a store by threads into a slot that a copy engine fills");
    }
  });
}

/// The blocks of a cluster have all started before one of them writes to another.
Stmt with_started_cluster(const Stmt& body) {
  if (!calls(*body, {Intrinsic::cluster_store})) return body;
  return seq({do_call(Intrinsic::cluster_sync, {}), body});
}

}  // namespace

FuncRef lower_tile_ops(const FuncRef& func, PassContext& context) {
  for_each(*func->body, [&](const StmtNode& node) {
    if (std::string what = not_lowered(node, context.target); !what.empty())
      context.diagnostics.report(Diag::pass_not_built, node.span, "lower_tile_ops", what);
  });
  reject_stores_with_engines(*func, context);
  if (!context.diagnostics.ok()) return func;
  std::unordered_set<Symbol> made;  // by previous kernels: names are unique in a function
  const FuncRef lowered = rewrite_kernels(func, [&](const Kernel& kernel) -> Stmt {
    Kernel out(kernel);
    const Stmt body = Lowering(*func, kernel, context, made).lower_body();
    if (!context.diagnostics.ok()) return Stmt(&kernel);
    out.body = with_started_cluster(apply_mapped_layouts(body));
    for_each(*out.body, [&](const Buffer& buffer) { made.insert(buffer.name); });
    return make(std::move(out));
  });
  return context.diagnostics.ok() ? lowered : func;
}

}  // namespace tilelab
