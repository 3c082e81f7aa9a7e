// SPDX-License-Identifier: Apache-2.0
// What an expression of the language can be while a kernel is elaborated: something that Python
// knows now (integers, strings, lists, objects of the host) or something that exists when the
// kernel runs (IR expressions, buffers), and the objects of the language in between.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/ir/func.h"
#include "core/layout/forward.h"
#include "core/syntax/tree.h"

namespace tilelab::elaborate {

struct Builtin;  // builtins.h
struct Value;
struct Frame;  // names of a function that is being elaborated (elaborator.h)

struct None {
  bool operator==(const None&) const = default;
};
/// Stands where an error was reported; whatever uses it stays silent.
struct Poison {};

/// An object of the host language that means nothing to the compiler. Hosts derive from it.
struct HostObject {
  virtual ~HostObject() = default;
};
using HostRef = std::shared_ptr<HostObject>;

/// An element type; `known` is empty for names that TileLang has and the IR has not (float4...).
struct DTypeValue {
  std::string name;
  std::optional<DType> known;
  bool tf32() const { return name == "tfloat32"; }
};

struct BufferInfo {
  Symbol name;
  Scope scope = Scope::global;
  DType dtype = DType::f32;
  bool tf32 = false;  // tfloat32: f32 in memory, of which products read the upper 19 bits
  std::vector<Expr> shape, strides;
  Span span;                           // of the declaration
  Expr safe;                           // what a read outside gives; null = 0
  bool output = false;                 // made by T.empty
  std::shared_ptr<BufferInfo> viewed;  // of a view: whose elements it shows
  DTypeValue type() const { return {tf32 ? "tfloat32" : tilelang_name(dtype), dtype}; }
};
using BufferRef = std::shared_ptr<BufferInfo>;

/// One dimension of a region before its extent is known to be constant.
struct SliceDim {
  Expr lo, extent;
  bool point = true;
  bool ramp = false;  // of a T.Ramp that may be negative: each lane that is counts from the end
};

/// `A[i, a:b]`: at least one slice.
struct RegionValue {
  BufferRef buffer;
  std::vector<SliceDim> dims;
};

/// A mutable scalar (T.alloc_var).
struct VarValue {
  Symbol name;
  DType dtype = DType::i32;
  Span span;
};

struct SliceValue {
  std::shared_ptr<Value> lo, hi, step;
  bool ramp = false;
};

struct Sequence {
  std::shared_ptr<std::vector<Value>> items;  // all who hold a list see what is put into it
  bool is_list = false;
};

struct Dictionary {
  std::shared_ptr<const std::vector<std::pair<Value, Value>>> items;
};

/// T.Tensor((M, K), dtype) as an annotation.
struct TensorType {
  std::vector<Expr> shape, strides;
  DType dtype = DType::f32;
  bool tf32 = false;
};

/// T.Kernel(...): becomes a Kernel when entered.
struct KernelFrame {
  std::vector<Expr> grid;
  std::vector<int64_t> threads;  // x, y, z
};

/// What `for` iterates over.
struct LoopFrame {
  enum class Form : uint8_t { range, parallel, grid, persistent, bound };
  Form form = Form::range;
  LoopMode mode = LoopMode::serial;
  std::vector<Expr> lo, hi;  // range: one; parallel and grid: one per variable
  Expr step, stride, index;  // stride, index: persistent; index: bound, what each thread has
  int64_t stages = 0, group = 8;
  std::vector<Attr> attrs;
  Layout layout;  // parallel: loop_layout
  bool python_range = false;
};

/// A function in source form: T.macro, a plain Python function that is called with run-time
/// values, a nested def, a lambda. `scope` answers its free names; `frame` is the enclosing
/// function's where it was defined inside a kernel. In a macro range() is a loop of the kernel; in
/// any other function it is Python's.
struct FunctionValue {
  Symbol name;
  syntax::Tree tree;
  HostRef scope;
  std::shared_ptr<Frame> frame;
  bool macro = false;
};

/// `object.name` of an object of the language, waiting for its call: `x.astype`.
struct Method {
  std::shared_ptr<Value> object;
  Symbol name;
};

/// T.Layout, T.Fragment: digits come with the buffer that it is for.
struct LayoutValue {
  std::shared_ptr<const ForwardMap> map;  // without coordinates where it has very many elements
  std::shared_ptr<const Value> function;  // of T.Layout in a kernel: what made the map
  bool for_products = false;  // make_sqmma_swizzled_layout: as the products want it that read it
};

/// An argument of type T.ptr: the tensor behind it is declared by T.make_tensor.
struct PointerValue {
  Symbol parameter;
};

/// T.access_ptr, T.tvm_access_ptr, T.address_of: where an element lies, for operations that take
/// addresses. T.make_robust_desc: the range that begins there.
struct AddressValue {
  BufferRef buffer;
  std::vector<Expr> index;
  Expr number;           // of T.tvm_access_ptr: the element's, counted row by row; else null
  Expr bytes = nullptr;  // of T.make_robust_desc: what may be read from there on; else null
};

/// T.comm_reducer: a function of two values, and the value that changes nothing.
struct CombinerValue {
  std::shared_ptr<Value> combine, identity;
};

struct Value {
  std::variant<Poison, None, bool, int64_t, double, std::string, Expr, BufferRef, RegionValue,
               VarValue, DTypeValue, SliceValue, Sequence, Dictionary, TensorType, KernelFrame,
               LoopFrame, FunctionValue, Method, LayoutValue, PointerValue, AddressValue,
               CombinerValue, const Builtin*, HostRef>
      data;

  // Copying and destroying 25 alternatives is compiled once, in value.cpp.
  Value();  // Poison
  Value(const Value& other);
  Value(Value&& other) noexcept;
  Value& operator=(const Value& other);
  Value& operator=(Value&& other) noexcept;
  ~Value();
  template <class T>
  requires(!std::is_same_v<std::remove_cvref_t<T>, Value>) Value(T&& value)
      : data(held(std::forward<T>(value))) {}
  Value(const char* text) : data(std::string(text)) {}

  template <class T> const T* get() const { return std::get_if<T>(&data); }
  template <class T> bool is() const { return std::holds_alternative<T>(data); }
  bool poisoned() const { return is<Poison>(); }

 private:
  /// Integers of every width are held as int64_t.
  template <class T> static decltype(auto) held(T&& value) {
    using U = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<U, bool> || !std::is_integral_v<U>)
      return std::forward<T>(value);
    else
      return static_cast<int64_t>(value);
  }
};

Value tuple_of(std::vector<Value> items);
Value list_of(std::vector<Value> items);
/// bool, int64_t, double: what Python's arithmetic folds. Booleans count as integers.
bool is_number(const Value& value);
/// The dtype of a Python number that meets no operand of another.
DType natural_dtype(const Value& number);
/// The integer of an int or bool, or of a constant integer expression.
std::optional<int64_t> integer_of(const Value& value);
/// Does Python alone know it: nothing in it is of the kernel's run time?
bool is_compile_time(const Value& value);
/// "an integer", "a shared buffer of 64x32 float16", ...: for messages.
std::string describe(const Value& value);
/// The same where a verb follows: "`A`, a global tensor of 64x32 float16,".
std::string subject(const Value& value);
/// "64x32", with names where extents are not constant.
std::string shape_text(const std::vector<Expr>& shape);
/// An expression in short source form, for messages: "bx * 64".
std::string expr_text(const Expr& expr);

}  // namespace tilelab::elaborate
