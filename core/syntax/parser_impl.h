// SPDX-License-Identifier: Apache-2.0
// The recursive-descent parser, private: statements in parser.cpp, expressions in parser_expr.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "core/syntax/lexer.h"

namespace tilelab::syntax {

class Parser {
 public:
  Parser(const Source& source, std::vector<Token> tokens, Diagnostics& sink)
      : source_(source), tokens_(std::move(tokens)), sink_(sink) {}

  /// Thrown after the error was reported; caught by the functions of parser.h.
  struct Stop {};

  Tree module();
  /// The whole input as one expression.
  Tree only_expression();

 private:
  // ---- tokens
  const Token& peek(size_t offset = 0) const {
    return tokens_[std::min(at_ + offset, tokens_.size() - 1)];
  }
  const Token& take() {
    const Token& token = tokens_[at_ + 1 < tokens_.size() ? at_++ : at_];
    if (token.kind < TokenKind::newline) last_ = token.span;
    return token;
  }
  bool at_operator(std::string_view text) const {
    return peek().kind == TokenKind::op && peek().text == text;
  }
  bool at_word(std::string_view text) const {
    return peek().kind == TokenKind::name && peek().text == text;
  }
  bool accept(std::string_view text);
  const Token& expect(std::string_view text);
  Symbol expect_name(const char* what);
  [[noreturn]] void unexpected(std::string_view wanted);
  template <class... Args>
  [[noreturn]] void stop(Diag id, const Span& span, const Args&... arguments) {
    sink_.report(id, span, arguments...);
    throw Stop{};
  }
  /// From the first token of a node to the last visible token consumed.
  Span since(const Span& start) const { return join(start, last_); }

  /// Builds the node; stops if the tree becomes too deep.
  Tree build(Draft draft);

  /// Limits the recursion depth: one per nested expression or block.
  struct Nest {
    Parser& parser;
    explicit Nest(Parser& p);
    ~Nest() { --parser.nesting_; }
  };

  // ---- statements (parser.cpp)
  void statement(Trees& out);
  void simple_line(Trees& out);
  Draft simple();
  Draft expression_or_assignment();
  Tree compound();
  Tree function();
  Tree with();
  Tree with_item();
  Tree for_loop();
  Tree while_loop();
  Tree if_chain();
  Draft unsupported_line();
  void block(Trees& body, Span& origin);
  void end_of_line(Span& origin);
  void check_target(const Tree& target);
  Trees parameters(std::string_view close, bool annotated);
  Tree parameter(Op binding, bool annotated);
  void check_parameters(const Trees& parameters);

  // ---- expressions (parser_expr.cpp)
  Tree expression();
  Tree expression_list();  // with commas: a tuple
  Tree star_or_expression();
  Tree lambda();
  Tree binary(int least);
  Tree comparison_or_binary(Tree left, int least);
  Tree unary();
  Tree power();
  Tree postfix();
  Tree call(Tree callee);
  void check_arguments(const Trees& arguments);
  Tree subscript(Tree value);
  Tree slice_or_expression();
  Tree atom();
  Tree parenthesised();
  Tree bracketed();
  Tree braced();
  Trees clauses();
  Tree target_list();
  Tree strings();
  void fstring_parts(const Token& token, Trees& parts);
  Tree replacement_field(const Token& token, size_t& at, size_t end);
  Tree fstring_body(const Token& token, size_t begin, size_t end);

  const Source& source_;
  std::vector<Token> tokens_;
  Diagnostics& sink_;
  size_t at_ = 0;
  Span last_;
  int nesting_ = 0;
  int fstring_depth_ = 0;
};

}  // namespace tilelab::syntax
