#include "pallasite/cli/npy.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>

namespace pallasite {

namespace {

constexpr std::string_view kMagic = "\x93NUMPY";

// Reads the header: a Python dictionary literal of three known keys.
class HeaderReader {
 public:
  explicit HeaderReader(std::string_view text) : text_(text) {}

  void read(NpyArray& array, bool& fortran_order) {
    bool has_descr = false, has_shape = false, has_order = false;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      if (key == "descr") {
        if (peek() == '[') throw NpyError("arrays of records are not read");
        array.descr = string();
        has_descr = true;
      } else if (key == "fortran_order") {
        fortran_order = boolean();
        has_order = true;
      } else if (key == "shape") {
        array.shape = tuple();
        has_shape = true;
      } else {
        fail();
      }
      if (!accept(',') && peek() != '}') fail();
    }
    if (!has_descr || !has_shape || !has_order) fail();
  }

 private:
  [[noreturn]] static void fail() { throw NpyError("the header is not one that numpy writes"); }

  char peek() {
    while (!text_.empty() && (text_[0] == ' ' || text_[0] == '\n')) text_.remove_prefix(1);
    if (text_.empty()) fail();
    return text_[0];
  }
  bool accept(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail();
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') fail();
    const size_t end = text_.find(quote, 1);
    if (end == std::string_view::npos) fail();
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    peek();
    for (bool value : {true, false}) {
      const std::string_view word = value ? "True" : "False";
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    }
    fail();
  }
  std::vector<int64_t> tuple() {
    std::vector<int64_t> values;
    expect('(');
    while (!accept(')')) {
      peek();
      int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc() || value < 0) fail();
      text_.remove_prefix(static_cast<size_t>(end - text_.data()));
      values.push_back(value);
      if (!accept(',') && peek() != ')') fail();
    }
    return values;
  }

  std::string_view text_;
};

// The size at the end of a descr such as "<f4".
size_t item_size(const std::string& descr) {
  size_t size = 0;
  const char* end = descr.data() + descr.size();
  if (descr.size() < 3 || std::from_chars(descr.data() + 2, end, size).ptr != end || size == 0 ||
      size > 16) {
    throw NpyError(fmt::format("arrays of type {} are not read", descr));
  }
  if (descr[0] == '>') throw NpyError("arrays in big-endian order are not read");
  return size;
}

// Elements of an array in Fortran order, put into row-major order.
std::vector<std::byte> row_major(const std::vector<std::byte>& from,
                                 const std::vector<int64_t>& shape, size_t size) {
  std::vector<std::byte> to(from.size());
  std::vector<int64_t> index(shape.size());
  std::vector<size_t> strides(shape.size(), size);
  for (size_t i = 1; i < shape.size(); ++i) {
    strides[i] = strides[i - 1] * static_cast<size_t>(shape[i - 1]);
  }
  for (size_t at = 0; at < to.size(); at += size) {
    size_t source = 0;
    for (size_t i = 0; i < shape.size(); ++i) source += static_cast<size_t>(index[i]) * strides[i];
    std::memcpy(to.data() + at, from.data() + source, size);
    for (size_t i = shape.size(); i-- > 0;) {
      if (++index[i] < shape[i]) break;
      index[i] = 0;
    }
  }
  return to;
}

}  // namespace

NpyArray parse_npy(std::string_view contents) {
  if (!contents.starts_with(kMagic) || contents.size() < 10) throw NpyError("not a .npy file");
  const auto byte = [&](size_t i) { return size_t{static_cast<unsigned char>(contents[i])}; };
  const size_t major = byte(6);
  if (major < 1 || major > 3) throw NpyError(fmt::format("version {} of .npy is unknown", major));
  const size_t begin = major == 1 ? 10 : 12;
  size_t length = byte(8) | byte(9) << 8;
  if (major > 1 && contents.size() >= 12) length |= byte(10) << 16 | byte(11) << 24;
  if (contents.size() < begin || contents.size() - begin < length) {
    throw NpyError("the file ends within its header");
  }
  NpyArray array;
  bool fortran_order = false;
  HeaderReader(contents.substr(begin, length)).read(array, fortran_order);
  const size_t size = item_size(array.descr);
  std::string_view data = contents.substr(begin + length);
  // Extents may multiply to more than any number holds.
  const bool is_empty = std::ranges::find(array.shape, 0) != array.shape.end();
  size_t count = is_empty ? 0 : 1;
  for (int64_t extent : array.shape) {
    if (is_empty) break;
    if (count > data.size() / static_cast<size_t>(extent)) {
      throw NpyError("the file ends within its data");
    }
    count *= static_cast<size_t>(extent);
  }
  if (data.size() != count * size) {
    throw NpyError(
        fmt::format("the file holds {} bytes of data, and its header says otherwise", data.size()));
  }
  array.bytes.resize(data.size());
  if (!data.empty()) std::memcpy(array.bytes.data(), data.data(), data.size());
  if (fortran_order) array.bytes = row_major(array.bytes, array.shape, size);
  return array;
}

std::string format_npy(const NpyArray& array) {
  std::string shape;
  for (int64_t extent : array.shape) shape += fmt::format("{}, ", extent);
  if (array.shape.size() > 1) shape.resize(shape.size() - 2);
  if (array.shape.size() == 1) shape.pop_back();
  std::string header =
      fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", array.descr, shape);
  // The data starts at a multiple of 64.
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string file(kMagic);
  file += '\x01';
  file += '\x00';
  file += static_cast<char>(header.size() & 0xff);
  file += static_cast<char>(header.size() >> 8);
  file += header;
  file.append(reinterpret_cast<const char*>(array.bytes.data()), array.bytes.size());
  return file;
}

std::string element_type_of(const NpyArray& array, ElementType wanted) {
  const std::string_view kind = std::string_view(array.descr).substr(1);
  if (kind == descr_of(wanted).substr(1)) return std::string(element_info(wanted).jax_name);
  for (size_t i = 0; i < kElementTypeCount; ++i) {
    const auto element = static_cast<ElementType>(i);
    if (kind[0] != 'V' && kind == descr_of(element).substr(1)) {
      return std::string(element_info(element).jax_name);
    }
  }
  return array.descr;
}

std::string descr_of(ElementType element) {
  const ElementInfo& info = element_info(element);
  const bool known_to_numpy =
      !info.is_sub_byte() && (!info.is_float || element == ElementType::F16 ||
                              element == ElementType::F32 || element == ElementType::F64);
  const char kind = !known_to_numpy  ? 'V'
                    : info.is_bool   ? 'b'
                    : info.is_float  ? 'f'
                    : info.is_signed ? 'i'
                                     : 'u';
  return fmt::format("{}{}{}", info.register_bytes == 1 ? '|' : '<', kind, info.register_bytes);
}

}  // namespace pallasite
