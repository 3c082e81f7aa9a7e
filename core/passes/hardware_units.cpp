// SPDX-License-Identifier: Apache-2.0
#include "core/passes/hardware_units.h"

#include "core/ir/build.h"
#include "core/layout/layout.h"

namespace tilelab {

static constexpr const char* kConfiguration = "tilelab.hardware_units";

bool uses_hardware_units(const Func& func) {
  const Attr* set = find_attr(func.configs, kConfiguration);
  return !set || set->integer != 0;
}

bool asks_for_hardware_units(const Func& func) {
  const Attr* set = find_attr(func.configs, kConfiguration);
  return set && set->integer != 0;
}

FuncRef with_config(const FuncRef& func, const Attr& config) {
  Func out(*func);
  std::erase_if(out.configs, [&](const Attr& a) { return a.name == config.name; });
  out.configs.push_back(config);
  return make(std::move(out));
}

UnitOptions::UnitOptions(const Func& func) {
  auto set = [&](const char* key) {
    const Attr* found = find_attr(func.configs, key);
    return found && found->integer != 0;
  };
  tensor_engine = !set("tl.disable_tma_lower");
  roles = !set("tl.disable_warp_specialized");
  loops_in_order = set("tilelab.loops_in_order");
  if (const Attr* given = find_attr(func.configs, "tilelab.processors"))
    processors = given->integer;
  if (const Attr* kept = find_attr(func.configs, "tilelab.kept_shared"))
    kept_shared = kept->integer;
  if (set("tl.disable_wgmma")) without.push_back("wgmma");
  if (set("tl.disable_sqmma")) without.push_back("sqmma");
}

std::string line_of(const Node& node) {
  return node.span.known() ? std::to_string(node.span.line) + ": " : "";
}

KernelMemory::KernelMemory(const Func& func, const Kernel& kernel)
    : buffers(buffers_of(func)),
      views(views_of(*kernel.body)),
      touched_(touched(*kernel.body, views)) {
  walk(*kernel.body, [&](const Node& node) {
    const Buffer* buffer = as<Buffer>(&node);
    if (buffer && buffer->scope == Scope::shared) shared_bytes += allocated_bytes(*buffer);
    if (const View* view = as<View>(&node)) ++otherwise_[view->buffer];
    if (const Gemm* gemm = as<Gemm>(&node)) {
      products[to<Region>(gemm->c).buffer].push_back(gemm);
      left_.insert(to<Region>(gemm->a).buffer);
    }
    if (const Call* call = as<Call>(&node))
      for (const Expr& arg : call->args)
        if (const Region* region = as<Region>(arg)) ++otherwise_[region->buffer];
    return true;
  });
  const std::unordered_set<Symbol> factors = left_;
  walk(*kernel.body, [&](const Node& node) {
    if (!as<Copy>(&node) && !as<Parallel>(&node)) return group(node.kind) != Group::expr;
    const Touched one = touched(node, views);
    for (Symbol written : one.written)
      if (factors.count(written)) left_.insert(one.read.begin(), one.read.end());
    return false;
  });
}

const Buffer* KernelMemory::buffer(const Region& region) const {
  auto it = buffers.find(region.buffer);
  return it == buffers.end() ? nullptr : it->second;
}

std::string SharedForms::demand(const Buffer& buffer, const SharedOperand& form, bool& first) {
  const std::string name = "`" + buffer.name.str() + "`";
  auto same = [&](const Layout& layout, const Swizzle& swizzle) {
    return swizzle == form.swizzle && same_map(layout, form.layout);
  };
  if (buffer.layout.known() || buffer.swizzle.known()) {
    const Layout given = buffer.layout.known() ? buffer.layout : row_major(const_shape(buffer));
    return same(given, buffer.swizzle) ? "" : name + " has another layout by annotation";
  }
  auto [it, fresh] = demands_.try_emplace(buffer.name, form);
  first = fresh;
  const bool agrees =
      fresh || (it->second.swizzle == form.swizzle && same_map(it->second.layout, form.layout));
  return agrees ? "" : name + " is stored as another T.gemm needs it";
}

void SharedForms::prefer(const Buffer& buffer, const SharedOperand& form) {
  if (!buffer.layout.known() && !buffer.swizzle.known()) preferred_.try_emplace(buffer.name, form);
}

Buffer SharedForms::formed(const Buffer& buffer) const {
  Buffer out(buffer);
  for (const auto* forms : {&demands_, &preferred_})
    if (auto it = forms->find(buffer.name); it != forms->end()) {
      out.layout = it->second.layout, out.swizzle = it->second.swizzle;
      break;
    }
  return out;
}

bool by_hand(const Copy& copy) { return copy.barrier || find_attr(copy.attrs, "by_hand"); }

}  // namespace tilelab
