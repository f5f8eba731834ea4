#include "tests/fuzz/edits.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

size_t take_place(std::string_view& edit, size_t end) {
  Numbers numbers(edit);
  size_t place = 0;
  for (int i = 0; i < 3; ++i) place = place << 8 | numbers.byte();
  edit = numbers.rest();
  return place % (end + 1);
}

// The index that a key such as "12" names in an array. Other keys, and numbers from the length on,
// name no item.
size_t item_of(const std::string& key, size_t size) {
  if (key.empty() || key.size() > 4 || key.find_first_not_of("0123456789") != std::string::npos)
    return size;
  return std::min<size_t>(std::stoul(key), size);
}

}  // namespace

Json patch_of(std::string_view patch) {
  Json json;
  accepted([&] { json = parse_json(patch, "patch"); });
  return json;
}

void merge(Json& value, const Json& patch) {
  if (!patch.is_object()) {
    value = patch;
    return;
  }
  if (!value.is_object() && !value.is_array()) value = Json::object();
  for (const auto& item : patch.items()) {
    if (value.is_array()) {
      const size_t place = item_of(item.key(), value.size());
      if (place == value.size()) continue;
      if (item.value().is_null()) value.erase(place);
      else merge(value[place], item.value());
    } else if (item.value().is_null()) {
      value.erase(item.key());
    } else {
      merge(value[item.key()], item.value());
    }
  }
}

void patch_json(std::string& file, std::string_view patch) {
  Json json;
  if (!accepted([&] { json = parse_json(file, "file"); })) return;
  const Json changes = patch_of(patch);
  if (changes.is_null()) return;
  merge(json, changes);
  file = dump_ascii(json);
}

void patch_header(std::string& file, std::string_view patch) {
  uint64_t length = 0;
  if (file.size() < sizeof length) return;
  std::memcpy(&length, file.data(), sizeof length);
  if (length > file.size() - sizeof length) return;
  std::string header = file.substr(sizeof length, length);
  const std::string data = file.substr(sizeof length + length);
  patch_json(header, patch);
  length = header.size();
  file.assign(reinterpret_cast<const char*>(&length), sizeof length);
  file += header + data;
}

void splice(std::string& file, std::string_view edit) {
  const size_t place = take_place(edit, file.size());
  Numbers numbers(edit);
  const size_t gone = numbers.byte();
  file.replace(place, gone, numbers.rest());
}

void overwrite(std::string& file, std::string_view edit) {
  const size_t place = take_place(edit, file.size());
  file.replace(place, edit.size(), edit.substr(0, file.size() - place));
}

void cut(std::string& file, std::string_view edit) { file.resize(take_place(edit, file.size())); }

WorkingFolder::WorkingFolder(const std::string& folder)
    : before_(::open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (::chdir(folder.c_str()) != 0) violated("cannot enter " + folder);
}

WorkingFolder::~WorkingFolder() {
  if (::fchdir(before_) != 0) violated("the previous folder is gone");
  ::close(before_);
}

}  // namespace contrastive::fuzz
