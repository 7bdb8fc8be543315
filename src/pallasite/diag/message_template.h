// The templates of kind.h, cut into literal text and argument names.
#pragma once

#include <string_view>
#include <vector>

namespace pallasite {

struct TemplatePiece {
  // Literal text, or the name of an argument.
  std::string_view text;
  bool is_argument = false;
  // The argument asks for the form of JAX's interpreter.
  bool as_jax = false;
};

std::vector<TemplatePiece> split_template(std::string_view text);

}  // namespace pallasite
