// SPDX-License-Identifier: Apache-2.0
// Foundation of the IR: immutable, shared, tagged nodes, each with a span and one list of fields.
// Printing, reading, verifying, comparing, hashing and rewriting are generic over these lists
// (print.cpp, traverse.h, compare.h). To change a node, copy its struct, modify the copy, and
// `make` it:
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

/// Deletes the node as its concrete struct.
void destroy(const Node* node);

using Expr = Ref<const ExprNode>;  // a value, pure except for reads
using Stmt = Ref<const StmtNode>;

/// Assigns a kind to a struct: `struct For : Base<For, Kind::For, StmtNode>`.
template <class T, Kind K, class Parent> struct Base : Parent {
  static constexpr Kind kKind = K;
  using NodeBase = Parent;
  Base() : Parent(K) {}
};

/// Moves `node` to the heap. The result is immutable.
template <class T> Ref<const T> make(T node) { return Ref<const T>(new T(std::move(node))); }

/// The node as T, or null if it is null or of another kind.
template <class T, class H> const T* as(const Ref<H>& node) {
  return node && node->kind == T::kKind ? static_cast<const T*>(node.get()) : nullptr;
}
template <class T> const T* as(const Node* node) {
  return node && node->kind == T::kKind ? static_cast<const T*>(node) : nullptr;
}
/// How `to` fails. Not in its body, so that each of its many instances is a comparison and a call.
[[noreturn]] void wrong_kind(Kind expected);
/// The node as T; a bug if it is of another kind.
template <class T, class H> const T& to(const Ref<H>& node) {
  if (!node || node->kind != T::kKind) [[unlikely]]
    wrong_kind(T::kKind);
  return static_cast<const T&>(*node);
}

/// Properties of a field: `f("src", &Copy::src, Is::positional | Is::read)`. A struct with a
/// `kCall` is a statement in call form: `copy(A[0:64], B, vec=4)`. Its text is printed and parsed,
/// and its names are verified, from its list alone. A field prints as `name=value`, in the order of
/// the list, if it differs from its default; the flags modify this. `operands_of` (traverse.h)
/// derives the memory accesses of a statement from `read` and `written`.
enum class Is : uint32_t {
  plain = 0,
  positional = 1,      // without its name, always present
  optional = 2,        // with `positional` or `bound`: may be missing
  rest = 4,            // a list: all other positional arguments
  always = 8,          // printed even if it equals the default
  bound = 16,          // the name that the statement binds: `name = call(...)`
  callee = 32,         // a word that ends the function name: `ring_` + op
  read = 64,           // a Region, or a buffer by its name, whose elements the statement reads,
  written = 128,       //   writes,
  updated = 64 + 128,  //   or reads and writes
  typed = 256,         // a value with the dtype of the previous field; a paired Region may differ
  condition = 512,     // a bool
  buffer = 1024,       // a Symbol that names a buffer,
  ring = 2048,         //   a ring,
  map = 4096,          //   a tensor map,
  value = 8192,        //   or a value
  quoted = 16384,      // a Symbol that prints as a string
  paired = 32768,      // a Region with the same extents as the previous Region
  barrier = 65536,     // a Region of one barrier
};
constexpr Is operator|(Is a, Is b) {
  return static_cast<Is>(static_cast<uint32_t>(a) | static_cast<uint32_t>(b));
}
/// Whether the field has any of `flags`.
constexpr bool has(Is field, Is flags) {
  return (static_cast<uint32_t>(field) & static_cast<uint32_t>(flags)) != 0;
}

/// One dimension of a region: `extent` elements from `lo`; a point (an index, not a slice) has
/// extent 1 and drops the dimension.
struct RegionDim {
  Expr lo;
  int64_t extent = 1;
  bool point = true;
};

/// A named compile-time attribute: an integer, a boolean, a string or a list of integers.
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
