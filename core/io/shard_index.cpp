#include "core/io/shard_index.h"

#include <algorithm>
#include <initializer_list>
#include <map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/io/pickled_checkpoint.h"
#include "core/io/safetensors.h"

namespace contrastive::io {
namespace {

constexpr const char* kSingle = "model.safetensors";
constexpr const char* kPickled = "pytorch_model.bin";
constexpr size_t kMaxShards = 10'000;

std::string index_of(const char* single) { return cat(single, ".index.json"); }

using Opener = std::unique_ptr<TensorFile> (*)(const std::string& path);

template <class File>
std::unique_ptr<TensorFile> open_as(const std::string& path) {
  return std::make_unique<File>(path);
}

// The index maps tensor names to files. Each file must contain exactly the tensors that the index
// assigns to it.
WeightFiles open_shards(const std::string& folder, const char* single, Opener open_weights) {
  const std::string index = folder + "/" + index_of(single);
  const Json json = read_json_file(index);
  const JsonObject object(json, index);
  const Json& weight_map = object.at("weight_map");
  check(weight_map.is_object(), Status::kFormat, index,
        ": weight_map must be an object of tensor names and files");
  std::map<std::string, std::string> places;  // a sorted copy, because looking up a name in a JSON
                                              // object takes linear time
  std::map<std::string, size_t> tensors_of_shard;
  for (const auto& item : weight_map.items()) {
    check(item.value().is_string(), Status::kFormat, index, ": the file of tensor '", item.key(),
          "' must be a string");
    const std::string& shard = places[item.key()] = item.value().get<std::string>();
    ++tensors_of_shard[shard];
  }
  check(!tensors_of_shard.empty(), Status::kFormat, index, ": weight_map is empty");
  check(tensors_of_shard.size() <= kMaxShards, Status::kLimit, index, ": ", tensors_of_shard.size(),
        " shards, above the limit of ", kMaxShards);

  WeightFiles weights;
  for (const auto& [name, count] : tensors_of_shard) {
    const std::string path = join_inside(folder, name, index);
    check(path_exists(path), Status::kNotFound, path, ": this shard is missing; ", index_of(single),
          " names it");
    weights.files.push_back(open_weights(path));
    const TensorFile& file = *weights.files.back();
    for (const TensorEntry& entry : file.entries()) {
      const auto place = places.find(entry.name);
      check(place != places.end(), Status::kFormat, index, ": does not name tensor '", entry.name,
            "' of ", name);
      check(place->second == name, Status::kFormat, index, ": tensor '", entry.name, "' is in ",
            name, ", but the index places it in ", place->second);
      weights.tensors.push_back({&file, &entry});
    }
    check(file.entries().size() == count, Status::kFormat, index, ": places ", count,
          " tensors in ", name, ", which holds ", file.entries().size());
  }
  return weights;
}

// Opens one file or its shards. False if there is neither.
bool open_kind(const std::string& folder, const char* single, Opener open_weights,
               WeightFiles& weights) {
  const std::string path = folder + "/" + single;
  if (path_exists(path)) {
    weights.files.push_back(open_weights(path));
    for (const TensorEntry& entry : weights.files[0]->entries())
      weights.tensors.push_back({weights.files[0].get(), &entry});
    return true;
  }
  if (!path_exists(folder + "/" + index_of(single))) return false;
  weights = open_shards(folder, single, open_weights);
  return true;
}

// Says what to do if `folder` has weights in a format that is not read.
void refuse_foreign_weights(const std::string& folder, bool allow_pickle) {
  const auto entries =
      open_entries(folder);  // if it cannot be listed, opening its files has already failed
  while (const char* item = entries ? next_entry(entries.get(), folder) : nullptr) {
    const std::string name = item;
    const size_t dot = name.rfind('.');
    const std::string path = folder + "/" + name,
                      extension = dot == 0 || dot == std::string::npos ? "" : name.substr(dot);
    const auto is_one_of = [&](std::initializer_list<const char*> list) {
      return std::find(list.begin(), list.end(), extension) != list.end();
    };
    check(!is_one_of({".bin", ".pt", ".pth", ".ckpt", ".pkl"}), Status::kUnsupported, path,
          ": pickle is not read, ",
          allow_pickle ? "but from pytorch_model.bin and the shards of pytorch_model.bin.index.json"
                       : "unless allow_pickle = true allows it, which takes the tensors of "
                         "pytorch_model.bin and runs nothing of it",
          "; or convert it once with: python -c \"from sentence_transformers import "
          "SentenceTransformer as S; S('FOLDER').save('NEW_FOLDER')\"");
    check(!is_one_of({".h5", ".msgpack", ".onnx", ".index", ".gguf"}), Status::kUnsupported, path,
          ": only safetensors weights are read; save the model with transformers' save_pretrained");
  }
}

}  // namespace

WeightFiles open_weight_files(const std::string& folder, bool allow_pickle) {
  WeightFiles weights;
  if (open_kind(folder, kSingle, open_as<SafetensorsFile>, weights)) return weights;
  if (allow_pickle && open_kind(folder, kPickled, open_as<PickledCheckpoint>, weights))
    return weights;
  refuse_foreign_weights(folder, allow_pickle);
  fail(Status::kNotFound, folder, ": no ", kSingle, " and no ", index_of(kSingle),
       " in this folder");
}

}  // namespace contrastive::io
