// safetensors files: complete ones, and headers alone. An accepted file must be equal after it is
// written and read again.
#include "core/io/safetensors.h"

#include "core/io/atomic_file.h"
#include "core/io/tensor_reader.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

void check_entries(const io::SafetensorsFile& file) {
  int64_t end = 0;
  for (const io::TensorEntry& entry : file.entries()) {
    expect(entry.offset >= 8 && entry.bytes >= 0 && entry.offset + entry.bytes <= file.bytes(),
           "a tensor is outside of its file");
    expect(end == 0 || entry.offset == end, "a hole or an overlap was accepted");
    end = entry.offset + entry.bytes;
    expect(file.find(entry.name) == &entry, "an accepted tensor is not found by its name");
  }
  expect(file.entries().empty() || end == file.bytes(),
         "bytes after the last tensor were accepted");
}

void same(const TensorMap& a, const TensorMap& b, const char* what) {
  expect(a.size() == b.size(), what);
  for (const auto& [name, tensor] : a) {
    const auto other = b.find(name);
    expect(other != b.end() && other->second == tensor, what);
  }
}

void read_file(const MemoryFolder& folder, const std::string& path) {
  if (!accepted([&] { check_entries(io::SafetensorsFile(path)); })) return;
  accepted([&] { io::read_safetensors(path); }, {Status::kNumeric});
  io::TensorReadOptions options;
  options.allow_non_finite = options.whole_numbers = true;
  TensorMap tensors;
  if (!accepted([&] { tensors = io::read_safetensors(path, options); })) return;
  options.memory_map = true;
  same(tensors, io::read_safetensors(path, options),
       "mapped tensors differ from those that were read");
  options.memory_map = false;
  const std::string again = folder / "again.safetensors";
  io::OutputFile out(again);
  io::write_safetensors(out, tensors);
  out.finish();
  same(tensors, io::read_safetensors(again, options),
       "tensors differ after they were written and read again");
}

}  // namespace

FUZZ_TARGET(safetensors) {
  const MemoryFolder folder;
  read_file(folder, folder.write("a.safetensors", bytes));
}

// The first byte times 4 is the number of bytes after the header. The length of the header is
// always right, so that mutations get past its check.
FUZZ_TARGET(safetensors_header) {
  if (bytes.empty()) return;
  const MemoryFolder folder;
  std::string file(8, '\0');
  const std::string_view header = bytes.substr(1);
  for (int i = 0; i < 8; ++i)
    file[static_cast<size_t>(i)] = static_cast<char>(header.size() >> (8 * i) & 0xff);
  file += header;
  for (int i = 0; i < 4 * static_cast<uint8_t>(bytes[0]); ++i) file += static_cast<char>(i * 37);
  read_file(folder, folder.write("a.safetensors", file));
}

}  // namespace contrastive::fuzz
