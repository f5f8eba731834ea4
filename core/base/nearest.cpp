#include "core/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <numeric>

namespace contrastive {
namespace {

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = std::tolower(static_cast<unsigned char>(a[i - 1])) == std::tolower(static_cast<unsigned char>(b[j - 1]));
      const size_t substituted = diagonal + (same ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates) {
  if (name.size() > 200) return "";  // nobody mistypes that; and the distance is quadratic
  std::string best;
  size_t best_distance = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    size_t distance = edit_distance(name, candidate);
    // "temperature" for "clsr.temperature": a forgotten prefix is the commonest slip.
    const size_t dot = candidate.rfind('.');
    if (dot != std::string::npos) distance = std::min(distance, 1 + edit_distance(name, candidate.substr(dot + 1)));
    if (distance < best_distance) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

std::string joined_names(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) text += (i ? ", " : "") + names[i];
  return text;
}

std::string unknown_name(const std::string& what, const std::string& name, const std::vector<std::string>& known) {
  std::string text = "unknown " + what + " '" + name.substr(0, 100) + "'";
  const std::string nearest = nearest_name(name, known);
  if (!nearest.empty()) text += "; did you mean '" + nearest + "'?";
  return text + (nearest.empty() ? "; known: " : " Known: ") + joined_names(known);
}

}  // namespace contrastive
