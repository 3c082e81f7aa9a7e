// SPDX-License-Identifier: Apache-2.0
// Python objects to Value and back.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "python/interpreter.h"

namespace tilelab::python {

Object Object::steal(void* handle) {
  Object object;
  object.handle_ = handle;
  return object;
}

Object Object::borrow(void* handle) {
  Py_XINCREF(static_cast<PyObject*>(handle));
  return steal(handle);
}

Object::Object(const Object& other) : handle_(other.handle_) {
  Py_XINCREF(static_cast<PyObject*>(handle_));
}

Object::~Object() { Py_XDECREF(static_cast<PyObject*>(handle_)); }

bool Value::boolean(bool fallback) const {
  const bool* v = std::get_if<bool>(&data);
  return v ? *v : fallback;
}

int64_t Value::integer(int64_t fallback) const {
  const int64_t* v = std::get_if<int64_t>(&data);
  return v ? *v : fallback;
}

template <class T> static const T& value_or_empty(const decltype(Value::data)& data) {
  static const T empty;
  const T* v = std::get_if<T>(&data);
  return v ? *v : empty;
}

const std::string& Value::text() const { return value_or_empty<std::string>(data); }
const Value::List& Value::list() const { return value_or_empty<List>(data); }
const Value::Dict& Value::dict() const { return value_or_empty<Dict>(data); }

const Value& Value::operator[](std::string_view key) const {
  static const Value none;
  for (const auto& [name, value] : dict())
    if (name == key) return value;
  return none;
}

namespace {

/// User text may contain invalid UTF-8 (file names), which becomes U+FFFD, never an exception.
PyObject* text_to_python(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

/// Lone surrogates have no UTF-8; they are escaped as \udc80.
std::string text_to_value(PyObject* object) {
  Py_ssize_t size = 0;
  if (const char* data = PyUnicode_AsUTF8AndSize(object, &size)) return {data, size_t(size)};
  PyErr_Clear();
  Object bytes = Object::steal(PyUnicode_AsEncodedString(object, "utf-8", "backslashreplace"));
  if (!bytes) {
    PyErr_Clear();
    return "";
  }
  auto* raw = static_cast<PyObject*>(bytes.get());
  return {PyBytes_AsString(raw), size_t(PyBytes_Size(raw))};
}

PyObject* list_to_python(const Value::List& items) {
  PyObject* list = PyList_New(static_cast<Py_ssize_t>(items.size()));
  if (!list) return nullptr;
  for (size_t i = 0; i < items.size(); ++i) {
    auto* item = static_cast<PyObject*>(to_python(items[i]));
    if (!item) {
      Py_DECREF(list);
      return nullptr;
    }
    PyList_SetItem(list, static_cast<Py_ssize_t>(i), item);
  }
  return list;
}

PyObject* dict_to_python(const Value::Dict& entries) {
  PyObject* dict = PyDict_New();
  if (!dict) return nullptr;
  for (const auto& [key, value] : entries) {
    Object name = Object::steal(text_to_python(key));
    Object item = Object::steal(to_python(value));
    if (!name || !item ||
        PyDict_SetItem(dict, static_cast<PyObject*>(name.get()),
                       static_cast<PyObject*>(item.get())) < 0) {
      Py_DECREF(dict);
      return nullptr;
    }
  }
  return dict;
}

Value dict_to_value(PyObject* dict) {
  Value::Dict entries;
  PyObject *key, *item;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &item);) {
    if (PyUnicode_Check(key)) entries.emplace_back(text_to_value(key), to_value(item));
  }
  return entries;
}

Value list_to_value(PyObject* list) {
  Value::List items;
  for (Py_ssize_t i = 0; i < PyList_Size(list); ++i)
    items.push_back(to_value(PyList_GetItem(list, i)));
  return items;
}

Value tuple_to_value(PyObject* tuple) {
  Value::List items;
  for (Py_ssize_t i = 0; i < PyTuple_Size(tuple); ++i)
    items.push_back(to_value(PyTuple_GetItem(tuple, i)));
  return items;
}

}  // namespace

void* to_python(const Value& value) {
  struct Visitor {
    PyObject* operator()(std::monostate) { return Py_NewRef(Py_None); }
    PyObject* operator()(bool v) { return PyBool_FromLong(v); }
    PyObject* operator()(int64_t v) { return PyLong_FromLongLong(v); }
    PyObject* operator()(double v) { return PyFloat_FromDouble(v); }
    PyObject* operator()(const std::string& v) { return text_to_python(v); }
    PyObject* operator()(const Value::List& v) { return list_to_python(v); }
    PyObject* operator()(const Value::Dict& v) { return dict_to_python(v); }
    PyObject* operator()(const Object& v) {
      return Py_NewRef(v ? static_cast<PyObject*>(v.get()) : Py_None);
    }
  };
  return std::visit(Visitor{}, value.data);
}

Value to_value(void* handle) {
  auto* object = static_cast<PyObject*>(handle);
  if (!object || object == Py_None) return {};
  if (PyBool_Check(object)) return object == Py_True;
  if (PyLong_CheckExact(object)) {
    int overflow = 0;
    long long number = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (!overflow) return int64_t{number};
  }
  if (PyFloat_CheckExact(object)) return PyFloat_AsDouble(object);
  if (PyUnicode_Check(object)) return text_to_value(object);
  if (PyDict_CheckExact(object)) return dict_to_value(object);
  if (PyList_CheckExact(object)) return list_to_value(object);
  if (PyTuple_CheckExact(object)) return tuple_to_value(object);
  return Object::borrow(object);
}

}  // namespace tilelab::python
