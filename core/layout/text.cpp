// SPDX-License-Identifier: Apache-2.0
#include "core/layout/text.h"

#include <cctype>

namespace tilelab {

std::string digits_text(const Digits& digits) {
  std::string out = "[";
  for (size_t k = 0; k < digits.size(); ++k) {
    if (k) out += ", ";
    out += digits[k].kind;
    out += '(' + std::to_string(digits[k].extent) + ", " + std::to_string(digits[k].stride) + ')';
  }
  return out + ']';
}

std::string digits_text(const std::vector<Digits>& dims) {
  std::string out = "[";
  for (size_t d = 0; d < dims.size(); ++d) out += (d ? ", " : "") + digits_text(dims[d]);
  return out + ']';
}

std::string to_text(const Layout& layout) {
  std::string out = is_fragment(layout) ? "frag([" : "addr([";
  for (size_t d = 0; d < layout.shape.size(); ++d)
    out += (d ? ", " : "") + std::to_string(layout.shape[d]);
  out += "], " + digits_text(layout.dims);
  if (!layout.rep.empty()) out += ", rep=" + digits_text(layout.rep);
  if (layout.base != 0) out += ", base=" + std::to_string(layout.base);
  return out + ')';
}

std::string to_text(const Swizzle& swizzle) {
  return '(' + std::to_string(swizzle.granule) + ", " + std::to_string(swizzle.line) + ", " +
         std::to_string(swizzle.mask) + ')';
}

namespace {

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool accept(std::string_view token) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    if (text_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  bool expect(std::string_view token) {
    if (accept(token)) return true;
    return fail("'" + std::string(token) + "'");
  }
  bool fail(const std::string& what) {
    if (error_.empty()) error_ = "expected " + what + " at column " + std::to_string(at_ + 1);
    return false;
  }
  bool number(int64_t& value) {
    accept("");
    size_t first = at_;
    value = 0;
    while (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_]))) {
      if (value > (int64_t(1) << 50)) return fail("a smaller number");
      value = value * 10 + (text_[at_++] - '0');
    }
    return at_ > first || fail("a number");
  }
  /// `[item, item, ...]`; a trailing comma is allowed.
  template <class Item> bool list(Item item) {
    if (!expect("[")) return false;
    while (!accept("]")) {
      if (!item()) return false;
      if (!accept(",")) return expect("]");
    }
    return true;
  }
  bool digits(Digits& out) {
    return list([&] {
      Digit digit;
      if (accept("t")) {
        digit.kind = 't';
      } else if (accept("r")) {
        digit.kind = 'r';
      } else if (!accept("a")) {
        return fail("t, r or a");
      }
      out.push_back(digit);
      return expect("(") && number(out.back().extent) && expect(",") && number(out.back().stride) &&
             expect(")");
    });
  }
  bool dims(std::vector<Digits>& out) {
    return list([&] {
      out.emplace_back();
      return digits(out.back());
    });
  }
  bool done() {
    accept("");
    return at_ == text_.size() || fail("the end");
  }
  const std::string& error() const { return error_; }

 private:
  std::string_view text_;
  size_t at_ = 0;
  std::string error_;
};

bool read(Reader& reader, Layout& layout) {
  bool named = reader.accept("frag") || reader.accept("addr");
  auto extent = [&] {
    layout.shape.push_back(0);
    return reader.number(layout.shape.back());
  };
  if (named && !(reader.expect("(") && reader.list(extent) && reader.expect(","))) return false;
  if (!reader.dims(layout.dims)) return false;
  while (reader.accept(",")) {
    if (reader.accept("rep")) {
      if (!reader.expect("=") || !reader.digits(layout.rep)) return false;
    } else if (!reader.expect("base") || !reader.expect("=") || !reader.number(layout.base)) {
      return false;
    }
  }
  if (named && !reader.expect(")")) return false;
  if (!named)
    for (const Digits& digits : layout.dims) layout.shape.push_back(capacity(digits));
  return reader.done();
}

}  // namespace

std::optional<Layout> parse_layout(std::string_view text, std::string* error) {
  Reader reader(text);
  Layout layout;
  bool good = read(reader, layout);
  if (good && well_formed(layout)) return layout;
  if (error) *error = good ? "the digits don't cover the shape" : reader.error();
  return std::nullopt;
}

}  // namespace tilelab
