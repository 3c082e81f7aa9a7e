// SPDX-License-Identifier: Apache-2.0
#include "tests/unit/fake_host.h"

#include <cmath>

#include "core/diagnostics/render.h"
#include "core/elaborate/builtins/builtins.h"
#include "core/passes/shared/hardware_units.h"
#include "core/syntax/parser.h"

namespace tilelab::test {

using namespace elaborate;
using syntax::Op;

namespace {

struct FakeObject : HostObject {
  explicit FakeObject(std::string n) : name(std::move(n)) {}
  std::string name;
};

Value object(const std::string& name) { return HostRef(std::make_shared<FakeObject>(name)); }

const std::string& name_of(const HostRef& ref) { return static_cast<FakeObject&>(*ref).name; }

std::optional<double> number_of(const Value& v) {
  if (const auto* b = v.get<bool>()) return *b;
  if (const auto* i = v.get<int64_t>()) return static_cast<double>(*i);
  if (const auto* d = v.get<double>()) return *d;
  return std::nullopt;
}

}  // namespace

HostResult FakeHost::lookup(const HostRef&, Symbol name) {
  if (auto it = globals.find(name.str()); it != globals.end()) return {it->second};
  if (name == Symbol("T") || name == Symbol("tilelang")) return {object(name.str())};
  if (const Builtin* row = find_builtin("builtins." + name.str())) return {Value(row)};
  return HostResult::absent();
}

HostResult FakeHost::attribute(const Value& value, Symbol name) {
  const HostRef* ref = value.get<HostRef>();
  if (!ref || name_of(*ref) != "T") return HostResult::absent();
  if (const Builtin* row = find_builtin(name.str())) return {Value(row)};
  if (auto dtype = dtype_from_name(name.str()))
    return {Value(DTypeValue{tilelang_name(*dtype), *dtype})};
  if (name == Symbol("float6_e2m3fn")) return {Value(DTypeValue{name.str(), {}})};
  if (name == Symbol("macro") || name == Symbol("prim_func")) return {object(name.str())};
  return HostResult::absent();
}

HostResult FakeHost::subscript(const Value&, const Value&) { return HostResult::absent(); }

HostResult FakeHost::call(const HostRef& callee, const std::vector<Value>& arguments,
                          const Keywords&) {
  if (name_of(callee) == "twice") return {Value(*integer_of(arguments.at(0)) * 2)};
  if (name_of(callee) == "fails") return HostResult::fail("ValueError: no such thing");
  HostResult out;
  out.needs_inline = true;
  return out;
}

HostResult FakeHost::source(const HostRef& callee) {
  auto it = sources.find(name_of(callee));
  return it == sources.end() ? HostResult::absent() : HostResult{it->second};
}

HostResult FakeHost::unary(Op, const Value&) { return HostResult::fail("TypeError: bad operand"); }

HostResult FakeHost::binary(Op op, const Value& a, const Value& b) {
  const auto *s = a.get<std::string>(), *t = b.get<std::string>();
  if (s && t && (op == Op::eq || op == Op::ne)) return {Value((*s == *t) == (op == Op::eq))};
  if (s && t && op == Op::add) return {Value(*s + *t)};
  auto x = number_of(a), y = number_of(b);
  if (a.is<None>() || b.is<None>())
    return {Value((a.is<None>() && b.is<None>()) == (op == Op::is))};
  if (!x || !y) return HostResult::fail("TypeError: unsupported operands");
  switch (op) {
    case Op::add: return {Value(*x + *y)};
    case Op::sub: return {Value(*x - *y)};
    case Op::mul: return {Value(*x * *y)};
    case Op::div:
      if (*y == 0) return HostResult::fail("ZeroDivisionError: division by zero");
      return {Value(*x / *y)};
    case Op::pow: return {Value(std::pow(*x, *y))};
    case Op::shl: return {Value(*integer_of(a) << *integer_of(b))};
    case Op::lt: return {Value(*x < *y)};
    case Op::gt: return {Value(*x > *y)};
    case Op::eq: return {Value(*x == *y)};
    default: return HostResult::fail("TypeError: unsupported operator");
  }
}

HostResult FakeHost::iterate(const HostRef&) { return HostResult::fail("TypeError: not iterable"); }
HostResult FakeHost::truth(const Value&) { return {Value(true)}; }

HostResult FakeHost::format(const Value& value, const std::string&, const std::string&) {
  if (const auto* s = value.get<std::string>()) return {Value(*s)};
  if (auto i = integer_of(value)) return {Value(std::to_string(*i))};
  return {Value("object")};
}

HostResult FakeHost::dtype(const HostRef&) { return HostResult::absent(); }

std::string Elaborated::messages() const { return render(diagnostics).plain(); }

std::string Elaborated::complaints() const {
  Diagnostics shown;
  for (const Diagnostic& d : diagnostics.all())
    if (d.severity != Severity::note) shown.add(d);
  return render(shown).plain();
}

Elaborated elaborate_text(const std::string& text, FakeHost& host, Request request) {
  Elaborated out;
  for (const char* name : {"twice", "fails", "opaque"}) host.globals.emplace(name, object(name));
  for (const auto& [name, value] : host.sources) host.globals[name] = object(name);
  syntax::Tree module = syntax::parse("kernel.py", text, out.diagnostics);
  if (!module) return out;
  syntax::Tree last;
  for (const syntax::Tree& item : module->body) {
    if (item->kind != syntax::Kind::function) continue;
    FunctionValue function;
    function.name = item->name;
    function.tree = item;
    function.macro = true;
    host.globals[item->name.str()] = function;
    last = item;
  }
  request.function = last;
  out.result = elaborate::elaborate(request, host, out.diagnostics);
  if (out.result.func && uses_hardware_units(*out.result.func))
    out.diagnostics = elaborate::reported_with_units(out.diagnostics);
  return out;
}

}  // namespace tilelab::test
