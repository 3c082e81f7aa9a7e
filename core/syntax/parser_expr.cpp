// SPDX-License-Identifier: Apache-2.0
// Expressions, by precedence climbing.
#include <unordered_set>

#include "core/syntax/parser_impl.h"

namespace tilelab::syntax {
namespace {

// Levels of Python's grammar, loosest first.
enum Level {
  or_level = 1,
  and_level,
  not_level,
  compare_level,
  bit_or_level,
  bit_xor_level,
  bit_and_level,
  shift_level,
  sum_level,
  product_level
};

struct Binary {
  Op op = Op::none;
  int level = 0;
};

/// The binary operator at `token` (`second` distinguishes `is` from `is not`).
Binary binary_at(const Token& token, const Token& second) {
  struct Row {
    Op op;
    int level;
  };
  constexpr Row rows[] = {
      {Op::bit_or, bit_or_level},    {Op::bit_xor, bit_xor_level}, {Op::bit_and, bit_and_level},
      {Op::shl, shift_level},        {Op::shr, shift_level},       {Op::add, sum_level},
      {Op::sub, sum_level},          {Op::mul, product_level},     {Op::div, product_level},
      {Op::floordiv, product_level}, {Op::mod, product_level},     {Op::matmul, product_level},
      {Op::eq, compare_level},       {Op::ne, compare_level},      {Op::lt, compare_level},
      {Op::le, compare_level},       {Op::gt, compare_level},      {Op::ge, compare_level}};
  if (token.kind == TokenKind::op) {
    for (const Row& row : rows)
      if (op_text(row.op) == token.text) return {row.op, row.level};
  } else if (token.kind == TokenKind::name) {
    if (token.text == "or") return {Op::or_, or_level};
    if (token.text == "and") return {Op::and_, and_level};
    if (token.text == "in") return {Op::in, compare_level};
    if (token.text == "not" && second.is("in")) return {Op::not_in, compare_level};
    if (token.text == "is") return {second.is("not") ? Op::is_not : Op::is, compare_level};
  }
  return {};
}

}  // namespace

Tree Parser::expression() {
  Nest nest(*this);
  if (at_word("lambda")) return lambda();
  Span start = peek().span;
  if (at_word("yield") || at_word("await"))
    stop(Diag::syntax_unsupported, start, "`" + peek().text + "`");
  Tree value = binary(or_level);
  if (at_operator(":=")) stop(Diag::syntax_unsupported, peek().span, "`:=`");
  if (!accept("if")) return value;
  Tree test = binary(or_level);
  expect("else");
  Tree other = expression();
  return build({.kind = Kind::if_else, .span = since(start), .parts = {value, test, other}});
}

Tree Parser::star_or_expression() {
  Span start = peek().span;
  if (!accept("*")) return expression();
  Tree value = binary(bit_or_level);
  return build({.kind = Kind::starred, .span = since(start), .parts = {value}});
}

/// a, b, c as a tuple; one expression without a comma as itself.
Tree Parser::expression_list() {
  Span start = peek().span;
  Tree first = star_or_expression();
  if (!at_operator(",")) return first;
  Trees items{first};
  auto ends = [&] {
    const Token& t = peek();
    return t.kind == TokenKind::newline || t.kind == TokenKind::end || t.is("=") || t.is(")") ||
           t.is("]") || t.is("}") || t.is(":") || t.is(";");
  };
  while (accept(",") && !ends()) items.push_back(star_or_expression());
  return build({.kind = Kind::tuple, .span = since(start), .list = std::move(items)});
}

/// The targets of a `for`: like expression_list, but ends at `in`.
Tree Parser::target_list() {
  Nest nest(*this);
  Span start = peek().span;
  Tree first = binary(bit_or_level);
  if (!at_operator(",")) return first;
  Trees items{first};
  while (accept(",") && !at_word("in")) items.push_back(binary(bit_or_level));
  return build({.kind = Kind::tuple, .span = since(start), .list = std::move(items)});
}

Tree Parser::lambda() {
  Span start = take().span;
  Trees list = parameters(":", false);
  expect(":");
  Tree result = expression();
  return build(
      {.kind = Kind::lambda, .span = since(start), .parts = {result}, .list = std::move(list)});
}

/// Operators of precedence level `least` and tighter.
Tree Parser::binary(int least) {
  Span start = peek().span;
  Tree left;
  if (least <= not_level && at_word("not")) {
    Nest nest(*this);
    take();
    Tree operand = binary(not_level);
    left = build({.kind = Kind::unary, .span = since(start), .op = Op::not_, .parts = {operand}});
  } else {
    left = unary();
  }
  for (;;) {
    Binary found = binary_at(peek(), peek(1));
    if (found.op == Op::none || found.level < least) return left;
    left = comparison_or_binary(std::move(left), found.level);
  }
}

/// One operator of `level` and its right operand; entire chains of comparisons, `and`, `or`.
Tree Parser::comparison_or_binary(Tree left, int level) {
  Span start = left->span;
  auto take_operator = [&] {
    Op op = binary_at(peek(), peek(1)).op;
    take();
    if (op == Op::is_not || op == Op::not_in) take();
    return op;
  };
  auto again = [&] { return binary_at(peek(), peek(1)).level == level; };
  if (level == or_level || level == and_level) {
    Op op = Op::none;
    Trees operands{std::move(left)};
    do {
      op = take_operator();
      operands.push_back(binary(level + 1));
    } while (again());
    return build(
        {.kind = Kind::logical, .span = since(start), .op = op, .list = std::move(operands)});
  }
  if (level == compare_level) {
    Trees operands{std::move(left)};
    std::vector<Op> ops;
    do {
      ops.push_back(take_operator());
      operands.push_back(binary(level + 1));
    } while (again());
    return build({.kind = Kind::compare,
                  .span = since(start),
                  .list = std::move(operands),
                  .ops = std::move(ops)});
  }
  Op op = take_operator();
  Tree right = binary(level + 1);
  return build({.kind = Kind::binary, .span = since(start), .op = op, .parts = {left, right}});
}

Tree Parser::unary() {
  Span start = peek().span;
  Op op = at_operator("-")   ? Op::neg
          : at_operator("+") ? Op::pos
          : at_operator("~") ? Op::invert
                             : Op::none;
  if (op == Op::none) return power();
  Nest nest(*this);
  take();
  Tree operand = unary();
  return build({.kind = Kind::unary, .span = since(start), .op = op, .parts = {operand}});
}

Tree Parser::power() {
  Span start = peek().span;
  Tree base = postfix();
  if (!accept("**")) return base;
  Nest nest(*this);
  Tree exponent = unary();
  return build(
      {.kind = Kind::binary, .span = since(start), .op = Op::pow, .parts = {base, exponent}});
}

Tree Parser::postfix() {
  Span start = peek().span;
  Tree tree = atom();
  for (;;) {
    if (at_operator("(")) {
      tree = call(std::move(tree));
    } else if (at_operator("[")) {
      tree = subscript(std::move(tree));
    } else if (accept(".")) {
      Symbol name = expect_name("a name after `.`");
      tree = build({.kind = Kind::attribute, .span = since(start), .name = name, .parts = {tree}});
    } else {
      return tree;
    }
  }
}

Tree Parser::call(Tree callee) {
  Span start = callee->span;
  expect("(");
  Trees arguments;
  while (!at_operator(")")) {
    Span at = peek().span;
    if (accept("**")) {
      Tree value = expression();
      arguments.push_back(build({.kind = Kind::keyword, .span = since(at), .parts = {value}}));
    } else if (peek().kind == TokenKind::name && !is_keyword(peek().text) &&
               peek(1).kind == TokenKind::op && peek(1).text == "=") {
      Symbol name = take().text;
      take();
      Tree value = expression();
      arguments.push_back(
          build({.kind = Kind::keyword, .span = since(at), .name = name, .parts = {value}}));
    } else {
      arguments.push_back(star_or_expression());
      if (at_word("for")) stop(Diag::syntax_unsupported, peek().span, "a generator");
    }
    if (!accept(",") && !at_operator(")")) unexpected("`,` or `)`");
  }
  expect(")");
  check_arguments(arguments);
  return build({.kind = Kind::call,
                .span = since(start),
                .parts = {std::move(callee)},
                .list = std::move(arguments)});
}

void Parser::check_arguments(const Trees& arguments) {
  std::unordered_set<Symbol> names;
  for (const Tree& a : arguments) {
    if (a->kind != Kind::keyword) {
      if (!names.empty() && a->kind != Kind::starred)
        stop(Diag::syntax_parameters, a->span, "a positional argument follows a keyword argument");
    } else if (a->name && !names.insert(a->name).second) {
      stop(Diag::syntax_parameters, a->span, "the argument `" + a->name.str() + "` is given twice");
    }
  }
}

Tree Parser::subscript(Tree value) {
  Span start = value->span;
  expect("[");
  Span inside = peek().span;
  Tree index = slice_or_expression();
  if (at_operator(",")) {
    Trees items{index};
    while (accept(",") && !at_operator("]")) items.push_back(slice_or_expression());
    index = build({.kind = Kind::tuple, .span = since(inside), .list = std::move(items)});
  }
  expect("]");
  return build({.kind = Kind::subscript, .span = since(start), .parts = {std::move(value), index}});
}

Tree Parser::slice_or_expression() {
  Span start = peek().span;
  auto optional = [&] {
    bool absent = at_operator(":") || at_operator(",") || at_operator("]");
    return absent ? Tree() : expression();
  };
  if (at_operator("*")) return star_or_expression();
  Tree lower = at_operator(":") ? Tree() : expression();
  if (!accept(":")) return lower;
  Tree upper = optional();
  Tree step = accept(":") ? optional() : Tree();
  return build({.kind = Kind::slice, .span = since(start), .parts = {lower, upper, step}});
}

Tree Parser::atom() {
  const Token& token = peek();
  Span span = token.span;
  switch (token.kind) {
    case TokenKind::integer: {
      const Token& t = take();
      return build({.kind = Kind::integer, .span = span, .text = t.text, .integer = t.integer});
    }
    case TokenKind::floating: {
      const Token& t = take();
      return build({.kind = Kind::floating, .span = span, .text = t.text, .number = t.number});
    }
    case TokenKind::string:
    case TokenKind::fstring: return strings();
    case TokenKind::bytes:
      take();
      return build({.kind = Kind::unsupported, .span = span, .name = "a bytes literal"});
    case TokenKind::name: break;
    case TokenKind::op:
      if (token.text == "(") return parenthesised();
      if (token.text == "[") return bracketed();
      if (token.text == "{") return braced();
      if (token.text == "...") {
        take();
        return build({.kind = Kind::ellipsis, .span = span});
      }
      unexpected("an expression");
    default: unexpected("an expression");
  }
  if (accept("True")) return build({.kind = Kind::boolean, .span = span, .integer = 1});
  if (accept("False")) return build({.kind = Kind::boolean, .span = span});
  if (accept("None")) return build({.kind = Kind::none, .span = span});
  if (is_keyword(token.text)) unexpected("an expression");
  Symbol name = take().text;
  return build({.kind = Kind::name, .span = span, .name = name});
}

/// (e), (), (a, b). The span of a tuple includes its brackets, as in CPython's ast.
Tree Parser::parenthesised() {
  Span start = take().span;
  if (accept(")")) return build({.kind = Kind::tuple, .span = since(start)});
  Tree inside = expression_list();
  if (at_word("for")) stop(Diag::syntax_unsupported, peek().span, "a generator");
  expect(")");
  if (inside->kind == Kind::starred)
    stop(Diag::syntax_target, inside->span, "`*` outside a list or tuple");
  if (inside->kind != Kind::tuple) return inside;
  return build({.kind = Kind::tuple, .span = since(start), .list = inside->list});
}

Trees Parser::clauses() {
  Trees out;
  while (at_word("for")) {
    Span start = take().span;
    Tree target = target_list();
    check_target(target);
    expect("in");
    Tree iterable = binary(or_level);
    Trees conditions;
    while (accept("if")) conditions.push_back(binary(or_level));
    out.push_back(build({.kind = Kind::clause,
                         .span = since(start),
                         .parts = {target, iterable},
                         .list = std::move(conditions)}));
  }
  return out;
}

/// [a, b] or [e for x in y if c].
Tree Parser::bracketed() {
  Span start = take().span;
  Trees items;
  while (!at_operator("]")) {
    items.push_back(star_or_expression());
    if (items.size() == 1 && at_word("for")) {
      Trees list = clauses();
      expect("]");
      return build({.kind = Kind::comprehension,
                    .span = since(start),
                    .parts = {items[0]},
                    .list = std::move(list)});
    }
    if (!accept(",") && !at_operator("]")) unexpected("`,` or `]`");
  }
  expect("]");
  return build({.kind = Kind::list, .span = since(start), .list = std::move(items)});
}

/// {k: v, **d}. Sets and dict comprehensions are kept only by name.
Tree Parser::braced() {
  Span start = take().span;
  Trees items;
  while (!at_operator("}")) {
    if (accept("**")) {
      items.push_back(nullptr);
      items.push_back(binary(bit_or_level));
    } else {
      items.push_back(star_or_expression());
      if (!at_operator(":")) stop(Diag::syntax_unsupported, since(start), "a set");
      take();
      items.push_back(expression());
    }
    if (at_word("for")) stop(Diag::syntax_unsupported, since(start), "a dict comprehension");
    if (!accept(",") && !at_operator("}")) unexpected("`,` or `}`");
  }
  expect("}");
  return build({.kind = Kind::dict, .span = since(start), .list = std::move(items)});
}

}  // namespace tilelab::syntax
