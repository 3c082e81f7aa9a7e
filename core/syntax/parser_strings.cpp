// SPDX-License-Identifier: Apache-2.0
// String literals in expressions: adjacent literals are joined, f-strings split into their fields.
#include "core/syntax/parser_impl.h"

namespace tilelab::syntax {

/// One literal or several adjacent ones, possibly f-strings.
Tree Parser::strings() {
  Span start = peek().span;
  Trees parts;
  bool formatted = false;
  while (peek().kind == TokenKind::string || peek().kind == TokenKind::fstring) {
    const Token token = take();
    if (token.kind == TokenKind::fstring) {
      formatted = true;
      fstring_parts(token, parts);
    } else if (!parts.empty() && parts.back()->kind == Kind::string) {
      parts.back() = build(
          {.kind = Kind::string, .span = since(start), .text = parts.back()->text + token.text});
    } else {
      parts.push_back(build({.kind = Kind::string, .span = token.span, .text = token.text}));
    }
  }
  if (!formatted) return parts[0];
  std::erase_if(parts, [](const Tree& p) { return p->kind == Kind::string && p->text.empty(); });
  return build({.kind = Kind::fstring, .span = since(start), .list = std::move(parts)});
}

void Parser::fstring_parts(const Token& token, Trees& parts) {
  Tree body = fstring_body(token, token.begin, token.end);
  for (const Tree& part : body->list) {
    if (part->kind == Kind::string && !parts.empty() && parts.back()->kind == Kind::string) {
      parts.back() = build(
          {.kind = Kind::string, .span = part->span, .text = parts.back()->text + part->text});
    } else {
      parts.push_back(part);
    }
  }
}

/// The text and the fields in [begin, end) of an f-string or of a format specification.
Tree Parser::fstring_body(const Token& token, size_t begin, size_t end) {
  if (++fstring_depth_ > 3) stop(Diag::syntax_depth, token.span, 2);
  std::string_view text = source_.text();
  Trees parts;
  std::string plain;
  size_t plain_begin = begin;
  auto flush = [&](size_t to) {
    if (!plain.empty())
      parts.push_back(
          build({.kind = Kind::string, .span = source_.span(plain_begin, to), .text = plain}));
    plain.clear();
  };
  for (size_t at = begin; at < end;) {
    char c = text[at];
    bool doubled = at + 1 < end && text[at + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      plain += c;
      at += 2;
    } else if (c == '}') {
      stop(Diag::syntax_string, source_.span(at, at + 1),
           "a single `}` in an f-string; write `}}`");
    } else if (c == '{') {
      flush(at);
      parts.push_back(replacement_field(token, at, end));
      plain_begin = at;
    } else {
      size_t stop_at = std::min(text.find_first_of("{}", at), end);
      std::string_view piece = text.substr(at, stop_at - at);
      if (token.raw)
        plain += piece;
      else if (!unescape(source_, at, piece, sink_, plain))
        throw Stop{};
      at = stop_at;
    }
  }
  flush(end);
  --fstring_depth_;
  return build({.kind = Kind::fstring, .span = source_.span(begin, end), .list = std::move(parts)});
}

/// `{value!r:format}` at `at`; advances past it.
Tree Parser::replacement_field(const Token& token, size_t& at, size_t end) {
  std::string_view text = source_.text();
  size_t open = at, stop_at = at + 1;
  int depth = 0;
  char quote = 0;
  for (; stop_at < end; ++stop_at) {
    char c = text[stop_at];
    if (quote) {
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (depth == 0 && (c == '}' || c == ':' || (c == '!' && text[stop_at + 1] != '='))) break;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
  }
  if (stop_at >= end)
    stop(Diag::syntax_unclosed, source_.span(open, open + 1), "`{` of an f-string");
  Parser inner(source_, lex_expression(source_, open + 1, stop_at, sink_), sink_);
  inner.nesting_ = nesting_ + 1;
  inner.fstring_depth_ = fstring_depth_;
  Tree value = inner.only_expression();
  if (!sink_.ok()) throw Stop{};  // the lexer has reported the error
  Symbol conversion;
  if (text[stop_at] == '!') {
    conversion = text.substr(stop_at + 1, 1);
    bool known =
        conversion == Symbol("r") || conversion == Symbol("s") || conversion == Symbol("a");
    if (!known || stop_at + 2 >= end)
      stop(Diag::syntax_string, source_.span(stop_at, stop_at + 2), "expected r, s or a after `!`");
    stop_at += 2;
  }
  Tree format;
  if (stop_at < end && text[stop_at] == ':') {
    size_t begin = ++stop_at;
    for (depth = 0; stop_at < end && (depth || text[stop_at] != '}'); ++stop_at)
      depth += text[stop_at] == '{' ? 1 : text[stop_at] == '}' ? -1 : 0;
    format = fstring_body(token, begin, std::min(stop_at, end));
  }
  if (stop_at >= end || text[stop_at] != '}')
    stop(Diag::syntax_unclosed, source_.span(open, open + 1), "`{` of an f-string");
  at = stop_at + 1;
  return build({.kind = Kind::formatted,
                .span = source_.span(open, at),
                .name = conversion,
                .parts = {value, format}});
}

}  // namespace tilelab::syntax
