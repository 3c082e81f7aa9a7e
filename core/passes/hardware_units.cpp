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

FuncRef with_hardware_units(const FuncRef& func, bool used) {
  Func out(*func);
  std::erase_if(out.configs, [](const Attr& a) { return a.name == Symbol(kConfiguration); });
  out.configs.push_back(attr(kConfiguration, used));
  return make(std::move(out));
}

UnitOptions::UnitOptions(const Func& func) {
  auto set = [&](const char* key) {
    const Attr* found = find_attr(func.configs, key);
    return found && found->integer != 0;
  };
  tensor_engine = !set("tl.disable_tma_lower");
  roles = !set("tl.disable_warp_specialized");
  if (const Attr* given = find_attr(func.configs, "tilelab.processors"))
    processors = given->integer;
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
    if (const View* view = as<View>(&node)) ++otherwise_[view->buffer];
    if (const Gemm* gemm = as<Gemm>(&node)) products[to<Region>(gemm->c).buffer].push_back(gemm);
    if (const Call* call = as<Call>(&node))
      for (const Expr& arg : call->args)
        if (const Region* region = as<Region>(arg)) ++otherwise_[region->buffer];
    return true;
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
  auto [it, fresh] = forms_.try_emplace(buffer.name, form);
  first = fresh;
  const bool agrees =
      fresh || (it->second.swizzle == form.swizzle && same_map(it->second.layout, form.layout));
  return agrees ? "" : name + " is stored as another T.gemm needs it";
}

Buffer SharedForms::formed(const Buffer& buffer) const {
  Buffer out(buffer);
  auto it = forms_.find(buffer.name);
  if (it != forms_.end()) out.layout = it->second.layout, out.swizzle = it->second.swizzle;
  return out;
}

}  // namespace tilelab
