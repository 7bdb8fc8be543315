#include "pallasite/ir/lexer.h"

namespace pallasite {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool is_word(char c) {
  return is_letter(c) || is_digit(c);
}
bool is_name(char c) {
  return is_word(c) || c == '.';
}
bool is_hex(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

size_t Lexer::run_length(size_t start, bool (*accepts)(char)) const {
  size_t i = start;
  while (i < text_.size() && accepts(text_[i])) ++i;
  return i - start;
}

// Blanks, line ends and comments. True if there was a line end.
bool Lexer::skip_blanks() {
  bool new_line = position_ == 0;
  while (position_ < text_.size()) {
    char c = text_[position_];
    if (c == '\n') {
      ++position_;
      ++line_;
      line_start_ = position_;
      new_line = true;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++position_;
    } else if (c == '/' && at(position_ + 1) == '/') {
      size_t end = text_.find('\n', position_);
      position_ = end == std::string_view::npos ? text_.size() : end;
    } else {
      break;
    }
  }
  return new_line;
}

size_t Lexer::string_length(size_t start, std::string_view& problem) const {
  size_t i = start + 1;
  while (i < text_.size() && text_[i] != '"' && text_[i] != '\n') i += text_[i] == '\\' ? 2 : 1;
  if (at(i) == '"') return i + 1 - start;
  problem = "this string has no closing quote";
  return 1;
}

size_t Lexer::number_length(size_t start, TokenKind& kind, std::string_view& problem) const {
  size_t i = start;
  if (at(i) == '0' && at(i + 1) == 'x') {
    kind = TokenKind::Hex;
    i += 2 + run_length(i + 2, is_hex);
    if (i == start + 2) problem = "a hexadecimal number has digits after `0x`";
  } else {
    kind = TokenKind::Integer;
    if (at(i) == '-') ++i;
    i += run_length(i, is_digit);
    if (at(i) == '.' && is_digit(at(i + 1))) {
      kind = TokenKind::Float;
      i += 1 + run_length(i + 1, is_digit);
    }
    if (at(i) == 'e' || at(i) == 'E') {
      size_t digits = i + 1 + (at(i + 1) == '+' || at(i + 1) == '-');
      if (is_digit(at(digits))) {
        kind = TokenKind::Float;
        i = digits + run_length(digits, is_digit);
      }
    }
  }
  if (is_name(at(i))) problem = "a number ends before a letter or a point";
  return i - start;
}

Token Lexer::next() {
  Token token;
  token.starts_line = skip_blanks();
  size_t start = position_;
  token.line = line_;
  token.column = uint32_t(start - line_start_ + 1);
  if (start == text_.size()) return token;
  char c = text_[start];
  size_t length = 1;
  if (is_letter(c)) {
    token.kind = TokenKind::Identifier;
    length = run_length(start, is_name);
  } else if (is_digit(c) || (c == '-' && is_digit(at(start + 1)))) {
    length = number_length(start, token.kind, token.problem);
  } else if (c == '-' && is_letter(at(start + 1))) {
    token.kind = TokenKind::Identifier;
    length = 1 + run_length(start + 1, is_word);
  } else if (c == '-' && at(start + 1) == '>') {
    token.kind = TokenKind::Mark;
    length = 2;
  } else if (c == '%' || c == '#') {
    token.kind = c == '%' ? TokenKind::Value : TokenKind::Location;
    length = 1 + run_length(start + 1, is_digit);
    if (length == 1) token.problem = "a number follows `%` and `#`";
  } else if (c == '@') {
    token.kind = TokenKind::Symbol;
    if (at(start + 1) == '"') {
      length = 1 + string_length(start + 1, token.problem);
    } else {
      length = 1 + run_length(start + 1, is_word);
      if (length == 1) token.problem = "a name follows `@`";
    }
  } else if (c == '"') {
    token.kind = TokenKind::String;
    length = string_length(start, token.problem);
  } else if (std::string_view("(){}[]<>,:=?").find(c) != std::string_view::npos) {
    token.kind = TokenKind::Mark;
  } else {
    token.problem = "no token starts with this character";
  }
  if (!token.problem.empty()) token.kind = TokenKind::Bad;
  token.text = text_.substr(start, length);
  position_ = start + length;
  return token;
}

}  // namespace pallasite
