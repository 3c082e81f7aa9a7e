// SPDX-License-Identifier: Apache-2.0
#include "core/passes/infer_layouts/write.h"

#include <algorithm>
#include <utility>

#include "core/analysis/effects.h"
#include "core/ir/regions.h"
#include "core/layout/text.h"
#include "core/passes/shared/reduce_plan.h"
#include "core/support/text.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

Expr whole_region(Symbol name, DType dtype, const Index& shape) {
  std::vector<RegionDim> dims;
  for (int64_t extent : shape) dims.push_back(slice(int_const(0), extent));
  return region(name, dtype, std::move(dims));
}

/// Redirects reads of `from`, and stores if `stores`, to `into`.
Stmt redirect(const Stmt& stmt, Symbol from, Symbol into, bool stores) {
  auto expr = [&](const Expr& e) -> Expr {
    if (const Load* l = as<Load>(e); l && l->buffer == from) {
      Load copy(*l);
      copy.buffer = into;
      return make(std::move(copy));
    }
    if (const Region* r = as<Region>(e); r && r->buffer == from) {
      Region copy(*r);
      copy.buffer = into;
      return make(std::move(copy));
    }
    return e;
  };
  return rewrite(stmt, expr, [&](const Stmt& s) -> Stmt {
    const Store* store = as<Store>(s);
    if (!stores || !store || store->buffer != from) return s;
    Store copy(*store);
    copy.buffer = into;
    return make(std::move(copy));
  });
}

DType narrower(DType a, DType b) { return bits(b) < bits(a) ? b : a; }

std::string origin_of(Symbol buffer, const Node& cause) {
  return buffer.str() + "@" + std::to_string(cause.span.line);
}

constexpr int64_t kMaxConvertedRegisters = 256;

}  // namespace

LayoutRewriter::LayoutRewriter(LayoutProblem& problem, std::unordered_map<Symbol, int>& taken)
    : problem_(problem), taken_(taken) {
  for (size_t i = 0; i < problem.ops().size(); ++i) ops_.emplace(problem.ops()[i].node, i);
}

LayoutOp& LayoutRewriter::op_of(const Node& node) {
  auto found = ops_.find(&node);
  CHECK(found != ops_.end(), "an operation that was not collected");
  return problem_.ops()[found->second];
}

/// Whether the statement was collected as a loop, or as the loop over its box.
bool LayoutRewriter::is_loop(const Node& stmt) const {
  auto found = ops_.find(&stmt);
  if (found == ops_.end()) return false;
  const LayoutOp& op = problem_.ops()[found->second];
  return op.what == LayoutOp::What::loop || op.what == LayoutOp::What::everywhere;
}

Stmt LayoutRewriter::kernel_body() {
  whole_ = {0, problem_.kernel().block};
  Stmt body = rewrite(problem_.kernel().body, whole_);
  std::vector<Stmt> stmts;
  if (const Seq* seq = as<Seq>(body))
    stmts = seq->stmts;
  else
    stmts = {body};
  auto first = std::find_if(stmts.begin(), stmts.end(),
                            [](const Stmt& s) { return group(s->kind) != Group::decl; });
  stmts.insert(first, declarations_.begin(), declarations_.end());
  if (conversions_)
    problem_.context().decide(plural(conversions_, "conversion") + " through shared memory");
  if (workspaces_) problem_.context().decide(plural(workspaces_, "workspace"));
  return at(body->span, seq(std::move(stmts)));
}

Stmt LayoutRewriter::declaration(const Buffer& buffer) const {
  Buffer next(buffer);
  if (buffer.scope == Scope::fragment) next.layout = problem_.layout_of(buffer.name);
  if (buffer.scope == Scope::shared && !buffer.layout.known())
    next.layout = row_major(const_shape(buffer));
  return make(std::move(next));
}

std::vector<Symbol> element_reads(const Node& stmt) {
  std::vector<Symbol> out;
  for (const Effect& effect : effects(stmt))
    if (effect.element && !effect.write) out.push_back(effect.buffer);
  return out;
}

Stmt LayoutRewriter::rewrite(const Stmt& stmt, const ThreadRange& threads) {
  if (!stmt) return stmt;
  if (is_loop(*stmt)) return loop(stmt);
  switch (stmt->kind) {
    case Kind::Buffer: return declaration(to<Buffer>(stmt));
    case Kind::Gemm:
      return read_by_all(gemm(to<Gemm>(stmt), threads), element_reads(*stmt), threads);
    case Kind::Reduce:
      return read_by_all(reduce(to<Reduce>(stmt), threads), element_reads(*stmt), threads);
    case Kind::Role: {
      const Role& role = to<Role>(stmt);
      const ThreadRange around = std::exchange(whole_, {0, role.hi - role.lo});
      Stmt out = rewrite_children(stmt, whole_);
      whole_ = around;
      return out;
    }
    case Kind::If: return branches(to<If>(stmt), threads);
    case Kind::Seq:
    case Kind::For:
    case Kind::TileLoop: return rewrite_children(stmt, threads);
    case Kind::Copy: return stmt;  // by an engine
    case Kind::Sort: return check_can_sync(threads, *stmt, "T.sort"), stmt;
    case Kind::While: return rewrite_children(stmt, threads);
    default: return read_by_all(rewrite_children(stmt, threads), element_reads(*stmt), threads);
  }
}

Stmt LayoutRewriter::rewrite_children(const Stmt& stmt, const ThreadRange& threads) {
  return map_stmts(stmt, [&](const Stmt& s) { return rewrite(s, threads); });
}

/// `stmt` with replicated copies of those of `fragments` that some thread lacks.
Stmt LayoutRewriter::read_by_all(Stmt stmt, const std::vector<Symbol>& fragments,
                                 const ThreadRange& threads) {
  std::vector<Stmt> before;
  std::vector<Symbol> done;
  for (Symbol name : fragments) {
    if (!problem_.is_fragment(name) || std::count(done.begin(), done.end(), name)) continue;
    done.push_back(name);
    const Layout held = problem_.layout_of(name);
    const Layout everywhere = replicated(held.shape, threads);
    if (owns(held, everywhere)) continue;
    DType dtype = problem_.dtype_of(name);
    Expr copy = new_fragment(name, dtype, held.shape, everywhere, stmt->span);
    copy_between(whole_fragment(name), {copy, squeezed(everywhere)}, threads, *stmt, before);
    stmt = redirect(stmt, name, to<Region>(copy).buffer, false);
  }
  before.push_back(stmt);
  return seq(std::move(before));
}

Stmt LayoutRewriter::loop(const Stmt& stmt) {
  LayoutOp& op = op_of(*stmt);
  Stmt decided = visit(*stmt, [&](const auto& node) -> Stmt {
    if constexpr (requires { node.layout, node.vec; }) {
      auto copy(node);
      copy.layout = op.layout, copy.vec = op.vec;
      if constexpr (requires { copy.by == CopyBy::async; })
        if (copy.by == CopyBy::async && !fits_asynchronous(op, copy))
          copy.by = as<Parallel>(stmt) ? CopyBy::unset : CopyBy::simt;
      return make(std::move(copy));
    } else {
      return one_iteration(stmt, op.layout);
    }
  });
  return converted(op, decided);
}

/// `stmt`, which accesses one element, in the threads of `layout`.
Stmt LayoutRewriter::one_iteration(const Stmt& stmt, const Layout& layout) {
  Parallel one;
  one.vars = {fresh_name("one", taken_)};
  one.extents = {int_const(1)};
  one.layout = layout;
  one.vec = 1;
  one.body = stmt;
  return at(stmt->span, make(std::move(one)));
}

/// The line identifies the statement; for T.gemm the operand matters as well.
static std::string given_here(const FragmentState& state) {
  bool is_clear = state.why.rfind("T.gemm", 0) != 0;
  return "its elements were distributed over threads here" + (is_clear ? "" : ", for " + state.why);
}

/// Every thread runs all of `stmt`, so every thread must hold all of each fragment it names.
Stmt LayoutRewriter::check_held_by_all(const LayoutOp& op, const Stmt& stmt) {
  for (const BufferAccess& access : op.fragments) {
    Layout held = problem_.layout_of(access.buffer);
    if (owns(held, replicated(held.shape, op.threads))) continue;
    problem_.context()
        .diagnostics.report(Diag::layout_conflict, op.node->span, access.buffer)
        .label(problem_.state_of(access.buffer).span, given_here(problem_.state_of(access.buffer)))
        .mark("each thread needs all of it")
        .help("copy it to shared memory first (T.alloc_shared): every thread can read that");
    break;
  }
  return stmt;
}

Stmt LayoutRewriter::converted(LayoutOp& op, Stmt stmt) {
  if (op.each_thread) return check_held_by_all(op, stmt);
  if (op.what == LayoutOp::What::everywhere) {
    std::vector<Symbol> reads;
    for (const BufferAccess& access : op.fragments)
      if (!access.write) reads.push_back(access.buffer);
    return read_by_all(stmt, reads, op.threads);
  }
  if (op.extents.empty() || !op.layout.known()) return stmt;
  if (op.threads != whole_ && !is_within(op.layout, op.threads)) {  // loop_layout
    check_can_sync(op.threads, *op.node, "the given layout");
    return stmt;
  }
  std::vector<Stmt> before, after;
  std::vector<Symbol> done;
  for (const BufferAccess& access : op.fragments) {
    if (std::count(done.begin(), done.end(), access.buffer)) continue;
    auto misfits = [&](const BufferAccess& other) {
      return other.buffer == access.buffer &&
             !fits(op, other, problem_.layout_of(other.buffer), op.layout);
    };
    if (std::none_of(op.fragments.begin(), op.fragments.end(), misfits)) continue;
    done.push_back(access.buffer);
    const Copy* copy = as<Copy>(stmt);
    if (copy && !access.write && to<Region>(copy->src).buffer == access.buffer)
      if (const Stmt out = convert_copy(op, *copy, access)) return out;
    bool written = std::any_of(
        op.fragments.begin(), op.fragments.end(),
        [&](const BufferAccess& other) { return other.buffer == access.buffer && other.write; });
    auto suits = [&](const Layout& layout) {
      return std::all_of(op.fragments.begin(), op.fragments.end(), [&](const BufferAccess& other) {
        return other.buffer != access.buffer || fits(op, other, layout, op.layout);
      });
    };
    std::optional<Layout> wanted = problem_.fragment_for(op, access, op.layout);
    Layout everywhere = replicated(problem_.shape_of(access.buffer), op.threads);
    if (!wanted || !suits(*wanted)) wanted = everywhere;
    if (!suits(*wanted) || extent(*wanted, 'r') > kMaxConvertedRegisters) {
      if (through_shared(op, access, written, stmt, before, after)) continue;
      report_conflict(op, access);
      return stmt;
    }
    DType dtype = problem_.dtype_of(access.buffer);
    Expr copied = new_fragment(access.buffer, dtype, wanted->shape, *wanted, stmt->span);
    CopySide original = whole_fragment(access.buffer), other{copied, squeezed(*wanted)};
    if (!problem_.overwrites(op, access.buffer))
      copy_between(original, other, op.threads, *stmt, before);
    if (written) copy_between(other, original, op.threads, *stmt, after);
    stmt = redirect(stmt, access.buffer, to<Region>(copied).buffer, written);
    report_conversion(op, access, element_count(*wanted) * bytes(dtype));
  }
  before.push_back(stmt);
  before.insert(before.end(), after.begin(), after.end());
  return seq(std::move(before));
}

/// The statement with accesses of one element.
static Stmt element_by_element(const Stmt& stmt) {
  return visit(*stmt, [&](const auto& node) -> Stmt {
    if constexpr (requires { node.vec; }) {
      auto copy(node);
      copy.vec = 1;
      return at(stmt->span, make(std::move(copy)));
    } else {
      return stmt;
    }
  });
}

/// An operation whose indices match no layout works on a copy in shared memory. Returns false,
/// without changes, if iterations might modify or read elements that another one modifies.
bool LayoutRewriter::through_shared(const LayoutOp& op, const BufferAccess& access, bool written,
                                    Stmt& stmt, std::vector<Stmt>& before,
                                    std::vector<Stmt>& after) {
  const Index shape = problem_.shape_of(access.buffer);
  auto alike = [&](const BufferAccess& other) {
    return other.buffer != access.buffer || same_index(other, access);
  };
  if (!as<Parallel>(stmt) && !distributed_over_threads(*stmt)) return false;
  if (written && !(std::all_of(op.fragments.begin(), op.fragments.end(), alike) &&
                   one_to_one(op, access, shape)))
    return false;
  const DType dtype = problem_.dtype_of(access.buffer);
  const Expr copied =
      new_shared(access.buffer.str() + "_smem", dtype, shape, origin_of(access.buffer, *stmt));
  const CopySide original = whole_fragment(access.buffer), other{copied, {}};
  if (!problem_.overwrites(op, access.buffer))
    copy_between(original, other, op.threads, *stmt, before);
  if (written) copy_between(other, original, op.threads, *stmt, after);
  stmt = element_by_element(redirect(stmt, access.buffer, to<Region>(copied).buffer, written));
  report_conversion(op, access, element_count(original.layout) * bytes(dtype));
  return true;
}

/// A copy whose source has another layout: its box is copied through shared memory. Null if the
/// layout does not cover the box by digits.
Stmt LayoutRewriter::convert_copy(const LayoutOp& op, const Copy& copy,
                                  const BufferAccess& misfit) {
  const Region& src = to<Region>(copy.src);
  CopySide from{copy.src, box_layout(src.buffer, src)};
  CopySide into{copy.dst, op.layout};
  if (!from.layout.known()) return nullptr;
  std::vector<Stmt> out;
  copy_between(from, into, op.threads, copy, out);
  const DType moved = narrower(copy.src->type.dtype, copy.dst->type.dtype);
  report_conversion(op, misfit, element_count(op.layout) * bytes(moved));
  return seq(std::move(out));
}

Expr LayoutRewriter::new_fragment(Symbol like, DType dtype, const Index& shape,
                                  const Layout& layout, Span span) {
  Buffer buffer = new_buffer(fresh_name(like.str() + "_as", taken_), Scope::fragment, dtype, shape);
  buffer.layout = layout;
  buffer.origin = like.str() + "@" + std::to_string(span.line);
  new_layouts_.emplace(buffer.name, layout);
  Expr result = whole_region(buffer.name, dtype, shape);
  declarations_.push_back(make(std::move(buffer)));
  return result;
}

Expr LayoutRewriter::new_shared(Symbol like, DType dtype, const Index& shape,
                                const std::string& origin) {
  Buffer buffer = new_buffer(fresh_name(like, taken_), Scope::shared, dtype, shape);
  buffer.layout = row_major(shape);
  buffer.origin = origin;
  Expr result = whole_region(buffer.name, dtype, shape);
  declarations_.push_back(make(std::move(buffer)));
  return result;
}

CopySide LayoutRewriter::whole_fragment(Symbol name) const {
  return {whole_region(name, problem_.dtype_of(name), problem_.shape_of(name)),
          squeezed(problem_.layout_of(name))};
}

/// Layout of a region of a fragment over its box; unknown if the region splits digits or starts in
/// other threads than the fragment.
Layout LayoutRewriter::box_layout(Symbol name, const Region& region) const {
  auto made = new_layouts_.find(name);
  Layout layout = made != new_layouts_.end() ? made->second : problem_.layout_of(name);
  for (size_t d = 0; d < region.dims.size(); ++d) {
    const RegionDim& dim = region.dims[d];
    if (dim.extent == layout.shape[d]) continue;
    std::optional<int64_t> lo = int_value(dim.lo);
    if (!lo || *lo < 0 || *lo + dim.extent > layout.shape[d]) return {};
    std::optional<Slice> part = slice(layout, d, *lo, dim.extent);
    if (!part) return {};
    layout = part->layout;
    layout.base += part->offset.thread;
  }
  return squeezed(layout);
}

Stmt LayoutRewriter::plain_copy(const Expr& src, const Expr& dst, const Layout& layout, int64_t vec,
                                const Node& cause) {
  Copy copy;
  copy.src = src;
  copy.dst = dst;
  copy.by = CopyBy::simt;
  copy.layout = layout;
  copy.vec = vec;
  return at(cause.span, make(std::move(copy)));
}

/// Copies one element between fragments if some thread does not hold it: see copy_between.
void LayoutRewriter::move_element(const CopySide& src, const CopySide& dst, const Node& cause,
                                  std::vector<Stmt>& out) {
  const Region &from = to<Region>(src.region), &into = to<Region>(dst.region);
  const DType dtype = src.region->type.dtype;
  const Region middle =
      to<Region>(new_shared(from.buffer.str() + "_smem", dtype, {1}, origin_of("convert", cause)));
  auto first = [](const Region& region) {
    const std::vector<Expr> index = lows(region.dims);
    return index;
  };
  auto move = [&](const Region& a, const Region& b, DType to_dtype, const Layout& layout) {
    std::vector<RegionDim> place;
    for (const Expr& i : first(b)) place.push_back(point(i));
    const Stmt moved = store(b.buffer, place, cast(to_dtype, load(a.buffer, dtype, first(a))));
    out.push_back(one_iteration(at(cause.span, moved), {{1}, {{}}, layout.rep, layout.base}));
  };
  move(from, middle, dtype, src.layout);
  move(middle, into, dst.region->type.dtype, dst.layout);
}

void LayoutRewriter::copy_between(const CopySide& src, const CopySide& dst,
                                  const ThreadRange& threads, const Node& cause,
                                  std::vector<Stmt>& out) {
  if (copy_through_whole(src, dst, threads, cause, out)) return;
  auto holds = [&](const CopySide& side) {
    const Symbol name = to<Region>(side.region).buffer;
    return problem_.is_fragment(name) || new_layouts_.count(name) != 0;
  };
  for (const CopySide* side : {&src, &dst})
    if (holds(*side) && !reaches(to<Region>(side->region).buffer, side->layout, threads, cause))
      return;
  if (long_extents(to<Region>(dst.region)).empty() && holds(src) && holds(dst)) {
    const Layout a{{1}, {{}}, src.layout.rep, src.layout.base};
    const Layout b{{1}, {{}}, dst.layout.rep, dst.layout.base};
    if (!owns(a, b)) return move_element(src, dst, cause, out);
  }
  if (src.layout.known() && dst.layout.known() && !owns(src.layout, dst.layout)) {
    const Region& from = to<Region>(src.region);
    const DType held =
        problem_.is_fragment(from.buffer) ? problem_.dtype_of(from.buffer) : src.region->type.dtype;
    // A copy to or from a converted fragment keeps the name of the original one.
    const Symbol into = to<Region>(dst.region).buffer;
    const bool back = new_layouts_.count(from.buffer), moved = back || new_layouts_.count(into);
    const Symbol of = !moved ? Symbol("convert") : back ? into : from.buffer;
    Expr middle = new_shared(from.buffer.str() + "_smem", narrower(held, dst.region->type.dtype),
                             long_extents(from), origin_of(of, cause));
    out.push_back(plain_copy(src.region, middle, src.layout,
                             copy_width(src.region, middle, src.layout), cause));
    out.push_back(plain_copy(middle, dst.region, dst.layout,
                             copy_width(middle, dst.region, dst.layout), cause));
    return;
  }
  Layout layout = dst.layout.known() ? dst.layout : src.layout;
  Index box = long_extents(to<Region>(dst.region));
  if (!layout.known() && !box.empty())
    layout = rebased(plan_loop(box, threads.count(), 1), threads);
  out.push_back(plain_copy(src.region, dst.region, layout,
                           copy_width(src.region, dst.region, layout), cause));
}

void LayoutRewriter::report_conversion(const LayoutOp& op, const BufferAccess& access,
                                       int64_t bytes) {
  if (!problem_.context().diagnostics.ok()) return;
  ++conversions_;
  const FragmentState& state = problem_.state_of(access.buffer);
  std::string what = access.buffer.str() + " is redistributed through shared memory (" +
                     std::to_string(bytes) + " bytes): its thread map comes from " + state.why;
  problem_.context().reasons.push_back(line_prefix(*op.node) + what);
  if (problem_.layouts_by_units()) return;
  problem_.context()
      .diagnostics.report(Diag::layout_conversion, op.node->span, access.buffer, bytes)
      .label(state.span, "its elements are distributed over threads for " + state.why)
      .help(
          "give both the same thread map with T.annotate_layout, or keep this part in shared "
          "memory");
}

void LayoutRewriter::report_conflict(const LayoutOp& op, const BufferAccess& access) {
  const FragmentState& state = problem_.state_of(access.buffer);
  Layout held = problem_.layout_of(access.buffer);
  Diagnostic& message =
      problem_.context().diagnostics.report(Diag::layout_conflict, op.node->span, access.buffer);
  if (state.span != op.node->span) message.label(state.span, given_here(state));
  std::vector<std::string> left_out;
  for (size_t v = 0; v < op.vars.size(); ++v) {
    bool mentioned = op.extents[v] == 1;
    for (const Expr& index : access.index) mentioned = mentioned || mentions(index, op.vars[v]);
    if (!mentioned) left_out.push_back("`" + op.vars[v].str() + "`");
  }
  bool writes = std::any_of(op.fragments.begin(), op.fragments.end(), [&](const BufferAccess& a) {
    return a.write && a.buffer == access.buffer;
  });
  if (writes && !left_out.empty()) {
    message.mark("iterations with different " + join(left_out, ", ") +
                 " run in different threads and modify the same element");
    message.help(
        "reduce with T.reduce_sum(src, dst, dim=...) or a similar function, or make the loop "
        "over " +
        join(left_out, ", ") + " serial");
    return;
  }
  message.mark("needs elements in threads that do not hold them");
  std::optional<Layout> map = access_map(op, access, held);
  if (map && map->shape == op.layout.shape)
    if (std::optional<Index> at = first_not_owned(*map, op.layout)) {
      message.note("first at iteration (" + join(*at, ", ") + "): thread " +
                   std::to_string(place_of(op.layout, *at).thread) + " runs it, thread " +
                   std::to_string(place_of(*map, *at).thread) + " holds the element");
    }
  message.note("as digits of threads and registers: `" + access.buffer.str() +
               "` is distributed as " + digits_text(held.dims) + ", this statement runs as " +
               digits_text(op.layout.dims));
  message.help("keep " + access.buffer.str() +
               " in shared memory (T.alloc_shared), or index it as the other statement does");
}

}  // namespace tilelab
