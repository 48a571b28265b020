// The few shapes that the pictures of a pool are made of.
#pragma once

#include <string>
#include <string_view>

namespace forebay::runtime {

// Text as XML may hold it, whatever it was: markup is escaped, what is no UTF-8 and what XML forbids becomes '?'.
std::string XmlText(std::string_view text);
// "12.5 MiB"
std::string BytesText(uint64_t bytes);

class Svg {
 public:
  Svg(double width, double height);
  // An empty `about` gives no tooltip. `class_name` is one of the style sheet, or a colour of Palette().
  void Rectangle(double x, double y, double width, double height, std::string_view class_name,
                 std::string_view about = {});
  void Text(double x, double y, std::string_view text, std::string_view class_name = "text");
  // `path` is what the attribute d holds.
  void Path(std::string_view path, std::string_view class_name);
  std::string Finish() &&;

 private:
  std::string text_;
};

// Names of classes for the largest owners, in order; more share the last.
inline constexpr std::string_view kOwnerColours[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "other"};

}  // namespace forebay::runtime
