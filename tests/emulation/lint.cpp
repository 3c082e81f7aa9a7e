// SPDX-License-Identifier: Apache-2.0
// Traversal of a kernel and the rules for launches, memory and barriers; lint_engines.cpp has those
// for the copy engine and the matrix unit.
#include "tests/emulation/lint.h"

#include <algorithm>
#include <unordered_set>

#include "core/ir/build.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "tests/emulation/lint_kernel.h"

namespace tilelab::codegen {

LintKernel::LintKernel(const Func& func, const Kernel& kernel, const Target& target,
                       std::vector<std::string>& out)
    : ScopedVisitor(func),
      func_(func),
      kernel_(kernel),
      target_(target),
      out_(out),
      buffers_(buffers_of(func)) {}

void LintKernel::complain(const Node& at, const std::string& what) {
  std::string text = kernel_.name.str() + ": " + what;
  if (at.span.known())
    text += " (" + source_name(at.span.file) + ":" + std::to_string(at.span.line) + ")";
  if (std::find(out_.begin(), out_.end(), text) == out_.end()) out_.push_back(text);
}

void LintKernel::run() {
  enter(kernel_);
  for_each(*kernel_.body, [&](const Node& node) { survey(node); });
  slot_ranges();
  launch();
  visit(kernel_.body);
  after();
}

namespace {

/// Comparisons of a name with a constant narrow its range if `cond` is `value`.
void narrow(RangeAnalysis& facts, const Expr& cond, bool value) {
  const Call* c = as<Call>(cond);
  if (c && c->args.size() == 1) narrow(facts, c->args[0], value);  // uniform, guard
  const Bin* bin = as<Bin>(cond);
  if (!bin) return;
  if (bin->op == BinOp::land && value)
    return narrow(facts, bin->a, true), narrow(facts, bin->b, true);
  const Name* name = as<Name>(bin->a);
  const auto bound = int_value(bin->b);
  if (!name || !bound) return;
  Range r = facts.range(bin->a);
  const bool below = (bin->op == BinOp::lt && value) || (bin->op == BinOp::ge && !value);
  const bool above = (bin->op == BinOp::ge && value) || (bin->op == BinOp::lt && !value);
  if (below) r.hi = std::min(r.hi, *bound - 1);
  if (above) r.lo = std::max(r.lo, *bound);
  if (bin->op == BinOp::eq && value) r = Range::exactly(*bound);
  facts.set(name->id, r);
}

}  // namespace

/// Collects facts about the whole kernel that the rules need.
void LintKernel::survey(const Node& node) {
  const Call* call = as<Call>(&node);
  const auto* row = call ? matrix_of(name(call->intrinsic), target_.letter) : nullptr;
  if (row && row->lanes > issued_by_) issued_by_ = row->lanes, product_ = row->name;
  if (const Var* v = as<Var>(&node)) vars_.insert(v->name);
  const Bin* bin = as<Bin>(&node);
  if (!bin || bin->op != BinOp::eq) return;
  const Name* name = as<Name>(bin->a);
  if (const auto limit = int_value(bin->b); name && limit && *limit > 0)
    wraps_at_[name->id] = *limit;
}

/// A cursor that is compared with n to wrap around is in [0, n).
void LintKernel::slot_ranges() {
  for (Symbol v : vars_) {
    auto it = wraps_at_.find(v);
    facts_.set(v, it == wraps_at_.end() ? Range::of(DType::i32) : Range{0, it->second - 1, 1});
  }
}

void LintKernel::launch() {
  const int64_t threads = kernel_.block;
  if (threads < 1 || threads > target_.max_threads)
    complain(kernel_,
             std::to_string(threads) + " threads, at most " + std::to_string(target_.max_threads));
  if (threads % issued_by_ != 0)
    complain(kernel_, std::string(product_) + " in a block of " + std::to_string(threads) +
                          " threads, not a multiple of " + std::to_string(issued_by_));
  if (kernel_.smem > target_.shared_bytes)
    complain(kernel_, std::to_string(kernel_.smem) + " bytes of shared memory, at most " +
                          std::to_string(target_.shared_bytes));
}

void LintKernel::visit(const Stmt& s) {
  if (const Seq* seq = as<Seq>(s)) announced_bytes(*seq);
  if (const Buffer* b = as<Buffer>(s)) return buffer(*b);
  if (const Store* store = as<Store>(s)) access(*s, store->buffer, store->dims);
  for_each_expr(*s, [&](const Expr& e) { expr(*e); });
  const For* loop = as<For>(s);
  if (loop && is_barrier_setup(*loop)) return unrolled_setup(*loop);
  const If* branch = as<If>(s);
  if (!branch) return each_inside(s, [&](const Stmt& inner) { visit(inner); });
  for (bool value : {true, false})
    if (const Stmt& side = value ? branch->then_ : branch->else_)
      scoped([&] { narrow(facts_, branch->cond, value), visit(side); });
}

void LintKernel::expr(const Node& root) {
  std::unordered_set<const Node*> addresses;  // arguments of foreign functions
  for_each(root, [&](const Call& c) {
    if (c.intrinsic == Intrinsic::foreign)
      for (const Expr& argument : c.args) addresses.insert(argument.get());
  });
  for_each(
      root,
      [&](const Region& r) {
        if (!addresses.count(&r)) access(r, r.buffer, r.dims);
      },
      [&](const Call& c) { call(c); });
}

void LintKernel::buffer(const Buffer& b) {
  if (b.scope != Scope::shared) return;
  int64_t size = bytes(b.dtype);
  for (int64_t extent : const_shape(b)) size *= extent;
  if (b.at < 0 || b.at + size > std::max<int64_t>(kernel_.smem, 0))
    complain(b, b.name.str() + " reaches to byte " + std::to_string(b.at + size) + " of " +
                    std::to_string(kernel_.smem) + " bytes of shared memory");
  if (b.at % bytes(b.dtype)) complain(b, b.name.str() + " is not aligned to its elements");
}

/// Vectors: no wider than the target's accesses, not provably misaligned.
void LintKernel::access(const Node& at, Symbol name, const std::vector<RegionDim>& dims) {
  auto it = buffers_.find(name);
  if (dims.size() != 1 || dims[0].point || it == buffers_.end()) return;
  const Buffer& b = *it->second;
  const int64_t lanes = dims[0].extent, element = bytes(b.dtype);
  if (b.scope == Scope::local || b.scope == Scope::barrier) return;
  if (lanes * element > target_.vector_bytes)
    complain(at, "an access of " + std::to_string(lanes * element) + " bytes to " + name.str());
  const Range index = facts_.range(dims[0].lo);
  const int64_t base = b.scope == Scope::shared ? std::max<int64_t>(b.at, 0) : 0;
  if (lanes > 1 && index.lo == index.hi && (index.lo * element + base) % (lanes * element) != 0)
    complain(at, "a vector of " + name.str() + " starts at a multiple of " +
                     std::to_string(element) + " bytes only");
}

// ---- barriers

bool LintKernel::is_barrier_setup(const For& loop) const {
  return calls(*loop.body, {Intrinsic::bar_init}) && int_value(loop.lo) && int_value(loop.hi) &&
         loop.steps.empty();
}

/// Each iteration separately, so that the IDs are constant.
void LintKernel::unrolled_setup(const For& loop) {
  const int64_t lo = *int_value(loop.lo), hi = *int_value(loop.hi);
  for (int64_t i = lo; i < hi && i < lo + 64; ++i) {
    scoped([&] { facts_.set(loop.var, Range::exactly(i)), visit(loop.body); });
  }
}

void LintKernel::call(const Call& c) {
  if (target_.barriers.kind == Barriers::Kind::by_id) barrier_call(c);
  if (c.intrinsic == Intrinsic::tma_load || c.intrinsic == Intrinsic::tma_store) tile(c);
  if (is_matmul(c.intrinsic)) product(c);
  if (c.intrinsic == Intrinsic::cp_async) thread_copy(c);
  if (is_named_barrier(c.intrinsic) && target_.named_barriers > 0) numbered_call(c);
  if (is_part_barrier(c.intrinsic)) {
    const Attr* id = find_attr(c.attrs, "id");
    if (!id) complain(c, std::string(name(c.intrinsic)) + " has no barrier");
  }
}

void LintKernel::barrier_call(const Call& c) {
  switch (c.intrinsic) {
    case Intrinsic::bar_reserve: {
      const int64_t n = int_value(c.args[0]).value_or(-1);
      if (reserved_ >= 0) complain(c, "barriers are reserved twice");
      if (n < 0 || n > target_.barriers.limit)
        complain(
            c, std::to_string(n) + " barriers, at most " + std::to_string(target_.barriers.limit));
      reserved_ = n;
      return;
    }
    case Intrinsic::bar_init: {
      const Range id = barrier_id(c);
      if (id.lo == id.hi && !initialised_.insert(id.lo).second)
        complain(c, "barrier " + std::to_string(id.lo) + " is initialized twice");
      if (synced_) complain(c, "a barrier is initialized after the full block sync");
      const int64_t warps = (kernel_.block + target_.lanes - 1) / target_.lanes;
      const int64_t count = c.args.size() > 1 ? int_value(c.args[1]).value_or(1) : 1;
      if (count < 1 || count > warps)
        complain(
            c, "a barrier expects " + std::to_string(count) + " warps of " + std::to_string(warps));
      return;
    }
    case Intrinsic::block_sync: {
      const Attr* mem = find_attr(c.attrs, "mem");
      if (!initialised_.empty() && mem && mem->string == "all") synced_ = true;
      return;
    }
    case Intrinsic::named_arrive:
    case Intrinsic::named_sync: return named_call(c);
    case Intrinsic::bar_arrive:
    case Intrinsic::bar_expect:
    case Intrinsic::bar_arrive_expect:
    case Intrinsic::bar_wait: {
      const Range id = barrier_id(c);
      if (!synced_)
        complain(c, "a barrier is used before a full block sync after its initialization");
      if (id.lo == id.hi && !initialised_.count(id.lo))
        complain(c, "barrier " + std::to_string(id.lo) + " is never initialized");
      return;
    }
    default: return;
  }
}

/// Barriers 1 to 15 for whole warps, at most the warps of the block.
void LintKernel::numbered_call(const Call& c) {
  const Range id = facts_.range(c.args.at(0));
  const Attr* threads = find_attr(c.attrs, "threads");
  const int64_t n = threads ? threads->integer : 0;
  const bool known = id.lo > -(int64_t{1} << 30) && id.hi < (int64_t{1} << 30);
  if (known && (id.lo < 1 || id.hi > target_.named_barriers))
    complain(c, "barrier ids " + std::to_string(id.lo) + ".." + std::to_string(id.hi) + " of 1.." +
                    std::to_string(target_.named_barriers));
  if (n < 1 || n % target_.lanes != 0 || n > kernel_.block)
    complain(c, "a barrier for " + std::to_string(n) + " threads of " +
                    std::to_string(kernel_.block) + ", which are not whole warps of the block");
}

/// A named barrier is one of the hardware's barriers, which count warps.
void LintKernel::named_call(const Call& c) {
  const Attr *id = find_attr(c.attrs, "id"), *threads = find_attr(c.attrs, "threads");
  if (!id) return complain(c, std::string(name(c.intrinsic)) + " has no barrier");
  if (!synced_) complain(c, "a barrier is used before a full block sync after its initialization");
  auto known = initialised_.find(id->integer);
  if (known == initialised_.end())
    return complain(c, "barrier " + std::to_string(id->integer) + " is never initialized");
  if (threads && threads->integer % target_.lanes != 0)
    complain(c, "barrier " + std::to_string(id->integer) + " is for " +
                    std::to_string(threads->integer) + " threads, which are not whole warps");
}

Range LintKernel::barrier_id(const Call& c) {
  const Expr& e = c.args[0];
  Range id = Range::of(DType::i32);
  if (const Region* region = as<Region>(e)) {
    auto it = buffers_.find(region->buffer);
    if (it == buffers_.end() || region->dims.empty()) return id;
    id = facts_.range(region->dims[0].lo);
    id.lo += it->second->id;
    id.hi += it->second->id;
  } else {
    id = facts_.range(e);
  }
  if (reserved_ < 0) complain(c, "a barrier is used, but none is reserved");
  const bool known = id.hi < (int64_t{1} << 30) && id.lo > -(int64_t{1} << 30);
  if (known && reserved_ >= 0 && (id.lo < 1 || id.hi > reserved_))
    complain(c, "barrier ids " + std::to_string(id.lo) + ".." + std::to_string(id.hi) + " of 1.." +
                    std::to_string(reserved_));
  return id;
}

void LintKernel::after() {
  for (int64_t id = 1; id <= reserved_; ++id)
    if (!initialised_.count(id))
      complain(kernel_, "barrier " + std::to_string(id) + " is reserved but never initialized");
}

std::vector<std::string> lint(const Func& flat, const Target& target) {
  std::vector<std::string> out;
  for_each_of_host(flat,
                   [&](const Kernel& kernel) { LintKernel(flat, kernel, target, out).run(); });
  return out;
}

}  // namespace tilelab::codegen
