// SPDX-License-Identifier: Apache-2.0
#include "core/ir/verify/verify.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/tile_loop.h"
#include "core/ir/traverse.h"
#include "core/ir/verify/verifier.h"
#include "core/support/text.h"
#include "core/syntax/lexer.h"

namespace tilelab {
namespace {

bool is_identifier(const std::string& text) {
  if (text.empty() || (text[0] >= '0' && text[0] <= '9') || syntax::is_keyword(text)) return false;
  return std::all_of(text.begin(), text.end(), [](char c) {
    return c == '_' || (c & 0x80) || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z');
  });
}

}  // namespace

// ---- names

const Verifier::Entry* Verifier::find(Symbol id) const {
  auto it = names_.find(id);
  return it == names_.end() ? nullptr : &it->second;
}

const Verifier::Entry* Verifier::need(Symbol id, const Span& span) {
  static const Entry thread{Entry::What::value, {DType::i32}, 0, Scope::global, false};
  if (const Entry* entry = find(id)) return entry;
  const std::string& text = id.str();
  if (kernel_ && (text == "tid" || text == "lane" || text == "warp")) return &thread;
  report(Diag::ir_unknown_name, span, text);
  return nullptr;
}

const Verifier::Entry* Verifier::need(Symbol id, Entry::What what, const char* kind) {
  const Entry* entry = need(id, here_);
  if (!entry || entry->what == what) return entry;
  rule("`" + id.str() + "` is not " + kind);
  return nullptr;
}

void Verifier::declare(Symbol id, Entry entry) {
  if (!is_identifier(id.str())) rule("`" + id.str() + "` is not a valid name");
  if (find(id)) report(Diag::ir_bound_twice, here_, id);
  auto [it, fresh] = names_.try_emplace(id, entry);
  outer_.emplace_back(id, fresh ? std::nullopt : std::optional(it->second));
  it->second = entry;
}

/// Ends a scope: restores the previous meanings of names.
void Verifier::leave(size_t scope) {
  for (; outer_.size() > scope; outer_.pop_back()) {
    auto& [id, before] = outer_.back();
    if (before)
      names_[id] = *before;
    else
      names_.erase(id);
  }
}

/// Buffers and views are unique in the function: passes move both out of their regions.
void Verifier::own_name(Symbol buffer) {
  if (!buffers_.insert(buffer).second)
    rule("two buffers of the function have the name `" + buffer.str() + "`");
}

void Verifier::declare_buffer(const Buffer& b) {
  own_name(b.name);
  declare(b.name, {Entry::What::buffer, {b.dtype}, b.shape.size(), b.scope, false, &b, &b.shape});
}

// ---- structure

/// Checks a statement in a nested scope.
void Verifier::block(const Stmt& s) {
  const size_t scope = enter();
  stmt(s);
  leave(scope);
}

void Verifier::tile_only(const char* what) {
  if (level_ != Level::tile) level_error(what);
  in_kernel(what);
}

bool Verifier::in_kernel(const char* what) {
  if (!kernel_) rule(std::string(what) + " is outside a kernel");
  return kernel_;
}

bool Verifier::on_host(const char* what) {
  if (kernel_) rule(std::string(what) + " is inside a kernel");
  return !kernel_;
}

void Verifier::param(const Param& p) {
  const Buffer* tensor = as<Buffer>(p.tensor);
  if (!tensor) of_call_.insert(p.name);
  if (!tensor) return declare_value(p.name, {p.dtype});
  if (tensor->name != p.name || tensor->dtype != p.dtype || tensor->scope != Scope::global)
    rule("the parameter `" + p.name.str() + "` and its tensor differ");
  memory(*tensor);
}

void Verifier::run() {
  here_ = func_.span;
  for (const Stmt& d : func_.dims) {
    const Dim& dim = to<Dim>(d);
    declare_value(dim.name, {dim.dtype});
    of_call_.insert(dim.name);
    if (dim.lo > dim.hi || dim.multiple < 1)
      rule("no value fits the facts of `" + dim.name.str() + "`");
  }
  for (bool tensor : {false, true})  // a shape may use any scalar parameter
    for (const Stmt& p : func_.params)
      if (static_cast<bool>(to<Param>(p).tensor) == tensor) param(to<Param>(p));
  for (int64_t position : func_.outputs)
    if (position < 0 || position >= static_cast<int64_t>(func_.params.size()))
      rule("output " + std::to_string(position) + " is not a parameter");
  for (const Stmt& d : func_.dims) unbound_.insert(to<Dim>(d).name);
  block(func_.body);
  for (const Stmt& d : func_.dims)
    if (unbound_.count(to<Dim>(d).name))
      rule("no bind reads `" + to<Dim>(d).name.str() + "` off a tensor");
}

void Verifier::statement(const Seq& n) {
  for (const Stmt& s : n.stmts) stmt(s);
}

void Verifier::register_budget(const Kernel& k) {
  int64_t registers = 0;
  for (size_t i = 0; i < roles_.size(); ++i) {
    // Register budgets are set per warp group.
    const bool reallocates = limits_.features.has(Feature::register_handover);
    const int64_t group = (reallocates ? 4 : 1) * limits_.lanes;
    const int64_t first = roles_[i]->lo / group, last = (roles_[i]->hi + group - 1) / group;
    registers += roles_[i]->regs * (last - first) * group;
    for (size_t j = 0; j < i; ++j)
      if (roles_[i]->lo < roles_[j]->hi && roles_[j]->lo < roles_[i]->hi)
        rule("the roles `" + roles_[j]->name.str() + "` and `" + roles_[i]->name.str() +
             "` share threads");
    if (roles_[i]->hi > k.block)
      rule("the role `" + roles_[i]->name.str() + "` exceeds the threads of the block");
  }
  const int64_t limit = limits_.registers / k.min_blocks();
  if (registers > limit)
    rule("the roles of `" + k.name.str() + "` need " + std::to_string(registers) +
         " registers of " + std::to_string(limit));
}

void Verifier::statement(const Kernel& n) {
  on_host("a kernel");
  if (!is_identifier(n.name.str())) rule("`" + n.name.str() + "` is not a valid name of a kernel");
  if (!kernels_.insert(n.name).second)
    rule("two kernels of the function have the name `" + n.name.str() + "`");
  if (n.smem < -1 || n.smem > kMaxBytes) rule("a block has no " + plural(n.smem, "shared byte"));
  if (n.grid.size() != 3) rule("a grid has three extents");
  for (const Expr& e : n.grid) integer(e, "the grid");
  if (n.block < 1 || n.block > kMaxThreads)
    rule("a block has between 1 and " + std::to_string(kMaxThreads) + " threads");
  if (n.indices.size() > 3) rule("a block has three coordinates");
  for (const Stmt& d : func_.dims)  // the extents of tensors guard its accesses
    if (const Symbol dim = to<Dim>(d).name; unbound_.count(dim))
      rule("the kernel `" + n.name.str() + "` starts before a bind has read `" + dim.str() + "`");
  const Kernel* outer = std::exchange(kernel_, &n);
  roles_.clear(), rings_.clear(), ring_ops_.clear(), named_.clear();
  const size_t scope = enter();
  for (Symbol index : n.indices) declare_value(index, {DType::i32});
  at_head_ = true;
  block(n.body);
  leave(scope);
  register_budget(n);
  ring_roles();
  numbered_barriers(n);
  set_up_once(n);
  parameters(n);
  kernel_ = outer;
}

/// At flat level a kernel declares each function parameter that it uses, once.
void Verifier::parameters(const Kernel& k) {
  std::unordered_set<Symbol> given;
  for (Symbol p : k.params) {
    if (need(p, here_) && !given.insert(p).second)
      rule("`" + p.str() + "` is a parameter of its kernel twice");
  }
  if (level_ != Level::flat) return;
  auto used = names_in(*k.body);
  for (Symbol p : k.params) used.erase(p);
  for_each_argument(func_, [&](Symbol name) {
    given.erase(name);
    if (name && used.count(name))
      rule("`" + name.str() + "` is not a parameter of the kernel that uses it");
  });
  for (Symbol p : k.params)
    if (given.erase(p))
      rule("`" + p.str() +
           "` is not a valid parameter of a kernel: valid are the tensors of its function, " +
           "numbers, extents, tensor maps and workspaces");
}

void Verifier::statement(const Role& n) {
  in_kernel("a role");
  if (level_ == Level::flat) level_error("a role");
  if (role_) rule("a role is inside another role");
  if (!limits_.features.has(Feature::part_sync))
    report(Diag::target_lacks, here_, n.name, func_.target, reason_without(Feature::part_sync));
  if (n.regs < 0) rule("the role `" + n.name.str() + "` has a negative number of registers");
  if (n.lo < 0 || n.hi <= n.lo || n.lo % limits_.lanes || n.hi % limits_.lanes || n.copies < 1)
    rule("the role `" + n.name.str() + "` has no whole warps");
  roles_.push_back(&n);
  const Role* outer = std::exchange(role_, &n);
  block(n.body);
  role_ = outer;
}

void Verifier::loop_bounds(const For& n) {
  integer(n.lo, "a loop bound"), integer(n.hi, "a loop bound"), integer(n.step, "a loop step");
  if (!n.lo || !n.hi || !n.step) return;
  if (!same_type(n.lo, n.hi) || !same_type(n.lo, n.step))
    rule("the bounds of a loop have one type");
  const auto step = int_value(n.step);
  if (!step) rule("the step of a loop is a constant");
  if (step && *step < 1) rule("the step of a loop is 1 or more, not " + std::to_string(*step));
  bool constant = is_const(n.lo) && is_const(n.hi) && is_const(n.step);
  if (n.mode != LoopMode::serial && n.steps.empty() && !constant)
    rule("an unrolled loop has constant bounds");
  if (!n.vec) return;
  if (n.vec < 0) rule("`vec` of a loop is a number of elements");
  if (!is_int(n.lo, 0) || !is_int(n.step, 1) || !constant || !n.steps.empty())
    rule("a loop with `vec` has a constant number of iterations, starting at 0");
  if (n.stages > 0 || has_tile_operation(n.body))
    rule("a loop with `vec` processes elements, not tile operations");
}

void Verifier::statement(const For& n) {
  in_kernel("a loop");
  loop_bounds(n);
  if (n.stages && level_ != Level::tile) level_error("a pipelined loop");
  if (n.stages < 0) rule("a pipelined loop has a number of stages");
  if (n.stages > 0 && from(Stage::schedule_pipelines))
    missing(Stage::schedule_pipelines, "a loop is pipelined");
  const size_t scope = enter();
  bool unrolled = n.mode != LoopMode::serial || !n.steps.empty();
  declare_value(n.var, n.lo ? n.lo->type : Type{}, unrolled);
  ++loops_;
  block(n.body);
  --loops_;
  leave(scope);
}

/// Tickets are drawn from its first element; the second counts finished blocks.
void Verifier::counter(Symbol name) {
  const Entry* entry = need(name, Entry::What::buffer, "a buffer");
  if (!entry || entry->what != Entry::What::buffer) return;
  const auto count = entry->rank == 1 ? int_value(entry->shape->front()) : std::nullopt;
  if (entry->scope != Scope::global || entry->type != Type{DType::i32} || !count || *count < 2)
    rule("a counter of tickets is a global buffer of 2 i32");
}

/// Tickets are posted in a buffer of the ring, which must be in scope at the loop.
void Verifier::mailbox(const TileLoop& n) {
  if (!n.ring) return rule("the tickets of a mailbox are passed through a ring");
  const Buffer* mail = kernel_ ? mailbox_of(n, *kernel_) : nullptr;
  if (!mail || !find(mail->name))
    rule("the ring of a mailbox has a buffer of i32, declared before the loop over its tickets");
  for (const Expr& e : n.domain)
    if (e->type != Type{DType::i32}) return rule("tickets count tiles in i32");
}

void Verifier::statement(const TileLoop& n) {
  tile_only("a loop over tiles");
  for (const Expr& e : n.domain) integer(e, "an extent");
  if (n.stride) integer(n.stride, "a stride");
  if (const auto stride = n.stride ? int_value(n.stride) : 1; stride && *stride < 1)
    rule("the stride of a loop over tiles is 1 or more, not " + std::to_string(*stride));
  if (n.ring) need(n.ring, Entry::What::ring, "a ring");
  if (n.source == TileSource::mailbox) mailbox(n);
  if (n.counter) counter(n.counter);
  if (n.domain.size() != n.vars.size() || n.vars.empty())
    return rule("a loop over tiles has a variable for each extent");
  const size_t scope = enter();
  for (size_t i = 0; i < n.vars.size(); ++i) declare_value(n.vars[i], n.domain[i]->type);
  ++loops_;
  block(n.body);
  --loops_;
  leave(scope);
}

void Verifier::statement(const While& n) {
  in_kernel("a loop");
  boolean(n.cond, "a condition");
  ++loops_;
  block(n.body);
  --loops_;
}

void Verifier::statement(const If& n) {
  in_kernel("a branch");
  boolean(n.cond, "a condition");
  if (n.cond && !n.cond->type.scalar()) rule("a condition is a scalar");
  block(n.then_);
  block(n.else_);
}

void Verifier::statement(const Break&) {
  if (!loops_) rule("break is outside a loop");
}

void Verifier::statement(const Parallel& n) {
  tile_only("T.Parallel");
  std::vector<int64_t> box;
  for (const Expr& e : n.extents) box.push_back(int_value(e).value_or(0));
  if (digits(n.layout, "T.Parallel")) spread(n.layout, box, "T.Parallel");
  for (const Expr& e : n.extents) integer(e, "an extent");
  if (n.extents.size() != n.vars.size() || n.vars.empty())
    return rule("T.Parallel has a variable for each extent");
  if (n.by != CopyBy::unset && n.by != CopyBy::async) rule("T.Parallel stores, or copies by async");
  if (from(Stage::infer_layouts) && !n.layout.known())
    missing(Stage::infer_layouts, "T.Parallel has no layout");
  const size_t scope = enter();
  for (size_t i = 0; i < n.vars.size(); ++i) declare_value(n.vars[i], n.extents[i]->type);
  block(n.body);
  leave(scope);
}

// ---- host

void Verifier::statement(const Workspace& n) {
  on_host("a workspace");
  const Buffer* b = as<Buffer>(n.buffer);
  if (!b || b->scope != Scope::global) return rule("a workspace is a global buffer");
  memory(*b);
}

// ---- effects

void Verifier::statement(const Let& n) {
  in_kernel("a value");
  effect_call(n.value);
  declare_value(n.name, n.value ? n.value->type : Type{});
}

void Verifier::statement(const Assign& n) {
  effect_call(n.value);
  const Entry* entry = need(n.name, Entry::What::var, "a variable");
  if (entry && n.value && entry->type != n.value->type)
    report(Diag::ir_type, n.value->span, to_string(n.value->type),
           to_string(entry->type) + ", the type of `" + n.name.str() + "`,");
}

void Verifier::statement(const Store& n) {
  in_kernel("a store");
  expr(n.value);
  int64_t lanes = 1;
  for (const RegionDim& dim : n.dims) {
    integer(dim.lo, "an index");
    if (!dim.point && level_ == Level::tile)
      return rule("a store at tile level is to one element: only vectorize makes vectors");
    lanes *= dim.point ? 1 : dim.extent;
  }
  if (!n.value) return;
  reference(n.buffer, n.dims.size(), n.value->span, n.value->type);
  no_barriers(n.buffer);
  if (!n.value->type.scalar() && n.value->type.lanes != lanes)
    rule(plural(n.value->type.lanes, "lane") + " are stored to " + plural(lanes, "element"));
}

void Verifier::statement(const Do& n) {
  const Call* c = as<Call>(n.call);
  if (!c) return rule("a statement calls an intrinsic");
  in_kernel("an intrinsic");
  call(*c);
  if (info(c->intrinsic).pure())
    rule("`" + std::string(name(c->intrinsic)) + "` has no side effect, and its value is unused");
}

bool verify(const Func& func, const Limits& limits, Diagnostics& sink) {
  Diagnostics found;
  Verifier(func, limits, found).run();
  found.sort();
  sink.append(found);
  return found.ok();
}

}  // namespace tilelab
