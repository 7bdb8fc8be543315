// Cuts .pir text into tokens.
#pragma once

#include <cstdint>
#include <string_view>

namespace pallasite {

enum class TokenKind : uint8_t {
  End,
  // `f32`, `barrier.arrive`; also `-inf`.
  Identifier,
  // `%3`.
  Value,
  // `#3`.
  Location,
  // `@add_one`, `@"<lambda>"`.
  Symbol,
  // With its quotes, escapes not yet resolved.
  String,
  // `-3`.
  Integer,
  // `0.5`, `1e-3`.
  Float,
  // `0x7fc00001`.
  Hex,
  // One of `( ) { } [ ] < > , : = ?`, or `->`.
  Mark,
  // Text that is no token; `Token::problem` says why.
  Bad,
};

struct Token {
  TokenKind kind = TokenKind::End;
  std::string_view text;
  // Both from 1; the column counts bytes.
  uint32_t line = 1;
  uint32_t column = 1;
  // No other token stands before it on its line.
  bool starts_line = false;
  std::string_view problem;

  bool is(std::string_view mark) const { return kind == TokenKind::Mark && text == mark; }
  bool is_word(std::string_view word) const {
    return kind == TokenKind::Identifier && text == word;
  }
};

class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) {}
  // After the end, End for ever.
  Token next();

 private:
  // Characters from `at` on that a predicate accepts.
  size_t run_length(size_t at, bool (*accepts)(char)) const;
  char at(size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
  bool skip_blanks();
  size_t string_length(size_t start, std::string_view& problem) const;
  size_t number_length(size_t start, TokenKind& kind, std::string_view& problem) const;

  std::string_view text_;
  size_t position_ = 0;
  uint32_t line_ = 1;
  size_t line_start_ = 0;
};

}  // namespace pallasite
