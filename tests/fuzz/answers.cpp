#include "tests/fuzz/answers.h"

#include <cstdio>

#include "core/io/safetensors.h"
#include "core/io/tokenizer_json.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

bool read_exactly(void* out, size_t size) {
  return size == 0 || std::fread(out, 1, size, stdin) == size;
}
void write_bytes(const void* data, size_t size) { std::fwrite(data, 1, size, stdout); }
void write_number(int64_t number) { write_bytes(&number, 8); }
void write_text(const std::string& text) {
  write_number(static_cast<int64_t>(text.size()));
  write_bytes(text.data(), text.size());
}
void write_status(Status status, const std::string& message) {
  const auto number = static_cast<int32_t>(status);
  write_bytes(&number, 4);
  write_text(message);
}

void answer_tokenizer(const std::vector<std::string>& items) {
  const auto tokenizer = io::tokenizer_from_json(items.at(0), "tokenizer.json", {});
  std::vector<text::Encoding> encodings;
  for (size_t i = 1; i < items.size(); ++i) encodings.push_back(tokenizer->encode(items[i], 0));
  write_status(Status::kOk, "");
  for (const text::Encoding& encoding : encodings) {
    write_number(static_cast<int64_t>(encoding.ids.size()));
    write_bytes(encoding.ids.data(), 4 * encoding.ids.size());
    write_bytes(encoding.begins.data(), 8 * encoding.begins.size());
    write_bytes(encoding.ends.data(), 8 * encoding.ends.size());
  }
}

void answer_safetensors(const std::vector<std::string>& items) {
  const MemoryFolder folder;
  const io::SafetensorsFile file(folder.write("a.safetensors", items.at(0)));
  std::map<std::string, const io::TensorEntry*> entries;
  for (const io::TensorEntry& entry : file.entries()) entries[entry.name] = &entry;
  write_status(Status::kOk, "");
  write_number(static_cast<int64_t>(entries.size()));
  for (const auto& [name, entry] : entries) {
    write_text(name + "\t" + entry->dtype + "\t" + shape_text(entry->shape));
    std::string data(static_cast<size_t>(entry->bytes), '\0');
    file.read(data.data(), entry->bytes, entry->offset);
    write_text(data);
  }
}

}  // namespace

int answer_requests() {
  char kind = 0;
  while (read_exactly(&kind, 1)) {
    int64_t count = 0;
    if (!read_exactly(&count, 8)) return 2;
    std::vector<std::string> items(static_cast<size_t>(count));
    for (std::string& item : items) {
      int64_t bytes = 0;
      if (!read_exactly(&bytes, 8)) return 2;
      item.resize(static_cast<size_t>(bytes));
      if (!read_exactly(item.data(), item.size())) return 2;
    }
    try {
      kind == 'j' ? answer_tokenizer(items) : answer_safetensors(items);
    } catch (const Error& error) {
      write_status(error.status(), error.message());
    } catch (const std::exception& problem) {
      write_status(Status::kInternal, problem.what());
    }
    std::fflush(stdout);
  }
  return 0;
}

}  // namespace contrastive::fuzz
