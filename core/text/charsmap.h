// SentencePiece's precompiled map of characters, as Hugging Face applies it: a grapheme cluster of
// at most five bytes is replaced as a whole where the map has an entry that it begins with, and
// otherwise every character for itself.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/normalizer_stage.h"

namespace contrastive::text {

class Charsmap : public NormalizerStage {
 public:
  // `bytes`: the size of a double-array trie, the trie, and the texts that its values point to,
  // each ended by a zero. kFormat, naming `source`, where the size does not fit; an entry that
  // leads outside is none.
  Charsmap(std::string_view bytes, const std::string& source);

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;
  bool keeps_words() const override;

 private:
  // The text of the shortest entry that `chunk` begins with; false where there is none.
  bool find(std::string_view chunk, std::string_view& replacement) const;
  template <class Change>
  void each(std::string_view text, const Change& change) const;

  std::vector<uint32_t> units_;
  std::string texts_;
  std::array<bool, 128> plain_{};  // ASCII characters that the map leaves as they are
};

}  // namespace contrastive::text
