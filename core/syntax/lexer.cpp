// SPDX-License-Identifier: Apache-2.0
#include "core/syntax/lexer.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "core/support/width.h"

namespace tilelab::syntax {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool starts_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (c & 0x80);
}
bool continues_name(char c) { return starts_name(c) || is_digit(c); }

/// Longest first, so that the first match is the token.
constexpr std::string_view operators[] = {
    "**=", "//=", ">>=", "<<=", "...", "**", "//", ">>", "<<", "<=", ">=", "==",
    "!=",  "->",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "^=", "@=", ":=",
    "+",   "-",   "*",   "/",   "%",   "@",  "&",  "|",  "^",  "~",  "<",  ">",
    "=",   "(",   ")",   "[",   "]",   "{",  "}",  ",",  ":",  ".",  ";"};

class Lexer {
 public:
  Lexer(const Source& source, size_t begin, size_t end, Diagnostics& sink)
      : source_(source), text_(source.text().substr(0, end)), at_(begin), sink_(sink) {}

  std::vector<Token> lines() {
    if (!valid_utf8(text_)) {
      fail(Diag::syntax_string, 0, 0, "this text is not UTF-8");
      return finish();
    }
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;
    line_start_ = true;
    while (!failed_ && step()) {
    }
    if (!failed_ && !brackets_.empty()) unclosed();
    if (!failed_) end_of_text();
    return finish();
  }

  std::vector<Token> expression() {
    joined_ = true;
    while (!failed_ && step()) {
    }
    if (!failed_ && !brackets_.empty()) unclosed();
    return finish();
  }

 private:
  char peek(size_t offset = 0) const {
    return at_ + offset < text_.size() ? text_[at_ + offset] : '\0';
  }
  bool done() const { return at_ >= text_.size(); }
  bool joining() const { return joined_ || !brackets_.empty(); }

  template <class... Args>
  Diagnostic& fail(Diag id, size_t begin, size_t end, const Args&... arguments) {
    failed_ = true;
    return sink_.report(id, source_.span(begin, end), arguments...);
  }

  void push(TokenKind kind, size_t begin, size_t end, std::string text = {}) {
    Token token;
    token.kind = kind;
    token.span = source_.span(begin, end);
    token.begin = begin;
    token.end = end;
    token.text = std::move(text);
    tokens_.push_back(std::move(token));
  }

  std::vector<Token> finish() {
    push(TokenKind::end, text_.size(), text_.size());
    return std::move(tokens_);
  }

  /// Lexes one token or white space; false at the end of the text.
  bool step() {
    if (line_start_ && !joining()) {
      line_start_ = false;
      if (!indentation()) return !done();
    }
    if (done()) return false;
    char c = peek();
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
      ++at_;
    } else if (c == '\n') {
      line_end();
    } else if (c == '#') {
      comment();
    } else if (c == '\\' && (peek(1) == '\n' || (peek(1) == '\r' && peek(2) == '\n'))) {
      at_ += peek(1) == '\n' ? 2 : 3;
    } else if (is_digit(c) || (c == '.' && is_digit(peek(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      string(at_);
    } else if (starts_name(c)) {
      name();
    } else {
      op();
    }
    return true;
  }

  /// Measures the white space at the start of a line; false if the line is blank or a comment.
  bool indentation() {
    size_t begin = at_;
    int column = 0, bytes = 0;  // tabs to multiples of 8, and tabs as 1
    for (; peek() == ' ' || peek() == '\t' || peek() == '\f'; ++at_) {
      column = peek() == '\t' ? (column / 8 + 1) * 8 : column + 1;
      ++bytes;
    }
    if (done() || peek() == '\n' || peek() == '\r' || peek() == '#') return true;
    if (column > indents_.back()[0]) {
      if (bytes <= indents_.back()[1]) return mixed(begin);
      if (indents_.size() > 100) {
        fail(Diag::syntax_depth, begin, at_, 100);
        return false;
      }
      indents_.push_back({column, bytes});
      push(TokenKind::indent, begin, at_);
      return true;
    }
    while (column < indents_.back()[0]) {
      indents_.pop_back();
      push(TokenKind::dedent, at_, at_);
    }
    if (column != indents_.back()[0]) {
      fail(Diag::syntax_indent, begin, at_,
           "the indentation of this line matches no block above it");
      return false;
    }
    return bytes == indents_.back()[1] || mixed(begin);
  }

  bool mixed(size_t begin) {
    fail(Diag::syntax_indent, begin, at_, "inconsistent use of tabs and spaces");
    return false;
  }

  void line_end() {
    bool blank = tokens_.empty() || tokens_.back().kind == TokenKind::newline ||
                 tokens_.back().kind == TokenKind::indent ||
                 tokens_.back().kind == TokenKind::dedent;
    if (!joining()) {
      if (!blank) push(TokenKind::newline, at_, at_ + 1, comment_);
      line_start_ = true;
      comment_.clear();
    }
    ++at_;
  }

  void comment() {
    size_t begin = ++at_;
    while (!done() && peek() != '\n') ++at_;
    comment_ = std::string(text_.substr(begin, at_ - begin));
  }

  void end_of_text() {
    if (!tokens_.empty() && tokens_.back().kind != TokenKind::newline)
      push(TokenKind::newline, at_, at_, comment_);
    for (; indents_.size() > 1; indents_.pop_back()) push(TokenKind::dedent, at_, at_);
  }

  void name() {
    size_t begin = at_;
    while (continues_name(peek())) ++at_;
    std::string_view word = text_.substr(begin, at_ - begin);
    bool prefix = word.size() <= 2 && word.find_first_not_of("rRbBuUfF") == word.npos;
    if (prefix && (peek() == '"' || peek() == '\'')) return string(begin);
    push(TokenKind::name, begin, at_, std::string(word));
  }

  void op() {
    for (std::string_view candidate : operators) {
      if (text_.substr(at_, candidate.size()) != candidate) continue;
      size_t begin = at_;
      at_ += candidate.size();
      if (candidate.size() == 1 && !bracket(candidate[0], begin)) return;
      return push(TokenKind::op, begin, at_, std::string(candidate));
    }
    size_t end = at_;
    char32_t c = next_char(text_, end);
    bool visible = c > ' ' && c != 0x7f;
    fail(
        Diag::syntax_character, at_, end,
        visible ? "`" + std::string(text_.substr(at_, end - at_)) + "`" : "this control character");
  }

  /// Tracks open brackets; false after reporting a mismatch.
  bool bracket(char c, size_t begin) {
    constexpr std::string_view open = "([{", close = ")]}";
    if (open.find(c) != open.npos) brackets_.push_back(begin);
    size_t kind = close.find(c);
    if (kind == close.npos) return true;
    if (brackets_.empty() || text_[brackets_.back()] != open[kind]) {
      Diagnostic& d = fail(Diag::syntax_unexpected, begin, begin + 1, "an expression",
                           "`" + std::string(1, c) + "`");
      if (!brackets_.empty())
        d.label(source_.span(brackets_.back(), brackets_.back() + 1), "opened here");
      return false;
    }
    brackets_.pop_back();
    return true;
  }

  void unclosed() {
    size_t begin = brackets_.back();
    fail(Diag::syntax_unclosed, begin, begin + 1, "`" + std::string(1, text_[begin]) + "`");
  }

  void number();
  void radix_integer(size_t begin, int base);
  void decimal(size_t begin);
  void string(size_t begin);
  bool find_closing_quote(char quote, bool triple);

  const Source& source_;
  std::string_view text_;
  size_t at_;
  Diagnostics& sink_;
  std::vector<Token> tokens_;
  std::vector<size_t> brackets_;  // offsets of open brackets
  std::vector<std::array<int, 2>> indents_{{0, 0}};
  std::string comment_;
  bool line_start_ = false, joined_ = false, failed_ = false;
};

void Lexer::number() {
  size_t begin = at_;
  char kind = static_cast<char>(peek(1) | 0x20);
  if (peek() == '0' && (kind == 'x' || kind == 'o' || kind == 'b'))
    return radix_integer(begin, kind == 'x' ? 16 : kind == 'o' ? 8 : 2);
  decimal(begin);
}

/// value * base + digit, or false if it exceeds 127 bits.
bool append_digit(unsigned __int128& value, int base, int digit) {
  constexpr unsigned __int128 largest = ~static_cast<unsigned __int128>(0) >> 1;
  if (value > (largest - static_cast<unsigned>(digit)) / static_cast<unsigned>(base)) return false;
  value = value * static_cast<unsigned>(base) + static_cast<unsigned>(digit);
  return true;
}

void Lexer::radix_integer(size_t begin, int base) {
  at_ += 2;
  unsigned __int128 value = 0;
  bool good = true, fits = true;
  int digits = 0;
  for (; continues_name(peek()); ++at_) {
    char c = peek();
    if (c == '_') continue;
    int digit = is_digit(c)                              ? c - '0'
                : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10
                                                         : 99;
    good = good && digit < base;
    if (good) fits = append_digit(value, base, digit) && fits;
    ++digits;
  }
  std::string text(text_.substr(begin, at_ - begin));
  if (!good || !digits || text.back() == '_')
    return void(fail(Diag::syntax_number, begin, at_, "`" + text + "`"));
  if (!fits) return void(fail(Diag::syntax_integer_size, begin, at_));
  push(TokenKind::integer, begin, at_, text);
  tokens_.back().integer = static_cast<Int>(value);
}

void Lexer::decimal(size_t begin) {
  bool floating = false;
  auto digits = [&] {
    while (is_digit(peek()) || (peek() == '_' && is_digit(peek(1)))) ++at_;
  };
  digits();
  if (peek() == '.') floating = true, ++at_, digits();
  size_t sign = peek(1) == '+' || peek(1) == '-';
  if ((peek() | 0x20) == 'e' && is_digit(peek(1 + sign)))
    floating = true, at_ += 1 + sign, digits();
  while (continues_name(peek())) ++at_;  // trailing letters are not part of a number
  std::string text(text_.substr(begin, at_ - begin)), plain = text;
  std::erase(plain, '_');
  bool zeros = !floating && plain.size() > 1 && plain[0] == '0' &&
               plain.find_first_not_of('0') != plain.npos;
  bool good = plain.find_first_not_of(floating ? "0123456789.eE+-" : "0123456789") == plain.npos;
  double number = 0;
  auto [end, error] = std::from_chars(plain.data(), plain.data() + plain.size(), number);
  if (!good || zeros || end != plain.data() + plain.size() || text.back() == '_')
    return void(fail(Diag::syntax_number, begin, at_, "`" + text + "`"));
  if (floating) {
    if (error == std::errc::result_out_of_range)  // overflow, or underflow to zero
      number = plain.find("e-") == plain.npos && plain.find("E-") == plain.npos ? HUGE_VAL : 0.0;
    push(TokenKind::floating, begin, at_, text);
    tokens_.back().number = number;
    return;
  }
  unsigned __int128 value = 0;
  bool fits = true;
  for (char c : plain) fits = append_digit(value, 10, c - '0') && fits;
  if (!fits) return void(fail(Diag::syntax_integer_size, begin, at_));
  push(TokenKind::integer, begin, at_, text);
  tokens_.back().integer = static_cast<Int>(value);
}

/// Advances past the closing quote; false after reporting that it is missing.
bool Lexer::find_closing_quote(char quote, bool triple) {
  while (!done() && (triple || peek() != '\n')) {
    if (peek() == '\\') {
      at_ += 2;
    } else if (peek() == quote && (!triple || (peek(1) == quote && peek(2) == quote))) {
      at_ += triple ? 3 : 1;
      return true;
    } else {
      ++at_;
    }
  }
  at_ = std::min(at_, text_.size());
  return false;
}

/// A literal whose prefix starts at `begin`; at_ is at its first quote.
void Lexer::string(size_t begin) {
  bool raw = false, bytes = false, format = false;
  for (size_t i = begin; i < at_; ++i) {
    char letter = static_cast<char>(text_[i] | 0x20);
    raw |= letter == 'r', bytes |= letter == 'b', format |= letter == 'f';
  }
  char quote = peek();
  bool triple = peek(1) == quote && peek(2) == quote;
  size_t opened = at_;
  at_ += triple ? 3 : 1;
  size_t body = at_;
  if (!find_closing_quote(quote, triple))
    return void(fail(Diag::syntax_unclosed, opened, body, "string"));
  size_t body_end = at_ - (triple ? 3 : 1);
  TokenKind kind = bytes ? TokenKind::bytes : format ? TokenKind::fstring : TokenKind::string;
  std::string value;
  std::string_view inside = text_.substr(body, body_end - body);
  if (kind == TokenKind::string) {
    if (raw)
      value = inside;
    else if (!unescape(source_, body, inside, sink_, value))
      failed_ = true;
  }
  push(kind, begin, at_, std::move(value));
  tokens_.back().begin = body;
  tokens_.back().end = body_end;
  tokens_.back().raw = raw;
}

}  // namespace

Source::Source(FileId file, std::string_view text) : file_(file), text_(text), lines_{0} {
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n') lines_.push_back(i + 1);
}

Span Source::span(size_t begin, size_t end) const {
  auto place = [&](size_t offset, uint32_t& line, uint32_t& col) {
    auto after = std::upper_bound(lines_.begin(), lines_.end(), offset);
    line = static_cast<uint32_t>(after - lines_.begin());
    col = static_cast<uint32_t>(offset - *(after - 1)) + 1;
  };
  Span span;
  span.file = file_;
  place(begin, span.line, span.col);
  place(end, span.end_line, span.end_col);
  return span;
}

std::vector<Token> lex(const Source& source, Diagnostics& sink) {
  return Lexer(source, 0, source.text().size(), sink).lines();
}

std::vector<Token> lex_expression(const Source& source, size_t begin, size_t end,
                                  Diagnostics& sink) {
  return Lexer(source, begin, end, sink).expression();
}

bool is_keyword(std::string_view word) {
  constexpr std::string_view words[] = {
      "False", "None",     "True",  "and",    "as",   "assert", "async",  "await",    "break",
      "class", "continue", "def",   "del",    "elif", "else",   "except", "finally",  "for",
      "from",  "global",   "if",    "import", "in",   "is",     "lambda", "nonlocal", "not",
      "or",    "pass",     "raise", "return", "try",  "while",  "with",   "yield"};
  return std::binary_search(std::begin(words), std::end(words), word);
}

std::string describe(const Token& token) {
  switch (token.kind) {
    case TokenKind::name:
      return is_keyword(token.text) ? "`" + token.text + "`" : "the name `" + token.text + "`";
    case TokenKind::integer:
    case TokenKind::floating: return "the number " + token.text;
    case TokenKind::string:
    case TokenKind::fstring:
    case TokenKind::bytes: return "a string";
    case TokenKind::op: return "`" + token.text + "`";
    case TokenKind::newline: return "the end of the line";
    case TokenKind::indent: return "a deeper indentation";
    case TokenKind::dedent: return "the end of the block";
    case TokenKind::end: return "the end of the text";
  }
  return "";
}

}  // namespace tilelab::syntax
