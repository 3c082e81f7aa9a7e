// SPDX-License-Identifier: Apache-2.0
// Tensors from pointers: T.ptr, T.make_tensor, T.make_tensor_from_addr.
#include "core/elaborate/elaborator.h"

namespace tilelab::elaborate {

Value Elaborator::on_ptr(Arguments&) { return DTypeValue{"handle", std::nullopt}; }

bool is_pointer(const Value& type) {
  const DTypeValue* dtype = type.get<DTypeValue>();
  const Builtin* const* row = type.get<const Builtin*>();
  const std::string* text = type.get<std::string>();
  return (dtype && dtype->name == "handle") || (row && (*row)->name == "ptr") ||
         (text && *text == "handle");
}

/// The parts of T.make_tensor.
class MadeTensors {
 public:
  explicit MadeTensors(Elaborator& elaborator) : e_(elaborator) {}
  std::optional<TensorType> type_of(Arguments& args);
  Expr address_of(const Argument& from, const std::string& called);
  Value tensor_at(Arguments& args, const Argument& from);

 private:
  bool extents_of_call(std::vector<Expr>& extents, Span span);
  Elaborator& e_;
};

/// Shape, strides and dtype of T.make_tensor; nullopt after an error.
std::optional<TensorType> MadeTensors::type_of(Arguments& args) {
  TensorType type;
  auto shape = e_.shape_of(args["shape"].value, args["shape"].span);
  auto dtype = e_.element_type(args["dtype"].value, args["dtype"].span);
  auto strides = args.row->data != "data" && args.has("strides")
                     ? e_.shape_of(args["strides"].value, args["strides"].span)
                     : std::vector<Expr>{};
  if (!shape || !dtype || !strides) return std::nullopt;
  type.shape = std::move(*shape);
  type.tf32 = e_.is_tf32(args["dtype"].value);
  type.strides = std::move(*strides);
  type.set_element(*dtype);
  return type;
}

/// The address that a kernel computes: an int64 or uint64; null after an error.
Expr MadeTensors::address_of(const Argument& from, const std::string& called) {
  const bool number = from.value.is<int64_t>();
  const bool element =
      from.value.is<RegionValue>() || from.value.is<Expr>() || from.value.is<VarValue>();
  const Expr value = number || element ? e_.to_expr(from.value, from.span) : nullptr;
  const Type type = value ? value->type : Type{};
  const bool fits = number || type == Type{DType::i64} || type == Type{DType::u64};
  if (value && fits) return cast(DType::i64, value);
  if (value || !from.value.poisoned())
    e_.report(Diag::address_type, from.span, called,
              value ? "a value of " + std::string(tilelang_name(type.dtype)) : describe(from.value))
        .help(
            "pass an element of an argument of dtype T.ptr: `p: T.Tensor((n,), T.ptr)`, p[i]; or "
            "an int64");
  return nullptr;
}

/// Whether the call determines the extents, in which values of the host are substituted.
bool MadeTensors::extents_of_call(std::vector<Expr>& extents, Span span) {
  for (Expr& extent : extents) {
    extent = e_.inline_lets(extent);
    if (int_value(extent) || e_.signature_.computes(extent)) continue;
    e_.report(Diag::extent_dynamic, span, expr_text(extent))
        .help(
            "use extents that the call determines: the largest of all tensors, or an argument of "
            "the kernel");
    return false;
  }
  return true;
}

/// A tensor at an address that the kernel computes.
Value MadeTensors::tensor_at(Arguments& args, const Argument& from) {
  const std::string called = "T." + args.row->name;
  const Expr address = address_of(from, called);
  auto type = address ? type_of(args) : std::nullopt;
  if (!type || !e_.need_kernel(args.span, called)) return {};
  if (e_.parallel_ > 0) {
    e_.report(Diag::parallel_tile_op, args.span, called)
        .help("call it before the loop: iterations use one tensor");
    return {};
  }
  if (args.row->data == "address") {
    const std::string* scope = args["storage_scope"].value.get<std::string>();
    if (!scope || *scope != "global") {
      e_.report(Diag::statement_unsupported, args["storage_scope"].span,
                called + " of memory that is not global")
          .help("allocate memory of the block with T.alloc_shared or T.alloc_fragment");
      return {};
    }
  }
  if (!extents_of_call(type->shape, args["shape"].span) ||
      !extents_of_call(type->strides, args["shape"].span))
    return {};
  if (!type->strides.empty() && type->strides.size() != type->shape.size()) {
    e_.report(Diag::strides_rank, args["strides"].span,
              plural(int64_t(type->strides.size()), "stride"),
              plural(int64_t(type->shape.size()), "dimension"))
        .help("give one stride, in elements, for each dimension");
    return {};
  }
  if (!e_.check_size("this tensor", type->shape, type->dtype, Scope::global, args["shape"].span))
    return {};
  e_.signature_.use_extents(type->shape, e_.ir_), e_.signature_.use_extents(type->strides, e_.ir_);
  const Symbol base = e_.hint_ ? e_.hint_ : "tensor";
  const BufferRef made =
      e_.declare(base, Scope::global, type->dtype, std::move(type->shape), args.span);
  made->tf32 = type->tf32, made->lanes = type->lanes, made->strides = std::move(type->strides);
  e_.check_whole_byte_rows(*made);
  const Symbol name = e_.ir_.fresh(Symbol(base.str() + "_address"));
  e_.emit(let(name, address), args.span);
  made->address = name_ref(name, {DType::i64});
  e_.emit(buffer_stmt(*made), args.span);
  return made;
}

/// T.make_tensor(p, shape, dtype): the tensor that argument `p` points to, a tensor at an address,
/// or a buffer with another shape.
Value Elaborator::on_make_tensor(Arguments& args) {
  const Argument& from = args.at(args.row->data == "data" ? 2 : 0);
  if (from.value.is<BufferRef>()) {
    Arguments view = args;
    view.row = find_builtin("view");
    view.bound = {from, args["shape"], args["dtype"]};
    return on_view(view);
  }
  const PointerValue* pointer = from.value.get<PointerValue>();
  if (!pointer) return MadeTensors(*this).tensor_at(args, from);
  const auto type = MadeTensors(*this).type_of(args);
  if (!type) return {};
  Symbol name = pointer->parameter;
  if (const Signature::Parameter* one = signature_.find(name); one && one->tensor) {
    report(Diag::parameter_form, from.span, name)
        .help("make a second tensor with it as a view of the first: T.view(" +
              one->tensor->name.str() + ", shape, dtype)");
    return {};
  }
  declare_parameter(name, *type, args.span);
  return frame_->names[name].value;
}

}  // namespace tilelab::elaborate
