// Pieces of the text form that the parser, the printer and messages share.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "pallasite/ir/module.h"

namespace pallasite {

// In quotes, with JSON escapes.
std::string quoted(std::string_view text);

// The inverse of quoted, for a string token with its quotes. On failure returns nothing and sets
// `error_offset` to the byte of `token` that is wrong.
std::optional<std::string> unquote(std::string_view token, size_t& error_offset);

// A function or kernel name: `@add_one`, or in quotes where it is not an identifier.
std::string symbol(std::string_view name);

// "[1, 2]".
std::string list_text(std::span<const int64_t> values);
std::string list_text(std::span<const std::string> values);

// As an operand: `i32(4)`.
std::string to_string(const Literal& literal);
std::string to_string(const Attribute& attribute);

// What stands between the parentheses of a literal: a decimal number, `nan`, `-inf`, `true`, or the
// bits of a float as `0x7fc00001`. Nothing if the element type has no such value.
std::optional<Literal> parse_literal(ElementType element, std::string_view text);

// The candidate most like `word`, or empty if none is close enough to be a slip of the keyboard.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates);

}  // namespace pallasite
