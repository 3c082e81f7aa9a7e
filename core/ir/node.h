// SPDX-License-Identifier: Apache-2.0
// The ground of the IR: immutable, shared, tagged nodes, each with a span and one list of fields.
// Printing, reading, verifying, comparing, hashing and rewriting are written once, over the lists
// (print.cpp, traverse.h, compare.h). To change a node copy its struct, change the copy, and `make`
// it:
//   For loop = *as<For>(stmt); loop.body = body; return make(std::move(loop));
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/ir/dtype.h"
#include "core/support/check.h"
#include "core/support/ref.h"
#include "core/support/span.h"
#include "core/support/symbol.h"

namespace tilelab {

enum class Kind : uint8_t {
#define NODE(kind, group) kind,
#include "core/ir/nodes.def"
#undef NODE
};

enum class Group : uint8_t { expr, decl, host, structure, effect, tile, func };

const char* name(Kind kind);
Group group(Kind kind);

struct Node {
  mutable std::atomic<uint32_t> refs{0};
  Kind kind;
  Span span;

  explicit Node(Kind k) : kind(k) {}
  Node(const Node& other) : kind(other.kind), span(other.span) {}
  Node& operator=(const Node&) = delete;
};

struct ExprNode : Node {
  Type type;
  using Node::Node;
};

struct StmtNode : Node {
  using Node::Node;
};

/// Deletes the node as the struct that its kind names.
void destroy(const Node* node);

using Expr = Ref<const ExprNode>;  // a value without effect, but for reads
using Stmt = Ref<const StmtNode>;

/// Gives a struct its kind: `struct For : Base<For, Kind::For, StmtNode>`.
template <class T, Kind K, class Parent> struct Base : Parent {
  static constexpr Kind kKind = K;
  using NodeBase = Parent;
  Base() : Parent(K) {}
};

/// Moves `node` to the heap. The result is immutable.
template <class T> Ref<const T> make(T node) { return Ref<const T>(new T(std::move(node))); }

/// The node as T, or null if it is of another kind (or null itself).
template <class T, class H> const T* as(const Ref<H>& node) {
  return node && node->kind == T::kKind ? static_cast<const T*>(node.get()) : nullptr;
}
template <class T> const T* as(const Node* node) {
  return node && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}
/// The node as T; a bug if it is of another kind.
template <class T, class H> const T& to(const Ref<H>& node) {
  CHECK(node && node->kind == T::kKind, std::string("expected ") + name(T::kKind));
  return static_cast<const T&>(*node);
}

/// What a field is to its statement, beside its type: `f("src", &Copy::src, Is::positional |
/// Is::read)`. A struct with a `kCall` is a statement in call form: `copy(A[0:64], B, vec=4)`. Its
/// text is printed and read, and what it names is verified, from its list alone. A field stands in
/// the text as `name=value`, in the order of the list, where it differs from that of a fresh
/// struct; the flags say what else it is. `operands_of` (traverse.h) answers from `read` and
/// `written` what a statement does to memory.
enum class Is : uint32_t {
  plain = 0,
  positional = 1,      // stands without its name and is always there
  optional = 2,        // with `positional` or `bound`: may be missing
  rest = 4,            // a list: everything that stands without a name
  always = 8,          // printed even if it is what it would be anyway
  bound = 16,          // the name that the statement binds: `name = call(...)`
  callee = 32,         // a word that ends the name of the function: `ring_` + op
  read = 64,           // a Region, or a buffer by its name, whose elements the statement reads,
  written = 128,       //   writes,
  updated = 64 + 128,  //   or reads and writes
  typed = 256,         // a value of the dtype that the field before it has
  condition = 512,     // a bool
  buffer = 1024,       // a Symbol that names a buffer,
  ring = 2048,         //   a ring,
  map = 4096,          //   a tensor map,
  value = 8192,        //   or a value
  quoted = 16384,      // a Symbol that stands as a string
  paired = 32768,   // a Region of as many elements as the Region before it, dimension by dimension
  barrier = 65536,  // a Region of one barrier
};
constexpr Is operator|(Is a, Is b) {
  return static_cast<Is>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
/// Whether the field is one of `flags`.
constexpr bool has(Is field, Is flags) {
  return (static_cast<uint32_t>(field) & static_cast<uint32_t>(flags)) != 0;
}

/// One dimension of a region: `extent` elements from `lo`; a point (an index, no slice) has
/// extent 1 and drops the dimension.
struct RegionDim {
  Expr lo;
  int64_t extent = 1;
  bool point = true;
};

/// A named compile-time attribute: one of an integer, a boolean, a string, a list of integers.
struct Attr {
  enum class Form : uint8_t { integer, boolean, string, list };
  Symbol name;
  Form form = Form::integer;
  int64_t integer = 0;
  std::string string;
  std::vector<int64_t> list;
  bool operator==(const Attr&) const = default;
};

Attr attr(Symbol name, int64_t value);
Attr attr(Symbol name, int value);
Attr attr(Symbol name, bool value);
Attr attr(Symbol name, std::string value);
Attr attr(Symbol name, const char* value);
Attr attr(Symbol name, std::vector<int64_t> value);
const Attr* find_attr(const std::vector<Attr>& attrs, Symbol name);

}  // namespace tilelab
