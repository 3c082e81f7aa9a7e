// SPDX-License-Identifier: Apache-2.0
// Layout constraints on the fragments and memory of a kernel.
#include <algorithm>
#include <utility>

#include "core/passes/infer_layouts/problem.h"
#include "core/passes/shared/hardware_units.h"
#include "core/passes/shared/matrix_layout.h"
#include "core/targets/partition.h"
#include "core/targets/target.h"

namespace tilelab {

bool is_whole(const Region& region, const Index& shape) {
  if (region.dims.size() != shape.size()) return false;
  for (size_t d = 0; d < shape.size(); ++d)
    if (region.dims[d].extent != shape[d] || !is_int(region.dims[d].lo, 0)) return false;
  return true;
}

Layout squeezed(const Layout& layout) {
  Layout result{{}, {}, layout.rep, layout.base};
  for (size_t d = 0; d < layout.shape.size(); ++d) {
    if (layout.shape[d] == 1) continue;
    result.shape.push_back(layout.shape[d]);
    result.dims.push_back(layout.dims[d]);
  }
  return result;
}

Layout reduced_layout(const Layout& source, std::vector<int64_t> dims, bool keep) {
  Layout layout = source;
  std::sort(dims.rbegin(), dims.rend());
  for (int64_t dim : dims) layout = reduced(layout, size_t(dim), keep);
  if (layout.shape.empty()) layout = {{1}, {{}}, layout.rep, layout.base};  // all of it: one value
  return compacted(layout);
}

const Expr& operand_of(const Gemm& gemm, MatrixOperand operand) {
  switch (operand) {
    case MatrixOperand::a: return gemm.a;
    case MatrixOperand::b: return gemm.b;
    case MatrixOperand::c: return gemm.c;
    default: UNREACHABLE("an operand of T.gemm");
  }
}

Layout rebased(Layout layout, const ThreadRange& threads) {
  layout.base += threads.lo;
  return layout;
}

Layout replicated(const Index& shape, const ThreadRange& threads) {
  return rebased(fully_replicated(shape, threads.count()), threads);
}

bool is_within(const Layout& layout, const ThreadRange& threads) {
  return threads.contains({layout.base, extent(layout, 't')});
}

std::string line_prefix(const Node& node) {
  return node.span.known() ? std::to_string(node.span.line) + ": " : "";
}

bool LayoutOp::writes_fragment() const {
  for (const BufferAccess& access : fragments)
    if (access.write) return true;
  return false;
}

LayoutProblem::LayoutProblem(const Func& func, const Kernel& kernel, PassContext& context,
                             std::unordered_set<const Node*> narrow)
    : func_(func),
      kernel_(kernel),
      context_(context),
      buffers_(buffers_of(func)),
      views_(views_of(*kernel.body)),
      varying_(kernel),
      narrow_(std::move(narrow)) {
  const Attr* spread = find_attr(func.configs, "tilelab.bank_swizzles");
  spreads_columns_ = context.target.lanes > 1 && (!spread || spread->integer);
  for (const auto& [name, buffer] : buffers_of(kernel.body)) buffers_[name] = buffer;
  std::unordered_map<Symbol, ThreadRange> of_roles;
  const bool asked = asks_for_hardware_units(func);
  for_each(
      *kernel.body,
      [&](const Gemm& gemm) { layouts_by_units_ |= !asked && find_matrix(name(gemm.by)); },
      [&](const Role& role) {
        for (const auto& [name, buffer] : buffers_of(role.body))
          of_roles[name] = {0, role.hi - role.lo};
      },
      [&](const Buffer& buffer) {
        if (buffer.scope != Scope::fragment) return;
        FragmentState state;
        state.buffer = &buffer;
        state.shape = const_shape(buffer);
        state.layout = buffer.layout;
        state.annotated = buffer.layout.known();
        state.why = "annotate_layout";
        state.span = buffer.span;
        auto role = of_roles.find(buffer.name);
        state.home = role == of_roles.end() ? ThreadRange{0, kernel.block} : role->second;
        fragments_.emplace(buffer.name, std::move(state));
        order_.push_back(buffer.name);
      });
}

DType LayoutProblem::dtype_of(Symbol name) const {
  auto view = views_.find(name);
  return view != views_.end() ? view->second->dtype : buffers_.at(name)->dtype;
}

Index LayoutProblem::shape_of(Symbol name) const {
  auto view = views_.find(name);
  if (view == views_.end()) return const_shape(*buffers_.at(name));
  Index shape;
  for (const Expr& extent : view->second->shape) shape.push_back(int_value(extent).value_or(1));
  return shape;
}

std::optional<Scope> LayoutProblem::scope_of(Symbol name) const {
  auto found = buffers_.find(base_of(name));
  return found == buffers_.end() ? std::nullopt : std::optional(found->second->scope);
}

AccessedMemory LayoutProblem::memory_of(Symbol name) const {
  const Buffer& buffer = *buffers_.at(base_of(name));
  const bool scattered = buffer.where.known(), shared = buffer.scope == Scope::shared;
  const int64_t sums = shared ? 1 : context_.target.widest_sum(dtype_of(name));
  if (name != buffer.name) {
    const DType dtype = dtype_of(name);
    Layout layout;
    if (shared && buffer.layout.known())
      layout = reshape(buffer.layout, shape_of(name), bits(buffer.dtype), bits(dtype))
                   .value_or(Layout{});
    return {dtype, views_.at(name)->shape, {}, layout, buffer.swizzle, scattered, sums};
  }
  return {
      buffer.dtype, buffer.shape, buffer.strides, shared ? buffer.layout : Layout{}, buffer.swizzle,
      scattered,    sums};
}

Layout LayoutProblem::layout_of(Symbol name) const {
  Symbol base = base_of(name);
  const FragmentState& state = fragments_.at(base);
  if (name == base || !state.layout.known()) return state.layout;
  return reshape(state.layout, shape_of(name), bits(dtype_of(base)), bits(dtype_of(name)))
      .value_or(Layout{});
}

bool LayoutProblem::suits_views(const FragmentState& state, const Layout& layout) const {
  const Symbol base = state.buffer->name;
  return std::all_of(views_.begin(), views_.end(), [&](const auto& entry) {
    const auto& [name, view] = entry;
    if (base_of(name) != base) return true;
    const auto seen = reshape(layout, shape_of(name), bits(state.buffer->dtype), bits(view->dtype));
    return seen && decoding(*seen, 't');
  });
}

bool LayoutProblem::set_layout(Symbol name, const Layout& layout, const std::string& why,
                               Span span) {
  Symbol base = base_of(name);
  FragmentState& state = fragments_.at(base);
  std::optional<Layout> own = layout;
  if (name != base) own = reshape(layout, state.shape, bits(dtype_of(name)), bits(dtype_of(base)));
  if (!own || !suits_views(state, *own)) return false;
  state.layout = *own;
  state.why = why;
  state.span = span;
  return true;
}

void LayoutProblem::use(Symbol name, const ThreadRange& threads) {
  FragmentState& state = fragments_.at(base_of(name));
  // The block can use a fragment held by some of its threads, but not the reverse.
  bool narrower = state.threads.contains(threads);
  if (state.threads.count() == 0 || narrower) state.threads = threads;
}

/// Whether every run of `stmt` stores to the buffer.
static bool surely_stores(const Stmt& stmt, Symbol buffer) {
  if (!stmt) return false;
  if (const Store* store = as<Store>(stmt)) return store->buffer == buffer;
  if (const If* branch = as<If>(stmt))
    return surely_stores(branch->then_, buffer) && surely_stores(branch->else_, buffer);
  const Seq* list = as<Seq>(stmt);
  return list && std::any_of(list->stmts.begin(), list->stmts.end(),
                             [&](const Stmt& s) { return surely_stores(s, buffer); });
}

bool LayoutProblem::overwrites(const LayoutOp& op, Symbol buffer) const {
  if (const Parallel* loop = as<Parallel>(op.node)) {
    if (!surely_stores(loop->body, buffer)) return false;
  } else if (as<Store>(op.node)) {  // of one element
    return false;
  }
  for (const Operand& operand : operands_of(*op.node))
    if (operand.buffer == buffer && operand.read) return false;
  const Index shape = shape_of(buffer);
  bool written = false;
  for (const BufferAccess& access : op.fragments) {
    if (access.buffer != buffer) continue;
    if (!access.write || !fills(op, access, shape)) return false;
    written = true;
  }
  return written;
}

bool LayoutProblem::rows_are_multiples(const LayoutOp& op, Symbol tensor, int64_t vec) const {
  return op.facts.range(memory_of(tensor).shape.back()).multiple % vec == 0;
}

bool LayoutProblem::columns_and_rows(const LayoutOp& op) const {
  bool columns = false, rows = false;
  for (const BufferAccess& access : op.memory) {
    if (!touches_last(op, access) || (op.gathers && !access.write)) continue;
    const bool shared = scope_of(access.buffer) == Scope::shared;
    (shared && crosses_rows(op, access) ? columns : rows) = true;
  }
  return spreads_columns_ && columns && rows;
}

int64_t LayoutProblem::memory_width(const LayoutOp& op) const {
  int64_t narrowest = 0;
  // A column is accessed element by element in any case.
  const bool separate_columns = !narrow_.count(op.node) && columns_and_rows(op);
  for (const BufferAccess& access : op.memory) {
    if (!touches_last(op, access) || (op.gathers && !access.write)) continue;
    if (separate_columns && scope_of(access.buffer) == Scope::shared && crosses_rows(op, access))
      continue;
    int64_t w = access_width(op, access, memory_of(access.buffer), context_.target.vector_bytes);
    narrowest = narrowest == 0 ? w : std::min(narrowest, w);
  }
  if (op.gathers) narrowest = std::min(narrowest, op.gathers);
  return narrowest;
}

int64_t LayoutProblem::vector_of(const LayoutOp& op, const Layout& loop) const {
  if (loop.dims.empty() || loop.dims.back().empty()) return 1;
  const Digit& low = loop.dims.back().back();
  if (low.kind != 'r' || low.stride != 1) return 1;
  int64_t memory = memory_width(op), run = dividing_width(low.extent, 64);
  if (memory > 0) return std::min(run, memory);
  int64_t widest = 8;
  for (const BufferAccess& access : op.fragments)
    widest = std::max<int64_t>(widest, bits(dtype_of(access.buffer)));
  return std::min<int64_t>(run, context_.target.widest_access(widest));
}

namespace {

/// `layout` of the last two dimensions under leading dimensions of extent 1.
Layout with_leading(Layout layout, size_t rank) {
  while (layout.shape.size() < rank) {
    layout.shape.insert(layout.shape.begin(), 1);
    layout.dims.insert(layout.dims.begin(), Digits{});
  }
  return layout;
}

}  // namespace

Layout LayoutProblem::gemm_demand(const Gemm& gemm, MatrixOperand operand,
                                  const ThreadRange& threads) const {
  const Region& c = to<Region>(gemm.c);
  const size_t rank = c.dims.size();
  const int64_t m = c.dims[rank - 2].extent, n = c.dims[rank - 1].extent;
  if (gemm.by == GemmBy::fma) {
    if (operand != MatrixOperand::c) return {};
    int64_t vec = context_.target.widest_access(bits(dtype_of(c.buffer)));
    return rebased(with_leading(plan_accumulator(m, n, threads.count(), vec), rank), threads);
  }
  const MatrixInstruction* row = context_.target.matrix(gemm.by);
  const auto layout =
      row ? matrix_layout(gemm, *row, operand, context_.target.lanes) : std::nullopt;
  if (!layout) return {};
  const Region& region = to<Region>(operand_of(gemm, operand));
  return rebased(with_leading(*layout, region.dims.size()), threads);
}

}  // namespace tilelab
