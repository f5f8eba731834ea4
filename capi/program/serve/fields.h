// The JSON object of a request, read with limits: every complaint names the field and what it
// should be.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace contrastive::cli::serve {

class Fields {
 public:
  // Refusal 400 if the body is not one JSON object in UTF-8, has a key twice or is nested deeper
  // than any request; 422 if it holds more values than `most_texts` explain.
  Fields(std::string body, int most_texts);

  bool has(const std::string& name) const;  // null counts as absent
  // A string, or `standard` where it is absent.
  std::string word(const std::string& name, const std::string& standard) const;
  // The same for a name that the library takes as a string of C: 400 if it holds a NUL, which would
  // end it, or is far longer than any name.
  std::string name(const std::string& name, const std::string& standard) const;
  // A whole number; 4.0 is one too.
  int64_t number(const std::string& name, int64_t standard, int64_t lowest, int64_t highest) const;
  // A string or a list of strings, taken out of the body; `single` tells which it was. 400 where it
  // is neither or empty, 422 beyond `most_texts`.
  std::vector<std::string> take_texts(const std::string& name, bool* single = nullptr);

 private:
  const nlohmann::json& value(const std::string& name) const;

  nlohmann::json object_;  // a sorted map: a body of a million keys is read in time
  int most_texts_;
};

}  // namespace contrastive::cli::serve
