#include "pallasite/ir/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "pallasite/numerics/convert.h"
#include "pallasite/numerics/float_mode.h"

namespace pallasite {

namespace {

bool is_identifier(std::string_view name) {
  if (name.empty()) return false;
  auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return is_letter(name[0]) &&
         std::ranges::all_of(name, [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

// Four hex digits at `at`, or -1.
int code_unit(std::string_view text, size_t at) {
  if (at + 4 > text.size()) return -1;
  int unit = 0;
  for (size_t i = at; i < at + 4; ++i) {
    int digit = hex_digit(text[i]);
    if (digit < 0) return -1;
    unit = unit * 16 + digit;
  }
  return unit;
}

void append_utf8(std::string& out, uint32_t code_point) {
  if (code_point < 0x80) {
    out += char(code_point);
  } else if (code_point < 0x800) {
    out += char(0xC0 | code_point >> 6);
    out += char(0x80 | (code_point & 0x3F));
  } else if (code_point < 0x10000) {
    out += char(0xE0 | code_point >> 12);
    out += char(0x80 | (code_point >> 6 & 0x3F));
    out += char(0x80 | (code_point & 0x3F));
  } else {
    out += char(0xF0 | code_point >> 18);
    out += char(0x80 | (code_point >> 12 & 0x3F));
    out += char(0x80 | (code_point >> 6 & 0x3F));
    out += char(0x80 | (code_point & 0x3F));
  }
}

// Bytes of the well-formed UTF-8 character at `at`, or 0.
size_t utf8_length(std::string_view text, size_t at) {
  auto byte = [&](size_t i) -> uint32_t { return i < text.size() ? uint8_t(text[i]) : 0; };
  uint32_t first = byte(at);
  if (first < 0x80) return 1;
  size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC0 ? 2 : 0;
  if (length == 0) return 0;
  uint32_t code_point = first & (0xFFu >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
    code_point = code_point << 6 | (byte(at + i) & 0x3F);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  bool is_surrogate = code_point >= 0xD800 && code_point < 0xE000;
  return code_point < kSmallest[length] || code_point > 0x10FFFF || is_surrogate ? 0 : length;
}

template <typename Float>
std::string shortest(Float value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  char buffer[64];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  std::string text(buffer, end);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

uint64_t mask_of_bytes(size_t bytes) {
  return bytes >= 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * bytes)) - 1;
}

uint64_t encode_float(ElementType element, double value) {
  uint64_t bits = 0;
  convert(ElementType::F64, &value, element, &bits, 1);
  return bits;
}

double decode_float(ElementType element, uint64_t bits) {
  double value = 0;
  convert(element, &bits, ElementType::F64, &value, 1);
  return value;
}

template <typename T>
std::optional<T> whole_number(std::string_view text, int base = 10) {
  T value{};
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<uint64_t> integer_bits(const ElementInfo& info, std::string_view text) {
  uint64_t mask = mask_of_bytes(info.register_bytes);
  if (!info.is_signed) {
    std::optional<uint64_t> value = whole_number<uint64_t>(text);
    if (!value || (info.storage_bits < 64 && *value >> info.storage_bits != 0)) return std::nullopt;
    return value;
  }
  std::optional<int64_t> value = whole_number<int64_t>(text);
  if (!value) return std::nullopt;
  int64_t high = *value >> (info.storage_bits - 1);
  if (high != 0 && high != -1) return std::nullopt;
  return uint64_t(*value) & mask;
}

std::optional<uint64_t> float_bits(ElementType element, std::string_view text) {
  // Threads of XLA, on which kernels may be read, flush subnormals.
  const ScopedFloatMode float_mode;
  const ElementInfo& info = element_info(element);
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (text == "nan") {
    if (!info.has_nan()) return std::nullopt;
    return encode_float(element, std::numeric_limits<double>::quiet_NaN());
  }
  if (text == "inf" || text == "-inf") {
    if (!info.has_infinity()) return std::nullopt;
    return encode_float(element, text == "inf" ? kInfinity : -kInfinity);
  }
  if (text.starts_with("0x")) {
    std::optional<uint64_t> bits = whole_number<uint64_t>(text.substr(2), 16);
    if (!bits || (info.storage_bits < 64 && *bits >> info.storage_bits != 0)) return std::nullopt;
    return bits;
  }
  double value = 0;
  const char* end = text.data() + text.size();
  if (element == ElementType::F32) {
    // Read as f32 at once: by way of f64 it would be rounded twice.
    float single = 0;
    auto result = std::from_chars(text.data(), end, single);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
    value = single;
  } else {
    auto result = std::from_chars(text.data(), end, value);
    if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  }
  uint64_t bits = encode_float(element, value);
  // Too large for the format: it overflowed or, in a format without specials, was clamped.
  if (!std::isfinite(decode_float(element, bits))) return std::nullopt;
  if (info.specials == FloatSpecials::Saturate) {
    uint64_t largest = (uint64_t{1} << (info.exponent_bits + info.mantissa_bits)) - 1;
    if (std::abs(value) > decode_float(element, largest)) return std::nullopt;
  }
  return bits;
}

std::string literal_value(const Literal& literal) {
  const ElementInfo& info = element_info(literal.element);
  if (info.is_bool) return literal.bits != 0 ? "true" : "false";
  if (!info.is_float) {
    if (!info.is_signed) return std::to_string(literal.bits);
    // Registers hold signed integers sign-extended to their bytes, so the top bit is the sign.
    int unused_bits = 64 - 8 * info.register_bytes;
    return std::to_string(int64_t(literal.bits << unused_bits) >> unused_bits);
  }
  const ScopedFloatMode float_mode;
  double value = decode_float(literal.element, literal.bits);
  if (std::isnan(value)) {
    bool is_default =
        encode_float(literal.element, std::numeric_limits<double>::quiet_NaN()) == literal.bits;
    return is_default ? "nan" : fmt::format("0x{:x}", literal.bits);
  }
  return literal.element == ElementType::F64 ? shortest(value) : shortest(float(value));
}

template <typename T>
std::string join_list(std::span<const T> values, auto&& print) {
  std::string text = "[";
  for (const T& value : values) {
    if (text.size() > 1) text += ", ";
    text += print(value);
  }
  return text + "]";
}

}  // namespace

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (char c : text) {
    switch (c) {
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      default:
        if (uint8_t(c) < 0x20) {
          out += fmt::format("\\u{:04x}", uint8_t(c));
        } else {
          out += c;
        }
    }
  }
  return out + "\"";
}

std::optional<std::string> unquote(std::string_view token, size_t& error_offset) {
  std::string out;
  out.reserve(token.size());
  // Without the quotes at both ends.
  std::string_view text = token.substr(0, token.size() - 1);
  for (size_t i = 1; i < text.size();) {
    error_offset = i;
    if (text[i] != '\\') {
      size_t length = utf8_length(text, i);
      if (length == 0) return std::nullopt;
      out.append(text.substr(i, length));
      i += length;
      continue;
    }
    if (i + 1 >= text.size()) return std::nullopt;
    constexpr std::string_view kEscapes = "\"\\/bfnrt";
    constexpr std::string_view kMeanings = "\"\\/\b\f\n\r\t";
    size_t escape = kEscapes.find(text[i + 1]);
    if (escape != std::string_view::npos) {
      out += kMeanings[escape];
      i += 2;
      continue;
    }
    int unit = text[i + 1] == 'u' ? code_unit(text, i + 2) : -1;
    if (unit < 0) return std::nullopt;
    uint32_t code_point = uint32_t(unit);
    i += 6;
    if (unit >= 0xD800 && unit < 0xE000) {
      bool has_second = unit < 0xDC00 && text.substr(i).starts_with("\\u");
      int second = has_second ? code_unit(text, i + 2) : -1;
      if (second < 0xDC00 || second >= 0xE000) return std::nullopt;
      code_point = 0x10000 + (uint32_t(unit - 0xD800) << 10) + uint32_t(second - 0xDC00);
      i += 6;
    }
    append_utf8(out, code_point);
  }
  return out;
}

std::string symbol(std::string_view name) {
  return "@" + (is_identifier(name) ? std::string(name) : quoted(name));
}

std::string list_text(std::span<const int64_t> values) {
  return join_list(values,
                   [](int64_t v) { return v == kDynamic ? std::string("?") : std::to_string(v); });
}

std::string list_text(std::span<const std::string> values) {
  return join_list(values, [](const std::string& v) { return quoted(v); });
}

std::string to_string(const Literal& literal) {
  return fmt::format("{}({})", element_name(literal.element), literal_value(literal));
}

std::string to_string(const Attribute& attribute) {
  struct Printer {
    std::string operator()(bool value) const { return value ? "true" : "false"; }
    std::string operator()(int64_t value) const { return std::to_string(value); }
    std::string operator()(double value) const { return shortest(value); }
    std::string operator()(const std::string& value) const { return quoted(value); }
    std::string operator()(const std::vector<int64_t>& value) const {
      return list_text(std::span<const int64_t>(value));
    }
    std::string operator()(const std::vector<std::string>& value) const {
      return list_text(std::span<const std::string>(value));
    }
    std::string operator()(const Bytes& value) const {
      constexpr char kDigits[] = "0123456789abcdef";
      std::string text = "hex\"";
      text.reserve(2 * value.data.size() + 5);
      for (char c : value.data) {
        text += kDigits[uint8_t(c) >> 4];
        text += kDigits[uint8_t(c) & 15];
      }
      return text + "\"";
    }
  };
  return std::visit(Printer{}, attribute);
}

std::optional<Literal> parse_literal(ElementType element, std::string_view text) {
  const ElementInfo& info = element_info(element);
  if (info.is_bool) {
    if (text != "true" && text != "false") return std::nullopt;
    return Literal{element, text == "true"};
  }
  std::optional<uint64_t> bits =
      info.is_float ? float_bits(element, text) : integer_bits(info, text);
  if (!bits) return std::nullopt;
  return Literal{element, *bits};
}

std::string_view nearest_name(std::string_view word, std::span<const std::string_view> candidates) {
  // A longer word is no slip of one of our names, and its distances cost time.
  constexpr size_t kLongest = 64;
  if (word.size() > kLongest) return {};
  std::string_view best;
  size_t best_distance = std::max<size_t>(1, word.size() / 4) + 1;
  for (std::string_view candidate : candidates) {
    // One row of the table of Levenshtein distances.
    std::vector<size_t> row(candidate.size() + 1);
    for (size_t j = 0; j < row.size(); ++j) row[j] = j;
    for (size_t i = 0; i < word.size(); ++i) {
      size_t diagonal = row[0]++;
      for (size_t j = 0; j < candidate.size(); ++j) {
        size_t replaced = diagonal + (word[i] != candidate[j]);
        diagonal = row[j + 1];
        row[j + 1] = std::min({replaced, row[j] + 1, row[j + 1] + 1});
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace pallasite
