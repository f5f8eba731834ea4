// The safetensors format: a strict reader of its header, and a writer. The header is not trusted:
// every offset, shape and type is checked against the file's real length, so that reading a tensor
// afterwards cannot leave the file. tensor_reader.h reads the data.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "core/base/tensor.h"
#include "core/io/tensor_file.h"

namespace contrastive::io {

class OutputFile;

// An open file with its checked header. Its entries are in the order of their data.
class SafetensorsFile : public TensorFile {
 public:
  // Throws the errors of TensorFile; kFormat, kLimit or kCorrupt for a malformed header;
  // kUnsupported for an element type that the format does not define.
  explicit SafetensorsFile(std::string path);

  const std::map<std::string, std::string>& metadata() const { return metadata_; }

 private:
  void parse(std::string_view header, int64_t data_begin);
  void check_layout(int64_t data_begin) const;

  std::map<std::string, std::string> metadata_;
};

// Writes tensors, sorted by name. Adds "format": "pt" to the metadata, because transformers refuses
// a file without it.
void write_safetensors(OutputFile& file, const TensorMap& tensors,
                       std::map<std::string, std::string> metadata = {});

}  // namespace contrastive::io
