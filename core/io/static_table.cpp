#include "core/io/static_table.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/encoder/static_encoder.h"
#include "core/io/families/config_keys.h"
#include "core/io/safetensors.h"

namespace contrastive::io {
namespace {

constexpr int64_t kModel2vecLength = 512;  // model2vec's default
// The limit of the tokens' rows, 4 GiB, if 'mapping' maps many tokens to one row: a small file
// could otherwise request any amount of memory.
constexpr int64_t kMostUnfolded = int64_t{1} << 30;

// The entries of the file, checked against each other.
struct TableFile {
  explicit TableFile(const std::string& folder) : file(folder + "/model.safetensors") {
    const TensorEntry *own = file.find("embedding.weight"), *theirs = file.find("embeddings");
    check((own == nullptr) != (theirs == nullptr), Status::kFormat, file.path(),
          ": needs the tensor 'embeddings' (model2vec) or 'embedding.weight' ",
          "(sentence-transformers), and not both");
    table = own != nullptr ? own : theirs;
    mapping = theirs != nullptr ? file.find("mapping") : nullptr;
    weights = theirs != nullptr ? file.find("weights") : nullptr;
    const auto parts =
        static_cast<size_t>(1 + (mapping != nullptr ? 1 : 0) + (weights != nullptr ? 1 : 0));
    check(file.entries().size() == parts, Status::kMismatch, file.path(), ": holds ",
          file.entries().size(), " tensors where static embeddings have ",
          "'embedding.weight', or 'embeddings' with 'mapping' and 'weights'");
    check(table->shape.size() == 2 && table->shape[0] >= 1 && table->shape[1] >= 1 &&
              table->shape[0] <= kMaxRows && table->shape[1] <= kMaxWidth,
          Status::kFormat, file.path(), ": '", table->name, "' is ", shape_text(table->shape),
          ", which is not a table of token vectors");
    check(table->is_float() || table->dtype == "I8", Status::kUnsupported, file.path(), ": '",
          table->name, "' holds ", table->dtype, "; known are F32, F16, BF16, F64 and I8");
    rows = mapping != nullptr ? mapping->elements : table->shape[0];
    check(mapping == nullptr || (mapping->shape.size() == 1 && rows >= 1 && rows <= kMaxRows),
          Status::kFormat, file.path(), ": 'mapping' is not a list");
    if (mapping != nullptr) {
      const int64_t numbers = (Size(rows, "the table of token vectors") * table->shape[1]).value();
      check(numbers <= kMostUnfolded, Status::kLimit, file.path(), ": 'mapping' has ", rows,
            " tokens and a row ", table->shape[1], " numbers: ", numbers,
            " numbers are above the limit of ", kMostUnfolded);
    }
    check(mapping == nullptr || mapping->dtype == "I64" || mapping->dtype == "I32",
          Status::kUnsupported, file.path(), ": 'mapping' holds ",
          mapping == nullptr ? "" : mapping->dtype, "; known are I64 and I32");
    check(weights == nullptr ||
              (weights->is_float() && weights->shape == std::vector<int64_t>{rows}),
          Status::kMismatch, file.path(), ": 'weights' is not one number for each of the ", rows,
          " tokens");
  }

  std::string bytes_of(const TensorEntry& entry) const {
    std::string bytes(static_cast<size_t>(entry.bytes), '\0');
    file.read(bytes.data(), entry.bytes, entry.offset);
    return bytes;
  }

  SafetensorsFile file;
  const TensorEntry *table, *mapping, *weights;
  int64_t rows = 0;  // one for each token
};

Tensor read_rows(const TableFile& source, const TensorReadOptions& options) {
  if (source.table->dtype != "I8") return read_tensors({{&source.file, source.table}}, options)[0];
  const std::string bytes = source.bytes_of(*source.table);  // the scale is omitted, because a
                                                             // cosine does not depend on it
  Tensor rows(source.table->shape);
  for (int64_t i = 0; i < rows.elements(); ++i)
    rows.mutable_floats()[i] = static_cast<signed char>(bytes[static_cast<size_t>(i)]);
  return rows;
}

std::vector<int64_t> read_mapping(const TableFile& source) {
  const std::string bytes = source.bytes_of(*source.mapping);
  std::vector<int64_t> mapping(static_cast<size_t>(source.rows));
  for (size_t i = 0; i < mapping.size(); ++i) {
    if (source.mapping->dtype == "I64") {
      std::memcpy(&mapping[i], bytes.data() + 8 * i, 8);
    } else {
      int32_t row = 0;
      std::memcpy(&row, bytes.data() + 4 * i, 4);
      mapping[i] = row;
    }
    check(mapping[i] >= 0 && mapping[i] < source.table->shape[0], Status::kFormat,
          source.file.path(), ": 'mapping' gives token ", i, " the row ", mapping[i], " of ",
          source.table->shape[0]);
  }
  return mapping;
}

}  // namespace

encoder::Architecture read_static_shape(const std::string& folder) {
  const TableFile source(folder);
  return encoder::static_architecture(source.rows, source.table->shape[1]);
}

Tensor read_static_table(const std::string& folder, const TensorReadOptions& options) {
  const TableFile source(folder);
  const Tensor rows = read_rows(source, options);
  if (source.mapping == nullptr && source.weights == nullptr) return rows;
  const int64_t width = source.table->shape[1];
  const std::vector<int64_t> mapping =
      source.mapping != nullptr ? read_mapping(source) : std::vector<int64_t>();
  const Tensor weights = source.weights != nullptr
                             ? read_tensors({{&source.file, source.weights}}, options)[0]
                             : Tensor();
  Tensor table({source.rows, width});
  for (int64_t token = 0; token < source.rows; ++token) {
    const float* const from =
        rows.floats() + (mapping.empty() ? token : mapping[static_cast<size_t>(token)]) * width;
    const float weight = weights.defined() ? weights.floats()[token] : 1.0f;
    float* const to = table.mutable_floats() + token * width;
    bool finite = true;
    for (int64_t i = 0; i < width; ++i) {
      to[i] = weight * from[i];
      finite = finite && std::isfinite(to[i]);
    }
    check(finite || options.allow_non_finite, Status::kNumeric, source.file.path(), ": token ",
          token, ": its row times its weight ", weight,
          " is not finite; allow_non_finite accepts it");
  }
  return table;
}

bool is_model2vec(const Json& config) {
  return config.is_object() && config.contains("model_type") && config["model_type"] == "model2vec";
}

int64_t model2vec_length(const Json& config, const std::string& source) {
  if (!config.contains("max_length")) return kModel2vecLength;
  return JsonObject(config, source).integer("max_length", 1, int64_t{1} << 40, 0);
}

}  // namespace contrastive::io
