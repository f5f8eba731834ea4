#include "core/torch/methods/clear/clear_views.h"

#include <cstdio>

#include "core/base/error.h"
#include "core/base/named_by_key.h"

namespace contrastive::methods {
namespace {

void append(text::TokenBatch& batch, const std::vector<int32_t>& ids) {
  batch.ids.insert(batch.ids.end(), ids.begin(), ids.end());
  batch.type_ids.resize(batch.ids.size(), 0);
  batch.offsets.push_back(batch.tokens());
  batch.full_lengths.push_back(static_cast<int32_t>(ids.size()));
}

int32_t spare_token(const text::Tokenizer& tokenizer, int64_t number) {
  char roberta[32];
  std::snprintf(roberta, sizeof roberta, "madeupword%04d", static_cast<int>(number));
  const int32_t bert_id = tokenizer.id(cat("[unused", number, "]")),
                id = bert_id >= 0 ? bert_id : tokenizer.id(roberta);
  check(id >= 0, Status::kArgument, "config key 'clear.del_token' is unused:", number,
        ", but the vocabulary has neither [unused", number, "] nor ", roberta,
        ": name a token by id:K");
  return id;
}

// The id of [DEL]. `rows` counts the row that `new` adds, which is the last.
int32_t find_del_token(const std::string& text, const text::Tokenizer& tokenizer, int64_t rows) {
  if (text == "mask") return tokenizer.special_ids().mask;
  if (text == "new") return static_cast<int32_t>(rows - 1);
  const int64_t number = std::stoll(text.substr(text.find(':') + 1));
  if (text.rfind("unused:", 0) == 0) return spare_token(tokenizer, number);
  const text::SpecialIds& special = tokenizer.special_ids();
  const bool taken = number == special.cls || number == special.sep || number == special.pad ||
                     number == special.unk;
  check(!taken, Status::kArgument, "config key 'clear.del_token' is id:", number, ", which is ",
        tokenizer.token(static_cast<int32_t>(number)));
  return static_cast<int32_t>(number);
}

augment::SynonymTable read_synonyms(const std::string& path, const text::Tokenizer& tokenizer) {
  return named_by_key("clear.synonyms",
                      [&] { return augment::SynonymTable::read(path, tokenizer); });
}

}  // namespace

std::vector<View> ClearBatch::views() const {
  std::vector<View> views;
  for (const text::TokenBatch& batch : texts) {
    View view;
    view.tokens = &batch;
    view.number = static_cast<int64_t>(views.size());
    views.push_back(view);
  }
  return views;
}

ClearViews::ClearViews(const ClearOptions& options, const text::Tokenizer& tokenizer, int64_t rows,
                       int64_t max_length, uint64_t seed)
    : options_(options), roles_(tokenizer), seed_(seed) {
  check(roles_.special.mask >= 0, Status::kArgument,
        "CLEAR predicts masked tokens, but the model's vocabulary has no mask token");
  check(!roles_.ordinary.empty(), Status::kArgument,
        "the model's vocabulary has no tokens but special ones");
  options_.views.max_length = max_length;
  options.check_del_token(rows);
  options_.views.del.id = find_del_token(options.del_token, tokenizer, rows);
  if (!options.synonyms.empty()) synonyms_ = read_synonyms(options.synonyms, tokenizer);
}

text::TokenBatch ClearViews::mask(const text::TokenBatch& texts, std::vector<Rng>& draws,
                                  int64_t first, ClearBatch& made) const {
  text::TokenBatch masked;
  for (int64_t i = 0; i < texts.texts(); ++i) {
    const int64_t begin = texts.offsets[static_cast<size_t>(i)];
    const data::MaskedText text =
        data::mask_text(texts.ids.data() + begin, texts.length(i), options_.mlm, roles_,
                        draws[static_cast<size_t>(i)]);
    for (const int64_t position : text.positions)
      made.positions.push_back(first + begin + position);
    made.labels.insert(made.labels.end(), text.labels.begin(), text.labels.end());
    append(masked, text.ids);
  }
  return masked;
}

text::TokenBatch ClearViews::augment(const data::Batch& batch, const text::TokenBatch& texts,
                                     int view) const {
  const augment::Recipe recipe = options_.recipe_of(view);
  augment::RecipeOptions options = options_.views;
  options.del.ordinary = &roles_.ordinary;
  options.synonyms = &synonyms_;
  text::TokenBatch augmented;
  for (int64_t i = 0; i < texts.texts(); ++i) {
    const int32_t* const begin = texts.ids.data() + texts.offsets[static_cast<size_t>(i)];
    Rng rng(seed_, view == 0 ? Purpose::kViewOne : Purpose::kViewTwo, random_epoch(batch),
            random_example(batch, i));
    append(augmented, augment::augment({begin, begin + texts.length(i)}, recipe, options, rng));
  }
  return augmented;
}

ClearBatch ClearViews::make(const data::Batch& batch, const text::TokenBatch& texts) const {
  ClearBatch made;
  made.masked = options_.objective == ClearObjective::kDoubleMlm ? 2 : 1;
  std::vector<Rng> draws;  // a second mask continues the stream of the first
  for (int64_t i = 0; i < texts.texts(); ++i)
    draws.emplace_back(seed_, Purpose::kMlmMask, random_epoch(batch), random_example(batch, i));
  for (int64_t i = 0; i < made.masked; ++i)
    made.texts.push_back(mask(texts, draws, i * texts.tokens(), made));
  if (!options_.contrasts()) return made;
  for (const int view : {0, 1}) made.texts.push_back(augment(batch, texts, view));
  return made;
}

}  // namespace contrastive::methods
