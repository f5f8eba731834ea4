// The embedding cache, loaded from edited files and from tensors of a saved run.
#include "core/torch/methods/embedding_cache.h"

#include <ATen/ops/empty.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "tests/fuzz/edits.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

using methods::EmbeddingCache;
using methods::EmbeddingCacheOptions;

const std::vector<std::string_view>& cached_texts() {
  static const std::vector<std::string_view> all = {
      "the quick brown fox", "", "a text", "another one", "The Quick brown fox", "12, 13 and 14"};
  return all;
}

const std::shared_ptr<const model::SentenceEncoder>& cached_encoder() {
  static const auto loaded = [] {
    model::LoadOptions options;
    options.pooling = "mean";
    const std::string path = std::string(CONTRASTIVE_FIXTURES) + "/models/bert_bf16";
    return std::shared_ptr<const model::SentenceEncoder>(
        model::SentenceEncoder::load(path, options));
  }();
  return loaded;
}

// The rows of the texts without damage.
struct Truth {
  std::vector<float> vectors;
  std::vector<int64_t> identities;
};

Truth rows_of(EmbeddingCache& cache) {
  const std::vector<int64_t> rows = cache.rows(cached_texts());
  Truth truth;
  for (const int64_t row : rows) {
    expect(row >= 0 && row < cache.size(), "an invalid row");
    truth.identities.push_back(cache.identity(row));
  }
  const at::Tensor vectors = cache.gather(rows);
  truth.vectors.assign(vectors.const_data_ptr<float>(),
                       vectors.const_data_ptr<float>() + vectors.numel());
  return truth;
}

const Truth& truth_of(const EmbeddingCacheOptions& options) {
  static std::map<std::pair<std::string, bool>, Truth> known;
  const auto [place, is_new] = known.try_emplace({options.encode.pooling, options.half});
  if (is_new) {
    EmbeddingCacheOptions in_memory = options;
    in_memory.folder.clear();
    EmbeddingCache cache(cached_encoder(), in_memory);
    place->second = rows_of(cache);
  }
  return place->second;
}

void expect_truth(const Truth& found, const EmbeddingCacheOptions& options) {
  const Truth& truth = truth_of(options);
  expect(found.identities == truth.identities && found.vectors.size() == truth.vectors.size(),
         "the texts differ");
  // The last bits may depend on the other texts of the batch.
  const float near = options.half ? 1e-2f : 1e-4f;
  for (size_t i = 0; i < truth.vectors.size(); ++i) {
    expect(std::abs(found.vectors[i] - truth.vectors[i]) <= near, "a damaged vector is accepted");
  }
}

std::string bytes_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Kind and payload. True if the file changed.
bool edit_file(const MemoryFolder& folder, const std::string& name, std::string_view bytes) {
  const std::string before = bytes_of(folder / name);
  std::string after = before;
  Numbers numbers(bytes);
  switch (numbers.below(4)) {
    case 0: splice(after, numbers.rest()); break;
    case 1: overwrite(after, numbers.rest()); break;
    case 2: cut(after, numbers.rest()); break;
    default: after = numbers.rest(); break;
  }
  if (after == before) return false;
  folder.write(name, after);
  return true;
}

at::Tensor tensor_of(Numbers& numbers, int64_t width) {
  static constexpr at::ScalarType kTypes[] = {at::kLong, at::kFloat, at::kInt, at::kHalf};
  const at::ScalarType type = kTypes[numbers.below(4)];
  std::vector<int64_t> shape(static_cast<size_t>(numbers.below(4)), 1);
  for (int64_t& extent : shape) {
    const int64_t given = numbers.below(20);
    extent = given == 19 ? width : given;
  }
  at::Tensor tensor = at::empty(shape, type);
  if (tensor.nbytes() == 0) return tensor;
  char* into = static_cast<char*>(tensor.mutable_data_ptr());
  for (size_t i = 0; i < tensor.nbytes(); ++i) into[i] = static_cast<char>(numbers.byte());
  return tensor;
}

void load_tensors(std::string_view bytes, EmbeddingCacheOptions options) {
  options.folder.clear();
  EmbeddingCache cache(cached_encoder(), options), other(cached_encoder(), options);
  Numbers numbers(bytes);
  tensors::TorchTensorMap tensors;
  const int64_t which = numbers.below(5);
  if (which == 4) {  // the state of a run, with one changed tensor
    rows_of(other);
    tensors = other.save();
  }
  if (which == 0 || which == 1 || (which == 4 && numbers.byte() % 2 == 0))
    tensors["cache.records"] = tensor_of(numbers, cache.dimension());
  if (which == 0 || which == 2 || (which == 4 && numbers.byte() % 2 == 0))
    tensors["cache.vectors"] = tensor_of(numbers, cache.dimension());
  const bool taken = accepted([&] { cache.load(tensors); });
  expect(taken || cache.size() == 0, "a refused state left rows behind");
  if (taken)
    expect(cache.size() <= tensors.at("cache.records").size(0), "more rows than were saved");
  rows_of(cache);
  EmbeddingCache again(cached_encoder(), options);
  again.load(cache.save());
  expect(again.size() == cache.size(), "rows were lost between save and load");
}

}  // namespace

// The input: how the cache is made; edits of its two files; tensors to load. The rest of the first
// piece is one more text.
FUZZ_TARGET(embedding_cache) {
  static const char* const kPoolings[] = {"", "cls", "max", "last2"};
  const auto parts = pieces(bytes, 4);
  Numbers how(parts[0]);
  EmbeddingCacheOptions options;
  options.half = how.byte() % 2 == 1;
  options.encode.pooling = kPoolings[how.below(4)];
  const std::string text(how.rest());
  truth_of(options);
  const MemoryFolder folder;
  options.folder = folder / "cache";
  {
    EmbeddingCache first(cached_encoder(), options);
    expect_truth(rows_of(first), options);
  }
  const std::string inside =
      "cache/" + std::filesystem::directory_iterator(options.folder)->path().filename().string();
  const bool index = edit_file(folder, inside + "/index", parts[1]);
  edit_file(folder, inside + "/vectors", parts[2]);
  {
    EmbeddingCache second(cached_encoder(), options);
    const Truth found = rows_of(second);
    // The index contains the checksums, so an edit of it can make a wrong vector valid.
    if (!index) expect_truth(found, options);
    const int64_t row = second.rows({text})[0];
    expect(row >= 0 && row < second.size(), "an invalid row");
  }
  EmbeddingCache third(cached_encoder(), options);
  rows_of(third);
  third.rows({text});
  expect(third.tokens_encoded() == 0, "a text that was encoded again is not stored");
  load_tensors(parts[3], options);
}

}  // namespace contrastive::fuzz
