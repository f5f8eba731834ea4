#include "capi/cli/suggest.h"

#include <algorithm>
#include <numeric>

namespace contrastive::cli {
namespace {

constexpr size_t kLongestName = 64;  // longer words are no mistyped names

size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({above + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row[b.size()];
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) {
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& candidates) {
  if (name.size() > kLongestName) return "";
  std::string best;
  size_t least = std::max<size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    const size_t distance = edit_distance(name, candidate);
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best;
}

std::string suggestion(const CLI::App& program, int argc, char** argv) {
  std::vector<std::string> verbs;
  for (const CLI::App* verb : program.get_subcommands([](const CLI::App*) { return true; })) verbs.push_back(verb->get_name());
  if (argc < 2) return "`contrastive --help` lists the verbs";
  const std::string first = argv[1];
  if (std::find(verbs.begin(), verbs.end(), first) == verbs.end()) {
    const std::string near = nearest(first, verbs);
    const std::string hint = near.empty() ? "`contrastive --help` lists the verbs" : "did you mean '" + near + "'?";
    return first.rfind("-", 0) == 0 ? hint : "'" + first.substr(0, kLongestName) + "' is no verb; " + hint;
  }
  const std::vector<std::string> known = option_names(*program.get_subcommand(first));
  for (int i = 2; i < argc; ++i) {
    const std::string word = std::string(argv[i]).substr(0, std::string(argv[i]).find('='));
    if (word.rfind("--", 0) != 0 || std::find(known.begin(), known.end(), word) != known.end()) continue;
    const std::string near = nearest(word, known);
    const std::string hint = near.empty() ? "`contrastive " + first + " --help` lists the options" : "did you mean '" + near + "'?";
    return "'" + word.substr(0, kLongestName) + "' is no option; " + hint;
  }
  return "`contrastive " + first + " --help` lists the options";
}

}  // namespace contrastive::cli
