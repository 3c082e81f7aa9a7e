// SPDX-License-Identifier: Apache-2.0
// allocate_barriers: assigns an ID to every barrier, according to the target's kind of barrier and
// its limit.
// - Barriers in shared memory are placed after the arena's last buffer and numbered from 0.
// - Hardware barriers are numbered from 1; parts of a block that synchronize get one of these each.
// - On targets with separate barriers for parts of a block, those are numbered from 1 (0 is the
//   whole block's), skipping the
// IDs that the program uses explicitly. With hardware barriers, each explicit ID is mapped to one.
//   role_sync()   ->   role_sync(id=1, threads=128)
#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/analysis/scoped_visitor.h"
#include "core/ir/build.h"
#include "core/ir/thread_range.h"
#include "core/ir/traverse.h"
#include "core/passes/pass.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

class BarrierAllocator : ScopedVisitor {
 public:
  BarrierAllocator(const Func& func, const Kernel& kernel, PassContext& context,
                   std::unordered_map<Symbol, int>& taken)
      : ScopedVisitor(func),
        func_(func),
        kernel_(kernel),
        context_(context),
        target_(context.target),
        taken_(taken) {
    by_id_ = target_.barriers.kind == Barriers::Kind::by_id;
    next_ = by_id_ ? 1 : 0;
    for_each(
        *kernel.body,
        [&](const Buffer& b) {
          if (b.scope == Scope::barrier && b.id >= 0)
            next_ = std::max(next_, b.id + const_shape(b)[0]);
        },
        [&](const Call& call) {
          if (is_named_barrier(call.intrinsic))
            explicit_ids_.insert(int_value(call.args[0]).value_or(kUnknown));
        });
    if (!explicit_ids_.erase(kUnknown)) return;
    enter(kernel);
    add_dynamic_ids(kernel.body);
  }

  Stmt run() {
    Kernel out(kernel_);
    Stmt body = visit(kernel_.body, nullptr);
    out.body = with_initialization(body);
    if (!by_id_ && next_ > 0) out.smem = bytes_with_barriers();
    check_limits();
    return make(std::move(out));
  }
  int64_t barriers() const { return count_; }
  int64_t parts() const { return next_part_ - 1; }

 private:
  /// Adds the range of a dynamic barrier ID.
  void add_dynamic_ids(const Stmt& stmt) {
    if (const Call* call = called(stmt); call && is_named_barrier(call->intrinsic)) {
      const Range at = facts_.range(call->args[0]);
      const bool known = at.lo >= 1 && at.hi <= target_.named_barriers;
      for (int64_t id = at.lo; known && id <= at.hi; ++id) explicit_ids_.insert(id);
      if (!known) explicit_ids_.insert(kUnknown);
    }
    each_inside(stmt, [&](const Stmt& s) { add_dynamic_ids(s); });
  }

  int64_t bytes() const { return words_ * target_.barriers.bytes; }

  /// Bytes of shared memory including the barriers, also explicitly numbered ones for which the
  /// arena has no room yet.
  int64_t bytes_with_barriers() const {
    int64_t end = 0;
    for_each(*kernel_.body, [&](const Buffer& b) {
      if (b.scope == Scope::shared) end = std::max(end, b.at + allocated_bytes(b));
    });
    const auto words = [](int64_t n) { return (std::max<int64_t>(n, 0) + 7) / 8 * 8; };
    return std::max(words(kernel_.smem) + bytes(), words(end) + next_ * target_.barriers.bytes);
  }

  Stmt visit(const Stmt& stmt, const Role* role) {
    if (const Role* r = as<Role>(stmt)) role = r;
    const Buffer* b = as<Buffer>(stmt);
    if (b && b->scope == Scope::barrier) return numbered(*b);
    if (const Do* d = as<Do>(stmt)) {
      const Call* call = as<Call>(d->call);
      if (call && is_partial_barrier(*call)) return at(stmt->span, part_barrier(*call, role));
      if (call && by_id_ && is_named_barrier(call->intrinsic) && !find_attr(call->attrs, "id"))
        return at(stmt->span, with_hardware_barrier(*call, stmt->span));
    }
    return map_stmts(stmt, [&](const Stmt& s) { return visit(s, role); });
  }

  Stmt numbered(const Buffer& barrier) {
    Buffer out(barrier);
    const int64_t n = const_shape(barrier)[0];
    count_ += n;
    if (out.id < 0) {
      out.id = next_, next_ += n;
      words_ += n;
    }
    return at(barrier.span, make(std::move(out)));
  }

  static bool is_partial_barrier(const Call& call) {
    return is_part_barrier(call.intrinsic) && !find_attr(call.attrs, "id");
  }

  /// The barrier of a role or of a range of its threads, or the first of its groups' barriers (the
  /// operand selects the group).
  Stmt part_barrier(const Call& call, const Role* role) {
    const bool of_group = call.intrinsic == Intrinsic::group_sync;
    const int64_t first = role ? role->lo : 0, all = role ? role->hi - role->lo : kernel_.block;
    ThreadRange part{first, first + all};
    if (call.intrinsic == Intrinsic::range_sync)
      part = {first + *int_value(call.args[0]), first + *int_value(call.args[1])};
    const int64_t threads = of_group ? 4 * target_.lanes : part.count();
    auto [it, fresh] = parts_.try_emplace({call.intrinsic, part.lo, part.hi}, 0);
    if (fresh) it->second = new_parts(threads, of_group ? all / threads : 1);
    Call out(call);
    out.attrs.push_back(attr("id", it->second));
    out.attrs.push_back(attr("threads", threads));
    return make(Do{{}, make(std::move(out))});
  }

  /// An operation on a barrier with an explicit ID, on its hardware barrier.
  Stmt with_hardware_barrier(const Call& call, Span span) {
    const auto number = int_value(call.args[0]);
    const int64_t threads = find_attr(call.attrs, "threads")->integer;
    if (!number || threads % target_.lanes != 0) {
      context_.diagnostics
          .report(Diag::target_lacks, span, "this barrier", target_.name,
                  number ? "it counts arrivals of warps, but " + plural(threads, "thread") +
                               " are not a multiple of the warp size"
                         : "its number is dynamic, but barriers are initialized before")
          .help("number barriers with constants, and use whole warps");
      return make(Do{{}, make(Call(call))});
    }
    auto [it, fresh] = registers_.try_emplace(*number, 0);
    if (fresh)
      it->second = new_parts(threads, 1, ("named_barrier_" + std::to_string(*number)).c_str());
    Call out(call);
    out.attrs.push_back(attr("id", it->second));
    return make(Do{{}, make(std::move(out))});
  }

  /// The first of `n` consecutive IDs that the program does not use.
  int64_t free_parts(int64_t n) {
    int64_t at = next_part_;
    for (int64_t i = 0; i < n; ++i)
      if (explicit_ids_.count(at + i)) at += i + 1, i = -1;
    if (explicit_ids_.count(kUnknown)) at = std::max<int64_t>(at, target_.named_barriers + 1);
    next_part_ = at + n;
    return at;
  }

  int64_t new_parts(int64_t threads, int64_t n, const char* name = "sync") {
    if (!by_id_) return free_parts(n);
    Buffer part_barrier;
    if (taken_.empty()) taken_ = names_in(func_);
    part_barrier.name = fresh_name(name, taken_);
    part_barrier.scope = Scope::barrier;
    part_barrier.shape = {int_const(n)};
    part_barrier.count = threads / target_.lanes;
    const int64_t id = next_;
    part_barriers_.push_back(numbered(part_barrier));
    return id;
  }

  /// Initializes the synchronization barriers together with the others: one thread does it,
  /// followed by a block barrier.
  Stmt with_initialization(const Stmt& body) {
    if (part_barriers_.empty()) return body;
    std::vector<Stmt> stmts = statements_of(body), inits;
    for (const Stmt& made : part_barriers_) {
      const Buffer& b = to<Buffer>(made);
      const RegionDim all = slice(int_const(0), const_shape(b)[0]);
      inits.push_back(do_call(Intrinsic::bar_init, {region(b.name, b.dtype, {all})}));
    }
    auto at = std::find_if(stmts.begin(), stmts.end(), initializes_barriers);
    if (at != stmts.end()) {
      const If& branch = to<If>(*at);
      inits.insert(inits.begin(), branch.then_);
      *at = if_then(branch.cond, seq(std::move(inits)));
    } else {
      at = std::find_if(stmts.begin(), stmts.end(), [](const Stmt& s) {
        return group(s->kind) != Group::decl || s->kind == Kind::Var;
      });
      Expr leader = call(Intrinsic::leader, {DType::bool_}, {}, {attr("scope", "block")});
      at = stmts.insert(at, do_call(Intrinsic::block_sync, {}, {attr("mem", "all")}));
      at = stmts.insert(at, if_then(leader, seq(std::move(inits))));
    }
    stmts.insert(at, part_barriers_.begin(), part_barriers_.end());
    return seq(std::move(stmts));
  }

  /// Whether this is the branch in which one thread initializes barriers.
  static bool initializes_barriers(const Stmt& stmt) {
    const If* branch = as<If>(stmt);
    return branch && calls(*branch->then_, {Intrinsic::bar_init});
  }

  void check_limits() {
    const int64_t limit = by_id_ ? target_.barriers.limit : target_.named_barriers;
    const int64_t needed = by_id_ ? next_ - 1 : parts();
    if (needed > limit)
      context_.diagnostics
          .report(Diag::target_lacks, kernel_.span, "barrier " + std::to_string(limit + 1),
                  target_.name, "the kernel needs " + std::to_string(needed) + " of them")
          .help("use fewer stages or fewer roles");
    const int64_t smem = std::max<int64_t>(kernel_.smem, 0) + (by_id_ ? 0 : bytes());
    if (words_ > 0 && smem > target_.shared_bytes)
      context_.diagnostics
          .report(Diag::shared_memory_size, kernel_.span, smem, target_.name, target_.shared_bytes)
          .help("use smaller tiles or fewer stages");
  }

  const Func& func_;
  const Kernel& kernel_;
  PassContext& context_;
  const Target& target_;
  std::unordered_map<Symbol, int>& taken_;
  std::map<std::tuple<Intrinsic, int64_t, int64_t>, int64_t> parts_;  // by their threads
  std::vector<Stmt> part_barriers_;       // barriers of parts of the block
  std::set<int64_t> explicit_ids_;        // barrier IDs in the program
  std::map<int64_t, int64_t> registers_;  // and the barriers mapped to them
  static constexpr int64_t kUnknown = -1;
  bool by_id_ = false;
  int64_t next_ = 0, next_part_ = 1;
  int64_t words_ = 0, count_ = 0;
};

}  // namespace

FuncRef allocate_barriers(const FuncRef& func, PassContext& context) {
  int64_t barriers = 0, parts = 0;
  std::unordered_map<Symbol, int> taken;  // names in the function, filled on first use
  const FuncRef out = rewrite_kernels(func, [&](const Kernel& kernel) {
    BarrierAllocator allocator(*func, kernel, context, taken);
    Stmt next = allocator.run();
    barriers += allocator.barriers(), parts += allocator.parts();
    return next;
  });
  if (barriers) context.decide(std::to_string(barriers) + " barriers");
  if (parts) context.decide(plural(parts, "synchronization point"));
  return barriers || parts ? out : func;
}

}  // namespace tilelab
