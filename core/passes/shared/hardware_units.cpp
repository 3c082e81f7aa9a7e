// SPDX-License-Identifier: Apache-2.0
#include "core/passes/shared/hardware_units.h"

#include <algorithm>

#include "core/analysis/statements.h"
#include "core/ir/build.h"
#include "core/layout/layout.h"

namespace tilelab {

static constexpr const char *kConfiguration = "tilelab.hardware_units",
                            *kReserved = "reserved_shared";

static void replace(std::vector<Attr>& attrs, const Attr& next) {
  std::erase_if(attrs, [&](const Attr& a) { return a.name == next.name; });
  attrs.push_back(next);
}

bool uses_hardware_units(const Func& func) {
  const Attr* set = find_attr(func.configs, kConfiguration);
  return !set || set->integer != 0;
}

bool asks_for_hardware_units(const Func& func) {
  const Attr* set = find_attr(func.configs, kConfiguration);
  return set && set->integer != 0;
}

FuncRef without_hardware_units(const FuncRef& func) {
  Func out(*func);
  replace(out.configs, attr(kConfiguration, false));
  return make(std::move(out));
}

int64_t reserved_shared(const Kernel& kernel) {
  const Attr* reserved = find_attr(kernel.attrs, kReserved);
  return reserved ? reserved->integer : 0;
}

Kernel with_reserved_shared(const Kernel& kernel, int64_t bytes) {
  Kernel out(kernel);
  replace(out.attrs, attr(kReserved, bytes));
  return out;
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
  std::unordered_set<Symbol> of_host;
  for (const Stmt& dim : func.dims) of_host.insert(to<Dim>(dim).name);
  for (const Stmt& param : func.params) of_host.insert(to<Param>(param).name);
  const auto computed = [&](const Expr& extent) {
    return any_of(
        *extent, [](const Load&) { return true; },
        [&](const Name& name) { return !of_host.count(name.id); });
  };
  for_each(
      *kernel.body,
      [&](const Buffer& buffer) {
        if (buffer.scope == Scope::shared) shared_bytes += allocated_bytes(buffer);
      },
      [&](const View& view) {
        views_of_buffer_[views.base_of(view.name)].push_back(&view);
        const Buffer* memory = base_buffer(view.name);
        const bool is_convertible =
            memory && (memory->scope == Scope::global || memory->scope == Scope::shared) &&
            std::none_of(view.shape.begin(), view.shape.end(), computed);
        if (auto copy = is_convertible ? view_as_buffer(*memory, view) : std::nullopt)
          view_buffers_.emplace(view.name, std::move(*copy));
      },
      [&](const Gemm& gemm) {
        matmuls[to<Region>(gemm.c).buffer].push_back(&gemm);
        left_.insert(views.base_of(to<Region>(gemm.a).buffer));
      },
      [&](const Call& call) {
        for (const Expr& arg : call.args) {
          const Region* region = as<Region>(arg);
          if (!region) continue;
          if (call.intrinsic != Intrinsic::ldmatrix)
            escaping_.insert(views.base_of(region->buffer));
          const bool one_vector =
              call.intrinsic == Intrinsic::cp_async || call.intrinsic == Intrinsic::ldmatrix;
          if (!one_vector) plain_.insert(views.base_of(region->buffer));
        }
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

const Buffer* KernelMemory::as_buffer(Symbol name) const {
  if (auto view = view_buffers_.find(name); view != view_buffers_.end()) return &view->second;
  auto it = buffers.find(name);
  return it == buffers.end() ? nullptr : it->second;
}

std::string KernelMemory::why_no_buffer(Symbol name) const {
  const Buffer* memory = base_buffer(name);
  const std::string view = "`" + name.str() + "` is a view ";
  if (memory && !memory->strides.empty())
    return view + "of a tensor with strides: copy from the tensor itself";
  if (memory && memory->scope == Scope::shared)
    return view + "that splits contiguous elements: copy to the buffer itself";
  return view + "with computed extents: make it of numbers and extents of tensors";
}

const Buffer* KernelMemory::base_buffer(Symbol name) const {
  auto it = buffers.find(views.base_of(name));
  return it == buffers.end() ? nullptr : it->second;
}

bool KernelMemory::loads(const Copy& copy) const {
  const Buffer *from = base_buffer(to<Region>(copy.src).buffer),
               *into = base_buffer(to<Region>(copy.dst).buffer);
  return from && into && from->scope == Scope::global && into->scope == Scope::shared;
}

std::optional<Index> KernelMemory::shape_of(Symbol name) const {
  auto view = views.find(name);
  const Buffer* buffer = base_buffer(name);
  if (!buffer) return std::nullopt;
  Index out;
  for (const Expr& extent : view == views.end() ? buffer->shape : view->second->shape) {
    const auto value = int_value(extent);
    if (!value) return std::nullopt;
    out.push_back(*value);
  }
  return out;
}

const std::vector<const View*>& KernelMemory::views_of_buffer(Symbol buffer) const {
  static const std::vector<const View*> none;
  auto it = views_of_buffer_.find(buffer);
  return it == views_of_buffer_.end() ? none : it->second;
}

bool SharedForms::demand(const Buffer& buffer, const std::vector<SharedForm>& forms) {
  auto [it, fresh] = demands_.try_emplace(buffer.name, Demand{&buffer, forms});
  if (fresh) return true;
  std::vector<SharedForm> common;
  for (const SharedForm& one : it->second.forms)
    for (const SharedForm& other : forms)
      if (one.swizzle == other.swizzle && same_map(one.layout, other.layout)) {
        common.push_back(one);
        break;
      }
  if (common.empty()) return false;
  it->second.forms = std::move(common);
  return true;
}

void SharedForms::prefer(const Buffer& buffer, const SharedForm& form) {
  if (!buffer.layout.known() && !buffer.swizzle.known() && !buffer.where.known())
    preferred_.try_emplace(buffer.name, form);
}

Buffer SharedForms::with_form(const Buffer& buffer) const {
  Buffer out(buffer);
  auto demanded = demands_.find(buffer.name);
  auto preferred = preferred_.find(buffer.name);
  const SharedForm* form = demanded != demands_.end()      ? &demanded->second.forms[0]
                           : preferred != preferred_.end() ? &preferred->second
                                                           : nullptr;
  if (form) out.layout = form->layout, out.swizzle = form->swizzle;
  return out;
}

int64_t SharedForms::extra_bytes() const {
  int64_t out = staged_bytes;
  for (const auto& [name, demand] : demands_)
    out += allocated_bytes(with_form(*demand.buffer)) - allocated_bytes(*demand.buffer);
  return out;
}

bool has_explicit_wait(const Copy& copy) {
  return copy.barrier || find_attr(copy.attrs, "by_hand");
}

}  // namespace tilelab
