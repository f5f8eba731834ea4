#include "capi/program/texts_digest.h"

#include "capi/program/failure.h"
#include "capi/program/files.h"

namespace contrastive::cli {
namespace {

constexpr size_t kMostDigestBytes = 4096;

std::string place_beside(const std::string& vectors) { return vectors + ".texts.sha256"; }

}  // namespace

void TextsDigest::add(std::string_view text) {
  hash_.update(std::to_string(text.size()) + ":");  // so different lists never have equal bytes
  hash_.update(text);
}

void TextsDigest::keep_for(const std::string& vectors) {
  write_text_file(place_beside(vectors), hash_.hex() + "\n");
}

void TextsDigest::check_against(const std::string& vectors) {
  const std::string place = place_beside(vectors);
  if (!exists(place) || read_text_file(place, kMostDigestBytes) == hash_.hex() + "\n") return;
  throw Failure(
      kExitData, "MISMATCH",
      "these vectors do not match the corpus: the texts or their order have changed since '" +
          place + "' was written",
      "embed the corpus again, or leave --embeddings out")
      .at(vectors);
}

}  // namespace contrastive::cli
