// "Did you mean": the closest known name to a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace contrastive {

// The candidate with the smallest edit distance (case ignored) if it is near enough to be a typing
// error, or the one that is what other libraries call `name`; else "". Of keys with prefixes the
// one with the fewest is nearest: "lr" before "evaluate.tsne.learning_rate".
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

// "clsr, consert".
std::string joined_names(const std::vector<std::string>& names);

// "unknown method 'clrs'; did you mean 'clsr'? Known: clsr, consert": one wording for every list of
// names.
std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known);

}  // namespace contrastive
