// Edits of well-formed files. If many files must fit together (a saved run, a model folder), random
// bytes fail the first check of the first file. An input that consists of edits of good files gets
// past it, and stays small.
#pragma once

#include <string>
#include <string_view>

#include "core/base/json.h"

namespace contrastive::fuzz {

// `patch` is a JSON merge patch (RFC 7396), which also changes arrays: {"0": ...} is their first
// item. Null if `patch` is not JSON.
Json patch_of(std::string_view patch);
void merge(Json& value, const Json& patch);

// The same for the text of a JSON file, and for the header of a safetensors file; no change if
// either is not JSON.
void patch_json(std::string& file, std::string_view patch);
void patch_header(std::string& file, std::string_view patch);

// Offset (3 bytes), how many bytes to remove (1), and the bytes to insert.
void splice(std::string& file, std::string_view edit);
// Offset (3 bytes), and the bytes to write there; the file keeps its length.
void overwrite(std::string& file, std::string_view edit);
// Offset (3 bytes): cut the file there.
void cut(std::string& file, std::string_view edit);

// Makes a folder current for its lifetime, so that relative paths of an input stay inside.
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
