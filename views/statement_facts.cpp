// SPDX-License-Identifier: Apache-2.0
#include "views/statement_facts.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "core/ir/build.h"
#include "core/ir/linear.h"
#include "core/ir/regions.h"
#include "core/ir/text/print.h"
#include "core/ir/tile_op.h"
#include "core/ir/traverse.h"
#include "core/layout/recognize.h"
#include "core/layout/text.h"
#include "core/support/text.h"
#include "core/targets/target.h"

namespace tilelab {
namespace {

std::string extents_text(const Index& extents) {
  return extents.empty() ? "1" : join(extents, "x");
}

Index box_of(const Region& region) {
  Index out;
  for (const RegionDim& dim : region.dims)
    if (!dim.point) out.push_back(dim.extent);
  return out;
}

const char* scope_word(Scope scope) {
  switch (scope) {
    case Scope::global: return "global ";
    case Scope::shared: return "shared ";
    case Scope::fragment: return "fragment ";
    default: return "";
  }
}

/// Traverses a function with the loops around each statement.
class Facts {
 public:
  Facts(const Func& func, FileId file)
      : file_(file), target_(find_target(func.target)), buffers_(buffers_of(func)) {
    for_each_of_host(func, [&](const Kernel& kernel) { statement(kernel); });
  }

  std::map<int, std::vector<Reason>> take() { return std::move(out_); }

 private:
  void statement(const StmtNode& stmt) {
    visit(stmt, [&](const auto& node) { describe(node); });
    const std::string iterations = iterations_, role = role_;
    if (const auto* loop = as<For>(&stmt)) iterations_ = iterations_text(*loop);
    if (const auto* own = as<Role>(&stmt))
      role_ = ", by threads " + std::to_string(own->lo) + " to " + std::to_string(own->hi - 1) +
              " (" + own->name.str() + ")";
    for_each_stmt(stmt, [&](const Stmt& child) {
      if (child) statement(*child);
    });
    iterations_ = iterations, role_ = role;
  }

  void note(const Node& node, const char* what, std::string text) {
    if (node.span.known() && node.span.file == file_)
      out_[int(node.span.line)].push_back({what, std::move(text)});
  }

  /// Skips duplicates: a line may have several statements or accesses that are alike.
  void note_once(const Node& node, const char* what, std::string text) {
    auto known = out_.find(int(node.span.line));
    const bool said =
        known != out_.end() &&
        std::any_of(known->second.begin(), known->second.end(), [&](const Reason& reason) {
          return reason.pass == what && reason.text == text;
        });
    if (!said) note(node, what, std::move(text));
  }

  /// Whether the loop's variable is in its source line: the variable of a loop that a pass made
  /// means nothing to the kernel's author.
  static bool is_own(const For& loop) {
    return loop.span.known() &&
           has_word(source_line(loop.span.file, loop.span.line), loop.var.str());
  }

  static std::optional<int64_t> iteration_count(const For& loop) {
    if (!loop.steps.empty()) return int64_t(loop.steps.size());
    const auto lo = int_value(loop.lo), hi = int_value(loop.hi), step = int_value(loop.step);
    if (!lo || !hi || !step || *step <= 0) return std::nullopt;
    return std::max<int64_t>(0, (*hi - *lo + *step - 1) / *step);
  }

  static std::string iterations_text(const For& loop) {
    const bool own = !loop.span.known() || is_own(loop);
    const auto count = iteration_count(loop);
    if (!count) return own ? ", in each iteration of " + loop.var.str() : ", several times";
    if (*count == 1) return own ? ", in the single iteration of " + loop.var.str() : "";
    if (!own) return ", " + std::to_string(*count) + " times";
    return ", in each of " + std::to_string(*count) + " iterations of " + loop.var.str();
  }

  void describe(const For& loop) {
    if (!is_own(loop)) return;
    const auto count = iteration_count(loop);
    note_once(loop, "runs",
              (count ? plural(*count, "iteration") : "iterations that depend on the arguments") +
                  (loop.mode == LoopMode::unroll ? ", unrolled" : ", in sequence") + role_ +
                  iterations_);
  }

  static bool has_word(const std::string& text, const std::string& word) {
    auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const size_t end = at + word.size();
      if ((at == 0 || !part(text[at - 1])) && (end == text.size() || !part(text[end]))) return true;
    }
    return false;
  }

  const Buffer* buffer(Symbol name) const {
    auto found = buffers_.find(name);
    return found == buffers_.end() ? nullptr : found->second;
  }
  std::string named(Symbol name) const {
    const Buffer* found = buffer(name);
    return (found ? scope_word(found->scope) : "") + name.str();
  }
  int64_t element_bits(Symbol name) const { return buffer(name) ? bits(buffer(name)->dtype) : 8; }

  template <class Other> void describe(const Other&) {}

  void describe(const Kernel& kernel) {
    const auto text = [](const Expr& extent) { return print(extent); };
    note(kernel, "launch",
         join(kernel.grid, " x ", text) + " blocks of " + std::to_string(kernel.block) +
             " threads" +
             (kernel.smem >= 0 ? ", " + std::to_string(kernel.smem) + " bytes of shared memory"
                               : ""));
  }

  void describe(const Buffer& b) {
    if (!b.layout.known()) return;
    const int64_t size = std::max<int64_t>(1, bits(b.dtype) / 8);
    if (b.scope == Scope::fragment) {
      const int64_t registers = extent(b.layout, 'r');
      note(b, "registers",
           b.name.str() + ": " + plural(registers, "element") + ", " +
               std::to_string(registers * size) + " bytes of each of " +
               plural(thread_count(b.layout), "thread"));
      note(b, "threads", b.name.str() + threads_text(b.layout));
    } else if (b.scope == Scope::shared) {
      // A ring has a slot for each step in flight.
      const std::string slots =
          b.ring && !b.layout.shape.empty() ? plural(b.layout.shape[0], "slot") + ", " : "";
      note(b, "memory",
           b.name.str() + ": " + slots + std::to_string(allocated_bytes(b)) + " bytes" +
               (b.at >= 0 ? " at " + std::to_string(b.at) : "") + ", " + index_text(b.layout) +
               " is element " +
               (b.where.known() ? print(place_of_names(b.where, b.shape.size()))
                                : place_formula(b.layout, 'a')) +
               (b.swizzle.known() ? ", swizzled " + to_text(b.swizzle) : ""));
    }
  }

  void describe(const Copy& copy) {
    const auto *src = as<Region>(copy.src.get()), *dst = as<Region>(copy.dst.get());
    if (!src || !dst) return;
    const int64_t size = elements(*dst) * element_bits(dst->buffer) / 8;
    note(copy, "moves",
         extents_text(box_of(*dst)) + " elements, " + std::to_string(size) + " bytes, from " +
             named(src->buffer) + " to " + named(dst->buffer) + iterations_);
    if (!copy.layout.known()) return;
    distributed_over_threads(copy, copy.layout, copy.vec, {src->buffer, dst->buffer});
    for (const Region* region : {src, dst}) banks(copy, *region, copy.layout, copy.vec);
  }

  void describe(const Fill& fill) {
    const auto* dst = as<Region>(fill.dst.get());
    if (!dst) return;
    note(fill, "writes",
         std::to_string(elements(*dst)) + " elements of " + named(dst->buffer) + iterations_);
    if (!fill.layout.known()) return;
    distributed_over_threads(fill, fill.layout, fill.vec, {dst->buffer});
    banks(fill, *dst, fill.layout, fill.vec);
  }

  void describe(const Atomic& atomic) {
    const auto* dst = as<Region>(atomic.dst.get());
    if (!dst) return;
    note(atomic, "updates",
         std::to_string(elements(*dst)) + " elements of " + named(dst->buffer) + iterations_);
    if (atomic.layout.known())
      distributed_over_threads(atomic, atomic.layout, atomic.vec, {dst->buffer});
  }

  void describe(const Gemm& gemm) {
    const auto *a = as<Region>(gemm.a.get()), *c = as<Region>(gemm.c.get());
    const auto* b = as<Region>(gemm.b.get());
    if (!a || !b || !c || box_of(*a).size() < 2 || box_of(*c).size() < 2) return;
    const Index factor = box_of(*a), result = box_of(*c);
    const int64_t m = result[result.size() - 2], n = result.back();
    const int64_t k = gemm.trans_a ? factor[factor.size() - 2] : factor.back();
    note(gemm, "computes",
         extents_text({m, n, k}) + ": " + std::to_string(m * n * k) + " multiply-adds of " +
             named(a->buffer) + " and " + named(b->buffer) + iterations_);
    if (!gemm.inst.empty()) note(gemm, "instruction", extents_text(gemm.inst) + " (m, n, k)");
    if (!gemm.warps.empty()) note(gemm, "warps", extents_text(gemm.warps) + " (along m, n)");
    const Buffer* held = buffer(c->buffer);
    if (held && held->layout.known() && is_fragment(held->layout))
      note(gemm, "threads", c->buffer.str() + threads_text(held->layout));
  }

  void describe(const Reduce& reduce) {
    const auto *src = as<Region>(reduce.src.get()), *dst = as<Region>(reduce.dst.get());
    if (!src || !dst) return;
    note(reduce, "reduces",
         std::to_string(elements(*src)) + " elements of " + named(src->buffer) + " to " +
             std::to_string(elements(*dst)) + " of " + named(dst->buffer) + iterations_);
    if (!reduce.order.empty()) note(reduce, "steps", join(reduce.order, ", then "));
  }

  void describe(const Parallel& loop) {
    if (!loop.layout.known()) return;
    std::vector<Symbol> order;
    int64_t moved = 0;  // bits of memory that an iteration reads and writes
    auto touch = [&](Symbol name) {
      const Buffer* found = buffer(name);
      const bool memory = found && (found->scope == Scope::global || found->scope == Scope::shared);
      moved += memory ? element_bits(name) : 0;
      const bool known = std::find(order.begin(), order.end(), name) != order.end();
      if (found && !known) order.push_back(name);
    };
    for_each(
        *loop.body, [&](const Store& store) { touch(store.buffer); },
        [&](const Load& load) { touch(load.buffer); });
    const std::string names = join(order, ", ", [&](Symbol name) { return named(name); });
    const int64_t runs = element_count(loop.layout);
    note(loop, "runs",
         plural(runs, "iteration") + ", over " + (names.empty() ? "no buffer" : names) +
             iterations_);
    if (moved)
      note(loop, "moves", std::to_string(runs * moved / 8) + " bytes of memory" + iterations_);
    distributed_over_threads(loop, loop.layout, loop.vec, order);
    describe_body(loop, runs);
  }

  /// The statements inside a T.Parallel, at their lines.
  void describe_body(const Parallel& loop, int64_t runs) {
    const Node* where = &loop;  // the statement that contains an access
    walk(*loop.body, [&](const Node& node) {
      const bool statement = group(node.kind) != Group::expr;
      if (statement && node.span.known()) where = &node;
      if (statement && node.span.known() && node.span.line != loop.span.line)
        note_once(node, "runs",
                  "in each of the " + plural(runs, "iteration") + " of line " +
                      std::to_string(loop.span.line) + ", by its thread" + iterations_);
      if (const auto* store = as<Store>(&node)) {
        const std::vector<Expr> index = lows(store->dims);
        banks(loop, *where, store->buffer, index);
      }
      if (const auto* load = as<Load>(&node)) banks(loop, *where, load->buffer, load->index);
      return true;
    });
  }

  // ---- threads and vectors

  /// "[i0, i1] by thread i0 * 4 + i1 // 8".
  static std::string threads_text(const Layout& layout) {
    return index_text(layout) + " by thread " + place_formula(layout, 't');
  }

  static std::string index_text(const Layout& layout) {
    std::vector<std::string> index;
    for (size_t d = 0; d < layout.dims.size(); ++d)
      index.push_back(layout.dims.size() == 1 ? "i" : "i" + std::to_string(d));
    return "[" + join(index, ", ") + "]";
  }

  /// The width of an access, why it is not wider, and the mapping from elements to threads.
  void distributed_over_threads(const Node& node, const Layout& layout, int64_t vec,
                                const std::vector<Symbol>& names) {
    vec = std::max<int64_t>(1, vec);
    int64_t widest = 0, size = 0;
    for (Symbol name : names) {  // the store width of registers is irrelevant
      if (!target_ || (buffer(name) && buffer(name)->scope == Scope::fragment)) continue;
      size = std::max(size, element_bits(name));
      const int64_t own = target_->widest_access(element_bits(name));
      widest = widest ? std::min(widest, own) : own;
    }
    if (widest)
      note(node, "vector",
           plural(vec, "element") + ", " + std::to_string(vec * size / 8) + " bytes per access" +
               why_no_wider(layout, vec, widest));
    const int64_t each = std::max<int64_t>(1, extent(layout, 'r') / vec);
    note(node, "threads",
         threads_text(layout) + "; " + plural(each, "access") + " of each of " +
             plural(thread_count(layout), "thread"));
  }

  static std::string why_no_wider(const Layout& layout, int64_t vec, int64_t widest) {
    if (vec >= widest) return ": the widest access";
    const std::string wider = std::to_string(vec * 2);
    if (layout.shape.empty()) return "";
    if (element_count(layout) < 2 * vec * thread_count(layout))
      return "; " + wider + " would leave threads without work (" +
             plural(element_count(layout), "element") + " for " +
             plural(thread_count(layout), "thread") + ")";
    if (layout.shape.back() % (2 * vec) != 0)
      return "; " + wider + " do not divide rows of " + std::to_string(layout.shape.back());
    return "; no " + wider +
           " consecutive elements of a thread are contiguous on both sides, aligned and in bounds";
  }

  // ---- banks

  /// The layout of a region of a buffer, over the dimensions of its box.
  static std::optional<Layout> part_of(const Buffer& b, const Region& region) {
    Layout out = b.layout;
    for (size_t d = region.dims.size(); d-- > 0;) {
      const RegionDim& dim = region.dims[d];
      if (!dim.point && dim.extent == b.layout.shape[d]) continue;
      auto cut = slice(out, d, int_value(dim.lo).value_or(0), dim.extent, dim.point);
      if (!cut) return std::nullopt;
      out = std::move(cut->layout);
    }
    return out;
  }

  bool in_banks(Symbol name) const {
    const Buffer* b = buffer(name);
    return b && b->scope == Scope::shared && b->layout.known() && target_ && bits(b->dtype) >= 8;
  }

  void banks(const Node& node, const Region& region, const Layout& who, int64_t vec) {
    if (!in_banks(region.buffer)) return;
    const Buffer& b = *buffer(region.buffer);
    std::optional<Layout> where = part_of(b, region);
    if (!where || where->shape != who.shape) return;
    note_banks(node, region.buffer,
               {lane_accesses(who, 0, target_->lanes, 0, std::max<int64_t>(1, vec), *where,
                              b.swizzle, bits(b.dtype) / 8, std::max<int64_t>(0, b.at))});
  }

  void banks(const Parallel& loop, const Node& where, Symbol name, const std::vector<Expr>& index) {
    if (in_banks(name))
      note_banks(where, name, warp_accesses(loop, *buffer(name), index, target_->lanes));
  }

  void note_banks(const Node& node, Symbol name, const WarpAccesses& iterations) {
    const std::string text = conflicts_text(iterations, target_->banks);
    if (!text.empty()) note_once(node, "banks", name.str() + text);
  }

  FileId file_;
  const Target* target_;
  BufferTable buffers_;
  std::string iterations_;  // ", in each of 8 iterations of k"
  std::string role_;        // ", by threads 128 to 255 (producer)"
  std::map<int, std::vector<Reason>> out_;
};

/// Counts the operations of a statement; `known` becomes false for dynamic counts.
struct Operations {
  int64_t count = 0;
  bool known = true;

  void add(const StmtNode& stmt, int64_t times) {
    if (const auto* kernel = as<Kernel>(&stmt)) times *= product(kernel->grid);
    if (const auto* loop = as<For>(&stmt)) times *= iterations(*loop);
    if (stmt.kind == Kind::TileLoop) known = false;
    if (const auto* gemm = as<Gemm>(&stmt)) return add_product(*gemm, times);
    if (const auto* reduce = as<Reduce>(&stmt)) count += times * elements(to<Region>(reduce->src));
    if (const auto* loop = as<Parallel>(&stmt)) times *= product(loop->extents);
    for_each_child(
        stmt, [&](const Expr& expr) { add(expr, times); },
        [&](const Stmt& child) {
          if (child) add(*child, times);
        });
  }

 private:
  void add(const Expr& expr, int64_t times) {
    if (!expr) return;
    for_each(*expr, [&](const Bin& sum) { count += is_float(sum.type.dtype) ? times : 0; });
  }

  void add_product(const Gemm& gemm, int64_t times) {
    const Index factor = box_of(to<Region>(gemm.a)), result = box_of(to<Region>(gemm.c));
    if (factor.size() < 2 || result.size() < 2) return;
    const int64_t k = gemm.trans_a ? factor[factor.size() - 2] : factor.back();
    count += 2 * times * result[result.size() - 2] * result.back() * k;
  }

  int64_t product(const std::vector<Expr>& extents) {
    int64_t out = 1;
    for (const Expr& extent : extents) {
      const auto number = int_value(extent);
      known = known && number;
      out *= number.value_or(0);
    }
    return out;
  }

  int64_t iterations(const For& loop) {
    const auto lo = int_value(loop.lo), hi = int_value(loop.hi), step = int_value(loop.step);
    if (lo && hi && step && *step > 0) return std::max<int64_t>(0, (*hi - *lo + *step - 1) / *step);
    known = false;
    return 0;
  }
};

}  // namespace

std::string place_formula(const Layout& layout, char kind) {
  std::vector<std::string> terms;
  for (size_t d = 0; d < layout.dims.size(); ++d) {
    int64_t weight = capacity(layout.dims[d]);
    const std::string index = layout.dims.size() == 1 ? "i" : "i" + std::to_string(d);
    bool leading = true;
    for (const Digit& digit : layout.dims[d]) {
      weight /= digit.extent;
      if (digit.kind == kind && digit.extent > 1 && digit.stride != 0) {
        std::string term = index;
        if (weight > 1) term += " // " + std::to_string(weight);
        if (!leading) term += " % " + std::to_string(digit.extent);
        if (digit.stride != 1) term += " * " + std::to_string(digit.stride);
        terms.push_back(std::move(term));
      }
      leading = leading && digit.extent == 1;
    }
  }
  if (kind == 't' && layout.base) terms.push_back(std::to_string(layout.base));
  return terms.empty() ? "0" : join(terms, " + ");
}

std::map<int, std::vector<Reason>> statement_facts(const Func& func, FileId file) {
  return Facts(func, file).take();
}

std::optional<int64_t> operations_of(const Func& func) {
  Operations operations;
  for_each_of_host(func, [&](const Kernel& kernel) { operations.add(kernel, 1); });
  return operations.known ? std::optional(operations.count) : std::nullopt;
}

}  // namespace tilelab
