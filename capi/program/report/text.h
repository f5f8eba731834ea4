// Texts of strangers on a page: escaped, cut to a width without breaking a character, and with
// their own direction. And numbers as people read them.
#pragma once

#include <string>

namespace contrastive::cli::report {

// For HTML and SVG, in elements and in quoted attributes. What is no UTF-8 and what no page may
// hold becomes U+FFFD, line breaks become spaces.
std::string escaped(const std::string& text);

// How wide a text is, in digits of the same size: an estimate, on the safe side. Ideographs and
// emoji count 2, combining marks nothing.
double display_width(const std::string& text);
// Pixels of a digit in the charts' text: as wide as the widest font that a page without fonts of
// its own is likely to get (DejaVu Sans).
constexpr double kDigit = 7.7;

// At most `width` digits wide, with an ellipsis where something is missing; white space is joined
// into single spaces. Not escaped.
std::string shortened(const std::string& text, double width);

// Whether the first letter that has a direction goes from right to left.
bool right_to_left(const std::string& text);

// Four significant digits: "0.8123", "1,250", "2·10⁻⁵"; "–" for what is no number.
std::string compact(double number);
std::string scientific(double number, int digits);

}  // namespace contrastive::cli::report
