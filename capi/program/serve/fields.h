// Reads the JSON object of a request, with limits. Every error names the field and what it should
// be.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace contrastive::cli::serve {

class Fields {
 public:
  // Refusal 400 if the body is not a JSON object in UTF-8, has a duplicate key, or is nested too
  // deeply; 422 if it has more values than `most_texts` allows.
  Fields(std::string body, int most_texts);

  bool has(const std::string& name) const;  // null counts as absent
  // A string, or `standard` if it is absent.
  std::string word(const std::string& name, const std::string& standard) const;
  // The same for a name that is passed to the library as a C string: 400 if it contains a NUL or is
  // far too long.
  std::string name(const std::string& name, const std::string& standard) const;
  // An integer; 4.0 is one too.
  int64_t number(const std::string& name, int64_t standard, int64_t lowest, int64_t highest) const;
  // Moves a string or a list of strings out of the body; `single` says which it was. 400 if it is
  // neither or is empty, 422 if it has more than `most_texts`.
  std::vector<std::string> take_texts(const std::string& name, bool* single = nullptr);

 private:
  const nlohmann::json& value(const std::string& name) const;

  nlohmann::json object_;  // a sorted map, so that a body of a million keys is parsed quickly
  int most_texts_;
};

}  // namespace contrastive::cli::serve
