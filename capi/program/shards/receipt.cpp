#include "capi/program/shards/receipt.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <tuple>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/json_of.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/sha256.h"

namespace contrastive::cli {
namespace {

constexpr size_t kReceiptBytes = size_t{1} << 20;

Failure no_receipt(const std::string& path) {
  return Failure(kExitData, "FORMAT", "this is not a receipt of a shard",
                 "delete it and write the shard again")
      .at(path);
}

int64_t bytes_of(const std::string& path) {
  struct stat info{};
  return stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode) ? info.st_size : -1;
}

std::string hash_of(const std::string& path) {
  try {
    return sha256_of_file(path, kAnySize);
  } catch (const Error& error) {
    throw Failure(kExitFiles, cs_status_name(static_cast<cs_status>(error.status())),
                  error.message());
  }
}

}  // namespace

std::string receipt_name(const Shard& shard) { return "_" + shard.stem() + ".json"; }

bool has_receipt(const std::string& folder, const Shard& shard) {
  return exists(folder + "/" + receipt_name(shard));
}

Receipt Receipt::make(const std::string& folder, const ShardMetadata& metadata,
                      const std::string& format, int64_t rows,
                      const std::vector<std::string>& names) {
  Receipt receipt;
  receipt.metadata = Json::object();
  for (const auto& [key, value] : metadata) receipt.metadata[key] = value;
  receipt.format = format;
  receipt.rows = rows;
  for (const std::string& name : names) {
    const std::string path = folder + "/" + name;
    receipt.files.push_back({name, hash_of(path), bytes_of(path)});
  }
  return receipt;
}

Receipt Receipt::read(const std::string& folder, const Shard& shard) {
  const std::string path = folder + "/" + receipt_name(shard);
  const Json json = json_of(read_text_file(path, kReceiptBytes));
  Receipt receipt;
  try {
    receipt.metadata = json.at("metadata");
    receipt.format = json.at("format").get<std::string>();
    receipt.rows = json.at("rows").get<int64_t>();
    for (const Json& file : json.at("files")) {
      receipt.files.push_back({file.at("name").get<std::string>(),
                               file.at("sha256").get<std::string>(),
                               file.at("bytes").get<int64_t>()});
      Shard owner;
      const std::string& name = receipt.files.back().name;
      if (name.find('/') != std::string::npos || !shard_of_name(name, owner) || !(owner == shard))
        throw no_receipt(path);
    }
  } catch (const Json::exception&) {
    throw no_receipt(path);
  }
  const auto says = [&](const char* key, int64_t number) {
    return receipt.metadata.value(key, "") == std::to_string(number);
  };
  if (!receipt.metadata.is_object() || receipt.files.empty() || receipt.rows < 0)
    throw no_receipt(path);
  for (const auto& [key, value] : receipt.metadata.items()) {
    if (!value.is_string()) throw no_receipt(path);
  }
  if (!says("shard", shard.index) || !says("shards", shard.count)) throw no_receipt(path);
  return receipt;
}

void Receipt::write(const std::string& folder, const Shard& shard) const {
  Json json = {{"metadata", metadata},
               {"format", format},
               {"rows", rows},
               {"files", Json::array()}};
  for (const ShardFile& file : files)
    json["files"].push_back({{"name", file.name}, {"bytes", file.bytes}, {"sha256", file.sha256}});
  write_text_file(folder + "/" + receipt_name(shard),
                  json.dump(2, ' ', true, Json::error_handler_t::replace) + "\n");
}

std::string Receipt::damage(const std::string& folder) const {
  for (const ShardFile& file : files) {
    const std::string path = folder + "/" + file.name;
    const int64_t bytes = bytes_of(path);
    if (bytes < 0) return file.name + ": the file is missing";
    if (bytes != file.bytes)
      return file.name + ": the file has " + std::to_string(bytes) + " bytes, its receipt says " +
             std::to_string(file.bytes);
    if (hash_of(path) != file.sha256)
      return file.name + ": the bytes are not those that were written (SHA-256)";
  }
  return "";
}

void remove_receipt(const std::string& folder, const Shard& shard) {
  remove_folder(folder + "/" + receipt_name(shard));  // removes a file too
  try {
    sync_folder(folder);
  } catch (const Error& error) {
    throw Failure(kExitFiles, "IO", error.message());
  }
}

std::vector<std::string> names_in(const std::string& folder) {
  std::vector<std::string> names;
  const auto entries = open_entries(folder);
  if (entries == nullptr) throw system_failure("read", folder, errno);
  while (const char* name = next_entry(entries.get(), folder)) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

std::vector<Shard> shards_with_receipts(const std::string& folder) {
  std::vector<Shard> shards;
  for (const std::string& name : names_in(folder)) {
    Shard shard;
    if (name[0] == '_' && shard_of_name(std::string_view(name).substr(1), shard) &&
        name == receipt_name(shard))
      shards.push_back(shard);
  }
  std::sort(shards.begin(), shards.end(), [](const Shard& a, const Shard& b) {
    return std::tie(a.count, a.index) < std::tie(b.count, b.index);
  });
  return shards;
}

}  // namespace contrastive::cli
