#include "core/data/block_packer.h"

#include <algorithm>
#include <vector>

#include "core/base/error.h"
#include "core/base/log.h"

namespace contrastive::data {
namespace {

template <class Visit>
void for_each_line(std::string_view text, const Visit& visit) {
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

class BlockDataset : public Dataset {
 public:
  BlockDataset(std::shared_ptr<const Dataset> sentences, const BlockTokenizer& tokenizer)
      : sentences_(std::move(sentences)) {
    int64_t filled = 0, cut = 0;
    for (int64_t i = 0; i < sentences_->size(); ++i) {
      int64_t ids = 0;
      for_each_line(text_of(i), [&](std::string_view line) { ids += tokenizer.line_ids(line); });
      cut += ids > tokenizer.room() ? 1 : 0;
      if (firsts_.empty() || filled + ids > tokenizer.room()) {
        firsts_.push_back(i);
        filled = 0;
      }
      filled += ids;
    }
    check(!firsts_.empty(), Status::kArgument, "blocks of a dataset without examples");
    fingerprint_ =
        cat(sentences_->fingerprint(), "-blocks-", tokenizer.room() + 1, "-", firsts_.size());
    log_info(sentences_->size(), " texts make ", firsts_.size(), " blocks of up to ",
             tokenizer.room() + 1, " ids");
    if (cut > 0) log_warning(cut, " texts are longer than a block: they are cut");
  }

  int64_t size() const override { return static_cast<int64_t>(firsts_.size()); }

  Example get(int64_t index) const override {
    check(index >= 0 && index < size(), Status::kArgument, "block ", index, " of a dataset of ",
          size());
    const auto place = static_cast<size_t>(index);
    const int64_t end = place + 1 < firsts_.size() ? firsts_[place + 1] : sentences_->size();
    Example block;
    for (int64_t i = firsts_[place]; i < end; ++i) block.a += text_of(i) + "\n";
    return block;
  }

  void add(Example) override {
    fail(Status::kState, "a dataset of blocks takes no further examples");
  }
  std::string fingerprint() const override { return fingerprint_; }
  void check_unchanged() const override { sentences_->check_unchanged(); }
  const DatasetReport& report() const override { return sentences_->report(); }

 private:
  std::string text_of(int64_t index) const {
    Example example = sentences_->get(index);
    return example.has_b ? example.a + "\n" + example.b : std::move(example.a);
  }

  std::shared_ptr<const Dataset> sentences_;
  std::vector<int64_t> firsts_;  // [blocks] the first sentence of each
  std::string fingerprint_;
};

}  // namespace

BlockTokenizer::BlockTokenizer(const text::Tokenizer& tokenizer, int64_t max_length)
    : tokenizer_(tokenizer), max_length_(max_length) {
  const std::vector<int32_t> around = tokenizer.encode("", 0).ids;
  check(around.size() == 2, Status::kUnsupported,
        "blocks need a tokenizer that puts one special token before a text and one behind it, not ",
        around.size(), " around it");
  check(max_length > 2, Status::kArgument, "blocks of ", max_length, " ids have no room for text");
  begin_ = around[0];
  end_ = around[1];
}

int64_t BlockTokenizer::line_ids(std::string_view line) const {
  text::TokenBatch batch;
  if (!line.empty()) tokenizer_.append(line, 0, batch);
  return batch.tokens() > 2 ? batch.tokens() - 1 : 0;
}

void BlockTokenizer::append(std::string_view text, text::TokenBatch& batch) const {
  std::vector<int32_t> ids = {begin_};
  int64_t full = 1;
  bool open = true;
  text::TokenBatch line_batch;
  for_each_line(text, [&](std::string_view line) {
    line_batch.clear();
    if (!line.empty()) tokenizer_.append(line, max_length_, line_batch);
    if (line_batch.tokens() <= 2) return;
    full += line_batch.full_lengths.front() - 1;
    open = open && static_cast<int64_t>(ids.size()) + line_batch.tokens() - 1 <= max_length_;
    if (open) ids.insert(ids.end(), line_batch.ids.begin() + 1, line_batch.ids.end());
  });
  if (ids.size() == 1) ids.push_back(end_), full = std::max<int64_t>(full, 2);
  batch.ids.insert(batch.ids.end(), ids.begin(), ids.end());
  batch.type_ids.resize(batch.ids.size(), 0);
  batch.offsets.push_back(batch.tokens());
  batch.full_lengths.push_back(static_cast<int32_t>(full));
}

std::shared_ptr<const Dataset> pack_blocks(std::shared_ptr<const Dataset> sentences,
                                           const BlockTokenizer& tokenizer) {
  return std::make_shared<BlockDataset>(std::move(sentences), tokenizer);
}

}  // namespace contrastive::data
