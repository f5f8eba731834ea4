// "Did you mean": suggests the closest known name for a mistyped one.
#pragma once

#include <string>
#include <vector>

namespace contrastive {

// The candidate with the smallest edit distance (ignoring case), if it is close enough to be a
// typing error, or the candidate that other libraries call `name`; otherwise "". Among keys with
// prefixes, the one with the fewest prefixes is nearest: "lr" before "evaluate.tsne.learning_rate".
std::string nearest_name(const std::string& name, const std::vector<std::string>& candidates);

// Joins names: "clsr, consert".
std::string joined_names(const std::vector<std::string>& names);

// "unknown method 'clrs'; did you mean 'clsr'? Known: clsr, consert". Every list of names uses this
// wording.
std::string unknown_name(const std::string& what, const std::string& name,
                         const std::vector<std::string>& known);

}  // namespace contrastive
