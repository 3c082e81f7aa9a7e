// SPDX-License-Identifier: Apache-2.0
// Values of expressions during elaboration: compile-time values (integers, strings, lists, host
// objects), run-time values (IR expressions, buffers), and objects of the language.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "core/elaborate/containers.h"
#include "core/ir/func.h"
#include "core/layout/forward.h"
#include "core/support/function_ref.h"
#include "core/syntax/tree.h"

namespace tilelab::elaborate {

struct Builtin;  // builtins.h
struct Value;
struct Frame;  // names of a function during elaboration (frame.h)

struct None {
  bool operator==(const None&) const = default;
};
/// The result of a reported error; its uses report nothing.
struct Poison {};

/// An opaque object of the host language. Hosts derive from it.
struct HostObject {
  virtual ~HostObject() = default;
};
using HostRef = std::shared_ptr<HostObject>;

/// An element type; `known` is empty for TileLang names that the IR lacks (float4...).
struct DTypeValue {
  std::string name;
  std::optional<DType> known;
  bool tf32() const { return name == "tfloat32"; }
};

/// The type of that name: a dtype, or a vector of 2 to 64 elements such as bfloat16x2.
std::optional<Type> type_from_name(std::string_view name);
/// "bfloat16x2"
std::string type_text(Type type);

struct BufferInfo {
  Symbol name;
  Scope scope = Scope::global;
  DType dtype = DType::f32;
  bool tf32 = false;  // tfloat32: f32 in memory, of which matmuls read the upper 19 bits
  std::vector<Expr> shape, strides;
  Span span;                           // of the declaration
  Expr safe;                           // value of an out-of-bounds read; null = 0
  bool output = false;                 // created by T.empty
  bool pointers = false;               // the elements are addresses
  Expr address;                        // of a tensor that the kernel declares
  bool aliased = false;                // may share memory with tensors that the kernel writes
  bool evict_first = false;            // loads mark its cache lines as the first to evict
  std::shared_ptr<BufferInfo> viewed;  // of a view: the viewed buffer
  /// Of a buffer of vectors: the number of elements of each, which is the last extent of `shape`.
  /// Programs do not see that dimension.
  int lanes = 1;
  bool variable = false;  // T.alloc_var of a vector
  DTypeValue type() const;
  /// The dimensions that the program sees.
  size_t rank() const { return shape.size() - (lanes > 1 ? 1 : 0); }
  std::vector<Expr> visible_shape() const {
    return {shape.begin(), shape.begin() + static_cast<ptrdiff_t>(rank())};
  }
};
using BufferRef = std::shared_ptr<BufferInfo>;
/// The buffer that a view shows, or the buffer itself.
inline BufferInfo& root_of(const BufferRef& buffer) {
  return buffer->viewed ? root_of(buffer->viewed) : *buffer;
}

/// One dimension of a region before its extent is constant.
struct SliceDim {
  Expr lo, extent;
  bool point = true;
  bool ramp = false;  // from a T.Ramp that may be negative: such lanes count from the end
};

/// `A[i, a:b]`: at least one slice.
struct RegionValue {
  BufferRef buffer;
  std::vector<SliceDim> dims;
};

/// Whether the program names one element, which may be a vector.
bool is_element(const RegionValue& region);

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

struct Items;    // a vector of values
struct Entries;  // a vector of pairs of values

struct Sequence {
  std::shared_ptr<Items> items;  // lists are shared by reference
  bool is_list = false;
  int region = -1;          // of the IR, where a list was made
  bool of_program = false;  // a copy of a list that a name or an object of the program holds
};

struct Dictionary {
  std::shared_ptr<Entries> items;
  int region = -1;          // of the IR, where it was made
  bool of_program = false;  // as of Sequence
};

/// An object of a Python class that the kernel makes (objects.h). Its attributes are values of the
/// kernel, and its methods are inlined.
struct ObjectValue {
  HostRef type;
  std::string type_name;
  Symbol prefix;                        // of the names of its memory; may be empty
  std::shared_ptr<Entries> attributes;  // by name; shared by all references to the object
  int region = -1;                      // of the IR, where the object was made
  HostRef after;                        // of super(): finds what follows this class
};

/// T.Tensor((M, K), dtype) as an annotation.
struct TensorType {
  std::vector<Expr> shape, strides;
  DType dtype = DType::f32;
  bool tf32 = false;
  bool pointers = false;
  int lanes = 1;  // of a tensor of vectors: the last extent of `shape`
  /// Sets the dtype; a vector adds a dimension.
  void set_element(Type element);
};

/// T.Kernel(...): becomes a Kernel when entered.
struct KernelFrame {
  std::vector<Expr> grid;
  std::vector<int64_t> threads;  // x, y, z
  std::vector<int64_t> cluster;  // blocks of a cluster along x, y, z; empty: no clusters
};

/// The iteration space of a `for`.
struct LoopFrame {
  enum class Form : uint8_t { range, parallel, grid, persistent, bound };
  Form form = Form::range;
  LoopMode mode = LoopMode::serial;
  std::vector<Expr> lo, hi;  // range: one; parallel and grid: one per variable
  Expr step, stride, index;  // stride, index: persistent; index: bound, per thread
  int64_t stages = 0, group = 8;
  std::vector<Attr> attrs;
  Layout layout;  // parallel: loop_layout
  bool python_range = false;
};

/// A function in source form: T.macro, a plain Python function called with run-time values, a
/// nested def, a lambda. `scope` resolves its free names; `frame` is the enclosing function's, if
/// it was defined inside a kernel. In a macro range() is a kernel loop; in any other function it is
/// unrolled.
struct FunctionValue {
  Symbol name;
  syntax::Tree tree;
  HostRef scope;
  std::shared_ptr<Frame> frame;
  bool macro = false;
  /// Of a function defined in the kernel: the defaults, by parameter, evaluated at the definition.
  std::shared_ptr<Items> defaults;
};

/// `object.name` of an object of the language, before its call: `x.astype`.
struct Method {
  std::shared_ptr<Value> object;
  Symbol name;
};

/// T.Layout, T.Fragment: converted to digits when applied to a buffer.
struct LayoutValue {
  std::shared_ptr<const ForwardMap> map;  // without coordinates if it has very many elements
  std::shared_ptr<const Value> function;  // of T.Layout in a kernel: the function of the map
  bool for_matmuls = false;  // make_sqmma_swizzled_layout: as the matmuls that read it require
};

/// An argument of type T.ptr; T.make_tensor declares its tensor.
struct PointerValue {
  Symbol parameter;
};

/// T.access_ptr, T.tvm_access_ptr, T.address_of: the location of an element, for operations on
/// addresses. T.make_robust_desc: the range that starts there.
struct AddressValue {
  BufferRef buffer;
  std::vector<Expr> index;
  Expr number;              // of T.tvm_access_ptr: row-major number of the element; otherwise null
  Expr bytes = nullptr;     // of T.make_robust_desc: the size of the readable range; otherwise null
  Expr extent = nullptr;    // of T.access_ptr: number of elements; null: not stated
  std::string access = {};  // of T.access_ptr: "r", "w" or "rw"; empty: not stated
};

/// T.comm_reducer: a function of two values and its identity.
struct CombinerValue {
  std::shared_ptr<Value> combine, identity;
};

/// An f-string with dynamic values, for T.print and assertions: `text` has kMessageMark, format and
/// kMessageMark in place of each value.
struct MessageValue {
  std::string text;
  std::vector<Expr> values;
};

struct Value {
  std::variant<Poison, None, bool, int64_t, double, std::string, Expr, BufferRef, RegionValue,
               VarValue, DTypeValue, SliceValue, Sequence, Dictionary, ObjectValue, TensorType,
               KernelFrame, LoopFrame, FunctionValue, Method, LayoutValue, PointerValue,
               AddressValue, CombinerValue, MessageValue, const Builtin*, HostRef>
      data;

  // The copy constructor and destructor for 27 alternatives are compiled once, in value.cpp.
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
  /// Integers of every width are stored as int64_t.
  template <class T> static decltype(auto) held(T&& value) {
    using U = std::remove_cvref_t<T>;
    if constexpr (std::is_same_v<U, bool> || !std::is_integral_v<U>)
      return std::forward<T>(value);
    else
      return static_cast<int64_t>(value);
  }
};

struct Items : Container, std::vector<Value> {
  explicit Items(std::vector<Value> items) : vector(std::move(items)) {}
};
struct Entries : Container, std::vector<std::pair<Value, Value>> {};

Value tuple_of(std::vector<Value> items);
Value list_of(std::vector<Value> items);
Value dict_of(std::vector<std::pair<Value, Value>> items);
/// The value of a name, an attribute or an item of the program. A list or a dict is a copy there,
/// which a kernel must not change.
Value of_program(Value value);
/// A new object without attributes.
Value object_of(HostRef type, std::string type_name, Symbol prefix, int region);
/// bool, int64_t, double: operands of Python arithmetic. Booleans count as integers.
bool is_number(const Value& value);
/// The dtype of a Python number without another operand.
DType natural_dtype(const Value& number);
/// The integer of an int or bool, or of a constant integer expression.
std::optional<int64_t> integer_of(const Value& value);
/// Whether the value is static: nothing in it depends on the kernel's run time.
bool is_compile_time(const Value& value);
/// Whether `found` is true of the value or of one of its parts: items, defaults of a function.
bool any_part(const Value& value, FunctionRef<bool(const Value&)> found);
/// "an integer", "a shared buffer of 64x32 float16", ...: for messages.
std::string describe(const Value& value);
/// A string in quotes, or the description of any other value: what was given where a word is
/// needed.
std::string word_text(const Value& value);
/// The same as the subject of a sentence: "`A`, a global tensor of 64x32 float16,".
std::string subject(const Value& value);
/// "64x32", with names for dynamic extents.
std::string shape_text(const std::vector<Expr>& shape);
/// An expression in concise source form, for messages: "bx * 64".
std::string expr_text(const Expr& expr);
/// Whether the type is a pointer: T.ptr, T.ptr(dtype), T.handle.
bool is_pointer(const Value& type);

}  // namespace tilelab::elaborate
