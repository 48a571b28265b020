#include "memory/pool/svg.h"

#include <fmt/format.h>

#include <cstdint>
#include <iterator>

namespace forebay::runtime {
namespace {

constexpr std::string_view kStyle =
    "text{font:12px sans-serif;fill:#222}.title{font-size:16px;font-weight:bold}.small{font-size:10px;fill:#555}"
    ".back{fill:#fff}.lane{fill:#eceff1;stroke:#90a4ae;stroke-width:.5}.free{fill:#eceff1}.pending{fill:#ffd54f}"
    ".c0{fill:#1f77b4}.c1{fill:#d62728}.c2{fill:#2ca02c}.c3{fill:#9467bd}.c4{fill:#ff7f0e}.c5{fill:#17becf}"
    ".c6{fill:#8c564b}.c7{fill:#e377c2}.other{fill:#607d8b}.reserved{fill:#cfd8dc}.active{fill:#ffd54f}.live{fill:#"
    "1f77b4}"
    ".grid{stroke:#b0bec5;stroke-width:.5;fill:none}";

// The length of the UTF-8 sequence at the beginning, when XML may hold what it stands for; otherwise 0.
std::size_t ValidSequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 || first == '\t' || first == '\n' || first == '\r' ? 1 : 0;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return 0;
  uint32_t value = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
    value = value << 6 | (byte(i) & 0x3FU);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = value >= 0xD800 && value < 0xE000;
  return value < kLeast[length] || value > 0x10FFFF || is_surrogate || (value & 0xFFFE) == 0xFFFE ? 0 : length;
}

}  // namespace

std::string XmlText(std::string_view text) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = ValidSequence(text);
    switch (length == 1 ? text[0] : length == 0 ? '?' : '\0') {
      case '&': result += "&amp;"; break;
      case '<': result += "&lt;"; break;
      case '>': result += "&gt;"; break;
      case '"': result += "&quot;"; break;
      case '\'': result += "&apos;"; break;
      case '?': result += '?'; break;
      default: result += text.substr(0, length); break;
    }
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return result;
}

std::string BytesText(uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  auto value = static_cast<double>(bytes);
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  return fmt::format("{:.{}f} {}", value, unit == 0 || value >= 100 ? 0 : value >= 10 ? 1 : 2, kUnits[unit]);
}

Svg::Svg(double width, double height) {
  text_ = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\">\n<style>{2}</style>\n",
      width, height, kStyle);
  Rectangle(0, 0, width, height, "back");
}

void Svg::Rectangle(double x, double y, double width, double height, std::string_view class_name,
                    std::string_view about) {
  fmt::format_to(std::back_inserter(text_),
                 "<rect class=\"{}\" x=\"{:.2f}\" y=\"{:.0f}\" width=\"{:.2f}\" height=\"{:.0f}\"", class_name, x, y,
                 width, height);
  if (about.empty()) {
    text_ += "/>\n";
  } else {
    text_ += "><title>" + XmlText(about) + "</title></rect>\n";
  }
}

void Svg::Text(double x, double y, std::string_view text, std::string_view class_name) {
  fmt::format_to(std::back_inserter(text_), "<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", class_name, x,
                 y, XmlText(text));
}

void Svg::Path(std::string_view path, std::string_view class_name) {
  fmt::format_to(std::back_inserter(text_), "<path class=\"{}\" d=\"{}\"/>\n", class_name, path);
}

std::string Svg::Finish() && {
  text_ += "</svg>\n";
  return std::move(text_);
}

}  // namespace forebay::runtime
