// SPDX-License-Identifier: Apache-2.0
// A function: parameters, facts about them, and the host section, which contains the kernels at
// their launches.
#pragma once

#include "core/ir/tile_op.h"

namespace tilelab {

/// A parameter: a tensor (a global Buffer) or a scalar.
struct Param : Base<Param, Kind::Param, StmtNode> {
  Symbol name;
  DType dtype = DType::i32;
  Stmt tensor;  // Buffer, or null for a scalar
  static void fields(auto&& f) {
    f("name", &Param::name), f("dtype", &Param::dtype), f("tensor", &Param::tensor);
  }
};

/// A dynamic extent (T.dynamic) with its facts, which the host section checks at each call.
struct Dim : Base<Dim, Kind::Dim, StmtNode> {
  Symbol name;
  DType dtype = DType::i32;
  int64_t lo = 0, hi = (int64_t{1} << 31) - (int64_t{1} << 16);
  int64_t multiple = 1;
  static void fields(auto&& f) {
    f("name", &Dim::name), f("dtype", &Dim::dtype), f("lo", &Dim::lo), f("hi", &Dim::hi);
    f("multiple", &Dim::multiple);
  }
};

// ---- host statements: evaluated once per call, in order

/// Binds dim `name` from extent (or, with `stride`, stride) `dim` of `buffer`, which equals (times
/// * name + plus) / per exactly. If that has no solution, the CheckTensor of the buffer reports it.
struct Bind : Base<Bind, Kind::Bind, StmtNode> {
  Symbol name, buffer;
  int64_t dim = 0;
  bool stride = false;
  int64_t times = 1, plus = 0, per = 1;
  static constexpr const char* kCall = "bind";
  static void fields(auto&& f) {
    f("dim", &Bind::name, Is::positional | Is::value);
    f("tensor", &Bind::buffer, Is::positional | Is::buffer);
    f("index", &Bind::dim, Is::positional);
    f("stride", &Bind::stride), f("times", &Bind::times), f("plus", &Bind::plus);
    f("per", &Bind::per);
  }
};

/// Rank, dtype, shape, strides, device and alignment (bytes) of an argument; one diagnostic each.
struct CheckTensor : Base<CheckTensor, Kind::CheckTensor, StmtNode> {
  Symbol buffer;
  int64_t align = 16;
  bool write = false;
  static constexpr const char* kCall = "check_tensor";
  static void fields(auto&& f) {
    f("tensor", &CheckTensor::buffer, Is::positional | Is::buffer);
    f("align", &CheckTensor::align, Is::always);
    f("write", &CheckTensor::write);
  }
};

struct Check : Base<Check, Kind::Check, StmtNode> {
  Expr cond;
  std::string message;  // stable name of the diagnostic, or the user's assert text
  static constexpr const char* kCall = "check";
  static void fields(auto&& f) {
    f("condition", &Check::cond, Is::positional | Is::condition);
    f("message", &Check::message, Is::positional);
  }
};

/// Global memory for one call. `zeroed`: zero before the first call; the kernel restores the zeros.
struct Workspace : Base<Workspace, Kind::Workspace, StmtNode> {
  Stmt buffer;  // Buffer, scope global
  bool zeroed = false;
  static void fields(auto&& f) { f("buffer", &Workspace::buffer), f("zeroed", &Workspace::zeroed); }
};

/// A descriptor of `buffer` for a copy engine: dims innermost first (elements), strides in bytes
/// without the innermost; box and swizzle if the target's descriptor contains them. `bits` of an
/// element, if a view of the tensor has another size; 0: the tensor's.
struct TensorMap : Base<TensorMap, Kind::TensorMap, StmtNode> {
  Symbol name, buffer;
  std::vector<Expr> dims, strides;
  std::vector<int64_t> box;
  Swizzle swizzle;
  int64_t bits = 0;
  /// The element type that a copy engine transfers for a tensor of that type.
  DType element(DType tensor) const {
    return bits == 8    ? DType::u8
           : bits == 16 ? DType::u16
           : bits == 32 ? DType::u32
           : bits == 64 ? DType::u64
                        : tensor;
  }
  static constexpr const char* kCall = "tensor_map";
  static void fields(auto&& f) {
    f("name", &TensorMap::name, Is::bound);
    f("buffer", &TensorMap::buffer, Is::positional | Is::buffer);
    f("dims", &TensorMap::dims, Is::always), f("strides", &TensorMap::strides, Is::always);
    f("box", &TensorMap::box), f("swz", &TensorMap::swizzle), f("bits", &TensorMap::bits);
  }
};

/// Source text in the target's language that the file of the kernels begins with: the user's, of
/// the functions that `foreign` calls. Equal texts are written once.
struct Source : Base<Source, Kind::Source, StmtNode> {
  std::string text;
  static constexpr const char* kCall = "source";
  static void fields(auto&& f) { f("text", &Source::text, Is::positional); }
};

struct Func : Base<Func, Kind::Func, StmtNode> {
  Symbol name;
  Level level = Level::tile;
  std::string target = "mp_31";
  std::string after;             // the pass that produced it; "" = as elaborated
  std::vector<Attr> configs;     // pass configurations that were set
  std::vector<Stmt> params;      // Param
  std::vector<Stmt> dims;        // Dim
  std::vector<int64_t> outputs;  // positions of parameters that a call allocates and returns
  Stmt body;                     // Seq of host statements and Kernels
  static void fields(auto&& f) {
    f("name", &Func::name), f("level", &Func::level), f("target", &Func::target);
    f("after", &Func::after), f("configs", &Func::configs), f("params", &Func::params);
    f("dims", &Func::dims), f("outputs", &Func::outputs), f("body", &Func::body);
  }
};

using FuncRef = Ref<const Func>;

/// Whether an element access outside of a tensor reads its safe value or is dropped; otherwise it
/// is an error, as outside of any other buffer (configuration `tilelab.guards`).
bool guards_accesses(const Func& func);

}  // namespace tilelab
