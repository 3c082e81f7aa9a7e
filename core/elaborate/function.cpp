// SPDX-License-Identifier: Apache-2.0
// A function as a whole: parameters, the host section, kernels.
#include <algorithm>

#include "core/analysis/effects.h"
#include "core/diagnostics/usage.h"
#include "core/elaborate/affine.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/packed_fp4.h"
#include "core/elaborate/rewrites/whole_kernel.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"

namespace tilelab::elaborate {

using syntax::Op;

Elaborator::Elaborator(const Request& request, HostValues& host, Diagnostics& diagnostics)
    : request_(request), host_(host), diagnostics_(diagnostics) {
  for (const char* name : {"tid", "lane", "warp"}) ir_.reserve(name);
  for (int i = 0; i < kIntrinsicCount; ++i) ir_.reserve(name(static_cast<Intrinsic>(i)));
  frame_ = std::make_shared<Frame>();
  frame_->scope = request.scope;
}

Elaborator::~Elaborator() {
  for (const std::weak_ptr<Frame>& captured : captured_)
    if (std::shared_ptr<Frame> frame = captured.lock()) frame->names.clear();
}

std::shared_ptr<Frame> Elaborator::captured_frame() {
  captured_.push_back(frame_);
  return frame_;
}

Result elaborate(const Request& request, HostValues& host, Diagnostics& diagnostics) {
  return Elaborator(request, host, diagnostics).run();
}

Result Elaborator::run() {
  int errors = diagnostics_.errors();
  parameters();
  exec_block(request_.function->body);
  if (kernel_for_rest_ && in_kernel_) leave_kernel();
  if (!stopped_)
    for (Symbol name : pending_)
      if (!undeclared_.count(name)) undeclared(name, parameter_span(name));
  check_kernel();
  Func made = *finish();
  check_outputs(made);
  if (diagnostics_.errors() != errors) return std::move(result_);
  const FuncRef func = make(std::move(made));
  result_.func = request_.signature_only ? func : with_whole_kernel_rules(func);
  return std::move(result_);
}

Span Elaborator::parameter_span(Symbol name) const {
  for (const syntax::Tree& parameter : request_.function->list)
    if (parameter->name == name) return parameter->span;
  return request_.function->span;
}

void Elaborator::undeclared(Symbol name, Span span) {
  undeclared_.insert(name);
  report(Diag::parameter_undeclared, span, name)
      .help("declare it in the signature, `" + name.str() +
            ": T.Tensor(shape, dtype)`, or in a @tilelang.jit function at the start of its body");
}

void Elaborator::parameters() {
  for (const syntax::Tree& parameter : request_.function->list) {
    Symbol name = parameter->name;
    if (parameter->op == Op::var_positional || parameter->op == Op::var_keyword) {
      report(Diag::parameter_form, parameter->span, name)
          .help("name each tensor: `A: T.Tensor(shape, dtype)`");
      continue;
    }
    if (auto it = request_.arguments.find(name); it != request_.arguments.end()) {
      const TensorType* type = it->second.get<TensorType>();
      if (!type) {
        frame_->names[name] = {it->second, 0, parameter->span, false};
        continue;
      }
      declare_parameter(name, *type, parameter->span);
      continue;
    }
    if (!parameter->has_part(0)) {
      pending_.push_back(name);
      result_.runtime.push_back(name);
      continue;
    }
    Value type = eval(parameter->part(0));
    if (type.poisoned()) {
      put(name, {}, parameter->span);
      continue;
    }
    if (const TensorType* tensor = type.get<TensorType>()) {
      result_.runtime.push_back(name);
      declare_parameter(name, *tensor, parameter->span);
      continue;
    }
    if (is_pointer(type)) {
      result_.runtime.push_back(name);
      parameters_.push_back({name, nullptr, DType::i64, parameter->span});
      frame_->names[name] = {PointerValue{name}, 0, parameter->span, false};
      pending_.push_back(name);
      continue;
    }
    auto dtype = dtype_of(type, parameter->part(0).span, true);
    if (!dtype) {
      report(Diag::annotation_type, parameter->part(0).span, describe(type))
          .help("annotate a tensor with T.Tensor(shape, dtype), a scalar with a dtype");
      put(name, {}, parameter->span);
      continue;
    }
    result_.runtime.push_back(name);
    Symbol id = ir_.fresh(name, true);
    parameters_.push_back({id, nullptr, *dtype, parameter->span});
    frame_->names[name] = {Expr(name_ref(id, {*dtype})), 0, parameter->span, false};
  }
}

void Elaborator::declare_parameter(Symbol name, const TensorType& type, Span span) {
  auto waiting = std::find(pending_.begin(), pending_.end(), name);
  bool typed = std::any_of(request_.function->list.begin(), request_.function->list.end(),
                           [&](const syntax::Tree& p) { return p->name == name; });
  if (!typed) {
    report(Diag::parameter_unknown, span, name)
        .label(request_.function->span, "the function's parameters are here")
        .help("add it to the parameters; memory of a block is made by T.alloc_shared and its like");
    return;
  }
  if (waiting != pending_.end()) pending_.erase(waiting);
  if (dims_.count(name)) report_dim_as_tensor(name, span);
  auto info = std::make_shared<BufferInfo>();
  info->name = ir_.fresh(name, true);
  info->dtype = type.dtype;
  info->tf32 = type.tf32;
  info->shape = type.shape;
  info->strides = type.strides;
  info->span = span;
  use_dims(info->shape);
  use_dims(info->strides);
  rows_of_whole_bytes(*info);
  if (dims_.count(info->name)) report_dim_as_tensor(name, span);
  buffers_[info->name] = info;
  Declared declared{info->name, info, info->dtype, span};
  auto pointer = std::find_if(parameters_.begin(), parameters_.end(),
                              [&](const Declared& p) { return p.name == name && !p.tensor; });
  if (pointer != parameters_.end())
    *pointer = declared;
  else
    parameters_.push_back(declared);
  frame_->names[name] = {BufferRef(info), 0, span, false};
}

void Elaborator::report_dim_as_tensor(Symbol name, Span span) {
  report(Diag::dim_is_tensor, span, name)
      .help("give the extent a name of its own, as in " + name.str() + "_size = T.dynamic(\"" +
            name.str() + "_size\")");
}

/// Notes the run-time extents that occur in `exprs`.
void Elaborator::use_dims(const std::vector<Expr>& exprs) {
  for (const Expr& expr : exprs)
    walk(*expr, [&](const Node& node) {
      const Name* name = as<Name>(&node);
      bool parameter = name && std::any_of(parameters_.begin(), parameters_.end(),
                                           [&](const Declared& p) { return p.name == name->id; });
      if (name && !parameter && dims_.emplace(name->id, name->type.dtype).second) {
        dim_order_.push_back(name->id);
        ir_.reserve(name->id);
      }
      return true;
    });
}

Stmt Elaborator::buffer_stmt(const BufferInfo& info) const {
  Buffer buffer;
  buffer.name = info.name;
  buffer.scope = info.scope;
  buffer.dtype = info.dtype;
  buffer.shape = info.shape;
  buffer.strides = info.strides;
  buffer.safe = info.safe;
  buffer.span = info.span;
  if (in_pairs(info)) {
    buffer.dtype = DType::u8, buffer.pairs = true;
    buffer.shape = shape_in_bytes(info.shape);
    for (size_t i = 0; i + 1 < info.strides.size(); ++i)
      buffer.strides[i] = bytes_for(info.strides[i]);
    const Const* safe = as<Const>(info.safe);
    if (safe) buffer.safe = int_const(int64_t(safe->bits * 0x11), DType::u8);
  }
  return make(std::move(buffer));
}

/// Where a call finds the value of `dim`: in a tensor that the kernel touches before one that may
/// be None, an extent before a stride, the name by itself before a multiple of it. Null if no
/// argument tells.
Stmt Elaborator::bind_dim(Symbol dim, const Touched& used) const {
  for (bool needed : {true, false})
    for (bool itself : {true, false})
      for (bool stride : {false, true})
        for (const Declared& parameter : parameters_) {
          if (!parameter.tensor || parameter.tensor->output) continue;
          if (needed && !used.read.count(parameter.name) && !used.written.count(parameter.name))
            continue;
          if (Stmt bind = bind_dim_in(parameter, dim, itself, stride)) return bind;
        }
  return nullptr;
}

Stmt Elaborator::bind_dim_in(const Declared& parameter, Symbol dim, bool itself,
                             bool stride) const {
  const auto& sizes = stride ? parameter.tensor->strides : parameter.tensor->shape;
  for (size_t i = 0; i < sizes.size(); ++i) {
    auto affine = affine_of(sizes[i]);
    if (!affine || affine->name != dim) continue;
    if (itself && (affine->times != 1 || affine->plus != 0)) continue;
    Bind bind;
    bind.name = dim;
    bind.buffer = parameter.name;
    bind.dim = static_cast<int64_t>(i);
    bind.stride = stride;
    bind.times = affine->times;
    bind.plus = affine->plus;
    const bool last = i + 1 == sizes.size();
    if (in_pairs(*parameter.tensor) && last != stride) bind.per = 2;
    return make(std::move(bind));
  }
  return nullptr;
}

/// A test that rows and strides of run time are of whole bytes; null where nothing is to be tested.
Stmt Elaborator::whole_bytes(const BufferInfo& tensor) const {
  if (!in_pairs(tensor) || tensor.shape.empty()) return nullptr;
  std::vector<Expr> sizes(tensor.strides.begin(), tensor.strides.end());
  if (!sizes.empty()) sizes.pop_back();
  sizes.push_back(tensor.shape.back());
  Expr all;
  for (const Expr& size : sizes)
    if (!always_even(size, {}))
      all = land(
          all, eq(floormod(size, int_const(2, size->type.dtype)), int_const(0, size->type.dtype)));
  if (!all) return nullptr;
  Check check;
  check.cond = all;
  check.message = tensor.name.str() +
                  " has two elements of float4_e2m1fn in a byte: its rows and "
                  "strides have an even number of them";
  return make(std::move(check));
}

/// What the host does before `body`.
std::vector<Stmt> Elaborator::host_section(const Stmt& body) {
  std::vector<Stmt> host;
  const Touched used = touched(*body);
  for (Symbol dim : dim_order_) {
    if (constants_.count(dim)) continue;  // its value is found by the caller
    if (Stmt bind = bind_dim(dim, used)) {
      host.push_back(bind);
      continue;
    }
    report(Diag::dim_unbound, request_.function->span, dim)
        .help("let one tensor argument have `" + dim.str() + "`, or a multiple like `" + dim.str() +
              " * 4`, as an extent or a stride");
  }
  for (const Declared& parameter : parameters_) {
    if (!parameter.tensor) continue;
    CheckTensor check;
    check.buffer = parameter.name;
    check.write = used.written.count(parameter.name) > 0;
    host.push_back(at(parameter.span, Stmt(make(std::move(check)))));
    if (Stmt even = whole_bytes(*parameter.tensor)) host.push_back(at(parameter.span, even));
  }
  return host;
}

/// A jit function that computes nothing: its outputs would be whatever memory held.
void Elaborator::check_kernel() {
  if (request_.signature_only || !request_.eager || kernels_ || !diagnostics_.ok()) return;
  report(usage::kernel_missing, request_.function->span,
         request_.name ? request_.name : request_.function->name)
      .help("put the computation under `with T.Kernel(blocks, threads=128) as bx:`");
}

FuncRef Elaborator::finish() {
  Func func;
  func.span = request_.function->span;
  func.name = request_.name ? request_.name : request_.function->name;
  func.target = request_.target;
  func.configs = configs_;
  check_comments();
  const Stmt device = seq(ir_.close_side_block());
  std::vector<Stmt> body = host_section(device);
  body.push_back(device);
  for (const Declared& parameter : parameters_) {
    Param param;
    param.name = parameter.name;
    param.dtype = parameter.dtype;
    param.span = parameter.span;
    if (parameter.tensor) param.tensor = buffer_stmt(*parameter.tensor);
    if (param.tensor) param.dtype = to<Buffer>(param.tensor).dtype;
    func.params.push_back(make(std::move(param)));
  }
  for (Symbol name : dim_order_) {
    if (constants_.count(name)) continue;
    Dim dim;
    dim.name = name;
    dim.dtype = dims_[name];
    func.dims.push_back(make(std::move(dim)));
  }
  func.body = seq(std::move(body));
  return make(std::move(func));
}

/// What the function returns (T.empty) and what the caller asked for (out_idx).
void Elaborator::check_outputs(Func& func) {
  Span span = request_.function->span;
  int64_t count = static_cast<int64_t>(parameters_.size());
  for (int64_t position : request_.outputs) {
    bool good = position >= -count && position < count;
    if (good && position < 0) position += count;
    if (!good || !parameters_[static_cast<size_t>(position)].tensor) {
      report(Diag::out_idx, span, position, plural(count, "parameter"))
          .help("positions count from 0, or from the end with -1, and name tensors");
      continue;
    }
    func.outputs.push_back(position);
  }
  const Value& value = frame_->result;
  std::vector<Value> items;
  if (const Sequence* several = value.get<Sequence>()) {
    items = *several->items;
    result_.returns_tuple = true;
  } else if (!value.is<None>()) {
    items.push_back(value);
  }
  std::set<Symbol> returned;
  for (const Value& item : items) {
    const BufferRef* buffer = item.get<BufferRef>();
    if (item.poisoned()) continue;
    if (!buffer || !(*buffer)->output) {
      report(Diag::return_value, result_span_.known() ? result_span_ : span, describe(item))
          .help("return what T.empty(shape, dtype) made; arguments are written in place");
      continue;
    }
    returned.insert((*buffer)->name);
    result_.returned.push_back((*buffer)->name);
    for (int64_t i = 0; i < count; ++i)
      if (parameters_[static_cast<size_t>(i)].name == (*buffer)->name) func.outputs.push_back(i);
  }
  if (stopped_ || !diagnostics_.ok()) return;
  for (const Declared& parameter : parameters_)
    if (parameter.tensor && parameter.tensor->output && !returned.count(parameter.name))
      report(Diag::output_dropped, parameter.span, parameter.name)
          .help("add it to the function's return");
}

}  // namespace tilelab::elaborate
