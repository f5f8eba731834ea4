// The state from which a run resumes: training_state/ and the file of rows of the embedding cache.
#include "core/base/sha256.h"
#include "core/data/row_store.h"
#include "core/torch/run/training_state.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {

// The input: manifest.json, in which "@" is replaced by the SHA-256 of state.safetensors and "#" by
// its length, and that file.
FUZZ_TARGET(training_state) {
  auto parts = pieces(bytes, 2);
  const MemoryFolder folder;
  const std::string tensors = folder.write("training_state/state.safetensors", parts[1]);
  for (const auto& [sign, value] : {std::pair{'@', sha256_of_file(tensors, int64_t{1} << 20)},
                                    std::pair{'#', cat(parts[1].size())}}) {
    const size_t place = parts[0].find(sign);
    if (place != std::string::npos) parts[0].replace(place, 1, value);
  }
  folder.write("training_state/manifest.json", parts[0]);
  run::TrainingState state;
  if (!accepted([&] { state = run::read_training_state(folder.path()); },
                {Status::kNotFound, Status::kArgument}))
    return;
  const std::string again = folder.write("again/x", "");
  run::write_training_state(folder / "again", state);
  const run::TrainingState read = run::read_training_state(folder / "again");
  expect(read.fields == state.fields, "the fields differ after they were written and read again");
  expect(read.tensors.size() == state.tensors.size(), "tensors were lost");
  for (const auto& [name, tensor] : state.tensors) {
    const at::Tensor& other = read.tensors.at(name);
    const bool equal =
        other.sizes() == tensor.sizes() && other.scalar_type() == tensor.scalar_type() &&
        (tensor.nbytes() == 0 ||
         std::memcmp(other.const_data_ptr(), tensor.const_data_ptr(), tensor.nbytes()) == 0);
    expect(equal, "a tensor differs after it was written and read again");
  }
}

// The first byte is the length of the index, in units of 8 bytes; the rest is the vectors, of 16
// bytes each.
FUZZ_TARGET(row_store) {
  constexpr int64_t kRowBytes = 16;
  Numbers numbers(bytes);
  const size_t index_wanted = 8 * static_cast<size_t>(numbers.byte()),
               index_bytes = std::min(index_wanted, numbers.rest().size());
  const MemoryFolder folder;
  folder.write("index", numbers.rest().substr(0, index_bytes));
  folder.write("vectors", numbers.rest().substr(index_bytes));
  const data::RowKey key{1, 2};
  const char row[kRowBytes] = "fifteen letters";
  {
    data::RowStore store(kRowBytes, folder.path());
    expect(store.size() <= static_cast<int64_t>(bytes.size()) / kRowBytes,
           "more rows than the files hold");
    for (int64_t i = 0; i < store.size(); ++i) {
      const int64_t found = store.find(store.key(i));
      expect(found == data::RowStore::kAbsent || store.key(found) == store.key(i),
             "a row has another key");
      char copy[kRowBytes];
      if (found != data::RowStore::kAbsent) store.read(found, copy);
    }
    expect(store.durable(), "no other process writes here");
    store.append(key, 7, row);
  }
  data::RowStore store(kRowBytes, folder.path());
  const int64_t number = store.find(key);
  expect(number != data::RowStore::kAbsent, "an appended row is gone");
  char copy[kRowBytes];
  store.read(number, copy);
  expect(std::memcmp(copy, row, kRowBytes) == 0 && store.note(number) == 7,
         "an appended row differs");
}

}  // namespace contrastive::fuzz
