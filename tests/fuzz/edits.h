// Edits of files that were well formed. Where many files must fit together (a saved run, a model
// folder), bytes that are all random are refused by the first check of the first file; an input
// that holds edits of good files reaches what lies behind it, and stays small.
#pragma once

#include <string>
#include <string_view>

#include "core/base/json.h"

namespace contrastive::fuzz {

// `patch` is a JSON merge patch (RFC 7396), which reaches into arrays too: {"0": ...} is their
// first item. Null where it is no JSON.
Json patch_of(std::string_view patch);
void merge(Json& value, const Json& patch);

// The same for the text of a JSON file, and for the header of a safetensors file; nothing where
// either is no JSON.
void patch_json(std::string& file, std::string_view patch);
void patch_header(std::string& file, std::string_view patch);

// Place (3 bytes), how many bytes go there (1), and what comes instead.
void splice(std::string& file, std::string_view edit);
// Place (3 bytes), and what stands there from now on; the file keeps its length.
void overwrite(std::string& file, std::string_view edit);
// Place (3 bytes): the file ends there.
void cut(std::string& file, std::string_view edit);

// The current folder of the process while this lives, so that relative paths of an input stay
// inside.
class WorkingFolder {
 public:
  explicit WorkingFolder(const std::string& folder);
  ~WorkingFolder();
  WorkingFolder(const WorkingFolder&) = delete;
  WorkingFolder& operator=(const WorkingFolder&) = delete;

 private:
  int before_;
};

}  // namespace contrastive::fuzz
