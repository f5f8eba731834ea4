#include "tests/fuzz/folders.h"

#include <algorithm>
#include <filesystem>

#include "core/base/affixes.h"
#include "tests/fuzz/edits.h"

namespace contrastive::fuzz {

std::vector<Files> fixture_folders(const std::vector<std::string>& names) {
  std::vector<Files> folders;
  for (const std::string& name : names) {
    const std::string root = std::string(CONTRASTIVE_FIXTURES) + "/" + name;
    Files files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const std::string path = entry.path().string().substr(root.size() + 1);
      if (entry.is_regular_file() && path != "golden.json")
        files[path] = fixture(name + "/" + path);
    }
    folders.push_back(std::move(files));
  }
  return folders;
}

void edit(Files& files, std::string_view bytes, const std::vector<std::string>& known) {
  std::vector<std::string> names = known;
  for (const auto& [name, content] : files) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  Numbers numbers(bytes);
  const std::string name = names[numbers.byte() % names.size()];
  const int64_t kind = numbers.below(7);
  const std::string_view what = numbers.rest();
  if (kind == 0)
    ends_with(name, ".safetensors") ? patch_header(files[name], what)
                                    : patch_json(files[name], what);
  if (kind == 1) splice(files[name], what);
  if (kind == 2) overwrite(files[name], what);
  if (kind == 3) cut(files[name], what);
  if (kind == 4) files[name] = what;
  if (kind == 5) files.erase(name);
  if (kind == 6) {
    const auto source = files.find(names[numbers.byte() % names.size()]);
    if (source != files.end()) files[name] = std::string(source->second);
  }
}

std::string write_files(const MemoryFolder& folder, const std::string& name, const Files& files) {
  folder.write(name + "/x", "");
  std::filesystem::remove(folder / (name + "/x"));
  for (const auto& [path, content] : files) folder.write(name + "/" + path, content);
  return folder / name;
}

}  // namespace contrastive::fuzz
