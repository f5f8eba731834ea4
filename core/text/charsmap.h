// SentencePiece's precompiled character map, as Hugging Face applies it. A grapheme cluster of at
// most five bytes is replaced as a whole if the map has an entry that is a prefix of it. Otherwise
// every character is replaced separately.
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
  // `bytes`: the size of a double-array trie, the trie, and the zero-terminated texts that its
  // values point to. Throws kFormat, which names `source`, if the size does not fit. An entry that
  // points outside is ignored.
  Charsmap(std::string_view bytes, const std::string& source);

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;

 private:
  // The text of the shortest entry that is a prefix of `chunk`. False if no entry is.
  bool find(std::string_view chunk, std::string_view& replacement) const;
  template <class Change>
  void each(std::string_view text, const Change& change) const;

  std::vector<uint32_t> units_;
  std::string texts_;
  std::array<bool, 128> plain_{};  // ASCII characters that the map does not change
};

}  // namespace contrastive::text
