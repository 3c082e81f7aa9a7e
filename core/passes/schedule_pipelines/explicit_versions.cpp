// SPDX-License-Identifier: Apache-2.0
// Multibuffering of roles that the program synchronizes with its own barriers. A pipelined loop of
// such roles gets `stages` versions of each buffer that one role fills and others read, and of each
// barrier. Iteration k uses version k % stages, whose phases count k / stages, so that the role
// that fills runs up to stages - 1 iterations ahead:
//   role: for k in pipelined(n, stages=2): bar_wait(done[0], (k + 1) % 2)
//           copy(A[k], s, barrier=full[0]); bar_arrive(full[0])
//   ->  role: for k in serial(n): v = k % 2; bar_wait(done[v], (k // 2 + 1) % 2)
//           copy(A[k], s[v], barrier=full[v]); bar_arrive(full[v])
// Both programs do the same where each barrier completes one phase in an iteration, waits name the
// phase of this iteration or of the one before, readers wait for what is filled in their iteration,
// and the roles share nothing but these buffers.
#include <algorithm>
#include <map>
#include <set>

#include "core/analysis/effects.h"
#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/passes/schedule_pipelines/pipeline_plan.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

class ExplicitVersions {
 public:
  ExplicitVersions(const Func& func, const Kernel& kernel, const Target& target)
      : kernel_(kernel), target_(target), taken_(names_in(func)) {
    for_each(*kernel.body, [&](const Buffer& buffer) { buffers_[buffer.name] = &buffer; });
    for_each(*kernel.body, [&](const View& view) { viewed_.insert(view.buffer); });
  }

  Scheduled run() {
    Scheduled out;
    out.refused = why_not();
    if (!out.refused.empty()) return out;
    out.body = visit(kernel_.body);
    out.block = kernel_.block;
    const std::string names = join(versioned_, ", ", [](Symbol name) { return name.str(); });
    out.summary = plural(stages_, "version") + " of " + names + ", which the program synchronizes";
    return out;
  }

 private:
  using Element = std::pair<Symbol, int64_t>;  // of an array of barriers
  struct RoleLoop {
    const Role* role;
    const For* loop;
    Touched memory;
    int64_t threads() const { return role->hi - role->lo; }
  };

  /// "" if the loops can have versions.
  std::string why_not() {
    find_loops();
    if (loops_.size() < 2) return "only one role has the loop";
    for (const RoleLoop& one : loops_)
      if (!same_iterations(*one.loop, *loops_[0].loop)) return "the loops of the roles differ";
    stages_ = loops_[0].loop->stages;
    std::string wrong;
    for (const RoleLoop& one : loops_)
      for (const Stmt& stmt : statements_of(one.loop->body))
        if (wrong.empty()) wrong = note_barriers(one, stmt);
    if (wrong.empty()) wrong = wrong_barrier();
    if (wrong.empty()) wrong = find_versioned();
    if (!wrong.empty()) return wrong;
    if (versioned_.empty()) return "no role fills a whole buffer for another";
    std::map<Symbol, int64_t> slots;
    for (const Symbol name : versioned_) slots[name] = stages_;
    return stages_fit(kernel_, target_, slots) ? "" : "shared memory has no space for the versions";
  }

  void find_loops() {
    for_each(*kernel_.body, [&](const Role& role) {
      for (const Stmt& stmt : statements_of(role.body))
        if (const For* loop = as<For>(stmt); loop && loop->stages > 1)
          loops_.push_back({&role, loop, touched(*loop->body)});
    });
  }

  static bool same_iterations(const For& a, const For& b) {
    const bool plain = is_int(a.lo, 0) && (!a.step || is_int(a.step, 1)) && a.steps.empty();
    return plain && is_int(b.lo, 0) && (!b.step || is_int(b.step, 1)) && b.steps.empty() &&
           a.stages == b.stages && constant_difference(a.hi, b.hi) == 0;
  }

  static bool uses(const Node& node, Symbol memory) { return names_in(node).count(memory) != 0; }

  // ---- barriers

  const Buffer* barrier(const Expr& e) const {
    const Region* region = as<Region>(e);
    auto found = region ? buffers_.find(region->buffer) : buffers_.end();
    const bool is_one = found != buffers_.end() && found->second->scope == Scope::barrier;
    return is_one ? found->second : nullptr;
  }

  /// The call of the intrinsic in a statement, on one barrier with a constant index; else null.
  const Call* on_barrier(const Stmt& stmt, Intrinsic intrinsic) const {
    const Call* call = called(stmt);
    const bool is_it = call && call->intrinsic == intrinsic && barrier(call->args[0]) &&
                       constant_index(call->args[0]);
    return is_it ? call : nullptr;
  }

  /// Counts the arrivals of a statement of a loop; the reason if they are not the same in each
  /// iteration.
  std::string note_barriers(const RoleLoop& one, const Stmt& stmt) {
    if (const Call* call = on_barrier(stmt, Intrinsic::bar_arrive);
        call && call->attrs.empty() && barrier(call->args[0])->unit == Unit::lane) {
      arrivals_[key(call->args[0])] += one.threads();
      return "";
    }
    if (const Call* call = on_barrier(stmt, Intrinsic::bar_wait);
        call && offset_of(call->args[1], one.loop->var)) {
      arrivals_[key(call->args[0])] += 0;
      return "";
    }
    const Copy* copy = as<Copy>(stmt);
    if (copy && barrier(copy->barrier) && constant_index(copy->barrier)) {
      arrivals_[key(copy->barrier)] += 0;
      return "";
    }
    for (const auto& [name, buffer] : buffers_)
      if (buffer->scope == Scope::barrier && uses(*stmt, name))
        return "the use of `" + name.str() + "` differs between iterations or threads of a role";
    const bool synchronizes =
        any_of(*stmt, [](const Call& c) { return info(c.intrinsic).orders(); });
    return synchronizes ? "it has other synchronization" : "";
  }

  static bool constant_index(const Expr& e) {
    const Region& region = to<Region>(e);
    return region.dims.size() == 1 && int_value(region.dims[0].lo).has_value();
  }
  static Element key(const Expr& e) {
    const Region& region = to<Region>(e);
    return {region.buffer, *int_value(region.dims[0].lo)};
  }

  /// c % 2 of a parity (k + c) % 2: 0 waits for the phase of this iteration, 1 for the one before.
  static std::optional<int64_t> offset_of(const Expr& parity, Symbol k) {
    const Bin* mod = as<Bin>(parity);
    const bool halves = mod && (mod->op == BinOp::floormod || mod->op == BinOp::tmod);
    if (!halves || !is_int(mod->b, 2)) return std::nullopt;
    const Linear sum = linear_of(mod->a);
    if (sum.terms.size() != 1 || sum.coefficient(k) % 2 != 1 || sum.constant < 0)
      return std::nullopt;
    return sum.constant % 2;
  }

  /// Each barrier completes one phase in an iteration, and nothing else uses it.
  std::string wrong_barrier() {
    std::map<Symbol, size_t> elements;
    for (const auto& [one, count] : arrivals_) {
      if (count != buffers_.at(one.first)->count)
        return "an iteration does not complete one phase of `" + one.first.str() + "`";
      ++elements[one.first];
    }
    for (const auto& [name, used] : elements)
      if (int64_t(used) != const_shape(*buffers_.at(name))[0] || uses(*rest(), name))
        return "`" + name.str() + "` is used outside of the loops";
    for (const auto& [name, used] : elements) barriers_.insert(name);
    return barriers_.empty() ? "the loops have no barrier" : "";
  }

  /// The kernel's body without the loops and the declarations of memory.
  const Stmt& rest() {
    if (!rest_)
      rest_ = rewrite_stmts(kernel_.body, [&](const Stmt& s) -> Stmt {
        const For* loop = as<For>(s);
        return as<Buffer>(s) || (loop && is_ours(*loop)) ? seq({}) : s;
      });
    return rest_;
  }
  bool is_ours(const For& loop) const {
    return std::any_of(loops_.begin(), loops_.end(),
                       [&](const RoleLoop& one) { return one.loop == &loop; });
  }

  // ---- buffers

  /// Chooses the buffers; the reason if roles share other memory that one of them writes.
  std::string find_versioned() {
    for (const RoleLoop& one : loops_)
      for (const Symbol name : one.memory.written) {
        const bool shared = std::any_of(loops_.begin(), loops_.end(), [&](const RoleLoop& other) {
          return &other != &one &&
                 (other.memory.read.count(name) || other.memory.written.count(name));
        });
        if (!shared || barriers_.count(name)) continue;
        if (!is_filled(one, name)) return "the roles share `" + name.str() + "`";
        for (const RoleLoop& other : loops_)
          if (&other != &one && other.memory.read.count(name) && !hands_over(one, other, name))
            return "a role reads `" + name.str() + "` in another iteration than it is filled";
        versioned_.insert(name);
      }
    return "";
  }

  /// Whether the loop of one role fills the whole buffer in each iteration, and only loops of other
  /// roles read it.
  bool is_filled(const RoleLoop& one, Symbol name) {
    auto found = buffers_.find(name);
    if (found == buffers_.end() || found->second->scope != Scope::shared || viewed_.count(name) ||
        one.memory.read.count(name) || uses(*rest(), name))
      return false;
    for (const RoleLoop& other : loops_)
      if (&other != &one && other.memory.written.count(name)) return false;
    int writers = 0, whole = 0;
    for (const Stmt& stmt : statements_of(one.loop->body)) {
      writers += uses(*stmt, name);
      const Copy* copy = as<Copy>(stmt);
      whole += copy && is_whole(to<Region>(copy->dst), *found->second);
    }
    return writers == 1 && whole == 1;
  }

  /// Whether a barrier makes the reader wait, in each iteration and before it uses the buffer, for
  /// what the other role fills in the same iteration.
  bool hands_over(const RoleLoop& filler, const RoleLoop& reader, Symbol name) const {
    return std::any_of(arrivals_.begin(), arrivals_.end(), [&](const auto& one) {
      return arrives_after_filling(filler, name, one.first) &&
             waits_before_use(reader, name, one.first);
    });
  }

  bool arrives_after_filling(const RoleLoop& filler, Symbol name, const Element& element) const {
    bool filled = false, arrived = false;
    for (const Stmt& stmt : statements_of(filler.loop->body)) {
      const Copy* copy = as<Copy>(stmt);
      if (copy && uses(*stmt, name)) {
        if (copy->barrier && key(copy->barrier) != element) return false;
        filled = true;
      }
      const Call* call = on_barrier(stmt, Intrinsic::bar_arrive);
      if (!call || key(call->args[0]) != element) continue;
      if (!filled) return false;
      arrived = true;
    }
    return arrived;
  }

  bool waits_before_use(const RoleLoop& reader, Symbol name, const Element& element) const {
    for (const Stmt& stmt : statements_of(reader.loop->body)) {
      const Call* call = on_barrier(stmt, Intrinsic::bar_wait);
      if (call && key(call->args[0]) == element)
        return offset_of(call->args[1], reader.loop->var) == 0;
      if (uses(*stmt, name)) return false;
    }
    return false;
  }

  static bool is_whole(const Region& region, const Buffer& buffer) {
    if (region.buffer != buffer.name) return false;
    const std::vector<int64_t> shape = const_shape(buffer);
    for (size_t d = 0; d < shape.size(); ++d)
      if (!is_int(region.dims[d].lo, 0) || region.dims[d].extent != shape[d]) return false;
    return true;
  }

  // ---- the new program

  Stmt visit(const Stmt& stmt) {
    if (const Buffer* buffer = as<Buffer>(stmt)) return at(stmt->span, declared(*buffer));
    const For* loop = as<For>(stmt);
    if (loop && is_ours(*loop)) return at(stmt->span, with_versions(*loop));
    return map_stmts(stmt, [&](const Stmt& s) { return visit(s); });
  }

  Stmt declared(const Buffer& buffer) const {
    if (versioned_.count(buffer.name)) return make(as_stages(buffer, {}, stages_));
    Buffer out(buffer);
    if (barriers_.count(buffer.name)) out.shape[0] = int_const(const_shape(buffer)[0] * stages_);
    return make(std::move(out));
  }

  Stmt with_versions(const For& loop) {
    const Symbol version = fresh_name("v", taken_);
    const Expr k = name_ref(loop.var, loop.lo->type);
    const Expr stages = int_const(stages_, loop.lo->type.dtype);
    const Substitution phase{{loop.var, floordiv(k, stages)}};
    std::unordered_map<Symbol, Symbol> slots;
    for (const Symbol name : versioned_) slots[name] = version;
    auto redirected = [&](const Expr& e) -> Expr {
      if (const Call* call = as<Call>(e); call && call->intrinsic == Intrinsic::bar_wait) {
        Call out(*call);
        out.args[1] = substitute(out.args[1], phase);
        return make(std::move(out));
      }
      if (!barrier(e)) return e;
      Region out(to<Region>(e));
      const int64_t elements = const_shape(*barrier(e))[0];
      const Expr first =
          mul(name_ref(version, loop.lo->type), int_const(elements, loop.lo->type.dtype));
      out.dims[0] = point(offset_by(first, out.dims[0].lo));
      return make(std::move(out));
    };
    For out(loop);
    out.stages = 0, out.attrs.clear();
    out.body = seq(
        {let(version, floormod(k, stages)), in_slots(rewrite_exprs(loop.body, redirected), slots)});
    return make(std::move(out));
  }

  const Kernel& kernel_;
  const Target& target_;
  std::unordered_map<Symbol, int> taken_;
  std::map<Symbol, const Buffer*> buffers_;
  std::set<Symbol> viewed_;
  std::vector<RoleLoop> loops_;
  int64_t stages_ = 1;
  std::map<Element, int64_t> arrivals_;  // in an iteration
  std::set<Symbol> barriers_, versioned_;
  Stmt rest_;
};

}  // namespace

Scheduled schedule_explicit(const Func& func, const Kernel& kernel, const Target& target) {
  return ExplicitVersions(func, kernel, target).run();
}

}  // namespace tilelab
