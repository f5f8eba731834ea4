// Tokenises for compare.py: reads texts from stdin, writes ids, segments, offsets and full lengths
// to stdout, all little-endian binary.
//
//   tokenize_dump FOLDER
//   request:  int64 max_length, int64 bytes of a, int64 bytes of b (-1: no second text), the bytes.
//             max_length -1: no text and no answer; flushes the answers of earlier requests.
//   answer:   int64 count, int64 full_length, int32 ids[count], int32 type_ids[count],
//             int64 begins[count], int64 ends[count]
//
// The ids and types of the fast path (append) and of the path with offsets (encode) must be equal.
// If the model takes no types, append gives only type 0. A difference ends the program with
// status 3.
#include <cstdio>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/io/tokenizer_files.h"
#include "core/io/tokenizer_settings.h"

namespace {

bool read_exactly(void* out, size_t size) {
  return size == 0 || std::fread(out, 1, size, stdin) == size;
}

void write_value(const void* value, size_t size) { std::fwrite(value, 1, size, stdout); }

bool answer(const contrastive::text::Tokenizer& tokenizer, bool passes_types, int64_t max_length,
            const std::string& a, bool is_pair, const std::string& b) {
  contrastive::text::TokenBatch batch;
  const auto encoding =
      is_pair ? tokenizer.encode_pair(a, b, max_length) : tokenizer.encode(a, max_length);
  is_pair ? tokenizer.append_pair(a, b, max_length, batch) : tokenizer.append(a, max_length, batch);
  const auto handed =
      passes_types ? encoding.type_ids : std::vector<int32_t>(encoding.ids.size(), 0);
  if (batch.ids != encoding.ids || batch.type_ids != handed ||
      batch.full_lengths[0] != encoding.full_length)
    return false;
  const auto count = static_cast<int64_t>(encoding.ids.size());
  write_value(&count, 8);
  write_value(&encoding.full_length, 8);
  write_value(encoding.ids.data(), 4 * encoding.ids.size());
  write_value(encoding.type_ids.data(), 4 * encoding.type_ids.size());
  write_value(encoding.begins.data(), 8 * encoding.begins.size());
  write_value(encoding.ends.data(), 8 * encoding.ends.size());
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: tokenize_dump FOLDER\n"), 2;
  try {
    const auto tokenizer = contrastive::io::load_tokenizer(argv[1]);
    const bool passes_types =
        contrastive::io::passes_token_types(contrastive::io::read_tokenizer_settings(argv[1]));
    int64_t header[3];
    while (read_exactly(header, sizeof(header))) {
      if (header[0] < 0) {
        std::fflush(stdout);
        continue;
      }
      std::string a(static_cast<size_t>(header[1]), '\0'),
          b(header[2] > 0 ? static_cast<size_t>(header[2]) : 0, '\0');
      if (!read_exactly(a.data(), a.size()) || !read_exactly(b.data(), b.size())) return 2;
      if (!answer(*tokenizer, passes_types, header[0], a, header[2] >= 0, b)) return 3;
    }
  } catch (const contrastive::Error& error) {
    std::fprintf(stderr, "tokenize_dump: %s\n", error.what());
    return 1;
  }
  return 0;
}
