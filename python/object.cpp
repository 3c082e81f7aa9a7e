// SPDX-License-Identifier: Apache-2.0
#include "python/object.h"

#include <cxxabi.h>

#include <exception>
#include <new>

#include "core/support/text.h"

namespace tilelab::python {

Object checked(PyObject* made) {
  if (!made) throw PythonError();
  return Object::steal(made);
}

void throw_error(PyObject* type, const std::string& message) {
  PyErr_SetObject(type, raw(text_object(message)));
  throw PythonError();
}

void throw_range() { throw_error(PyExc_OverflowError, "this integer is out of range"); }

Object take_exception() {
  PyObject *type = nullptr, *value = nullptr, *trace = nullptr;
  PyErr_Fetch(&type, &value, &trace);
  PyErr_NormalizeException(&type, &value, &trace);
  if (value && trace) PyException_SetTraceback(value, trace);
  Py_XDECREF(type);
  Py_XDECREF(trace);
  return Object::steal(value);
}

void set_python_error() {
  try {
    throw;
  } catch (const PythonError&) {
  } catch (const abi::__forced_unwind&) {  // Python ends the thread
    throw;
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetObject(PyExc_RuntimeError, raw(text_object(error.what())));
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "a bug in tilelab: an exception of an unknown type");
  }
}

Object text_object(std::string_view text) {
  return checked(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
}

Object bytes_object(const void* data, size_t size) {
  return checked(
      PyBytes_FromStringAndSize(static_cast<const char*>(data), static_cast<Py_ssize_t>(size)));
}

std::string text_of(PyObject* object) {
  Py_ssize_t size = 0;
  char* bytes = nullptr;
  const char* text = nullptr;
  if (!PyBytes_Check(object))
    text = PyUnicode_AsUTF8AndSize(object, &size);
  else if (PyBytes_AsStringAndSize(object, &bytes, &size) == 0)
    text = bytes;
  if (!text) throw PythonError();
  return {text, static_cast<size_t>(size)};
}

std::vector<Object> items_of(PyObject* sequence) {
  if (PyUnicode_Check(sequence)) throw_error(PyExc_TypeError, "a sequence is expected, not a str");
  const Object tuple = checked(PySequence_Tuple(sequence));
  std::vector<Object> out(static_cast<size_t>(PyTuple_Size(raw(tuple))));
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = Object::borrow(PyTuple_GetItem(raw(tuple), static_cast<Py_ssize_t>(i)));
  return out;
}

Object module_named(const char* name) { return checked(PyImport_ImportModule(name)); }

Object dict_of_all(std::initializer_list<Object> keys_and_values) {
  Object out = checked(PyDict_New());
  for (const Object* one = keys_and_values.begin(); one != keys_and_values.end(); one += 2)
    check(PyDict_SetItem(raw(out), raw(one[0]), raw(one[1])));
  return out;
}

Object entry(const Object& dict, const char* key) {
  return checked(PyObject_GetItem(raw(dict), raw(text_object(key))));
}

long long integer_of(PyObject* object) {
  const long long number = PyLong_AsLongLong(object);
  if (number == -1 && PyErr_Occurred()) throw PythonError();
  return number;
}

unsigned long long unsigned_of(PyObject* object) {
  const Object index = checked(PyNumber_Index(object));
  const unsigned long long number = PyLong_AsUnsignedLongLong(raw(index));
  if (number == ~0ULL && PyErr_Occurred()) throw PythonError();
  return number;
}

// ---- classes

Object instance_of(PyTypeObject* type, std::shared_ptr<void> held) {
  Object out = checked(PyType_GenericAlloc(type, 0));
  new (&reinterpret_cast<Instance*>(raw(out))->held) std::shared_ptr<void>(std::move(held));
  return out;
}

std::shared_ptr<void>& holder(PyObject* object, PyTypeObject* type) {
  if (!PyObject_TypeCheck(object, type)) {
    PyErr_Format(PyExc_TypeError, "%R is expected, not %R", type, Py_TYPE(object));
    throw PythonError();
  }
  return reinterpret_cast<Instance*>(object)->held;
}

static void deallocate(PyObject* self) {
  PyTypeObject* type = Py_TYPE(self);
  std::destroy_at(&reinterpret_cast<Instance*>(self)->held);
  reinterpret_cast<freefunc>(PyType_GetSlot(type, Py_tp_free))(self);
  Py_DECREF(type);
}

static std::string name_of_module(const Object& module) {
  return text_of(raw(checked(PyModule_GetNameObject(raw(module)))));
}

/// The functions of a table in Python's form, which lives as long as the module.
static PyMethodDef* methods_of(const Members& members) {
  auto* out = new std::vector<PyMethodDef>;
  for (const Member& one : members)
    if (one.call) out->push_back({one.name, one.call, METH_FASTCALL | METH_KEYWORDS, nullptr});
  out->push_back({nullptr, nullptr, 0, nullptr});
  return out->data();
}

PyTypeObject* new_class(const Object& module, const char* name, const Members& members,
                        std::vector<PyType_Slot> slots) {
  auto* properties = new std::vector<PyGetSetDef>;
  for (const Member& one : members)
    if (one.get) properties->push_back({one.name, one.get, nullptr, nullptr, nullptr});
  properties->push_back({nullptr, nullptr, nullptr, nullptr, nullptr});
  slots.insert(slots.end(), {{Py_tp_dealloc, reinterpret_cast<void*>(&deallocate)},
                             {Py_tp_methods, methods_of(members)},
                             {Py_tp_getset, properties->data()},
                             {0, nullptr}});
  const auto* full = new std::string(name_of_module(module) + "." + name);
  PyType_Spec spec{full->c_str(), sizeof(Instance), 0,
                   Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION, slots.data()};
  auto* made = reinterpret_cast<PyTypeObject*>(PyType_FromSpec(&spec));
  if (!made) throw PythonError();
  check(PyModule_AddType(raw(module), made));
  return made;
}

// ---- functions

Parameters::Parameters(const char* function, const char* names) : function_(function) {
  if (!*names) return;
  for (const std::string& one : split(names, ',')) {
    std::string name(strip(one));
    const bool required = name.back() != '?';
    if (!required) name.pop_back();
    all_.push_back({std::move(name), required});
  }
}

void Parameters::bind(PyObject* const* values, Py_ssize_t count, PyObject* keywords,
                      PyObject** out) const {
  const auto fail = [&](const std::string& what) {
    throw_error(PyExc_TypeError, function_ + "() " + what);
  };
  const auto given = static_cast<size_t>(count);
  if (given > all_.size()) fail("has only " + std::to_string(all_.size()) + " parameters");
  for (size_t i = 0; i < all_.size(); ++i) out[i] = i < given ? values[i] : nullptr;
  for (Py_ssize_t k = 0; keywords && k < PyTuple_Size(keywords); ++k) {
    PyObject* key = PyTuple_GetItem(keywords, k);
    size_t i = 0;
    while (i < all_.size() && PyUnicode_CompareWithASCIIString(key, all_[i].name.c_str()) != 0) ++i;
    if (i == all_.size()) fail("has no parameter " + text_of(key));
    if (out[i]) fail("has two values for " + all_[i].name);
    out[i] = values[count + k];
  }
  for (size_t i = 0; i < all_.size(); ++i)
    if (!out[i] && all_[i].required) fail("needs a value for " + all_[i].name);
}

void add_functions(const Object& module, const Members& functions) {
  check(PyModule_AddFunctions(raw(module), methods_of(functions)));
}

Object add_submodule(const Object& module, const char* name) {
  Object made = checked(PyModule_New((name_of_module(module) + "." + name).c_str()));
  check(PyObject_SetAttrString(raw(module), name, raw(made)));
  return made;
}

}  // namespace tilelab::python
