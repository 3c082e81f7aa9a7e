// SPDX-License-Identifier: Apache-2.0
// A function as a whole: parameters, the host section, kernels.
#include <algorithm>

#include "core/diagnostics/usage.h"
#include "core/elaborate/elaborator.h"
#include "core/elaborate/rewrites/half_bytes.h"
#include "core/elaborate/rewrites/rewrites.h"
#include "core/ir/traverse.h"
#include "core/support/text.h"
#include "core/syntax/parser.h"

namespace tilelab::elaborate {

using syntax::Op;

Elaborator::Elaborator(const Request& request, HostValues& host, Diagnostics& diagnostics)
    : request_(request), host_(host), diagnostics_(diagnostics) {
  for (const char* name : {"tid", "lane", "warp"}) ir_.reserve(name);
  for (int i = 0; i < kIntrinsicCount; ++i) ir_.reserve(name(static_cast<Intrinsic>(i)));
  frame_ = std::make_shared<Frame>();
  frame_->scope = request.scope;
  frame_->function = request.function.get();
}

Elaborator::~Elaborator() {
  for (const std::shared_ptr<Frame>& captured : captured_) captured->names.clear();
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

/// The type of a parameter. Names that only its annotation uses belong to code that has ended: then
/// the host has the value.
Value Elaborator::annotation_of(const syntax::Node& parameter) {
  bool resolves = true;
  syntax::for_each(parameter.part(0), [&](const syntax::Node& node) {
    if (node.kind == syntax::Kind::name)
      resolves = resolves && (find(node.name) || !host_.lookup(frame_->scope, node.name).missing);
  });
  HostResult known;
  if (!resolves) known = host_.annotation(frame_->scope, parameter.name);
  const Value type = !resolves && known.ok() ? known.value : eval(parameter.part(0));
  const std::string* text = type.get<std::string>();
  if (!text || type_from_name(*text)) return type;
  Diagnostics unread;  // a text that is not an expression is reported as it is
  const syntax::Tree module = syntax::parse("annotation", strip(*text), unread);
  const bool single = module && unread.ok() && module->body.size() == 1 &&
                      module->body[0]->kind == syntax::Kind::expression;
  return single ? eval(module->body[0]->part(0)) : type;
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
        frame_->names[name] = {it->second, 0, parameter->span};
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
    Value type = annotation_of(*parameter);
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
      signature_.add({name, nullptr, DType::i64, parameter->span});
      frame_->names[name] = {PointerValue{name}, 0, parameter->span};
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
    if (is_four_bit_integer(*dtype))
      report(Diag::dtype_unsupported, parameter->part(0).span,
             tilelang_name(*dtype) + std::string(" of a scalar argument"))
          .help("declare it as int32, and convert in the kernel: T.cast(" + name.str() + ", \"" +
                tilelang_name(*dtype) + "\")");
    result_.runtime.push_back(name);
    Symbol id = ir_.fresh(name, true);
    signature_.add({id, nullptr, *dtype, parameter->span});
    frame_->names[name] = {Expr(name_ref(id, {*dtype})), 0, parameter->span};
  }
}

void Elaborator::declare_parameter(Symbol name, const TensorType& type, Span span) {
  auto waiting = std::find(pending_.begin(), pending_.end(), name);
  bool typed = std::any_of(request_.function->list.begin(), request_.function->list.end(),
                           [&](const syntax::Tree& p) { return p->name == name; });
  if (!typed) {
    report(Diag::parameter_unknown, span, name)
        .label(request_.function->span, "the function's parameters are here")
        .help(
            "add it to the parameters; allocate memory of a block with T.alloc_shared and similar "
            "functions");
    return;
  }
  if (waiting != pending_.end()) pending_.erase(waiting);
  if (signature_.is_extent(name)) report_dim_as_tensor(name, span);
  auto info = std::make_shared<BufferInfo>();
  info->name = ir_.fresh(name, true);
  info->dtype = type.dtype;
  info->tf32 = type.tf32;
  info->pointers = type.pointers;
  info->lanes = type.lanes;
  info->shape = type.shape;
  info->strides = type.strides;
  info->span = span;
  signature_.use_extents(info->shape, ir_);
  signature_.use_extents(info->strides, ir_);
  check_whole_byte_rows(*info);
  if (signature_.is_extent(info->name)) report_dim_as_tensor(name, span);
  buffers_[info->name] = info;
  signature_.add({info->name, info, info->dtype, span}, name);
  frame_->names[name] = {BufferRef(info), 0, span};
}

void Elaborator::report_dim_as_tensor(Symbol name, Span span) {
  report(Diag::dim_is_tensor, span, name)
      .help("give the extent a separate name, as in " + name.str() + "_size = T.dynamic(\"" +
            name.str() + "_size\")");
}

/// Reports a jit function without a kernel: its outputs would be uninitialized.
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
  signature_.arrange(result_.runtime);
  const Stmt device = seq(ir_.close_side_block());
  std::vector<Stmt> body = signature_.host_section(device, func.span);
  body.push_back(device);
  signature_.declare_in(func);
  func.body = seq(std::move(body));
  return make(std::move(func));
}

/// Checks the returned tensors (T.empty) and the requested outputs (out_idx).
void Elaborator::check_outputs(Func& func) {
  Span span = request_.function->span;
  int64_t count = static_cast<int64_t>(signature_.parameters().size());
  for (int64_t position : request_.outputs) {
    bool good = position >= -count && position < count;
    if (good && position < 0) position += count;
    if (!good || !signature_.parameters()[static_cast<size_t>(position)].tensor) {
      report(Diag::out_idx, span, position, plural(count, "parameter"))
          .help("use positions of tensors, counted from 0, or from the end with -1");
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
          .help("return tensors made by T.empty(shape, dtype); arguments are written in place");
      continue;
    }
    returned.insert((*buffer)->name);
    result_.returned.push_back((*buffer)->name);
    for (int64_t i = 0; i < count; ++i)
      if (signature_.parameters()[static_cast<size_t>(i)].name == (*buffer)->name)
        func.outputs.push_back(i);
  }
  if (stopped_ || !diagnostics_.ok()) return;
  for (const Signature::Parameter& parameter : signature_.parameters())
    if (parameter.tensor && parameter.tensor->output && !returned.count(parameter.name))
      report(Diag::output_dropped, parameter.span, parameter.name)
          .help("add it to the return statement of the function");
}

}  // namespace tilelab::elaborate
