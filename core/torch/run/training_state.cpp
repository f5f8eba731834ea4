#include "core/torch/run/training_state.h"

#include <cerrno>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"
#include "core/io/atomic_file.h"
#include "core/io/folder_snapshot.h"
#include "core/io/safetensors.h"

namespace contrastive::run {
namespace {

constexpr int64_t kFormatVersion = 1;
constexpr int64_t kMostBytes = int64_t{1} << 40;
constexpr const char* kFolder = "/training_state";
constexpr const char* kTensors = "state.safetensors";
constexpr const char* kManifest = "manifest.json";

tensors::TorchTensorMap read_tensors(const std::string& path) {
  const io::SafetensorsFile file(path);
  tensors::TorchTensorMap tensors;
  for (const io::TensorEntry& entry : file.entries()) {
    const bool known = entry.dtype == "F32" || entry.dtype == "I64";
    check(known, Status::kUnsupported, path, ": the tensor '", entry.name, "' is of type ",
          entry.dtype);
    Tensor tensor(entry.shape, entry.dtype == "F32" ? ElementType::kFloat32 : ElementType::kInt64);
    file.read(static_cast<char*>(tensor.mutable_data()), entry.bytes, entry.offset);
    tensors.emplace(entry.name, tensors::to_torch(tensor));
  }
  return tensors;
}

TrainingState read_held_state(const std::string& folder) {
  const std::string inside = folder + kFolder, manifest_path = inside + "/" + kManifest;
  check(path_exists(manifest_path), Status::kNotFound, manifest_path,
        ": is not there; only folders written by a trainer's save hold a run that can be resumed");
  const Json manifest = read_json_file(manifest_path);
  const JsonObject root(manifest, manifest_path);
  const int64_t version = root.integer("format_version", 1, int64_t{1} << 30);
  check(version == kFormatVersion, Status::kMismatch, manifest_path, ": format_version is ",
        version, "; this library reads ", kFormatVersion);
  for (const auto& [name, stated] : root.at("files").items()) {
    const JsonObject entry(stated, manifest_path);
    const std::string path = join_inside(inside, name, manifest_path);
    check(path_exists(path), Status::kCorrupt, path, ": is named by the manifest and missing");
    const int64_t bytes = entry.integer("bytes", 0, kMostBytes),
                  found = file_size(open_file(path, FileUse::kRead), path);
    check(found == bytes, Status::kCorrupt, path, ": has ", found,
          " bytes, and the manifest states ", bytes);
    check(sha256_of_file(path, kMostBytes) == entry.string("sha256"), Status::kCorrupt, path,
          ": does not have the SHA-256 that the manifest states");
  }
  TrainingState state;
  state.fields = root.at("fields");
  state.tensors = read_tensors(inside + "/" + kTensors);
  state.source = folder + ": training state";
  return state;
}

}  // namespace

void TrainingState::add_tensors(const std::string& prefix, const tensors::TorchTensorMap& more) {
  for (const auto& [name, tensor] : more) tensors[prefix + name] = tensor.cpu();
}

tensors::TorchTensorMap TrainingState::tensors_under(const std::string& prefix) const {
  tensors::TorchTensorMap own;
  for (const auto& [name, tensor] : tensors) {
    if (begins_with(name, prefix)) own[name.substr(prefix.size())] = tensor;
  }
  return own;
}

void write_training_state(const std::string& folder, const TrainingState& state) {
  const std::string inside = folder + kFolder;
  if (!system::make_folder(inside.c_str(), false)) fail_system(inside, "cannot be created", errno);
  const std::string tensors = inside + "/" + kTensors;
  io::OutputFile file(tensors);
  io::write_safetensors(file, tensors::from_torch(state.tensors));
  file.finish();
  // The manifest is written last, so if it exists, everything that it lists exists.
  Json manifest = {{"format_version", kFormatVersion},
                   {"files", Json::object()},
                   {"fields", state.fields}};
  manifest["files"][kTensors] = {{"bytes", file.bytes()},
                                 {"sha256", sha256_of_file(tensors, kMostBytes)}};
  io::OutputFile out(inside + "/" + kManifest);
  out.write(dump_ascii(manifest, 1) + "\n");
  out.finish();
  sync_folder(inside);
}

bool has_training_state(const std::string& folder) {
  return path_exists(folder + kFolder + "/" + kManifest);
}

TrainingState read_training_state(const std::string& folder) {
  return io::read_snapshot(folder, [&] { return read_held_state(folder); });
}

}  // namespace contrastive::run
