// SPDX-License-Identifier: Apache-2.0
// Python objects, functions and classes in C++, over the limited C API: one file of the module
// serves every CPython from 3.11 on. Everything needs the GIL.
//
//   Object place = dict_of("file", name, "line", 12);
//   std::string file = entry<std::string>(place, "file");
//   add_functions(module, {function<nearest>("nearest", "word, candidates")});
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <concepts>
#include <initializer_list>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "python/value.h"

namespace tilelab::python {

/// Thrown while the Python error of this thread is set.
struct PythonError {};

inline PyObject* raw(const Object& object) { return static_cast<PyObject*>(object.get()); }
/// Takes ownership of a result of the C API; null is a Python error.
Object checked(PyObject* made);
inline void check(int status) {
  if (status < 0) throw PythonError();
}
[[noreturn]] void throw_error(PyObject* type, const std::string& message);
/// The exception of the Python error, which is cleared.
Object take_exception();
/// Sets the C++ exception that is being handled as the Python error. Rethrows the end of a thread,
/// with which Python answers a thread that wants the GIL of an ended interpreter.
void set_python_error();

inline Object none() { return Object::borrow(Py_None); }
inline bool is_none(const Object& object) { return raw(object) == Py_None; }
/// Invalid UTF-8 becomes U+FFFD.
Object text_object(std::string_view text);
Object bytes_object(const void* data, size_t size);
/// Of a str or bytes.
std::string text_of(PyObject* object);
/// The items of any sequence but a str.
std::vector<Object> items_of(PyObject* sequence);
Object module_named(const char* name);
/// The definition that an init function of an extension module passes to PyModule_Create().
inline PyModuleDef module_definition(const char* name, const char* doc) {
  return {PyModuleDef_HEAD_INIT, name, doc, -1, nullptr, nullptr, nullptr, nullptr, nullptr};
}

// ---- classes

struct Instance {
  PyObject_HEAD std::shared_ptr<void> held;
};
/// The Python class of a C++ class, made by add_class().
template <class T> inline PyTypeObject* class_of = nullptr;

Object instance_of(PyTypeObject* type, std::shared_ptr<void> held);
/// Raises a TypeError if the object is not of the class.
std::shared_ptr<void>& holder(PyObject* object, PyTypeObject* type);

// ---- conversions

template <class T> Object object_of(const T& value);

template <class T>
concept Text = std::is_convertible_v<const T&, std::string_view>;
template <class T>
concept Optional = requires(const T& v) {
  v.has_value(), *v;
};
template <class T>
concept Fixed = requires {
  std::tuple_size<T>::value;
};
template <class T>
concept Range = requires(const T& v) {
  v.begin(), v.end();
};
template <class T>
concept Map = Range<T> && requires {
  typename T::mapped_type;
};
template <class T>
concept Shared = requires(const T& v) {
  v.use_count();
};
/// Structures that Python describes by tuples and dicts: `void read(const Object&, T&)`.
template <class T>
concept Described = requires(const Object& from, T& to) {
  read(from, to);
};
/// C++ classes of which Python has instances, which it passes by reference.
template <class T>
concept Held = std::is_class_v<T> && !std::is_base_of_v<Object, T> && !Text<T> && !Optional<T> &&
               !Fixed<T> && !Range<T> && !Shared<T> && !Described<T>;

template <class... T> Object tuple_of(const T&... values) {
  Object out = checked(PyTuple_New(sizeof...(T)));
  Py_ssize_t at = 0;
  (PyTuple_SetItem(raw(out), at++, Py_NewRef(raw(object_of(values)))), ...);
  return out;
}

/// A list of what `each` returns for the items of a range.
template <class R, class F> Object list_of(const R& items, F&& each) {
  Object out = checked(PyList_New(0));
  for (const auto& item : items) check(PyList_Append(raw(out), raw(object_of(each(item)))));
  return out;
}

/// A dict of alternating keys and values.
Object dict_of_all(std::initializer_list<Object> keys_and_values);
template <class... T> Object dict_of(const T&... keys_and_values) {
  return dict_of_all({object_of(keys_and_values)...});
}
template <class T> void set(const Object& dict, const char* key, const T& value) {
  check(PyDict_SetItemString(raw(dict), key, raw(object_of(value))));
}

template <class T> Object object_of(const T& value) {
  if constexpr (std::is_base_of_v<Object, T>) {
    return value ? Object(value) : none();
  } else if constexpr (std::is_same_v<T, bool>) {
    return Object::borrow(value ? Py_True : Py_False);
  } else if constexpr (std::signed_integral<T>) {
    return checked(PyLong_FromLongLong(value));
  } else if constexpr (std::unsigned_integral<T>) {
    return checked(PyLong_FromUnsignedLongLong(value));
  } else if constexpr (std::is_floating_point_v<T>) {
    return checked(PyFloat_FromDouble(value));
  } else if constexpr (Text<T>) {
    return text_object(value);
  } else if constexpr (Optional<T>) {
    return value ? object_of(*value) : none();
  } else if constexpr (Fixed<T>) {
    return std::apply([](const auto&... each) { return tuple_of(each...); }, value);
  } else if constexpr (Range<T>) {
    return list_of(value, [](const auto& item) { return object_of(item); });
  } else if constexpr (Shared<T>) {
    return value ? instance_of(class_of<typename T::element_type>, value) : none();
  } else {
    return instance_of(class_of<T>, std::make_shared<T>(value));
  }
}

long long integer_of(PyObject* object);
unsigned long long unsigned_of(PyObject* object);
[[noreturn]] void throw_range();

template <class T> T read_as(PyObject* object);
template <class T> T read_as(const Object& object) { return read_as<T>(raw(object)); }

template <Fixed T, size_t... i>
T fixed_of(const std::vector<Object>& items, std::index_sequence<i...>) {
  if (items.size() != sizeof...(i)) throw_error(PyExc_ValueError, "a sequence of another size");
  return T{read_as<std::tuple_element_t<i, T>>(items[i])...};
}

template <Map T> T map_of(PyObject* dict) {
  T out;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; PyDict_Next(dict, &at, &key, &value);)
    out.emplace(read_as<typename T::key_type>(key), read_as<typename T::mapped_type>(value));
  return out;
}

template <std::integral T> T number_of(PyObject* object) {
  if constexpr (std::is_signed_v<T>) {
    const long long number = integer_of(object);
    if (number < std::numeric_limits<T>::min() || number > std::numeric_limits<T>::max())
      throw_range();
    return static_cast<T>(number);
  } else {
    const unsigned long long number = unsigned_of(object);
    if (number > std::numeric_limits<T>::max()) throw_range();
    return static_cast<T>(number);
  }
}

/// The C++ value of a Python object. References and pointers are to the C++ object of an instance;
/// a pointer is null for None. Raises a TypeError, ValueError or OverflowError.
template <class T> T read_as(PyObject* object) {
  using Plain = std::remove_cvref_t<T>;
  if constexpr (std::is_same_v<T, Object>) {
    return Object::borrow(object);
  } else if constexpr (std::is_same_v<T, bool>) {
    const int known = PyObject_IsTrue(object);
    return check(known), known == 1;
  } else if constexpr (std::is_integral_v<T>) {
    return number_of<T>(object);
  } else if constexpr (std::is_floating_point_v<T>) {
    const double number = PyFloat_AsDouble(object);
    if (number == -1 && PyErr_Occurred()) throw PythonError();
    return number;
  } else if constexpr (std::is_pointer_v<T>) {
    using Held = std::remove_cv_t<std::remove_pointer_t<T>>;
    return object == Py_None ? nullptr : static_cast<T>(holder(object, class_of<Held>).get());
  } else if constexpr (Held<Plain>) {
    return *static_cast<Plain*>(holder(object, class_of<Plain>).get());
  } else if constexpr (Described<T>) {
    T out;
    return read(Object::borrow(object), out), out;
  } else if constexpr (std::is_same_v<T, std::string>) {
    return text_of(object);
  } else if constexpr (Optional<T>) {
    return object == Py_None ? T() : T(read_as<typename T::value_type>(object));
  } else if constexpr (Fixed<T>) {
    return fixed_of<T>(items_of(object), std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (Map<T>) {
    return map_of<T>(object);
  } else if constexpr (Range<T>) {
    T out;
    for (const Object& item : items_of(object))
      out.push_back(read_as<typename T::value_type>(item));
    return out;
  } else {
    static_assert(Shared<T>);
    using Element = typename T::element_type;
    return std::static_pointer_cast<Element>(holder(object, class_of<Element>));
  }
}

/// The entry of a dict; a KeyError without one.
Object entry(const Object& dict, const char* key);
template <class T> T entry(const Object& dict, const char* key) {
  return read_as<T>(entry(dict, key));
}

// ---- functions

/// The parameters of a function: "a, b, c?". One with a question mark may be missing: its value is
/// then None, empty, 0 or false.
class Parameters {
 public:
  Parameters(const char* function, const char* names);
  /// Sorts a call's values by parameter: null for a missing one.
  void bind(PyObject* const* values, Py_ssize_t count, PyObject* keywords, PyObject** out) const;

 private:
  struct Parameter {
    std::string name;
    bool required;
  };
  std::string function_;
  std::vector<Parameter> all_;
};

template <class R, class... A> struct Arguments {
  using Result = R;
  using Types = std::tuple<std::type_identity<A>...>;
};
template <class F> struct Signature;
template <class R, class... A> struct Signature<R (*)(A...)> : Arguments<R, A...> {};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...) const> : Arguments<R, const C&, A...> {};
template <class R, class C, class... A>
struct Signature<R (C::*)(A...)> : Arguments<R, C&, A...> {};
/// Lambdas: their own class is not an argument.
template <class F>
requires requires { &F::operator(); }
struct Signature<F> {
  template <class R, class... A> static Arguments<R, A...> of(R (F::*)(A...) const);
  using Own = decltype(of(&F::operator()));
  using Result = typename Own::Result;
  using Types = typename Own::Types;
};

template <auto f> using SignatureOf = Signature<std::remove_cv_t<decltype(f)>>;

/// An argument as `read_as` returns it: a reference to a C++ object, or a value.
template <class A, class Plain = std::remove_cvref_t<A>>
using Taken = std::conditional_t<
    Held<Plain> && std::is_reference_v<A>, A,
    std::conditional_t<std::is_same_v<Plain, std::string_view>, std::string, Plain>>;

template <class A> Taken<A> argument(PyObject* given) {
  if constexpr (std::is_same_v<Taken<A>, Object>)
    return given ? Object::borrow(given) : none();
  else if constexpr (!std::is_reference_v<Taken<A>>)
    if (!given) return Taken<A>();
  return read_as<Taken<A>>(given);
}

template <auto f, class... A> decltype(auto) invoke(A&&... values) {
  if constexpr (std::is_member_function_pointer_v<decltype(f)>)
    return [](auto&& self, auto&&... rest) -> decltype(auto) {
      return (self.*f)(std::forward<decltype(rest)>(rest)...);
    }(std::forward<A>(values)...);
  else
    return f(std::forward<A>(values)...);
}

template <auto f, class... A>
Object call_with(PyObject* const* given, std::tuple<std::type_identity<A>...>) {
  return [&]<size_t... i>(std::index_sequence<i...>) {
    if constexpr (std::is_void_v<typename SignatureOf<f>::Result>)
      return invoke<f>(argument<A>(given[i])...), none();
    else
      return object_of(invoke<f>(argument<A>(given[i])...));
  }
  (std::index_sequence_for<A...>());
}

template <class F> PyObject* guarded(F&& call) {
  try {
    return Py_NewRef(raw(call()));
  } catch (...) {
    set_python_error();
    return nullptr;
  }
}

template <auto f> inline const Parameters* known_parameters = nullptr;

/// The C function of `f`; `first` is 1 for methods, whose object is the first argument.
template <auto f, size_t first>
PyObject* call_function(PyObject* self, PyObject* const* values, Py_ssize_t count,
                        PyObject* keywords) {
  using Types = typename SignatureOf<f>::Types;
  return guarded([&] {
    PyObject* given[std::tuple_size_v<Types> + 1] = {self};
    known_parameters<f>->bind(values, count, keywords, given + first);
    return call_with<f>(given, Types());
  });
}

template <auto f> PyObject* get_property(PyObject* self, void*) {
  return guarded([&] { return call_with<f>(&self, typename SignatureOf<f>::Types()); });
}

/// A function, method or property of a table.
struct Member {
  const char* name;
  PyCFunction call;
  getter get;
};

template <auto f, size_t first> Member member(const char* name, const char* parameters) {
  known_parameters<f> = new Parameters(name, parameters);  // as long as the module
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(&call_function<f, first>)),
          nullptr};
}
template <auto f> Member function(const char* name, const char* parameters = "") {
  return member<f, 0>(name, parameters);
}
template <auto f> Member method(const char* name, const char* parameters = "") {
  return member<f, 1>(name, parameters);
}
template <auto f> Member property(const char* name) { return {name, nullptr, &get_property<f>}; }

using Members = std::vector<Member>;
void add_functions(const Object& module, const Members& functions);
/// A class without a constructor.
PyTypeObject* new_class(const Object& module, const char* name, const Members& members,
                        std::vector<PyType_Slot> slots);
template <class T>
void add_class(const Object& module, const char* name, const Members& members,
               std::vector<PyType_Slot> slots = {}) {
  class_of<T> = new_class(module, name, members, std::move(slots));
}
/// A module inside the module.
Object add_submodule(const Object& module, const char* name);

}  // namespace tilelab::python
