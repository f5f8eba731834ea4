// Folders whose files must fit together: the files of a fixture with edits (edits.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/target.h"

namespace contrastive::fuzz {

using Files = std::map<std::string, std::string>;  // path in the folder -> bytes

// The files of folders of tests/fixtures, but for golden.json.
std::vector<Files> fixture_folders(const std::vector<std::string>& names);

// Applies an edit: the index of a file, from `known` and those of the folder; a kind; and the
// arguments of the kind. `known`: files that the folder may have but the fixture does not.
void edit(Files& files, std::string_view bytes, const std::vector<std::string>& known);

// Writes the files, and returns the path of the folder.
std::string write_files(const MemoryFolder& folder, const std::string& name, const Files& files);

}  // namespace contrastive::fuzz
