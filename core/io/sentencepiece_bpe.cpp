#include "core/io/sentencepiece_bpe.h"

#include <string_view>
#include <unordered_set>

#include "core/base/error.h"
#include "core/io/tokenizer_folder.h"
#include "core/text/byte_tokens.h"
#include "core/text/character_bpe.h"
#include "core/text/piece_tokenizer.h"
#include "core/text/replacement.h"

namespace contrastive::io {
namespace {

constexpr const char* kBlank = "\u2581";

// The splitters that transformers 5 builds for the class. Gemma writes spaces as U+2581 and splits
// nothing; Llama also adds one in front.
text::PieceTokenizer::Splitters splitters_of(const std::string& kind,
                                             const TokenizerSettings& settings,
                                             text::TokenizerParts& parts) {
  using Prepend = text::MetaspaceSplitter::Prepend;
  if (kind == "GemmaTokenizer") {
    parts.stages.push_back(std::make_shared<text::Replacement>(text::literal_pattern(" "), kBlank));
    return {};
  }
  const Prepend prepend = !settings.add_prefix_space.value_or(true) ? Prepend::kNever
                          : settings.legacy.value_or(false)         ? Prepend::kAlways
                                                                    : Prepend::kFirst;
  return {std::make_shared<text::MetaspaceSplitter>(kBlank, prepend, false)};
}

text::PostProcessor post_processor_of(const TokenizerSettings& settings, int32_t begin,
                                      int32_t end) {
  using text::TemplatePart;
  text::PostProcessor result;
  result.single.clear();
  result.pair.clear();
  const auto add = [&](std::vector<TemplatePart>& parts, TemplatePart::Kind text, int32_t type) {
    if (settings.add_bos_token.value_or(false))
      parts.push_back({TemplatePart::kSpecial, begin, type});
    parts.push_back({text, -1, type});
    if (settings.add_eos_token.value_or(false))
      parts.push_back({TemplatePart::kSpecial, end, type});
  };
  add(result.single, TemplatePart::kFirst, 0);
  add(result.pair, TemplatePart::kFirst, 0);
  add(result.pair, TemplatePart::kSecond, 1);
  return result;
}

}  // namespace

MergeList sentencepiece_merges(const SentencePieceModel& model, const std::string& source) {
  constexpr size_t kMaxBytes = size_t{64}
                               << 20;  // of all merges: if pieces can be made from each other in
                                       // every way, the merges take the cube of their length
  constexpr size_t kLongest =
      1024;  // in bytes; by default SentencePiece learns pieces of at most 16 characters
  std::unordered_set<std::string_view> pieces;
  for (const auto& piece : model.pieces) pieces.insert(piece.text);
  MergeList merges;
  size_t bytes = 0;
  for (const auto& piece : model.pieces) {
    const std::string_view text = piece.text;
    check(text.size() <= kLongest, Status::kLimit, source, ": a piece of ", text.size(),
          " bytes, above the limit of ", kLongest);
    for (size_t at = 1; at < text.size(); ++at) {
      const bool inside = (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
      if (inside || pieces.count(text.substr(0, at)) == 0 || pieces.count(text.substr(at)) == 0)
        continue;
      check(static_cast<int64_t>(merges.size()) < kMaxTokenizerEntries, Status::kLimit, source,
            ": more than ", kMaxTokenizerEntries, " merges");
      bytes += text.size();
      check(bytes <= kMaxBytes, Status::kLimit, source,
            ": the merges of its pieces take more than ", kMaxBytes, " bytes");
      merges.emplace_back(text.substr(0, at), text.substr(at));
    }
  }
  return merges;
}

std::shared_ptr<const text::Tokenizer> make_sentencepiece_bpe(const SentencePieceModel& model,
                                                              const std::string& kind,
                                                              const std::string& source,
                                                              const TokenizerSettings& settings) {
  check(model.charsmap.empty(), Status::kUnsupported, source,
        ": the model maps characters, which transformers leaves out for ", kind,
        "; save the folder with transformers, which writes a tokenizer.json");
  text::TokenList tokens;
  for (const auto& piece : model.pieces)
    tokens.emplace_back(piece.text, static_cast<int32_t>(tokens.size()));
  const bool gemma = kind == "GemmaTokenizer";
  const std::string begin = role_token(settings, "bos_token", gemma ? "<bos>" : "<s>"),
                    end = role_token(settings, "eos_token", gemma ? "<eos>" : "</s>");
  text::CharacterBpeOptions options;
  options.unknown_token = role_token(settings, "unk_token", "<unk>");
  options.byte_fallback = options.fuse_unknown = true;
  text::TokenizerParts parts =
      read_parts(source, std::move(tokens), settings, {begin, end, options.unknown_token},
                 {special_token(role_token(settings, "mask_token", gemma ? "<mask>" : ""))});
  add_pieces_of_the_model(model, *parts.vocabulary, parts.added_tokens);
  for (int byte = 0; byte < 256; ++byte) {
    const std::string name = text::ByteTokens::name(static_cast<unsigned char>(byte));
    check(parts.vocabulary->id(name) >= 0, Status::kUnsupported, source, ": no piece is ", name,
          "; a model with pieces for all bytes is needed");
  }
  parts.post_processor =
      post_processor_of(settings, parts.vocabulary->id(begin), parts.vocabulary->id(end));
  parts.special_ids = special_ids(settings, true, *parts.vocabulary, parts.added_tokens);
  auto bpe =
      std::make_shared<text::CharacterBpe>(*parts.vocabulary, sentencepiece_merges(model, source),
                                           options, source);
  auto splitters = splitters_of(kind, settings, parts);
  return std::make_shared<text::PieceTokenizer>(std::move(parts), std::move(splitters),
                                                std::move(bpe), "bpe");
}

}  // namespace contrastive::io
