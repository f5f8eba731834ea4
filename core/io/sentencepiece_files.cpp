#include "core/io/sentencepiece_files.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/base/nearest.h"
#include "core/io/families/family.h"
#include "core/io/sentencepiece_bpe.h"
#include "core/io/sentencepiece_model.h"
#include "core/io/tokenizer_folder.h"
#include "core/io/vocabulary_json.h"
#include "core/text/charsmap.h"
#include "core/text/piece_tokenizer.h"
#include "core/text/replacement.h"
#include "core/text/unicode.h"
#include "core/text/utf8.h"
#include "core/text/unigram.h"

namespace contrastive::io {
namespace {

using text::NormalizerStep;
using Piece = SentencePieceModel::Piece;
using Stages = text::NormalizerChain::Stages;

// A vocabulary in the order of its ids, and the name of its unknown token.
struct Layout {
  std::vector<std::pair<std::string, double>> tokens;
  std::string unknown = "<unk>";
  std::string mask = "<mask>";

  void add(const std::string& token, double score = 0) { tokens.emplace_back(token, score); }
  void add_pieces(const SentencePieceModel& model, size_t first) {
    for (size_t i = first; i < model.pieces.size(); ++i)
      add(model.pieces[i].text, model.pieces[i].score);
  }
};

// fairseq puts its special tokens first and omits those of the model.
Layout xlm_roberta(const SentencePieceModel& model, const std::string& source) {
  check(model.pieces.size() > 3 && model.pieces[0].text == "<unk>" &&
            model.pieces[1].text == "<s>" && model.pieces[2].text == "</s>",
        Status::kFormat, source, ": the first three pieces must be <unk>, <s> and </s>");
  Layout layout;
  for (const char* token : {"<s>", "<pad>", "</s>", "<unk>"}) layout.add(token);
  layout.add_pieces(model, 3);
  layout.add("<mask>");
  return layout;
}

Layout camembert(const SentencePieceModel& model, const std::string& source) {
  check(model.pieces.size() > 3 && model.pieces[1].text == "<s>" && model.pieces[2].text == "</s>",
        Status::kFormat, source, ": pieces 1 and 2 must be <s> and </s>");
  Layout layout;
  for (const char* token : {"<s>NOTUSED", "<pad>", "</s>NOTUSED", "<unk>"}) layout.add(token);
  layout.add("<unk>NOTUSED", -100);
  layout.add_pieces(model, 1);
  layout.add("<mask>");
  return layout;
}

// A comma after a digit, as in "9,". The published tokenizers of ALBERT make such pieces nearly
// impossible.
bool is_digit_comma(std::string_view piece) {
  char32_t previous = 0, last = 0;
  for (size_t at = 0; at < piece.size();) {
    previous = last;
    last = text::decode_utf8(piece, at);
  }
  return last == ',' && (text::char_flags(previous) & text::kNumber) != 0;
}

Layout albert(const SentencePieceModel& model) {
  Layout layout;
  for (const Piece& piece : model.pieces)
    layout.add(piece.text, piece.score - (is_digit_comma(piece.text) ? 100.0 : 0.0));
  layout.mask = "[MASK]";
  return layout;
}

Layout t5(const SentencePieceModel& model, const TokenizerSettings& settings) {
  Layout layout;
  layout.add_pieces(model, 0);
  for (int64_t i = settings.extra_ids; i-- > 0;) layout.add(cat("<extra_id_", i, ">"));
  layout.mask.clear();
  return layout;
}

Stages normalizer_of(const std::string& kind, const SentencePieceModel& model,
                     const TokenizerSettings& settings, const std::string& source) {
  Stages stages;
  if (kind == "AlbertTokenizer") {
    for (const char* quotes : {"``", "''"})
      stages.push_back(std::make_shared<text::Replacement>(text::literal_pattern(quotes), "\""));
    std::vector<NormalizerStep> steps;
    if (!settings.keep_accents.value_or(false))
      steps = {NormalizerStep::kDecomposeCompatibly, NormalizerStep::kDropMarks};
    if (settings.do_lower_case.value_or(true)) steps.push_back(NormalizerStep::kLowerCase);
    if (!steps.empty()) stages.push_back(std::make_shared<text::CharacterStage>(std::move(steps)));
  }
  if (!model.charsmap.empty())
    stages.push_back(
        std::make_shared<text::Charsmap>(model.charsmap, source + ": precompiled_charsmap"));
  return stages;
}

// The class that the folder names, otherwise the class for config.json's model_type.
std::string class_of(const std::string& folder, const TokenizerSettings& settings) {
  std::vector<std::string> known;
  for (const Family& family : families()) {
    if (*family.sentencepiece != '\0') known.emplace_back(family.sentencepiece);
  }
  known.emplace_back("LlamaTokenizer");  // for decoders that are in no known family
  std::string name = known_class(settings, known, folder);
  const std::string config_path = folder + "/config.json";
  if (name.empty() && path_exists(config_path)) {
    const Json config = read_json_file(config_path);
    const std::string type = JsonObject(config, config_path).string("model_type", "");
    for (const Family& family : families()) {
      for (const Family::Spelling& spelling : family.spellings) {
        if (type == spelling.model_type && *family.sentencepiece != '\0')
          name = family.sentencepiece;
      }
    }
  }
  check(!name.empty(), Status::kUnsupported, folder,
        ": tokenizer_class of tokenizer_config.json must say what the SentencePiece model is for: ",
        joined_names(known));
  return name;
}

text::PostProcessor post_processor_of(const std::string& kind, const text::Vocabulary& vocabulary,
                                      const std::string& cls, const std::string& sep) {
  if (kind == "AlbertTokenizer")
    return text::bert_post_processor(vocabulary.id(cls), vocabulary.id(sep));
  if (kind == "T5Tokenizer") return text::t5_post_processor(vocabulary.id(sep));
  return text::roberta_post_processor(vocabulary.id(cls), vocabulary.id(sep));
}

}  // namespace

std::shared_ptr<const text::Tokenizer> load_sentencepiece(const std::string& folder,
                                                          const std::string& name,
                                                          const TokenizerSettings& settings) {
  const std::string source = folder + "/" + name, kind = class_of(folder, settings);
  const SentencePieceModel model =
      parse_sentencepiece_model(read_file(source, kMaxTokenizerBytes), source);
  constexpr int64_t kUnigram = 1, kBpe = 2;
  const bool is_bpe = kind == "GemmaTokenizer" || kind == "LlamaTokenizer";
  check(model.model_type == (is_bpe ? kBpe : kUnigram), Status::kUnsupported, source,
        ": the model is of type ", model.model_type, "; ", kind,
        is_bpe ? " takes 2, BPE" : " takes 1, unigram");
  if (is_bpe) return make_sentencepiece_bpe(model, kind, source, settings);
  const Layout layout = kind == "XLMRobertaTokenizer"  ? xlm_roberta(model, source)
                        : kind == "CamembertTokenizer" ? camembert(model, source)
                        : kind == "AlbertTokenizer"    ? albert(model)
                                                       : t5(model, settings);
  text::TokenList tokens;
  std::vector<double> scores;
  for (const auto& [token, score] : layout.tokens) {
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
    scores.push_back(score);
  }
  const bool brackets = kind == "AlbertTokenizer", t5_kind = kind == "T5Tokenizer";
  const std::string sep = brackets ? role_token(settings, "sep_token", "[SEP]")
                                   : role_token(settings, "eos_token", "</s>");
  const std::string cls = brackets  ? role_token(settings, "cls_token", "[CLS]")
                          : t5_kind ? sep
                                    : role_token(settings, "bos_token", "<s>");
  const std::string unknown = role_token(settings, "unk_token", layout.unknown);
  std::vector<std::string> required = {cls, role_token(settings, "pad_token", "<pad>"), sep,
                                       unknown};
  if (t5_kind) required.erase(required.begin());
  for (int64_t i = 0; t5_kind && i < settings.extra_ids; ++i)
    required.push_back(cat("<extra_id_", i, ">"));
  text::TokenizerParts parts =
      read_parts(source, std::move(tokens), settings, required,
                 {special_token(role_token(settings, "mask_token", layout.mask),
                                kind == "CamembertTokenizer")});
  add_pieces_of_the_model(model, *parts.vocabulary, parts.added_tokens);
  parts.stages = normalizer_of(kind, model, settings, source);
  parts.post_processor = post_processor_of(kind, *parts.vocabulary, cls, sep);
  parts.special_ids = special_ids(settings, !brackets, *parts.vocabulary, parts.added_tokens);
  text::UnigramOptions options;
  options.unknown = parts.vocabulary->id(unknown);
  options.byte_fallback = model.byte_fallback;
  auto unigram =
      std::make_shared<text::Unigram>(*parts.vocabulary, std::move(scores), options, source);
  using Prepend = text::MetaspaceSplitter::Prepend;
  const Prepend prepend =
      t5_kind || settings.add_prefix_space.value_or(true) ? Prepend::kAlways : Prepend::kNever;
  text::PieceTokenizer::Splitters splitters = {
      text::whitespace_split(), std::make_shared<text::MetaspaceSplitter>("\u2581", prepend, true)};
  return std::make_shared<text::PieceTokenizer>(std::move(parts), std::move(splitters),
                                                std::move(unigram), "unigram");
}

}  // namespace contrastive::io
