// pytorch_model.bin: complete files, and pickles in a valid zip, so that mutations get past its
// checksums. Accepted tensors are inside of the file, and are the same read and mapped.
#include "core/io/pickled_checkpoint.h"

#include "core/io/state_pickle.h"
#include "core/io/tensor_reader.h"
#include "tests/fuzz/target.h"
#include "tests/zip_bytes.h"

namespace contrastive::fuzz {
namespace {

std::vector<Tensor> read_tensors_of(const io::PickledCheckpoint& file, bool mapped) {
  std::vector<io::TensorSource> sources;
  for (const io::TensorEntry& entry : file.entries()) {
    if (entry.is_float()) sources.push_back({&file, &entry});
  }
  io::TensorReadOptions options;
  options.allow_non_finite = true;
  options.memory_map = mapped;
  return io::read_tensors(sources, options);
}

void read_file(const std::string& path) {
  accepted([&] {
    const io::PickledCheckpoint file(path);
    int64_t all = 0;
    for (const io::TensorEntry& entry : file.entries()) {
      expect(entry.offset >= 0 && entry.bytes >= 0 && entry.offset + entry.bytes <= file.bytes(),
             "a tensor is outside of its file");
      expect(entry.strides.empty() || entry.strides.size() == entry.shape.size(),
             "a tensor has a stride too many or too few");
      const bool row_major = entry.strides.empty();
      expect(!row_major || entry.bytes == entry.elements * io::bytes_of(entry.dtype),
             "a tensor without gaps does not fill its bytes");
      expect(file.find(entry.name) == &entry, "an accepted tensor is not found by its name");
      all += entry.elements;
    }
    expect(all <= 16 * file.bytes(), "the tensors are larger than the file allows");
    const std::vector<Tensor> tensors = read_tensors_of(file, false);
    expect(tensors == read_tensors_of(file, true),
           "mapped tensors differ from those that were read");
  });
}

}  // namespace

FUZZ_TARGET(pickled_checkpoint) {
  const MemoryFolder folder;
  read_file(folder.write("pytorch_model.bin", bytes));
}

FUZZ_TARGET(state_pickle) {
  accepted([&] {
    for (const io::PickledTensor& tensor : io::parse_state_pickle(bytes, "data.pkl")) {
      expect(tensor.shape.size() == tensor.strides.size() && tensor.first >= 0 &&
                 tensor.storage_elements >= 0 && io::bytes_of(tensor.dtype) > 0,
             "an impossible tensor was accepted");
    }
  });
  std::string storage;
  for (int i = 0; i < 96; ++i) storage += static_cast<char>(i * 37);
  const MemoryFolder folder;
  read_file(folder.write("pytorch_model.bin", zip_bytes({{"a/data.pkl", std::string(bytes)},
                                                         {"a/byteorder", "little"},
                                                         {"a/data/0", storage},
                                                         {"a/data/1", storage.substr(0, 16)},
                                                         {"a/data/2", ""}})));
}

}  // namespace contrastive::fuzz
