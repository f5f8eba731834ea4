#include "core/eval/figures.h"

#include <cctype>

#include "core/eval/undefined.h"

namespace contrastive::eval {
namespace {

std::string plain(std::string name) {
  for (char& c : name) {
    if (!std::isalnum(static_cast<unsigned char>(c)) &&
        std::string("._-@").find(c) == std::string::npos)
      c = '_';
  }
  return name;
}

void collect(const std::string& path, const Json& report,
             std::vector<std::pair<std::string, double>>& figures) {
  if (report.is_object()) {
    for (const auto& [name, value] : report.items())
      collect(path.empty() ? plain(name) : path + "." + plain(name), value, figures);
  } else if (report.is_number()) {
    figures.emplace_back(path, report.get<double>());
  } else if (report.is_null()) {
    figures.emplace_back(path, kUndefined);
  }
}

}  // namespace

std::vector<std::pair<std::string, double>> figures_of(const Json& report) {
  std::vector<std::pair<std::string, double>> figures;
  collect("", report, figures);
  return figures;
}

std::vector<std::string> figure_names(const Json& report) {
  std::vector<std::string> names;
  for (const auto& figure : figures_of(report)) names.push_back(figure.first);
  return names;
}

}  // namespace contrastive::eval
