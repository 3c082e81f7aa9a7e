// SPDX-License-Identifier: Apache-2.0
#include "core/passes/schedule_pipelines/loop_order.h"

#include <algorithm>

#include "core/ir/build.h"
#include "core/support/text.h"

namespace tilelab {
namespace {

bool declares(const Stmt& stmt) { return allocates(stmt) || as<View>(stmt) || as<Var>(stmt); }

/// The memory (by buffer name) and variables that a statement reads and writes.
LoopOrder::Part part_of(const Stmt& stmt, const BufferViews& views) {
  LoopOrder::Part part;
  part.stmt = stmt;
  Touched memory = touched(*stmt, views);
  part.read = std::move(memory.read), part.written = std::move(memory.written);
  for_each(
      *stmt, [&](const Name& name) { part.read.insert(name.id); },
      [&](const Assign& assign) { part.written.insert(assign.name); });
  if (const Let* let = as<Let>(stmt)) part.written.insert(let->name);
  if (const Buffer* tensor = as<Buffer>(stmt)) part.written.insert(tensor->name);
  return part;
}

/// Whether the let can be rematerialized at any time: no iteration changes its operands.
bool replayable(const LoopOrder::Part& let, const std::set<Symbol>& changed) {
  return std::none_of(let.read.begin(), let.read.end(),
                      [&](Symbol name) { return changed.count(name) != 0; });
}

std::string counted(const std::vector<LoopOrder::Part>& parts) {
  std::string lines;
  for (const LoopOrder::Part& part : parts)
    if (part.stmt->span.known())
      lines += (lines.empty() ? "" : ", ") + std::to_string(part.stmt->span.line);
  return plural(int64_t(parts.size()), "statement") +
         (lines.empty() ? "" : " (of the lines " + lines + ")");
}

}  // namespace

bool has_order(const For& loop) {
  const Attr *order = find_attr(loop.attrs, "order"), *stage = find_attr(loop.attrs, "stage");
  if (!order || !stage || order->list.empty() || order->list.size() != stage->list.size())
    return false;
  constexpr int64_t kMost = int64_t{1} << 40;  // guards against arbitrary values in IR text
  const auto far = [](int64_t n) { return n < -kMost || n > kMost; };
  return std::none_of(order->list.begin(), order->list.end(), far) &&
         std::none_of(stage->list.begin(), stage->list.end(), far);
}

Symbol LoopOrder::shared(const Part& a, const Part& b) {
  for (const auto& [writer, other] : {std::pair(&a, &b), std::pair(&b, &a)})
    for (Symbol name : writer->written)
      if (other->read.count(name) || other->written.count(name)) return name;
  return {};
}

std::optional<LoopOrder> order_of(const For& loop, const BufferViews& views, std::string* wrong) {
  LoopOrder out;
  std::vector<LoopOrder::Part> all;
  std::set<Symbol> changed;
  for (const Stmt& stmt : statements_of(loop.body)) {
    if (declares(stmt)) {
      out.declarations.push_back(stmt);
      continue;
    }
    all.push_back(part_of(stmt, views));
    if (!as<Let>(stmt)) changed.insert(all.back().written.begin(), all.back().written.end());
  }
  std::vector<bool> is_replayable;
  for (const LoopOrder::Part& part : all) {
    const Let* let = as<Let>(part.stmt);
    is_replayable.push_back(let && replayable(part, changed));
    if (is_replayable.back())
      out.lets[let->name] = substitute(let->value, out.lets);
    else
      changed.insert(part.written.begin(), part.written.end()), out.parts.push_back(part);
  }
  const std::vector<int64_t>& order = find_attr(loop.attrs, "order")->list;
  const std::vector<int64_t>& stage = find_attr(loop.attrs, "stage")->list;
  const bool of_all = order.size() == all.size();  // as in programs for older versions
  if (!of_all && order.size() != out.parts.size()) {
    *wrong = "an order of " + plural(int64_t(order.size()), "statement") + " in a loop of " +
             counted(out.parts);
    return std::nullopt;
  }
  int64_t least = *std::min_element(stage.begin(), stage.end());
  for (size_t i = 0, next = 0; i < all.size(); ++i) {
    if (is_replayable[i]) continue;
    LoopOrder::Part& part = out.parts[next];
    const size_t entry = of_all ? i : next;
    part.place = order[entry], part.stage = stage[entry] - least;
    out.last = std::max(out.last, part.stage);
    ++next;
  }
  return out;
}

std::optional<Overtaken> overtaken(const LoopOrder& order) {
  for (size_t j = 0; j < order.parts.size(); ++j)
    for (size_t i = 0; i < j; ++i) {
      const LoopOrder::Part &first = order.parts[i], &second = order.parts[j];
      const Symbol name = LoopOrder::shared(first, second);
      if (name && second.time() < first.time()) return Overtaken{&first, &second, name};
    }
  return std::nullopt;
}

void verify_order(const For& loop, const BufferViews& views, Diagnostics& sink) {
  std::string wrong;
  const auto order = order_of(loop, views, &wrong);
  if (!order) {
    sink.report(Diag::statement_unsupported, loop.span, wrong)
        .help(
            "give order and stage one number for each statement of the loop; a binding such as "
            "`base = k * 64` is not a statement");
    return;
  }
  const auto found = overtaken(*order);
  if (!found) return;
  sink.report(Diag::statement_unsupported, found->second->stmt->span,
              "an order that puts this before the value it needs, `" + found->name.str() + "`")
      .label(found->first->stmt->span, "in the same iteration, but later")
      .help("give it a later stage, or a later position in `order` in the same stage");
}

}  // namespace tilelab
