// SPDX-License-Identifier: Apache-2.0
#include "python/host_values.h"

#include "codegen/cpu/native.h"
#include "core/elaborate/builtins/builtins.h"
#include "core/elaborate/limits.h"
#include "core/ir/build.h"
#include "core/support/interrupt.h"
#include "python/object.h"

namespace tilelab::python {

namespace el = tilelab::elaborate;
using el::HostResult;
using syntax::Op;

namespace {

Object text(const std::string& s) { return text_object(s); }

std::string utf8(PyObject* object) {
  Py_ssize_t size = 0;
  const char* data = object ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
  if (!data) PyErr_Clear();
  return data ? std::string(data, static_cast<size_t>(size)) : std::string();
}

el::Value opaque(const Object& object) {
  return el::HostRef(std::make_shared<PythonObject>(object));
}

const Object& inside(const el::HostRef& ref) { return static_cast<PythonObject&>(*ref).object; }

PyObject* item(const Object& tuple, Py_ssize_t i) { return PyTuple_GetItem(raw(tuple), i); }

/// ("name", id, dtype), (operator, a, b), or an int.
Expr expr_of(PyObject* object) {
  if (PyLong_Check(object)) return int_const(PyLong_AsLongLong(object));
  std::string head = utf8(PyTuple_GetItem(object, 0));
  if (head == "name") {
    auto dtype = dtype_from_name(utf8(PyTuple_GetItem(object, 2)));
    return name_ref(el::extent_name(utf8(PyTuple_GetItem(object, 1))),
                    {dtype.value_or(DType::i32)});
  }
  Expr a = expr_of(PyTuple_GetItem(object, 1)), b = expr_of(PyTuple_GetItem(object, 2));
  DType wide = bits(a->type.dtype) >= bits(b->type.dtype) ? a->type.dtype : b->type.dtype;
  a = cast(wide, a), b = cast(wide, b);
  if (head == "ceildiv") return call(Intrinsic::ceildiv, {wide}, {a, b});
  if (head == "min" || head == "max")
    return call(head == "min" ? Intrinsic::minimum : Intrinsic::maximum, {wide}, {a, b});
  for (BinOp op : {BinOp::add, BinOp::sub, BinOp::mul, BinOp::floordiv, BinOp::floormod, BinOp::eq,
                   BinOp::ne, BinOp::band, BinOp::bor, BinOp::bxor, BinOp::shl, BinOp::shr,
                   BinOp::lt, BinOp::le, BinOp::gt, BinOp::ge})
    if (head == tilelab::text(op)) return binary(op, a, b);
  UNREACHABLE("operator " + head + " of a T.dynamic extent");
}

}  // namespace

/// ("layout", shape, coordinates, replicas, threads): python/tilelab/_compiler/layouts.py.
std::shared_ptr<const ForwardMap> forward_map(const Object& described) {
  auto integers = [](PyObject* tuple) {
    Index out;
    for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
      out.push_back(PyLong_AsLongLong(PyTuple_GetItem(tuple, i)));
    return out;
  };
  ForwardMap map;
  map.shape = integers(item(described, 1));
  PyObject* places = item(described, 2);
  for (Py_ssize_t i = 0; i < PyTuple_Size(places); ++i)
    map.coordinates.push_back(integers(PyTuple_GetItem(places, i)));
  map.replicas = PyLong_AsLongLong(item(described, 3));
  map.threads = integers(item(described, 4));
  return std::make_shared<const ForwardMap>(std::move(map));
}

/// pdb.set_trace and similar, which have no meaning in a kernel.
static bool of_debugger(PyObject* object) {
  static PyObject* functions = PyObject_GetAttrString(raw(module_named("types")), "FunctionType");
  if (reinterpret_cast<PyObject*>(Py_TYPE(object)) != functions) return false;
  Object module = Object::steal(PyObject_GetAttrString(object, "__module__"));
  if (!module) PyErr_Clear();
  return module && PyUnicode_Check(raw(module)) &&
         PyUnicode_CompareWithASCIIString(raw(module), "pdb") == 0;
}

PythonHost::PythonHost(Object bridge) : bridge_(std::move(bridge)) {
  auto get = [&](const char* name) {
    return Object::steal(PyObject_GetAttrString(raw(bridge_), name));
  };
  special_classes_ = get("classes");
  special_function_ = get("describe");
  no_builder_ = get("NoBuilderError");
  PyErr_Clear();
}

el::Value PythonHost::special(const Object& object) {
  Object made =
      Object::steal(PyObject_CallFunctionObjArgs(raw(special_function_), raw(object), nullptr));
  if (!made || raw(made) == Py_None) {
    forget_error();
    return opaque(object);
  }
  std::string kind = utf8(item(made, 0));
  if (kind == "builtin") {
    const el::Builtin* row = el::find_builtin(utf8(item(made, 1)));
    return row ? el::Value(row) : opaque(object);
  }
  if (kind == "dtype") {
    std::string name = utf8(item(made, 1));
    return el::DTypeValue{name, dtype_from_name(name)};
  }
  if (kind == "expr") return Expr(expr_of(item(made, 1)));
  if (kind == "tensor") {
    el::TensorType type;
    const std::string name = utf8(item(made, 2));
    type.pointers = name == "handle";
    const auto element = type.pointers ? Type{DType::i64} : el::type_from_name(name);
    if (!element) return opaque(object);
    type.tf32 = el::DTypeValue{name, element->dtype}.tf32();
    auto read = [](PyObject* tuple, std::vector<Expr>& out) {
      for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
        out.push_back(expr_of(PyTuple_GetItem(tuple, i)));
    };
    read(item(made, 1), type.shape);
    read(item(made, 3), type.strides);
    type.set_element(*element);
    return type;
  }
  if (kind == "layout") {
    el::Value function = to_value(Object::borrow(item(made, 5)));
    if (function.is<el::None>()) return el::LayoutValue{forward_map(made), nullptr};
    return el::LayoutValue{forward_map(made), std::make_shared<const el::Value>(function)};
  }
  if (kind == "function") {
    el::FunctionValue function;
    function.tree = tree_of_object(item(made, 1));
    if (!function.tree) return opaque(object);
    function.scope = std::make_shared<PythonObject>(Object::borrow(item(made, 2)));
    function.name = utf8(item(made, 3));
    function.macro = PyObject_IsTrue(item(made, 4)) == 1;
    return function;
  }
  return opaque(object);
}

el::Value PythonHost::to_value(const Object& object) {
  PyObject* o = raw(object);
  if (o == Py_None) return el::None{};
  if (PyBool_Check(o)) return o == Py_True;
  if (PyLong_CheckExact(o)) {
    int overflow = 0;
    long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
    if (!overflow) return static_cast<int64_t>(value);
    const unsigned long long bits = PyLong_AsUnsignedLongLong(o);  // from 2^63 on
    if (!PyErr_Occurred()) return int_const(static_cast<int64_t>(bits), DType::u64);
    PyErr_Clear();
    return opaque(object);
  }
  if (PyFloat_Check(o)) return PyFloat_AsDouble(o);
  if (PyUnicode_CheckExact(o)) return utf8(o);
  if (PyTuple_CheckExact(o) || PyList_CheckExact(o)) return sequence_value(object);
  bool candidate = PyCFunction_Check(o) || PyType_Check(o) || of_debugger(o);
  if (!candidate) {
    const int known = PyObject_IsInstance(o, raw(special_classes_));
    if (known < 0) forget_error();
    candidate = known == 1;
  }
  if (candidate) return special(object);
  if (PyUnicode_Check(o)) return utf8(o);
  if (PyIndex_Check(o)) {  // NumPy's integers, enumerations
    Object index = Object::steal(PyNumber_Index(o));
    if (index) return to_value(index);
    forget_error();
  }
  return opaque(object);
}

/// A list or tuple; Python's object where it is nested too deep, contains itself or is too large.
el::Value PythonHost::sequence_value(const Object& object) {
  PyObject* o = raw(object);
  if (nesting_ == 0) converted_ = 0;
  converted_ += PyObject_Size(o);
  const int64_t most = el::kMaxItems / (nesting_ ? 16 : 2);  // calls convert it to and fro
  if (nesting_ == el::kMaxNesting / 2 || converted_ > most) return opaque(object);
  ++nesting_;
  std::vector<el::Value> items;
  for (const Object& one : items_of(o)) items.push_back(to_value(one));
  --nesting_;
  return PyList_CheckExact(o) ? el::list_of(std::move(items)) : el::tuple_of(std::move(items));
}

/// The Python object of a layout, for its methods.
Object PythonHost::to_layout(const ForwardMap& map) {
  const auto integers = [](const std::vector<int64_t>& numbers) {
    Object tuple = Object::steal(PyTuple_New(std::ssize(numbers)));
    for (Py_ssize_t i = 0; i < std::ssize(numbers); ++i)
      PyTuple_SetItem(raw(tuple), i, PyLong_FromLongLong(numbers[static_cast<size_t>(i)]));
    return tuple;
  };
  Object places = Object::steal(PyList_New(0));
  for (const Index& place : map.coordinates) PyList_Append(raw(places), raw(integers(place)));
  return ask("make_layout",
             {integers(map.shape), places, Object::steal(PyLong_FromLongLong(map.replicas)),
              integers(map.threads)});
}

Object PythonHost::to_object(const el::Value& value) {
  if (value.is<el::None>()) return Object::borrow(Py_None);
  if (const auto* b = value.get<bool>()) return Object::borrow(*b ? Py_True : Py_False);
  if (const auto* i = value.get<int64_t>()) return Object::steal(PyLong_FromLongLong(*i));
  if (const auto* d = value.get<double>()) return Object::steal(PyFloat_FromDouble(*d));
  if (const auto* s = value.get<std::string>()) return text(*s);
  if (const auto* h = value.get<el::HostRef>()) return inside(*h);
  if (const auto* d = value.get<el::DTypeValue>()) return ask("make_dtype", {text(d->name)});
  if (const auto* b = value.get<const el::Builtin*>())
    return ask("make_builtin", {text((*b)->name)});
  if (const auto* items = value.get<el::Sequence>()) {
    Object list = Object::steal(PyList_New(0));
    for (const el::Value& one : *items->items) {
      Object made = to_object(one);
      if (!made) return {};
      PyList_Append(raw(list), raw(made));
    }
    return items->is_list ? list : Object::steal(PyList_AsTuple(raw(list)));
  }
  if (const auto* dict = value.get<el::Dictionary>()) {
    Object out = Object::steal(PyDict_New());
    for (const auto& [key, entry] : *dict->items) {
      Object k = to_object(key), v = to_object(entry);
      if (!k || !v || PyDict_SetItem(raw(out), raw(k), raw(v)) != 0) return {};
    }
    return out;
  }
  if (const auto* layout = value.get<el::LayoutValue>()) return to_layout(*layout->map);
  if (const auto* slice = value.get<el::SliceValue>()) {
    Object lo = to_object(*slice->lo), hi = to_object(*slice->hi), step = to_object(*slice->step);
    return Object::steal(PySlice_New(raw(lo), raw(hi), raw(step)));
  }
  return {};
}

Object PythonHost::ask(const char* function, std::vector<Object> arguments) {
  Object callee = Object::steal(PyObject_GetAttrString(raw(bridge_), function));
  if (!callee) return {};
  Object tuple = Object::steal(PyTuple_New(static_cast<Py_ssize_t>(arguments.size())));
  for (size_t i = 0; i < arguments.size(); ++i) {
    PyObject* one = arguments[i] ? raw(arguments[i]) : Py_None;
    PyTuple_SetItem(raw(tuple), static_cast<Py_ssize_t>(i), Py_NewRef(one));
  }
  return Object::steal(PyObject_CallObject(raw(callee), raw(tuple)));
}

void PythonHost::cancel() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  error_type_ = Object::steal(type), error_ = Object::steal(value);
  error_trace_ = Object::steal(trace);
  throw Cancelled{};
}

void PythonHost::restore_error() {
  auto give = [](Object& from) {
    PyObject* object = raw(from);
    Py_XINCREF(object);
    from = {};
    return object;
  };
  PyErr_Restore(give(error_type_), give(error_), give(error_trace_));
}

void PythonHost::poll() {
  if (PyErr_CheckSignals() < 0) cancel();
}

void PythonHost::forget_error() {
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) cancel();
  PyErr_Clear();
}

HostResult PythonHost::failure() {
  // KeyboardInterrupt, SystemExit: not handled by the kernel's code.
  if (PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_Exception)) cancel();
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  Object t = Object::steal(type), v = Object::steal(value), tb = Object::steal(trace);
  Object called =
      t ? Object::steal(PyType_GetName(reinterpret_cast<PyTypeObject*>(raw(t)))) : Object();
  std::string name = called ? utf8(raw(called)) : "an exception";
  Object shown = v ? Object::steal(PyObject_Str(raw(v))) : Object();
  forget_error();
  std::string message = shown ? utf8(raw(shown)) : std::string();
  Object where = tb ? ask("where_raised", {tb}) : Object();
  forget_error();
  HostResult out = HostResult::fail(message.empty() ? name : name + ": " + message,
                                    where ? utf8(raw(where)) : std::string());
  out.needs_inline = t && PyErr_GivenExceptionMatches(raw(t), raw(no_builder_));
  return out;
}

HostResult PythonHost::answer(const Object& result) {
  if (!result) return failure();
  return {to_value(result)};
}

HostResult PythonHost::lookup(const el::HostRef& scope, Symbol name) {
  constexpr size_t kMost = 256;
  if (const auto known = known_.find({scope, name}); known != known_.end()) return {known->second};
  Object found = ask("lookup", {scope ? inside(scope) : Object(), text(name.str())});
  if (!found && PyErr_ExceptionMatches(PyExc_KeyError)) {
    PyErr_Clear();
    return HostResult::absent();
  }
  HostResult result = answer(found);
  // Sequences are copied, since their owner may change them.
  const el::Value& value = result.value;
  const bool fixed = is_number(value) || value.is<el::FunctionValue>() || value.is<el::HostRef>();
  if (!result.ok() || !fixed) return result;
  if (known_.size() >= kMost) known_.clear();
  known_.emplace(std::pair(scope, name), value);
  return result;
}

HostResult PythonHost::annotation(const el::HostRef& scope, Symbol parameter) {
  Object found = ask("annotation", {scope ? inside(scope) : Object(), text(parameter.str())});
  if (found && raw(found) != Py_None) return answer(found);
  forget_error();
  return HostResult::absent();
}

HostResult PythonHost::attribute(const el::Value& object, Symbol name) {
  Object owner = to_object(object);
  if (!owner) {
    forget_error();
    return HostResult::absent();
  }
  Object found = Object::steal(PyObject_GetAttrString(raw(owner), name.c_str()));
  if (!found && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    return HostResult::absent();
  }
  return answer(found);
}

HostResult PythonHost::subscript(const el::Value& object, const el::Value& index) {
  Object owner = to_object(object), key = to_object(index);
  if (!owner || !key) return failure();
  return answer(Object::steal(PyObject_GetItem(raw(owner), raw(key))));
}

HostResult PythonHost::call(const el::HostRef& callee, const std::vector<el::Value>& arguments,
                            const el::Keywords& keywords) {
  known_.clear();
  Object tuple = to_object(el::tuple_of(arguments));
  Object named = Object::steal(PyDict_New());
  for (const auto& [name, value] : keywords) {
    Object made = to_object(value);
    if (!made) return failure();
    PyDict_SetItemString(raw(named), name.c_str(), raw(made));
  }
  if (!tuple) return failure();
  return answer(Object::steal(PyObject_Call(raw(inside(callee)), raw(tuple), raw(named))));
}

HostResult PythonHost::enter(const el::HostRef& object) {
  known_.clear();
  auto* type = reinterpret_cast<PyObject*>(Py_TYPE(raw(inside(object))));
  if (!PyObject_HasAttrString(type, "__enter__") || !PyObject_HasAttrString(type, "__exit__"))
    return HostResult::absent();
  return answer(ask("enter", {inside(object)}));
}

HostResult PythonHost::leave(const el::HostRef& object, bool failed) {
  known_.clear();
  return answer(ask("leave", {inside(object), Object::borrow(failed ? Py_True : Py_False)}));
}

/// Absent for None.
HostResult PythonHost::answer_if_any(const Object& made) {
  if (!made) return failure();
  return raw(made) == Py_None ? HostResult::absent() : answer(made);
}

HostResult PythonHost::source(const el::HostRef& callee) {
  return answer_if_any(ask("function_source", {inside(callee)}));
}

HostResult PythonHost::extern_model(const std::string& name) {
  return answer_if_any(ask("extern_model", {text(name)}));
}

std::string PythonHost::host_function(const std::string& name, const std::string& signature,
                                      const std::vector<std::string>& sources) {
  return cpu::build_hosted(name, signature, sources);
}

std::optional<el::BoundCall> PythonHost::bound(const el::HostRef& callee) {
  Object made = ask("bound", {inside(callee)});
  if (!made || raw(made) == Py_None) {
    forget_error();
    return std::nullopt;
  }
  el::BoundCall out{to_value(Object::borrow(item(made, 0))), {}, {}};
  PyObject *first = item(made, 1), *named = item(made, 2), *key = nullptr, *value = nullptr;
  for (Py_ssize_t i = 0; i < PyTuple_Size(first); ++i)
    out.first.push_back(to_value(Object::borrow(PyTuple_GetItem(first, i))));
  for (Py_ssize_t at = 0; PyDict_Next(named, &at, &key, &value);)
    out.named.emplace_back(Symbol(utf8(key)), to_value(Object::borrow(value)));
  return out;
}

/// ("method", function), ("value", object) or ("property", getter, setter).
el::Member PythonHost::member(const el::HostRef& type, const el::HostRef& after, Symbol name) {
  if (!PyType_Check(raw(inside(type)))) return {};
  Object made = ask("member", {inside(type), after ? inside(after) : Object(), text(name.str())});
  if (!made || raw(made) == Py_None) {
    forget_error();
    return {};
  }
  const std::string kind = utf8(item(made, 0));
  el::Member out;
  out.kind = kind == "method"     ? el::Member::Kind::method
             : kind == "property" ? el::Member::Kind::property
                                  : el::Member::Kind::value;
  out.value = to_value(Object::borrow(item(made, 1)));
  if (kind == "property") out.setter = to_value(Object::borrow(item(made, 2)));
  return out;
}

bool PythonHost::is_meta_class(const el::HostRef& type) {
  PyObject* object = raw(inside(type));
  return object == reinterpret_cast<PyObject*>(&PyDict_Type) ||
         (PyType_Check(object) && PyObject_HasAttrString(object, "_made_in_kernels") == 1);
}

std::string PythonHost::public_names(const el::HostRef& type) {
  const Object names = ask("public_names", {inside(type)});
  if (!names) forget_error();
  return utf8(raw(names));
}

HostResult PythonHost::unary(Op op, const el::Value& a) {
  return answer(ask("unary", {text(std::string(syntax::op_text(op))), to_object(a)}));
}

HostResult PythonHost::binary(Op op, const el::Value& a, const el::Value& b) {
  return answer(
      ask("binary", {text(std::string(syntax::op_text(op))), to_object(a), to_object(b)}));
}

HostResult PythonHost::iterate(const el::HostRef& object) {
  known_.clear();
  // Not PySequence_List: iteration over a long range must be interruptible.
  Object iterator = Object::steal(PyObject_GetIter(raw(inside(object))));
  if (!iterator) return failure();
  std::vector<el::Value> items;
  while (Object item = Object::steal(PyIter_Next(raw(iterator)))) {
    items.push_back(to_value(item));
    poll();
    if (std::ssize(items) > el::kMaxItems)
      return HostResult::fail("OverflowError: more than " + std::to_string(el::kMaxItems) +
                              " items");
  }
  if (PyErr_Occurred()) return failure();
  return {el::list_of(std::move(items))};
}

HostResult PythonHost::truth(const el::Value& object) {
  Object owner = to_object(object);
  int known = owner ? PyObject_IsTrue(raw(owner)) : -1;
  if (known < 0) return failure();
  return {el::Value(known == 1)};
}

HostResult PythonHost::format(const el::Value& object, const std::string& conversion,
                              const std::string& format) {
  return answer(ask("format_value", {to_object(object), text(conversion), text(format)}));
}

HostResult PythonHost::dtype(const el::HostRef& object) {
  Object name = ask("dtype_name", {inside(object)});
  if (!name || raw(name) == Py_None) {
    forget_error();
    return HostResult::absent();
  }
  std::string spelled = utf8(raw(name));
  return {el::Value(el::DTypeValue{spelled, dtype_from_name(spelled)})};
}

}  // namespace tilelab::python
