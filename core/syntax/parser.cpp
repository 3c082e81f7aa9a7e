// SPDX-License-Identifier: Apache-2.0
#include "core/syntax/parser.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "core/support/text.h"
#include "core/syntax/parser_impl.h"

namespace tilelab::syntax {
namespace {

constexpr int max_nesting = 90;

}  // namespace

Parser::Nest::Nest(Parser& p) : parser(p) {
  if (++parser.nesting_ > max_nesting) {
    --parser.nesting_;
    parser.stop(Diag::syntax_depth, parser.peek().span, max_nesting);
  }
}

Tree Parser::build(Draft draft) {
  Span span = draft.span;
  Tree tree = make(std::move(draft));
  if (tree->depth > max_depth) stop(Diag::syntax_depth, span, max_depth);
  return tree;
}

bool Parser::accept(std::string_view text) {
  if (!peek().is(text)) return false;
  take();
  return true;
}

const Token& Parser::expect(std::string_view text) {
  if (!peek().is(text)) unexpected("`" + std::string(text) + "`");
  return take();
}

Symbol Parser::expect_name(const char* what) {
  if (peek().kind != TokenKind::name || is_keyword(peek().text)) unexpected(what);
  return take().text;
}

void Parser::unexpected(std::string_view wanted) {
  if (!sink_.ok()) throw Stop{};  // the lexer has reported the error
  stop(Diag::syntax_unexpected, peek().span, wanted, describe(peek()));
}

Tree Parser::module() {
  Trees body;
  Span start = peek().span;
  while (peek().kind != TokenKind::end) statement(body);
  return build({.kind = Kind::module, .span = since(start), .body = std::move(body)});
}

Tree Parser::only_expression() {
  Tree tree = expression_list();
  while (peek().kind == TokenKind::newline) take();
  if (peek().kind != TokenKind::end) unexpected("the end of the expression");
  return tree;
}

// ---- lines and blocks

void Parser::statement(Trees& out) {
  if (peek().kind == TokenKind::indent)
    stop(Diag::syntax_indent, peek(1).span,
         "unexpected indentation: no block starts before this line");
  constexpr std::string_view compounds[] = {"def", "with",  "for", "while",
                                            "if",  "class", "try", "async"};
  bool word = peek().kind == TokenKind::name;
  if (at_operator("@") || (word && std::find(std::begin(compounds), std::end(compounds),
                                             peek().text) != std::end(compounds)))
    out.push_back(compound());
  else
    simple_line(out);
}

/// The newline token; its comment may contain the line's origin.
void Parser::end_of_line(Span& origin) {
  if (peek().kind != TokenKind::newline) unexpected("the end of the line");
  Span named = parse_origin(take().text);
  if (has_origin(named)) origin = named;
}

/// One or more simple statements with `;` between.
void Parser::simple_line(Trees& out) {
  std::vector<Draft> drafts;
  do {
    drafts.push_back(simple());
  } while (accept(";") && peek().kind != TokenKind::newline);
  Span origin;
  end_of_line(origin);
  for (Draft& draft : drafts) {
    draft.origin = origin;
    out.push_back(build(std::move(draft)));
  }
}

/// `:` followed by an indented block, or by simple statements on the same line.
void Parser::block(Trees& body, Span& origin) {
  Nest nest(*this);
  expect(":");
  if (peek().kind != TokenKind::newline) return simple_line(body);
  end_of_line(origin);
  if (peek().kind != TokenKind::indent) {
    if (!sink_.ok()) throw Stop{};
    stop(Diag::syntax_indent, peek().span, "expected an indented block after the line before");
  }
  take();
  while (peek().kind != TokenKind::dedent && peek().kind != TokenKind::end) statement(body);
  if (peek().kind == TokenKind::dedent) take();
}

// ---- simple statements

Draft Parser::simple() {
  Span start = peek().span;
  auto finish = [&](Kind kind, Trees parts = {}) {
    return Draft{.kind = kind, .span = since(start), .parts = std::move(parts)};
  };
  auto at_end = [&] { return peek().kind == TokenKind::newline || at_operator(";"); };
  if (accept("pass")) return finish(Kind::pass);
  if (accept("break")) return finish(Kind::break_);
  if (accept("continue")) return finish(Kind::continue_);
  if (accept("return")) {
    Tree value = at_end() ? Tree() : expression_list();
    return finish(Kind::return_, {value});
  }
  if (accept("assert")) {
    Tree test = expression();
    Tree message = accept(",") ? expression() : Tree();
    return finish(Kind::assert_, {test, message});
  }
  if (accept("del")) {
    Draft out = finish(Kind::delete_);
    do out.list.push_back(expression());
    while (accept(",") && !at_end());
    for (const Tree& target : out.list) check_target(target);
    out.span = since(start);
    return out;
  }
  constexpr std::string_view others[] = {"import", "from", "global", "nonlocal", "raise", "yield"};
  for (std::string_view word : others)
    if (at_word(word)) return unsupported_line();
  return expression_or_assignment();
}

/// A statement that the elaborator rejects: its name is kept, its text skipped.
Draft Parser::unsupported_line() {
  Span start = peek().span;
  Symbol name = peek().text;
  while (peek().kind != TokenKind::newline && peek().kind != TokenKind::end && !at_operator(";"))
    take();
  return {.kind = Kind::unsupported, .span = since(start), .name = name};
}

Op augmented_operator(const Token& token) {
  if (token.kind != TokenKind::op || token.text.size() < 2 || token.text.back() != '=')
    return Op::none;
  std::string_view text = std::string_view(token.text).substr(0, token.text.size() - 1);
  for (Op op : {Op::add, Op::sub, Op::mul, Op::div, Op::floordiv, Op::mod, Op::pow, Op::matmul,
                Op::shl, Op::shr, Op::bit_and, Op::bit_or, Op::bit_xor})
    if (op_text(op) == text) return op;
  return Op::none;
}

Draft Parser::expression_or_assignment() {
  Span start = peek().span;
  Tree first = expression_list();
  if (accept(":")) {
    check_target(first);
    Tree annotation = expression();
    Tree value = accept("=") ? expression_list() : Tree();
    return {
        .kind = Kind::annotated_assign, .span = since(start), .parts = {first, annotation, value}};
  }
  if (Op op = augmented_operator(peek()); op != Op::none) {
    check_target(first);
    take();
    Tree value = expression_list();
    return {
        .kind = Kind::augmented_assign, .span = since(start), .op = op, .parts = {first, value}};
  }
  if (!at_operator("=")) return {.kind = Kind::expression, .span = since(start), .parts = {first}};
  Trees targets;
  Tree value = first;
  while (accept("=")) {
    check_target(value);
    targets.push_back(value);
    value = expression_list();
  }
  return {.kind = Kind::assign, .span = since(start), .parts = {value}, .list = std::move(targets)};
}

void Parser::check_target(const Tree& target) {
  switch (target->kind) {
    case Kind::name:
    case Kind::attribute:
    case Kind::subscript: return;
    case Kind::starred: return check_target(target->parts[0]);
    case Kind::tuple:
    case Kind::list:
      for (const Tree& item : target->list) check_target(item);
      return;
    default:
      stop(Diag::syntax_target, target->span,
           std::string("this ") + std::string(kind_name(target->kind)));
  }
}

// ---- compound statements

Tree Parser::compound() {
  if (at_word("with")) return with();
  if (at_word("for")) return for_loop();
  if (at_word("while")) return while_loop();
  if (at_word("if")) return if_chain();
  if (at_word("def") || at_operator("@")) return function();
  stop(Diag::syntax_unsupported, peek().span, "`" + peek().text + "`");
}

Tree Parser::function() {
  Nest nest(*this);
  Span start = peek().span, origin;
  Trees decorators;
  while (accept("@")) {
    decorators.push_back(expression());
    Span ignored;
    end_of_line(ignored);
  }
  if (at_word("class") || at_word("async"))
    stop(Diag::syntax_unsupported, peek().span, "`" + peek().text + "`");
  expect("def");
  Symbol name = expect_name("the name of the function");
  expect("(");
  Trees list = parameters(")", true);
  expect(")");
  Tree returns = accept("->") ? expression() : Tree();
  Trees body;
  block(body, origin);
  return build({.kind = Kind::function,
                .span = since(start),
                .name = name,
                .parts = {returns},
                .list = std::move(list),
                .body = std::move(body),
                .decorators = std::move(decorators),
                .origin = origin});
}

Tree Parser::parameter(Op binding, bool annotated) {
  Span start = peek().span;
  Symbol name = expect_name("the name of a parameter");
  Tree annotation = annotated && accept(":") ? expression() : Tree();
  bool plain = binding == Op::positional || binding == Op::keyword_only;
  Tree value = plain && accept("=") ? expression() : Tree();
  return build({.kind = Kind::parameter,
                .span = since(start),
                .op = binding,
                .name = name,
                .parts = {annotation, value}});
}

/// Up to, not including, `close`. Parses `/` and a lone `*` like Python.
Trees Parser::parameters(std::string_view close, bool annotated) {
  Trees out;
  Op binding = Op::positional;
  while (!at_operator(close)) {
    Span start = peek().span;
    if (accept("**")) {
      out.push_back(parameter(Op::var_keyword, annotated));
      accept(",");
      if (!at_operator(close))
        unexpected("`" + std::string(close) + "` after **" + out.back()->name.str());
      break;
    }
    if (accept("*")) {
      if (binding == Op::keyword_only)
        stop(Diag::syntax_parameters, start, "only one `*` is allowed among parameters");
      binding = Op::keyword_only;
      if (at_operator(close))
        stop(Diag::syntax_parameters, start, "parameters must follow a lone `*`");
      if (!at_operator(",")) out.push_back(parameter(Op::var_positional, annotated));
    } else if (accept("/")) {
      if (out.empty() || binding != Op::positional || out[0]->op == Op::positional_only)
        stop(Diag::syntax_parameters, start, "`/` is not valid here among parameters");
      for (Tree& tree : out) {
        Draft draft{.kind = Kind::parameter,
                    .span = tree->span,
                    .op = Op::positional_only,
                    .name = tree->name,
                    .parts = tree->parts};
        tree = build(std::move(draft));
      }
    } else {
      out.push_back(parameter(binding, annotated));
    }
    if (!accept(",")) break;
  }
  check_parameters(out);
  return out;
}

void Parser::check_parameters(const Trees& parameters) {
  std::unordered_set<Symbol> names;
  bool had_default = false;
  for (const Tree& p : parameters) {
    if (!names.insert(p->name).second)
      stop(Diag::syntax_parameters, p->span, "the parameter `" + p->name.str() + "` occurs twice");
    if (p->op != Op::positional && p->op != Op::positional_only) continue;
    if (had_default && !p->has_part(1))
      stop(Diag::syntax_parameters, p->span,
           "a parameter without a default follows one with a default");
    had_default |= p->has_part(1);
  }
}

Tree Parser::with_item() {
  Span start = peek().span;
  Tree context = expression(), target;
  if (accept("as")) {
    target = postfix();
    check_target(target);
  }
  return build({.kind = Kind::with_item, .span = since(start), .parts = {context, target}});
}

Tree Parser::with() {
  Span start = take().span, origin;
  Trees items;
  do {
    items.push_back(with_item());
  } while (accept(","));
  Trees body;
  block(body, origin);
  return build({.kind = Kind::with,
                .span = since(start),
                .list = std::move(items),
                .body = std::move(body),
                .origin = origin});
}

Tree Parser::for_loop() {
  Span start = take().span, origin, ignored;
  Tree target = target_list();
  check_target(target);
  expect("in");
  Tree iterable = expression_list();
  Trees body, orelse;
  block(body, origin);
  if (accept("else")) block(orelse, ignored);
  return build({.kind = Kind::for_,
                .span = since(start),
                .parts = {target, iterable},
                .body = std::move(body),
                .orelse = std::move(orelse),
                .origin = origin});
}

Tree Parser::while_loop() {
  Span start = take().span, origin, ignored;
  Tree test = expression();
  Trees body, orelse;
  block(body, origin);
  if (accept("else")) block(orelse, ignored);
  return build({.kind = Kind::while_,
                .span = since(start),
                .parts = {test},
                .body = std::move(body),
                .orelse = std::move(orelse),
                .origin = origin});
}

/// if, elifs and else; built from the last one, so that a long chain does not recurse.
Tree Parser::if_chain() {
  std::vector<Draft> drafts;
  Trees orelse;
  do {
    Span start = take().span;
    Tree test = expression();
    drafts.push_back({.kind = Kind::if_, .span = start, .parts = {test}});
    block(drafts.back().body, drafts.back().origin);
  } while (at_word("elif"));
  Span ignored;
  if (accept("else")) block(orelse, ignored);
  Tree tree;
  for (size_t i = drafts.size(); i-- > 0;) {
    drafts[i].span = since(drafts[i].span);
    drafts[i].orelse = std::move(orelse);
    tree = build(std::move(drafts[i]));
    orelse = {tree};
  }
  return tree;
}

// ---- entry points

/// A lexer error suppresses parser errors, which are consequences of it.
Tree parse(std::string_view name, std::string_view text, Diagnostics& sink) {
  Source source(add_source(name, text), text);
  Diagnostics found;
  std::vector<Token> tokens = lex(source, found);
  Tree tree;
  if (found.ok()) {
    try {
      tree = Parser(source, std::move(tokens), found).module();
    } catch (const Parser::Stop&) {
    }
  }
  sink.append(found);
  return found.ok() ? tree : Tree();
}

/// A file name for use in a comment: control characters and % are escaped as %XX.
static std::string escaped_name(const std::string& name) {
  constexpr const char* digits = "0123456789ABCDEF";
  std::string out;
  for (char c : name) {
    unsigned char byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte != 0x7f && c != '%')
      out += c;
    else
      out += {'%', digits[byte / 16], digits[byte % 16]};
  }
  return out;
}

static std::string unescaped_name(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    uint8_t byte = 0;
    std::string_view code = text[i] == '%' ? text.substr(i + 1, 2) : "";
    auto [end, error] = std::from_chars(code.data(), code.data() + code.size(), byte, 16);
    bool escaped = code.size() == 2 && error == std::errc() && end == code.data() + 2;
    out += escaped ? static_cast<char>(byte) : text[i];
    if (escaped) i += 2;
  }
  return out;
}

Span parse_origin(std::string_view comment) {
  comment = strip(comment);
  if (comment.empty() || comment[0] != '@') return {};
  comment.remove_prefix(1);
  if (comment.empty()) return kNowhere;
  auto number = [](std::string_view text) -> uint32_t {
    uint32_t value = 0;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() ? value : 0;
  };
  size_t col_at = comment.rfind(':');
  if (col_at == comment.npos || col_at == 0) return {};
  size_t line_at = comment.rfind(':', col_at - 1);
  if (line_at == comment.npos || line_at == 0) return {};
  uint32_t col = number(comment.substr(col_at + 1));
  uint32_t line = number(comment.substr(line_at + 1, col_at - line_at - 1));
  if (!line || !col) return {};
  std::string file = unescaped_name(comment.substr(0, line_at));
  if (number(file)) file = "cell " + file;
  return {source_id(file), line, col, line, 0};
}

std::string origin_text(const Span& span) {
  if (!span.known()) return "@";
  std::string file = source_name(span.file);
  if (file.rfind("cell ", 0) == 0 && file.find_first_not_of("0123456789", 5) == file.npos)
    file.erase(0, 5);
  return "@" + escaped_name(file) + ":" + std::to_string(span.line) + ":" +
         std::to_string(span.col);
}

}  // namespace tilelab::syntax
