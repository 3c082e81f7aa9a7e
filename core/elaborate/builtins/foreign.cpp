// SPDX-License-Identifier: Apache-2.0
#include "core/elaborate/builtins/foreign.h"

#include <algorithm>

#include "core/elaborate/builtins/addresses.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/ir/traverse.h"
#include "core/targets/target.h"

namespace tilelab::elaborate {

namespace {

/// Row-major number of the element.
Expr number_of(const AddressValue& address) {
  if (address.number) return address.number;
  Expr number = int_const(0);
  for (size_t d = 0; d < address.index.size(); ++d) {
    const DType dtype = address.index[d]->type.dtype;
    number = add(mul(cast(dtype, number), cast(dtype, address.buffer->shape[d])), address.index[d]);
  }
  return number;
}

/// The elements from the address on as one box, at least as many as the address states: whole rows
/// of the last dimensions. Without a number, all that follow, as far as the extents are constant.
Expr pointed_region(const AddressValue& address) {
  const BufferInfo& buffer = *address.buffer;
  std::vector<RegionDim> dims;
  for (const Expr& index : address.index) dims.push_back(point(index));
  const auto stated = address.extent ? int_value(address.extent) : std::nullopt;
  int64_t rest = stated.value_or(INT64_MAX);
  for (size_t d = dims.size(); d-- > 0 && rest > 1;) {
    const auto extent = int_value(buffer.shape[d]);
    const auto first = int_value(dims[d].lo);
    if (!extent) break;
    const int64_t room = *extent - first.value_or(0);
    dims[d] = slice(dims[d].lo, std::clamp<int64_t>(rest, 1, std::max<int64_t>(room, 1)));
    rest = rest / *extent + (rest % *extent != 0);
  }
  return region(buffer.name, buffer.dtype, std::move(dims));
}

/// The argument as an address: of T.access_ptr, of a buffer, or of the start of a slice.
std::optional<AddressValue> address_of(const Value& value) {
  if (const AddressValue* address = value.get<AddressValue>()) return *address;
  const BufferRef* buffer = value.get<BufferRef>();
  const RegionValue* slice = value.get<RegionValue>();
  if (!buffer && !slice) return std::nullopt;
  AddressValue out{buffer ? *buffer : slice->buffer, {}, nullptr};
  for (size_t d = 0; d < out.buffer->shape.size(); ++d)
    out.index.push_back(buffer ? int_const(0) : slice->dims[d].lo);
  return out;
}

}  // namespace

// ---- operands

Expr ForeignCall::operand(const Argument& argument) {
  if (const AddressValue* address = argument.value.get<AddressValue>())
    return address_operand(*address, argument.span);
  const Expr value = e_.to_expr(argument.value, argument.span);
  access_ += foreign_access::value;
  if (!value || value->type.scalar()) return value;
  e_.report(Diag::statement_unsupported, argument.span,
            "a vector as an argument of `" + name_ + "`")
      .help("pass the address of its first element: T.address_of(A[i])");
  return nullptr;
}

Expr ForeignCall::address_operand(const AddressValue& address, Span span) {
  const BufferInfo& buffer = *address.buffer;
  if (buffer.scope == Scope::fragment || buffer.scope == Scope::barrier) {
    const std::string memory = "pass memory of T.alloc_local, T.alloc_shared or a tensor";
    e_.report(Diag::statement_unsupported, span,
              "the address of `" + buffer.name.str() + "` as an argument of `" + name_ + "`")
        .label(buffer.span, describe(Value(address.buffer)))
        .help(buffer.scope == Scope::fragment
                  ? "its elements are in the registers of several threads; " + memory
                  : memory);
    return nullptr;
  }
  access_ += address.access == "r"   ? foreign_access::reads
             : address.access == "w" ? foreign_access::writes
                                     : foreign_access::updates;
  const bool one_thread = find_target(e_.request_.target)->family == Family::cpu;
  of_threads_ |= buffer.scope != Scope::local && e_.parallel_ == 0 && !one_thread;
  return at(span, pointed_region(address));
}

// ---- the two branches

Value ForeignCall::emit(std::vector<Argument> passed) {
  for (Argument& argument : passed) {
    const auto address = address_of(argument.value);
    argument.value = address ? Value(*address) : e_.evaluated(argument.value, argument.span);
    const Expr made = operand(argument);
    if (!made) return {};
    operands_.push_back(made);
  }
  passed_ = std::move(passed);
  if (result_) {
    into_ = e_.ir_.fresh(e_.hint_ ? e_.hint_ : Symbol("r"));
    e_.vars_.insert(into_);
    e_.emit(var(into_, *result_, number(0, *result_)), span_);
  }
  Stmt native = itself(), otherwise = model();
  if (!otherwise) return {};
  emit_branches(std::move(native), std::move(otherwise));
  if (!into_) return None{};
  return e_.let_value(into_, name_ref(into_, {*result_}), span_);
}

void ForeignCall::emit_branches(Stmt native, Stmt otherwise) {
  std::vector<Expr> of_thread;
  if (of_threads_) of_thread.push_back(name_ref("tid"));
  const Expr runs = call(Intrinsic::native, {DType::bool_}, std::move(of_thread));
  e_.emit(if_then(runs, std::move(native), std::move(otherwise)), span_);
}

/// Stops the simulator.
Stmt ForeignCall::opaque() const {
  Record stop;
  stop.what = RecordKind::opaque;
  stop.message = "`" + name_ + "`";
  stop.values = {bool_const(false)};
  return at(span_, Stmt(make(std::move(stop))));
}

Stmt ForeignCall::itself() {
  e_.ir_.open_block();
  Expr made = call(Intrinsic::foreign, {result_.value_or(DType::i32)}, operands_,
                   {attr("name", name_), attr("access", access_)});
  if (into_) {
    e_.assign_var({into_, *result_, span_}, e_.hoist(std::move(made), span_), span_);
  } else {
    Do effect;
    effect.call = std::move(made);
    e_.emit(make(std::move(effect)), span_);
  }
  return e_.ir_.close_block();
}

/// The statements that do what the function does; null after an error.
Stmt ForeignCall::model() {
  const HostResult found = e_.host_.extern_model(name_);
  if (!found.missing && !found.ok()) {
    e_.host_value(found, span_);
    return nullptr;
  }
  e_.ir_.open_block();
  if (!found.missing) {
    model_of_user(found.value);
  } else if (!hosted_model()) {
    e_.emit(opaque(), span_);
  }
  return e_.ir_.close_block();
}

void ForeignCall::model_of_user(const Value& function) {
  const Value value = e_.call(function, passed_, {}, span_, span_);
  if (!into_ || value.poisoned()) return;
  if (value.is<None>())
    e_.report(Diag::statement_unsupported, span_,
              "a value of `" + name_ + "`, whose model returns none")
        .help("return the value in the function below @T.extern_model(\"" + name_ + "\")");
  else if (Expr result = e_.to_dtype(value, *result_, span_))
    e_.assign_var({into_, *result_, span_}, result, span_);
}

// ---- the function itself, compiled for this machine

/// Its signature for core/sim/program/hosted.h; "" if an address does not state how many elements
/// the function accesses.
std::string ForeignCall::hosted_signature() const {
  constexpr int64_t kMost = 256;
  std::string out = result_ ? name(*result_) : "-";
  for (size_t i = 0; i < passed_.size(); ++i) {
    const AddressValue* pointer = address(i);
    const DType dtype = operands_[i]->type.dtype;
    const auto count = pointer && pointer->extent ? int_value(pointer->extent) : std::nullopt;
    if (pointer && (!count || *count < 1 || *count > kMost)) return "";
    out +=
        std::string(" ") + access_[i] + (pointer ? std::to_string(*count) : "") + ":" + name(dtype);
  }
  return out;
}

/// The operands, with the elements that the function reads in place of addresses.
std::vector<Expr> ForeignCall::read_values() {
  std::vector<Expr> out;
  for (size_t i = 0; i < passed_.size(); ++i) {
    const AddressValue* pointer = address(i);
    if (!pointer) out.push_back(operands_[i]);
    if (!pointer || access_[i] == foreign_access::writes) continue;
    for (int64_t k = 0; k < *int_value(pointer->extent); ++k)
      out.push_back(*e_.subscript(*pointer, k, span_).get<Expr>());
  }
  for (Expr& value : out)
    if (as<Load>(value)) value = e_.hoist(value, span_);
  return out;
}

/// Calls the function once for each element that it writes, on the values of those that it reads.
/// False if it does not compile for this machine.
bool ForeignCall::hosted_model() {
  const std::string signature = hosted_signature();
  std::vector<std::string> sources;
  for (const Stmt& s : e_.ir_.block(0))
    if (const Source* source = as<Source>(s)) sources.push_back(source->text);
  const std::string key =
      signature.empty() ? "" : e_.host_.host_function(name_, signature, sources);
  if (key.empty()) return false;
  const std::vector<Expr> values = read_values();
  const std::string access(values.size(), foreign_access::value);
  const auto called = [&](DType dtype, std::vector<Attr> attrs) {
    attrs.push_back(attr("name", name_)), attrs.push_back(attr("access", access));
    attrs.push_back(attr("host", key + " " + signature));
    return e_.hoist(call(Intrinsic::foreign, {dtype}, values, std::move(attrs)), span_);
  };
  if (into_) e_.assign_var({into_, *result_, span_}, called(*result_, {}), span_);
  struct Written {
    size_t parameter;
    int64_t element;
    Expr value;
  };
  std::vector<Written> written;
  for (size_t i = 0; i < passed_.size(); ++i)
    for (int64_t k = 0; address(i) && k < *int_value(address(i)->extent); ++k)
      if (access_[i] != foreign_access::reads)
        written.push_back({i, k,
                           called(operands_[i]->type.dtype,
                                  {attr("index", std::vector<int64_t>{int64_t(i), k})})});
  for (const Written& each : written)
    e_.store(*address(each.parameter), each.element, each.value, span_, span_);
  return true;
}

// ---- pointers of models

std::optional<std::vector<SliceDim>> ForeignCall::pointed(Elaborator& e,
                                                          const AddressValue& address,
                                                          const Value& index, Span span) {
  const Expr offset = e.to_index(index, span);
  if (!offset) return std::nullopt;
  const BufferInfo& buffer = *address.buffer;
  std::vector<Expr> indices = address.index;
  if (indices.size() == 1 || !buffer.strides.empty()) {
    if (!indices.empty()) indices.back() = offset_by(indices.back(), offset);
  } else if (!indices.empty()) {
    indices = index_of(buffer, offset_by(number_of(address), offset));
  }
  std::vector<SliceDim> out;
  for (Expr& each : indices) out.push_back({std::move(each), int_const(1), true});
  return out;
}

// ---- source code

void ForeignCall::add_source(Elaborator& e, const std::string& text, Span span) {
  if (e.request_.signature_only) return;
  std::vector<Stmt>& host = e.ir_.block(0);
  for (const Stmt& s : host)
    if (const Source* before = as<Source>(s); before && before->text == text) return;
  Source source;
  source.text = text;
  host.push_back(at(span, Stmt(make(std::move(source)))));
}

/// T.import_source(text); None adds nothing.
Value Elaborator::on_import_source(Arguments& args) {
  const Argument& source = args["source"];
  if (source.value.is<None>()) return None{};
  const auto* text = source.value.get<std::string>();
  if (!text) {
    report(Diag::static_needed, source.span, "the source code of T.import_source",
           describe(source.value))
        .help("pass a string that Python knows when the kernel is compiled");
    return {};
  }
  ForeignCall::add_source(*this, *text, args.span);
  return None{};
}

}  // namespace tilelab::elaborate
