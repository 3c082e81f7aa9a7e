// SPDX-License-Identifier: Apache-2.0
// T.Kernel: a launch, its block indices and threads.
#include "core/analysis/bindings.h"
#include "core/elaborate/builtins/foreign.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/limits.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/elaborate/rewrites/named_barriers.h"
#include "core/elaborate/rewrites/rewrites.h"
#include "core/elaborate/rewrites/roles.h"
#include "core/elaborate/rewrites/split_launches.h"
#include "core/ir/compare.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

bool Elaborator::enter_kernel(const KernelFrame& frame, const syntax::Node* target, Span span) {
  if (request_.signature_only) {
    stopped_ = true;
    return false;
  }
  if (in_kernel_) {
    report(Diag::kernel_nested, span)
        .label(kernel_span_, "this kernel is still open")
        .help(
            "use one T.Kernel with several indices, `with T.Kernel(gx, gy) as (bx, by):`, or put "
            "the kernels one after the other");
    return false;
  }
  in_kernel_ = true;
  kernel_frame_ = frame;
  kernel_span_ = span;
  kernel_attrs_.clear();
  if (!frame.cluster.empty()) kernel_attrs_.push_back(attr("cluster", frame.cluster));
  kernel_indices_.clear();
  barrier_list_ = None{};
  blocks_named_ = target != nullptr;
  ir_.open_block(false);
  kernel_block_ = ir_.depth();
  random_.reset();
  random_failed_ = false;
  bool tuple =
      target && (target->kind == syntax::Kind::tuple || target->kind == syntax::Kind::list);
  const char* defaults[] = {"bx", "by", "bz"};
  std::vector<Value> values;
  for (size_t i = 0; i < 3; ++i) {
    Symbol base = defaults[i];
    const syntax::Node* name = nullptr;
    if (tuple && i < target->list.size()) name = target->list[i].get();
    if (target && !tuple && frame.grid.size() == 1 && i == 0) name = target;
    if (name && name->kind == syntax::Kind::name && name->name.str() != "_") base = name->name;
    kernel_indices_.push_back(ir_.fresh(base));
    if (i < frame.grid.size())
      values.emplace_back(Expr(name_ref(kernel_indices_.back(), {DType::i32})));
  }
  if (kernels_ > 0) rename_host_views();
  if (!target) return true;
  if (!tuple && values.size() == 1)
    assign_to(*target, values[0], span);
  else
    assign_to(*target, tuple_of(std::move(values)), span);
  return true;
}

/// Buffer names are unique in a function: a second kernel gets new names for the views that were
/// created before T.Kernel.
void Elaborator::rename_host_views() {
  for (const HostView& view : host_views_) {
    view.made->name = ir_.fresh(view.made->name, true);
    buffers_[view.made->name] = view.made;
  }
}

/// Prepends the host views that the body uses, directly or through other views.
Stmt Elaborator::with_host_views(Stmt body) const {
  auto used = names_in(*body);
  for (auto view = host_views_.rbegin(); view != host_views_.rend(); ++view) {
    if (!used.count(view->made->name)) continue;
    used.try_emplace(view->source->name, 0);
    body = seq({at(view->made->span, view_stmt(*view->made, *view->source)), body});
  }
  return body;
}

/// Views with another dtype of memory whose layout has no digit form, each with that memory.
static std::vector<std::pair<const View*, const Buffer*>> retyped_views(const Stmt& body) {
  std::vector<std::pair<const View*, const Buffer*>> out;
  const BufferTable buffers = buffers_of(body);
  const BufferViews views = views_of(*body);
  for (const auto& [name, view] : views) {
    auto found = buffers.find(views.base_of(name));
    const bool mapped = found != buffers.end() && found->second->where.known();
    if (mapped && view->dtype != found->second->dtype) out.emplace_back(view, found->second);
  }
  return out;
}

/// Barriers are initialized once, before the kernel starts: hoists their declarations out of loops,
/// branches and groups.
static Stmt hoist_barriers(const Stmt& body) {
  std::vector<Stmt> front, rest;
  const Seq* list = as<Seq>(body);
  for (const Stmt& each : list ? list->stmts : std::vector<Stmt>{body}) {
    rest.push_back(as<Buffer>(each) ? each : rewrite_stmts(each, [&](const Stmt& s) -> Stmt {
      const Buffer* buffer = as<Buffer>(s);
      if (!buffer || buffer->scope != Scope::barrier) return s;
      front.push_back(s);
      return seq({});
    }));
  }
  if (front.empty()) return body;
  front.insert(front.end(), rest.begin(), rest.end());
  return at(body->span, seq(std::move(front)));
}

void Elaborator::leave_kernel() {
  std::vector<Stmt> kernels;
  if (grid_barriers_.empty()) {
    kernels.push_back(finished_kernel(ir_.close_block()));
  } else {
    std::vector<Stmt> workspaces;
    const auto parts = split_launches(workspaces);
    ir_.close_block();
    for (Stmt& workspace : workspaces) emit(std::move(workspace), kernel_span_);
    std::vector<Symbol> views;
    for (const HostView& view : host_views_) views.push_back(view.made->name);
    for (const Stmt& part : parts)
      kernels.push_back(finished_kernel(kernels.empty() ? part : with_views_renamed(part, views)));
    grid_barriers_.clear();
  }
  layouts_.clear();
  global_layouts_.clear();
  reducers_.end_kernel();
  in_kernel_ = false;
  for (Stmt& kernel : kernels) emit(std::move(kernel), kernel_span_);
}

/// The launches of a kernel with T.sync_grid, and the workspaces in which they keep memory.
std::vector<Stmt> Elaborator::split_launches(std::vector<Stmt>& workspaces) {
  const auto fresh = [&](Symbol name) {
    auto info = std::make_shared<BufferInfo>(*buffer_named(name));
    info->name = ir_.fresh(name, true);
    buffers_[info->name] = info;
    if (auto given = layouts_.find(name); given != layouts_.end()) {
      GivenLayout same = given->second;
      layouts_.emplace(info->name, std::move(same));
    }
    return info->name;
  };
  const auto& threads = kernel_frame_.threads;
  const auto workspace = [&](Symbol base, DType dtype, bool by_thread,
                             const std::vector<Expr>& inner) {
    std::vector<Expr> shape(kernel_frame_.grid.rbegin(), kernel_frame_.grid.rend());
    if (by_thread) shape.push_back(int_const(threads[0] * threads[1] * threads[2]));
    shape.insert(shape.end(), inner.begin(), inner.end());
    Workspace made;
    made.buffer = buffer_stmt(*declare(Symbol(base.str() + "_kept"), Scope::global, dtype,
                                       std::move(shape), kernel_span_));
    const Symbol name = to<Buffer>(made.buffer).name;
    workspaces.push_back(make(std::move(made)));
    return name;
  };
  LaunchNames names{{}, name_ref("tid", {DType::i32}), barrier_of_block(), fresh, workspace};
  for (size_t d = kernel_frame_.grid.size(); d-- > 0;)
    names.block.push_back(name_ref(kernel_indices_[d], {DType::i32}));
  return split_at_barriers(ir_.block(), grid_barriers_, names, diagnostics_);
}

/// Renames the host views in a body from the names `before` to new names for another kernel.
Stmt Elaborator::with_views_renamed(const Stmt& body, const std::vector<Symbol>& before) {
  rename_host_views();
  std::unordered_map<Symbol, Symbol> names;
  for (size_t i = 0; i < before.size(); ++i) names[before[i]] = host_views_[i].made->name;
  return names.empty() ? body : rename(body, names);
}

/// A launch of the current kernel with this body.
Stmt Elaborator::finished_kernel(Stmt body) {
  Kernel kernel;
  kernel.name = (request_.name ? request_.name : request_.function->name).str() + "_k" +
                std::to_string(kernels_++);
  kernel.grid = kernel_frame_.grid;
  while (kernel.grid.size() < 3) kernel.grid.push_back(int_const(1));
  kernel.block = 1;
  for (int64_t extent : kernel_frame_.threads) kernel.block *= extent;
  kernel.indices = kernel_indices_;
  kernel.attrs = kernel_attrs_;
  kernel.body = with_host_views(without_unused_randoms(body));
  if (has_resident_barrier(*kernel.body)) {
    Workspace counters;
    counters.zeroed = true;
    counters.buffer = buffer_stmt(
        *declare(Symbol("arrivals"), Scope::global, DType::u32, {int_const(2)}, kernel_span_));
    kernel.span = kernel_span_;
    kernel.body = with_resident_barriers(
        kernel, to<Buffer>(counters.buffer).name, barrier_of_block(),
        [&](const char* base) { return ir_.fresh(base); }, diagnostics_);
    kernel.attrs.push_back(attr(kResident, true));
    emit(make(std::move(counters)), kernel_span_);
  }
  std::optional<std::set<Symbol>> bound;
  const auto fresh_here = [&](Symbol base) {
    if (!bound) bound = names_bound_in(*kernel.body);
    return ir_.fresh_avoiding(*bound, base);
  };
  kernel.body = rename_thread_values(kernel, fresh_here);
  kernel.body = without_returns(kernel.body, [&] { return fresh_here("left"); });
  kernel.body = with_serial_accumulations(kernel);
  kernel.body = with_extended_fragments(kernel, diagnostics_);
  kernel.body = with_layouts(hoist_barriers(kernel.body));
  check_drawing(kernel);
  for (const auto& [view, of] : retyped_views(kernel.body))
    report(Diag::layout_form, view->span, "`" + of->name.str() + "`",
           "has no digits, so a view with another type would split its elements")
        .label(of->span, "allocated here")
        .help("omit its layout, or copy it to a buffer without one");
  kernel.body = with_global_layouts(kernel.body);
  kernel.body = lower_half_bytes(kernel, buffers_, fresh_here, diagnostics_);
  const NamedBarriers named = named_barriers(kernel, diagnostics_);
  kernel.body = with_roles(kernel, named, diagnostics_);
  kernel.body = with_register_budgets(kernel.body, kernel.block, kernel.min_blocks(), diagnostics_);
  kernel.body = privatize_fragments(kernel);
  kernel.body = expand_private_copies(kernel, [&] { return fresh_here("own"); });
  kernel.body = resolve_thread_barriers(kernel.body, kernel.block, named, diagnostics_);
  return make(std::move(kernel));
}

Value Elaborator::on_kernel(Arguments& args) {
  KernelFrame frame;
  std::vector<Argument> extents = args.rest;
  if (extents.size() == 1)
    if (const Sequence* list = extents[0].value.get<Sequence>()) {
      Span span = extents[0].span;
      std::vector<Argument> items;
      for (const Value& item : *list->items) items.push_back({item, span, true});
      extents = std::move(items);
    }
  if (extents.size() > 3) {
    report(Diag::kernel_grid, args.span, extents.size())
        .help("T.Kernel(grid_x[, grid_y[, grid_z]], threads=128)");
    return {};
  }
  for (const Argument& extent : extents) {
    Expr expr = to_index(extent.value, extent.span);
    if (!expr) return {};
    if (is_int(expr, 0))
      report(Diag::extent_zero, extent.span, "T.Kernel", "its extent is 0")
          .help(
              "use T.ceildiv(n, block) to round the number of blocks up; a call needs at least "
              "one");
    else if (!check_extent(expr, "T.Kernel", 1, extent.span))
      return {};
    if (auto blocks = int_value(expr); blocks && *blocks > INT32_MAX) {
      report(Diag::too_large, extent.span, "an extent of T.Kernel", *blocks, INT32_MAX)
          .help("let a block process several tiles in a loop, or use two grid dimensions");
      return {};
    }
    frame.grid.push_back(cast(DType::i32, expr));
  }
  if (extents.empty()) frame.grid.push_back(int_const(1));  // one block
  std::vector<int64_t> blocks;
  for (const Expr& extent : frame.grid) blocks.push_back(int_value(extent).value_or(1));
  constexpr int64_t kMaxBlocks = INT64_MAX / 1024;  // so that thread counts fit in 64 bits
  if (const auto above = product_above(blocks, kMaxBlocks)) {
    report(Diag::too_large, args.span, "the number of blocks", *above, kMaxBlocks)
        .help("let a block process several tiles in a loop");
    return {};
  }
  if (!read_threads(args, frame) || !read_cluster(args, frame)) return {};
  const Argument& prelude = args["prelude"];
  if (const auto* source = prelude.value.get<std::string>()) {
    ForeignCall::add_source(*this, *source, prelude.span);
  } else if (!prelude.value.is<None>()) {
    report(Diag::static_needed, prelude.span, "the source code of `prelude`",
           describe(prelude.value))
        .help("pass a string that Python knows when the kernel is compiled");
    return {};
  }
  return frame;
}

/// `threads`, by default 128; `is_cpu`: one, as on a host core.
bool Elaborator::read_threads(Arguments& args, KernelFrame& frame) {
  const Argument& threads = args["threads"];
  const bool is_cpu = args.row->has_parameter("is_cpu") && flag(args, "is_cpu");
  frame.threads = {is_cpu ? 1 : 128, 1, 1};
  if (!threads.value.is<None>()) {
    std::vector<Value> items{threads.value};
    if (const Sequence* list = threads.value.get<Sequence>()) items = *list->items;
    if (items.size() > 3) {
      report(Diag::kernel_threads, threads.span, describe(threads.value))
          .help("pass a number, or up to three of them: threads=128, threads=(32, 4)");
      return false;
    }
    for (size_t i = 0; i < items.size(); ++i) {
      auto count = static_int(items[i], threads.span, "the number of threads");
      if (!count) return false;
      if (*count <= 0 || *count > 1024) {
        report(Diag::kernel_threads, threads.span, *count)
            .help("use 1 to 1024 threads; 128 is common");
        return false;
      }
      frame.threads[i] = *count;
    }
  }
  int64_t total = frame.threads[0] * frame.threads[1] * frame.threads[2];
  if (total > 1024) {
    report(Diag::kernel_threads, threads.span, total).help("a block has at most 1024 threads");
    return false;
  }
  if (is_cpu && total > 1) {
    report(Diag::kernel_threads, threads.span, total)
        .help("remove is_cpu=True, which means one thread per block, or remove threads");
    return false;
  }
  return true;
}

/// Index of the thread along dimension `dim` of `threads`.
Expr Elaborator::thread_index(int64_t dim) const {
  const auto& threads = kernel_frame_.threads;
  Expr index = name_ref("tid", {DType::i32});
  if (threads[1] == 1 && threads[2] == 1) return dim == 0 ? index : int_const(0);
  int64_t below = 1;
  for (int64_t i = 0; i < dim; ++i) below *= threads[static_cast<size_t>(i)];
  if (below > 1) index = floordiv(index, int_const(below));
  bool last = dim == 2 || (dim == 1 && threads[2] == 1);
  return last ? index : floormod(index, int_const(threads[static_cast<size_t>(dim)]));
}

Value Elaborator::on_thread_binding(Arguments& args) {
  auto dim = static_int(args["dim"].value, args["dim"].span, "the dimension");
  if (!dim || !need_kernel(args.span, "T." + args.row->name)) return {};
  if (*dim < 0 || *dim > 2) {
    report(Diag::index_static, args.span, "threads have dimensions 0, 1 and 2")
        .help("omit the argument for dimension 0");
    return {};
  }
  const std::string& what = args.row->data;
  size_t d = static_cast<size_t>(*dim);
  if (what == "thread") return thread_index(*dim);
  if (what == "thread_extent") return kernel_frame_.threads[d];
  if (what == "block_extent")
    return d < kernel_frame_.grid.size() ? Value(kernel_frame_.grid[d]) : Value(1);
  return d < kernel_frame_.grid.size() ? Value(Expr(name_ref(kernel_indices_[d], {DType::i32})))
                                       : Value(0);
}

Value Elaborator::on_thread_bindings(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  std::vector<Value> items;
  if (args.row->data == "thread_extent" || args.row->data == "block_extent") {
    const bool of_block = args.row->data == "thread_extent";
    for (size_t d = 0; d < (of_block ? size_t{3} : kernel_frame_.grid.size()); ++d)
      items.push_back(of_block ? Value(kernel_frame_.threads[d]) : Value(kernel_frame_.grid[d]));
    return tuple_of(std::move(items));
  }
  bool threads = args.row->data == "thread";
  for (int64_t d = 0; d < (threads ? 3 : static_cast<int64_t>(kernel_frame_.grid.size())); ++d)
    items.emplace_back(threads
                           ? thread_index(d)
                           : Expr(name_ref(kernel_indices_[static_cast<size_t>(d)], {DType::i32})));
  return tuple_of(std::move(items));
}

/// A warp group: four of the target's warps, or the given number of threads and warps.
Value Elaborator::on_warp_group(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const Argument& count = args["warps_per_group"];
  Expr warps = count.value.is<None>() ? int_const(4) : to_index(count.value, count.span);
  if (!warps) return {};
  if (auto known = int_value(warps); known && *known < 1) {
    report(Diag::static_needed, count.span, "a number of warps", std::to_string(*known))
        .help("use groups of one warp or more");
    return {};
  }
  warps = cast(DType::i32, warps);
  const Value& given = args["warp_size"].value;
  if (given.is<None>()) return floordiv(name_ref("warp", {DType::i32}), warps);
  Expr size = to_index(given, args["warp_size"].span);
  if (!size) return {};
  return floordiv(name_ref("tid", {DType::i32}), mul(cast(DType::i32, size), warps));
}

/// One thread per group of the given size: the first.
Value Elaborator::on_elect(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  auto count = static_count(args["thread_extent"].value, args["thread_extent"].span,
                            "the number of threads", 0, kMaxCount);
  if (!count) return {};
  const Expr tid = name_ref("tid", {DType::i32});
  return eq(*count > 0 ? floormod(tid, int_const(*count)) : tid, int_const(0));
}

/// The lane or warp index: for the target's warp size, or the given number of threads.
Value Elaborator::on_lane(Arguments& args) {
  if (!need_kernel(args.span, "T." + args.row->name)) return {};
  const Value& given = args["warp_size"].value;
  const Expr usual = name_ref(args.row->data, {DType::i32});
  if (given.is<None>()) return usual;
  Expr size = to_index(given, args["warp_size"].span);
  if (!size) return {};
  if (int_value(size) && !static_count(size, args["warp_size"].span, "warp_size", 0, kMaxCount))
    return {};
  const Expr tid = name_ref("tid", {DType::i32});
  size = cast(DType::i32, size);
  const Expr mine = args.row->data == "lane" ? floormod(tid, size) : floordiv(tid, size);
  if (auto known = int_value(size)) return *known > 0 ? mine : usual;
  return select(lt(int_const(0), size), mine, usual);
}

}  // namespace tilelab::elaborate
