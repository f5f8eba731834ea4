// The ids of a text by a tokenizer.json.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/io/tokenizer_files.h"
#include "tests/core/io/files.h"

namespace contrastive::io {

inline std::vector<int32_t> ids_by_json(const TemporaryFolder& folder, const std::string& json,
                                        std::string_view text) {
  test::write_text(folder / "tokenizer.json", json);
  return load_tokenizer(folder.path())->encode(text, 0).ids;
}

}  // namespace contrastive::io
