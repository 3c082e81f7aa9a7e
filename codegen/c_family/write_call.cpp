// SPDX-License-Identifier: Apache-2.0
// Intrinsics: the target's spelling with its placeholders expanded (spelling.h).
#include <cctype>
#include <cmath>

#include "codegen/c_family/spelling.h"
#include "codegen/c_family/types.h"
#include "codegen/c_family/writer.h"
#include "codegen/cuda/wgmma.h"
#include "core/ir/build.h"
#include "core/ir/intrinsics/call_type.h"
#include "core/support/text.h"

namespace tilelab::codegen {

namespace {

std::string attr_text(const Attr& a) {
  switch (a.form) {
    case Attr::Form::integer: return std::to_string(a.integer);
    case Attr::Form::boolean: return a.integer ? "1" : "0";
    case Attr::Form::string: return a.string;
    case Attr::Form::list: return join(a.list, ", ");
  }
  return "";
}

}  // namespace

/// A call of a function in the user's source. tl_foreign.h converts between our element types and
/// those of the platform's headers.
std::string KernelWriter::foreign(const Call& call) {
  std::vector<std::string> items;
  for (size_t i = 0; i < call.args.size(); ++i)
    items.push_back("tl_to_foreign(" + operand(call, i) + ")");
  return find_attr(call.attrs, "name")->string + "(" + join(items, ", ") + ")";
}

Piece KernelWriter::call_expr(const Call& call) {
  const char* spelled = spelling(call.intrinsic, target_);
  if (refused(spelled)) refuse(call.span, name(call.intrinsic), spelled + 1);
  const std::string_view form = spelled;
  if (form == "$0") return expr(call.args.at(0));
  if (form == "$maximum") return {maximum(call), kPostfix};
  if (form == "$leader") return {leader_test(call), kEqual};
  if (form == "$inf") {
    bool ignored = false;
    return {c_constant(call.type.dtype, encode_float(call.type.dtype, INFINITY), ignored)};
  }
  if (form == "$block_sync") {
    const Attr* mem = find_attr(call.attrs, "mem");
    return {mem && mem->string == "all" ? "tl_block_sync_full()" : "tl_block_sync()"};
  }
  if (form == "$cluster_arrive") {
    const Attr* relaxed = find_attr(call.attrs, "relaxed");
    return {relaxed && relaxed->integer ? "tl_cluster_arrive_relaxed()" : "tl_cluster_arrive()"};
  }
  if (form == "$foreign")
    return {"tl_from_foreign<" + c_type(call.type) + ">(" + foreign(call) + ")", kPostfix};
  if (form == "$wgmma") return {wgmma(call), kPostfix};
  size_t at = 0;
  bool complete = true;
  return {fill(call, form, at, false, complete), kPostfix};
}

/// Expands text up to the end, or, in an optional part, up to its `]`. `complete`: every operand
/// named in it was given.
std::string KernelWriter::fill(const Call& call, std::string_view form, size_t& at, bool optional,
                               bool& complete) {
  std::string out;
  while (at < form.size()) {
    const char c = form[at++];
    if (c == ']' && optional) return out;
    if (c == '[') {
      bool all = true;
      const std::string part = fill(call, form, at, true, all);
      if (all) out += part;
    } else if (c == '$') {
      const size_t begin = at;
      while (at < form.size() && (std::isalnum((unsigned char)form[at]) || form[at] == ':')) ++at;
      out += hole(call, form.substr(begin, at - begin), complete);
    } else {
      out += c;
    }
  }
  return out;
}

std::string KernelWriter::hole(const Call& call, std::string_view name, bool& given) {
  if (std::isdigit((unsigned char)name[0])) {
    const auto i = size_t(name[0] - '0');
    if (i < call.args.size()) return operand(call, i);
    given = false;
    return "";
  }
  if (name == "t") return c_type(call.type);
  if (name == "bytes") return copied_bytes(call);
  if (name == "first") {
    const Region* from = call.intrinsic == Intrinsic::cp_async ? as<Region>(call.args[1]) : nullptr;
    return find_attr(call.attrs, "evict_first") || (from && evicts_first(*from)) ? "_first" : "";
  }
  if (name == "phase") return part_sync_phase(call);
  if (name.substr(0, 5) == "ivec:") return coordinates(call, name.substr(5));
  if (name.substr(0, 4) == "int:") {
    hex_ = true;
    std::string value = text(call.args.at(size_t(name[4] - '0')), kTernary);
    hex_ = false;
    return value;
  }
  if (name == "matrices") {
    const size_t held = call.intrinsic == Intrinsic::stmatrix ? 1 : 0;
    const auto& registers = to<Region>(call.args.at(held));
    return std::to_string(elements(registers) * bits(registers.type.dtype) / 32);
  }
  if (name == "slices") return slices(call);
  if (name == "m" || name == "n" || name == "k") {
    const MatrixShape shape = shape_of(call);
    return std::to_string(name == "m" ? shape.m : name == "n" ? shape.n : shape.k);
  }
  const Attr* found = find_attr(call.attrs, Symbol(name));
  if (name == "dtype") {
    if (!found)
      refuse(call.span, tilelab::name(call.intrinsic), "at flat level it needs its dtype");
    const auto dtype = dtype_from_name(found->string);
    if (!dtype.has_value())
      refuse(call.span, tilelab::name(call.intrinsic), "`" + found->string + "` is not a dtype");
    return c_type(*dtype);
  }
  if (name == "granule" && !found) return "0";
  if (name == "mode" && !found) return "rn";
  if (name == "trans" && !found) return "0";
  if (name == "unit" && !found) return "warp";
  if (!found)
    refuse(call.span, tilelab::name(call.intrinsic),
           "at flat level it needs its " + std::string(name));
  return attr_text(*found);
}

MatrixShape KernelWriter::shape_of(const Call& call) {
  const Attr* shape = find_attr(call.attrs, "shape");
  const auto parsed = shape ? parse_matrix_shape(shape->string) : std::nullopt;
  if (!parsed) refuse(call.span, tilelab::name(call.intrinsic), "at flat level it needs its shape");
  return *parsed;
}

std::string KernelWriter::slices(const Call& call) {
  std::vector<std::string> items;
  for (size_t i = 0; i < call.args.size(); ++i) {
    if (operand_info(call.intrinsic, i)->kind != OperandKind::local) continue;
    const auto& region = to<Region>(call.args[i]);
    items.push_back("tl_slice<" + std::to_string(elements(region)) + ">(" + pointer(region).text +
                    ")");
  }
  return join(items, ", ");
}

/// A call of the function that issues this form of wgmma; the function is written once before the
/// kernel.
std::string KernelWriter::wgmma(const Call& call) {
  const Attr* dtype = find_attr(call.attrs, "dtype");
  if (!dtype) refuse(call.span, name(call.intrinsic), "at flat level it needs its dtype");
  const Region* a = as<Region>(call.args.at(1));
  const Wgmma form{shape_of(call), *dtype_from_name(dtype->string), a != nullptr};
  result_.functions[form.name()] = form.text();
  auto flag = [&](const char* id) {
    const Attr* found = find_attr(call.attrs, id);
    return found && found->integer;
  };
  auto place = [&](size_t i) {
    hex_ = true;
    std::string value = text(call.args.at(i), kSum);
    hex_ = false;
    return operands_ + " + (tl_u64)(" + value + ")";
  };
  std::string flags = std::to_string(!flag("zero"));
  if (form.has_major()) flags += (a ? "" : flag("tA") ? ", 1" : ", 0");
  if (form.has_major()) flags += flag("tB") ? ", 1" : ", 0";
  return form.name() + "<" + flags + ">(" + pointer(to<Region>(call.args.at(0))).text + ", " +
         (a ? pointer(*a).text : place(1)) + ", " + place(2) + ")";
}

std::string KernelWriter::operand(const Call& call, size_t i) {
  const Expr& e = call.args[i];
  const OperandInfo* info = operand_info(call, i);
  switch (info ? info->kind : OperandKind::value) {
    case OperandKind::barrier: return barrier_id(e);
    case OperandKind::global:
    case OperandKind::local:
    case OperandKind::shared:
    case OperandKind::place: return address(e);
    case OperandKind::matrix: return as<Region>(e) ? pointer(to<Region>(e)).text : text(e);
    case OperandKind::coordinates:
      return join(to<Vec>(e).parts, ", ", [&](const Expr& part) { return text(part, kTernary); });
    default: return argument(e);
  }
}

/// An address: a region, an element, or a byte address of the arena of shared memory. Matrix
/// operands of MUSA are integers (descriptors) and are written as such.
std::string KernelWriter::address(const Expr& e) {
  if (const Region* region = as<Region>(e)) return pointer(*region).text;
  if (const Load* load = as<Load>(e)) return offset(variable(load->buffer), load->index.at(0)).text;
  return offset(arena_, e).text;
}

/// A barrier by its ID, or by its address if it is a word of shared memory.
std::string KernelWriter::barrier_id(const Expr& e) {
  Expr id = e;
  if (const Region* region = as<Region>(e)) {
    auto it = buffers_.find(region->buffer);
    if (it == buffers_.end() || it->second->id < 0)
      refuse(region->span, region->buffer.str(), "its barriers have no numbers");
    id = add(int_const(it->second->id), flat_index(*region));
  }
  if (target_.barriers.kind != Barriers::Kind::in_shared) return text(id, kTernary);
  return offset(bars_, mul(id, int_const(target_.barriers.bytes))).text;
}

/// `which`: the index of a list operand, or an attribute that is a list: "tl_i2(a, b)".
std::string KernelWriter::coordinates(const Call& call, std::string_view which) {
  if (std::isdigit((unsigned char)which[0])) {
    const auto i = size_t(which[0] - '0');
    return "tl_i" + std::to_string(to<Vec>(call.args.at(i)).parts.size()) + "(" + operand(call, i) +
           ")";
  }
  const Attr* found = find_attr(call.attrs, Symbol(which));
  if (!found || found->form != Attr::Form::list)
    refuse(call.span, name(call.intrinsic), "at flat level it needs its " + std::string(which));
  return "tl_i" + std::to_string(found->list.size()) + "(" + attr_text(*found) + ")";
}

std::string KernelWriter::copied_bytes(const Call& call) {
  for (size_t i : {size_t(1), size_t(0)}) {  // the global operand always has a region
    const Region* region = i < call.args.size() ? as<Region>(call.args[i]) : nullptr;
    if (region) return std::to_string(elements(*region) * bytes(region->type.dtype));
  }
  refuse(call.span, name(call.intrinsic), "neither side is a part of a buffer");
}

/// One phase variable per barrier of a part of the block, declared at the top of the kernel.
std::string KernelWriter::part_sync_phase(const Call& call) {
  const Attr* id = find_attr(call.attrs, "id");
  if (!id) refuse(call.span, name(call.intrinsic), "at flat level it needs its id");
  auto [it, fresh] = sync_phases_.try_emplace(id->integer);
  CHECK(!fresh, "scan() declares all phases");
  return it->second;
}

/// The maximum of an int and 0 uses a separate function (tl_math.h states why).
std::string KernelWriter::maximum(const Call& call) {
  const Expr &a = call.args.at(0), &b = call.args.at(1);
  const bool zero = is_int(a, 0) || is_int(b, 0);
  if (zero && call.type.scalar() && call.type.dtype == DType::i32)
    return "tl_max_0(" + expr(is_int(a, 0) ? b : a).text + ")";
  return "tl_max(" + argument(a) + ", " + argument(b) + ")";
}

std::string KernelWriter::leader_test(const Call& call) {
  const Attr* scope = find_attr(call.attrs, "scope");
  std::string word = scope ? scope->string : "block";
  const std::string tid = variable("tid");
  if (word == "block") return tid + " == 0";
  if (word == "warp") return tid + " % " + std::to_string(target_.lanes) + " == 0";
  if (word == "group") return tid + " % 128 == 0";
  refuse(call.span, "leader", "a " + word + " is not a unit of flat level: compare tid");
}

}  // namespace tilelab::codegen
