#include "pallasite/diag/message_template.h"

#include "pallasite/base/check.h"

namespace pallasite {

std::vector<TemplatePiece> split_template(std::string_view text) {
  std::vector<TemplatePiece> pieces;
  while (!text.empty()) {
    size_t open = text.find('{');
    if (open != 0) pieces.push_back({text.substr(0, open)});
    if (open == std::string_view::npos) break;
    size_t close = text.find('}', open);
    PALLASITE_CHECK(close != std::string_view::npos,
                    "a template opens a brace and does not close it");
    std::string_view name = text.substr(open + 1, close - open - 1);
    size_t colon = name.find(':');
    bool as_jax = colon != std::string_view::npos;
    PALLASITE_CHECK(!as_jax || name.substr(colon) == ":jax", "unknown format in a template");
    pieces.push_back({name.substr(0, colon), true, as_jax});
    text.remove_prefix(close + 1);
  }
  return pieces;
}

}  // namespace pallasite
