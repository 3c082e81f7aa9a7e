// SPDX-License-Identifier: Apache-2.0
#include "python/ast_convert.h"

#include <Python.h>

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace tilelab::python {
namespace {

using syntax::Draft;
using syntax::Kind;
using syntax::Op;
using syntax::Tree;
using syntax::Trees;

/// The interned string of a literal, cached by the literal's address: a large kernel looks up
/// millions of fields.
PyObject* interned(const char* literal) {
  constexpr size_t kPlaces = 1024;  // many times the number of fields
  static std::pair<const char*, PyObject*> places[kPlaces];
  size_t i = reinterpret_cast<uintptr_t>(literal) * 0x9e3779b97f4a7c15u >> 54;
  while (places[i].first && places[i].first != literal) i = (i + 1) % kPlaces;
  if (!places[i].first) places[i] = {literal, PyUnicode_InternFromString(literal)};
  return places[i].second;
}

/// An owned reference to an attribute; null (error cleared) if it is absent or None. Nodes store
/// theirs in a dict, which is read directly: the generic lookup searches their classes first.
class Field {
 public:
  Field(PyObject* node, const char* name) {
    PyObject* string = interned(name);
    PyObject* dict = PyObject_GenericGetDict(node, nullptr);
    if (!dict) PyErr_Clear();
    object_ = dict ? Py_XNewRef(PyDict_GetItemWithError(dict, string)) : nullptr;
    Py_XDECREF(dict);
    if (!object_) object_ = PyObject_GetAttr(node, string);
    if (!object_) PyErr_Clear();
    if (object_ == Py_None) Py_CLEAR(object_);
  }
  ~Field() { Py_XDECREF(object_); }
  Field(const Field&) = delete;
  PyObject* get() const { return object_; }
  explicit operator bool() const { return object_ != nullptr; }
  Py_ssize_t size() const { return object_ && PyList_Check(object_) ? PyList_Size(object_) : 0; }
  PyObject* operator[](Py_ssize_t i) const { return PyList_GetItem(object_, i); }

 private:
  PyObject* object_;
};

std::string plain_text(PyObject* object) {
  Py_ssize_t size = 0;
  const char* text =
      object && PyUnicode_Check(object) ? PyUnicode_AsUTF8AndSize(object, &size) : nullptr;
  if (!text) PyErr_Clear();
  return text ? std::string(text, static_cast<size_t>(size)) : std::string();
}

/// The name of a node's class. Classes are kept, so that no address is reused.
std::string_view type_name(PyObject* node) {
  static auto* names = new std::unordered_map<PyTypeObject*, std::string>;
  PyTypeObject* type = Py_TYPE(node);
  if (const auto known = names->find(type); known != names->end()) return known->second;
  Py_INCREF(reinterpret_cast<PyObject*>(type));
  PyObject* name = PyType_GetName(type);
  const std::string& made = (*names)[type] = name ? plain_text(name) : std::string();
  Py_XDECREF(name);
  return made;
}

uint32_t number_at(PyObject* node, const char* name, uint32_t fallback = 0) {
  Field field(node, name);
  if (!field) return fallback;
  long value = PyLong_AsLong(field.get());
  if (value < 0) PyErr_Clear();
  return value < 0 ? fallback : static_cast<uint32_t>(value);
}

Op operator_of(std::string_view name) {
  static const std::unordered_map<std::string_view, Op> kOps = {
      {"USub", Op::neg},     {"UAdd", Op::pos},       {"Invert", Op::invert},
      {"Not", Op::not_},     {"Add", Op::add},        {"Sub", Op::sub},
      {"Mult", Op::mul},     {"Div", Op::div},        {"FloorDiv", Op::floordiv},
      {"Mod", Op::mod},      {"Pow", Op::pow},        {"MatMult", Op::matmul},
      {"LShift", Op::shl},   {"RShift", Op::shr},     {"BitAnd", Op::bit_and},
      {"BitOr", Op::bit_or}, {"BitXor", Op::bit_xor}, {"Eq", Op::eq},
      {"NotEq", Op::ne},     {"Lt", Op::lt},          {"LtE", Op::le},
      {"Gt", Op::gt},        {"GtE", Op::ge},         {"Is", Op::is},
      {"IsNot", Op::is_not}, {"In", Op::in},          {"NotIn", Op::not_in},
      {"And", Op::and_},     {"Or", Op::or_}};
  auto it = kOps.find(name);
  return it == kOps.end() ? Op::none : it->second;
}

class Converter {
 public:
  Converter(FileId file, const std::vector<Span>& lines) : file_(file), lines_(lines) {}
  Tree tree(PyObject* node);
  Trees trees(PyObject* node, const char* name) {
    Field field(node, name);
    Trees out;
    out.reserve(static_cast<size_t>(field.size()));
    for (Py_ssize_t i = 0; i < field.size(); ++i) {
      bool none = field[i] == Py_None;
      out.push_back(none ? Tree() : tree(field[i]));
    }
    return out;
  }

 private:
  Tree part(PyObject* node, const char* name) {
    Field field(node, name);
    return field ? tree(field.get()) : Tree();
  }
  Span span(PyObject* node) {
    Span out;
    out.line = number_at(node, "lineno");
    if (!out.line) return out;
    if (!lines_.empty()) return lines_.at(out.line - 1);
    out.file = file_;
    out.col = number_at(node, "col_offset") + 1;
    out.end_line = number_at(node, "end_lineno", out.line);
    out.end_col = number_at(node, "end_col_offset", out.col) + 1;
    return out;
  }
  bool statement(PyObject* node, std::string_view type, Draft& out);
  bool expression(PyObject* node, std::string_view type, Draft& out);
  bool containers(PyObject* node, std::string_view type, Draft& out);
  bool special(PyObject* node, std::string_view type, Draft& out);
  void constant(PyObject* node, Draft& out);
  void function(PyObject* node, Draft& out);
  Trees parameters(PyObject* arguments);
  Tree parameter(PyObject* arg, Op op, Tree fallback);
  void call(PyObject* node, Draft& out);
  void with(PyObject* node, Draft& out);
  Tree unsupported(PyObject* node, std::string_view what);
  Tree in_other_syntax(PyObject* node);

  FileId file_;
  const std::vector<Span>& lines_;
  int depth_ = 0;
};

Tree Converter::unsupported(PyObject* node, std::string_view what) {
  Draft out{.kind = Kind::unsupported, .span = span(node), .name = what};
  return syntax::make(std::move(out));
}

Tree Converter::tree(PyObject* node) {
  if (depth_ >= syntax::max_depth)
    return unsupported(node,
                       "code nested more than " + std::to_string(syntax::max_depth) + " deep");
  ++depth_;
  Draft out;
  std::string_view type = type_name(node);
  out.span = span(node);
  bool known =  // most nodes are expressions
      expression(node, type, out) || containers(node, type, out) || statement(node, type, out) ||
      special(node, type, out);
  --depth_;
  if (!known)
    if (Tree replaced = in_other_syntax(node)) return replaced;
  if (!known) {
    static const std::unordered_map<std::string_view, const char*> kNames = {
        {"ClassDef", "a class"},
        {"AsyncFunctionDef", "an async function"},
        {"Try", "try"},
        {"Global", "global"},
        {"Nonlocal", "nonlocal"},
        {"Import", "import"},
        {"ImportFrom", "import"},
        {"Match", "match"},
        {"Set", "a set"},
        {"Await", "await"},
        {"SetComp", "a set comprehension"},
        {"DictComp", "a dict comprehension"},
        {"AsyncFor", "async for"},
        {"AsyncWith", "async with"}};
    auto it = kNames.find(type);
    return unsupported(node, it == kNames.end() ? type : std::string_view(it->second));
  }
  return syntax::make(std::move(out));
}

/// The tree of what plain_syntax.py gives for a node; null for others.
Tree Converter::in_other_syntax(PyObject* node) {
  PyObject* module = PyImport_ImportModule("tilelab._compiler.plain_syntax");
  PyObject* other = module ? PyObject_CallMethod(module, "replaced", "O", node) : nullptr;
  Tree made = other && other != Py_None ? tree(other) : Tree();
  PyErr_Clear();
  Py_XDECREF(other);
  Py_XDECREF(module);
  return made;
}

bool Converter::statement(PyObject* node, std::string_view type, Draft& out) {
  auto body = [&] {
    out.body = trees(node, "body");
    out.orelse = trees(node, "orelse");
  };
  if (type == "Module") return out.kind = Kind::module, out.body = trees(node, "body"), true;
  if (type == "FunctionDef") return function(node, out), true;
  if (type == "With") return with(node, out), true;
  if (type == "For") {
    out.kind = Kind::for_;
    out.parts = {part(node, "target"), part(node, "iter")};
    return body(), true;
  }
  if (type == "While" || type == "If") {
    out.kind = type == "If" ? Kind::if_ : Kind::while_;
    out.parts = {part(node, "test")};
    return body(), true;
  }
  if (type == "Assign") {
    out.kind = Kind::assign;
    out.list = trees(node, "targets");
    out.parts = {part(node, "value")};
  } else if (type == "AnnAssign") {
    out.kind = Kind::annotated_assign;
    out.parts = {part(node, "target"), part(node, "annotation"), part(node, "value")};
  } else if (type == "AugAssign") {
    out.kind = Kind::augmented_assign;
    Field op(node, "op");
    out.op = operator_of(type_name(op.get()));
    out.parts = {part(node, "target"), part(node, "value")};
  } else if (type == "Expr") {
    out.kind = Kind::expression;
    out.parts = {part(node, "value")};
  } else if (type == "Return") {
    out.kind = Kind::return_;
    out.parts = {part(node, "value")};
  } else if (type == "Assert") {
    out.kind = Kind::assert_;
    out.parts = {part(node, "test"), part(node, "msg")};
  } else if (type == "Raise") {
    Draft never;
    never.kind = Kind::boolean, never.span = out.span;
    out.kind = Kind::assert_, out.op = syntax::Op::not_;
    out.parts = {syntax::make(std::move(never)), part(node, "exc")};
  } else if (type == "Delete") {
    out.kind = Kind::delete_;
    out.list = trees(node, "targets");
  } else if (type == "Pass") {
    out.kind = Kind::pass;
  } else if (type == "Break") {
    out.kind = Kind::break_;
  } else if (type == "Continue") {
    out.kind = Kind::continue_;
  } else {
    return false;
  }
  return true;
}

bool Converter::expression(PyObject* node, std::string_view type, Draft& out) {
  if (type == "Name") {
    out.kind = Kind::name;
    out.name = plain_text(Field(node, "id").get());
  } else if (type == "Constant") {
    constant(node, out);
  } else if (type == "UnaryOp" || type == "BinOp") {
    Field op(node, "op");
    out.op = operator_of(type_name(op.get()));
    out.kind = type == "BinOp" ? Kind::binary : Kind::unary;
    if (type == "BinOp")
      out.parts = {part(node, "left"), part(node, "right")};
    else
      out.parts = {part(node, "operand")};
  } else if (type == "BoolOp") {
    Field op(node, "op");
    out.kind = Kind::logical;
    out.op = operator_of(type_name(op.get()));
    out.list = trees(node, "values");
  } else if (type == "Compare") {
    out.kind = Kind::compare;
    out.list = trees(node, "comparators");
    out.list.insert(out.list.begin(), part(node, "left"));
    Field ops(node, "ops");
    for (Py_ssize_t i = 0; i < ops.size(); ++i) out.ops.push_back(operator_of(type_name(ops[i])));
  } else if (type == "IfExp") {
    out.kind = Kind::if_else;
    out.parts = {part(node, "body"), part(node, "test"), part(node, "orelse")};
  } else if (type == "Call") {
    call(node, out);
  } else if (type == "Attribute") {
    out.kind = Kind::attribute;
    out.name = plain_text(Field(node, "attr").get());
    out.parts = {part(node, "value")};
  } else if (type == "Subscript") {
    out.kind = Kind::subscript;
    out.parts = {part(node, "value"), part(node, "slice")};
  } else if (type == "Index") {  // Python 3.8
    Field value(node, "value");
    return expression(value.get(), type_name(value.get()), out) ||
           containers(value.get(), type_name(value.get()), out);
  } else if (type == "Slice") {
    out.kind = Kind::slice;
    out.parts = {part(node, "lower"), part(node, "upper"), part(node, "step")};
  } else if (type == "Starred") {
    out.kind = Kind::starred;
    out.parts = {part(node, "value")};
  } else {
    return false;
  }
  return true;
}

/// `yield` and `:=`.
bool Converter::special(PyObject* node, std::string_view type, Draft& out) {
  if (type == "Yield") {
    out.kind = Kind::yield_;
    out.parts = {part(node, "value")};
  } else if (type == "YieldFrom") {
    Draft all;
    all.kind = Kind::starred, all.span = out.span;
    all.parts = {part(node, "value")};
    out.kind = Kind::yield_;
    out.parts = {syntax::make(std::move(all))};
  } else if (type == "NamedExpr") {
    out.kind = Kind::named;
    out.parts = {part(node, "target"), part(node, "value")};
  } else {
    return false;
  }
  return true;
}

bool Converter::containers(PyObject* node, std::string_view type, Draft& out) {
  if (type == "Tuple" || type == "List") {
    out.kind = type == "Tuple" ? Kind::tuple : Kind::list;
    out.list = trees(node, "elts");
  } else if (type == "Dict") {
    out.kind = Kind::dict;
    Trees keys = trees(node, "keys"), values = trees(node, "values");
    for (size_t i = 0; i < keys.size(); ++i) {
      out.list.push_back(keys[i]);
      out.list.push_back(values[i]);
    }
  } else if (type == "Lambda") {
    out.kind = Kind::lambda;
    out.list = parameters(Field(node, "args").get());
    out.parts = {part(node, "body")};
  } else if (type == "ListComp" || type == "GeneratorExp") {
    out.kind = Kind::comprehension;
    out.parts = {part(node, "elt")};
    Field clauses(node, "generators");
    for (Py_ssize_t i = 0; i < clauses.size(); ++i) {
      Draft clause;
      clause.kind = Kind::clause;
      clause.parts = {part(clauses[i], "target"), part(clauses[i], "iter")};
      clause.list = trees(clauses[i], "ifs");
      out.list.push_back(syntax::make(std::move(clause)));
    }
  } else if (type == "JoinedStr") {
    out.kind = Kind::fstring;
    out.list = trees(node, "values");
  } else if (type == "FormattedValue") {
    out.kind = Kind::formatted;
    out.parts = {part(node, "value"), part(node, "format_spec")};
    uint32_t conversion = number_at(node, "conversion");
    if (conversion) out.name = std::string(1, static_cast<char>(conversion));
  } else {
    return false;
  }
  return true;
}

/// The value of a Python integer that int64 or uint64 holds.
static std::optional<syntax::Int> wide_integer_of(PyObject* value) {
  int overflow = 0;
  const syntax::Int number = PyLong_AsLongLongAndOverflow(value, &overflow);
  if (!overflow) return number;
  const unsigned long long bits = PyLong_AsUnsignedLongLong(value);
  if (!PyErr_Occurred()) return syntax::Int{bits};
  PyErr_Clear();
  return std::nullopt;
}

void Converter::constant(PyObject* node, Draft& out) {
  PyObject* value = PyObject_GetAttr(node, interned("value"));
  out.kind = Kind::none;
  if (!value) return PyErr_Clear();
  if (PyBool_Check(value)) {
    out.kind = Kind::boolean;
    out.integer = value == Py_True;
  } else if (PyLong_Check(value)) {
    out.kind = Kind::integer;
    const std::optional<syntax::Int> number = wide_integer_of(value);
    if (!number) {
      out.kind = Kind::unsupported;
      out.name = "an integer of more than 64 bits";
    }
    out.integer = number.value_or(0);
  } else if (PyFloat_Check(value)) {
    out.kind = Kind::floating;
    out.number = PyFloat_AsDouble(value);
  } else if (PyUnicode_Check(value)) {
    out.kind = Kind::string;
    out.text = plain_text(value);
  } else if (value == Py_Ellipsis) {
    out.kind = Kind::ellipsis;
  } else if (value != Py_None) {
    out.kind = Kind::unsupported;
    out.name = "this constant";
  }
  Py_DECREF(value);
}

Tree Converter::parameter(PyObject* arg, Op op, Tree fallback) {
  Draft out;
  out.kind = Kind::parameter;
  out.span = span(arg);
  out.name = plain_text(Field(arg, "arg").get());
  out.op = op;
  out.parts = {part(arg, "annotation"), std::move(fallback)};
  return syntax::make(std::move(out));
}

Trees Converter::parameters(PyObject* arguments) {
  Trees out;
  Field only(arguments, "posonlyargs"), plain(arguments, "args"), named(arguments, "kwonlyargs");
  Field rest(arguments, "vararg"), keywords(arguments, "kwarg");
  Trees defaults = trees(arguments, "defaults"), named_defaults = trees(arguments, "kw_defaults");
  Py_ssize_t count = only.size() + plain.size();
  Py_ssize_t first = count - static_cast<Py_ssize_t>(defaults.size());
  for (Py_ssize_t i = 0; i < count; ++i) {
    bool positional_only = i < only.size();
    Tree fallback = i >= first ? defaults[static_cast<size_t>(i - first)] : Tree();
    out.push_back(parameter(positional_only ? only[i] : plain[i - only.size()],
                            positional_only ? Op::positional_only : Op::positional, fallback));
  }
  if (rest) out.push_back(parameter(rest.get(), Op::var_positional, {}));
  for (Py_ssize_t i = 0; i < named.size(); ++i)
    out.push_back(parameter(named[i], Op::keyword_only, named_defaults[static_cast<size_t>(i)]));
  if (keywords) out.push_back(parameter(keywords.get(), Op::var_keyword, {}));
  return out;
}

void Converter::function(PyObject* node, Draft& out) {
  out.kind = Kind::function;
  out.name = plain_text(Field(node, "name").get());
  out.list = parameters(Field(node, "args").get());
  out.parts = {part(node, "returns")};
  out.decorators = trees(node, "decorator_list");
  out.body = trees(node, "body");
  // Messages about the whole function refer to its first line.
  if (!out.body.empty() && out.body[0]->span.line > out.span.line) {
    out.span.end_line = out.span.line;
    out.span.end_col = static_cast<uint32_t>(source_line(file_, out.span.line).size()) + 1;
  }
}

void Converter::call(PyObject* node, Draft& out) {
  out.kind = Kind::call;
  out.parts = {part(node, "func")};
  out.list = trees(node, "args");
  Field keywords(node, "keywords");
  for (Py_ssize_t i = 0; i < keywords.size(); ++i) {
    Draft keyword;
    keyword.kind = Kind::keyword;
    keyword.span = span(keywords[i]);
    keyword.name = plain_text(Field(keywords[i], "arg").get());
    keyword.parts = {part(keywords[i], "value")};
    out.list.push_back(syntax::make(std::move(keyword)));
  }
}

void Converter::with(PyObject* node, Draft& out) {
  out.kind = Kind::with;
  Field items(node, "items");
  for (Py_ssize_t i = 0; i < items.size(); ++i) {
    Draft item{.kind = Kind::with_item,
               .parts = {part(items[i], "context_expr"), part(items[i], "optional_vars")}};
    item.span = item.parts[0]->span;
    out.list.push_back(syntax::make(std::move(item)));
  }
  out.body = trees(node, "body");
}

}  // namespace

syntax::Tree convert_ast(void* node, FileId file, const std::vector<Span>& lines) {
  return Converter(file, lines).tree(static_cast<PyObject*>(node));
}

}  // namespace tilelab::python
