// SPDX-License-Identifier: Apache-2.0
// Text -> tokens: indentation, line joining in brackets, comments, numbers and strings of Python.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/diagnostics/diagnostics.h"
#include "core/syntax/tree.h"

namespace tilelab::syntax {

/// A text with its line starts, which map offsets to spans.
class Source {
 public:
  Source(FileId file, std::string_view text);
  std::string_view text() const { return text_; }
  Span span(size_t begin, size_t end) const;

 private:
  FileId file_;
  std::string_view text_;
  std::vector<size_t> lines_;
};

enum class TokenKind : uint8_t {
  name,      // text; keywords are names too
  integer,   // integer, text as written
  floating,  // number, text as written
  string,    // text: the value
  fstring,   // begin, end: its body in the source, not yet split; raw
  bytes,
  op,       // text
  newline,  // end of a logical line; text: its last comment without '#'
  indent,
  dedent,
  end,
};

struct Token {
  TokenKind kind = TokenKind::end;
  Span span;
  std::string text;
  Int integer = 0;
  double number = 0;
  size_t begin = 0, end = 0;
  bool raw = false;

  bool is(std::string_view word) const {
    return (kind == TokenKind::op || kind == TokenKind::name) && text == word;
  }
};

/// Tokens of the whole text, ending with kind `end`. On an error, reports one diagnostic and
/// returns the tokens before it.
std::vector<Token> lex(const Source& source, Diagnostics& sink);
/// The same for the expression in [begin, end) of an f-string: no lines, no indentation.
std::vector<Token> lex_expression(const Source& source, size_t begin, size_t end,
                                  Diagnostics& sink);

/// Appends `body` with its escapes resolved to `out`; false after reporting an invalid one.
/// `offset`: of `body` in the source.
bool unescape(const Source& source, size_t offset, std::string_view body, Diagnostics& sink,
              std::string& out);

bool is_keyword(std::string_view word);
/// "the name `x`", "`+`", "the end of the line": a token in messages.
std::string describe(const Token& token);

}  // namespace tilelab::syntax
