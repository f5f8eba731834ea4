// The model that is served, its embedding options, and the corpus of /search with its vectors. It
// is immutable: a reload makes a new engine, and requests that started with the old one finish with
// it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "capi/program/corpus.h"
#include "capi/program/handle.h"
#include "capi/program/serve/settings.h"

namespace contrastive::cli::serve {

// The embedding options that may differ between requests. Requests with equal ones are embedded
// together.
struct Manner {
  int dimensions = 0;  // 0: all
  std::string prompt;  // the name of one of the model's prompts; "": the server's default
  bool operator==(const Manner& other) const {
    return dimensions == other.dimensions && prompt == other.prompt;
  }
};

class Engine {
 public:
  // Loads the model and embeds the corpus. A Failure if it cannot.
  static std::shared_ptr<const Engine> load(const ServeSettings& settings);

  const cs_model* model() const { return model_.get(); }
  const std::string& name() const { return name_; }
  int32_t dimension() const { return dimension_; }       // with the server's own options
  int32_t max_length() const { return max_length_; }     // tokens beyond which a text is cut
  const std::string& info() const { return info_; }      // cs_model_info
  const std::string& metric() const { return metric_; }  // the default for requests
  // Computed once, because this route needs no key and may be requested often.
  const std::string& openapi() const { return openapi_; }
  int32_t dimension(const Manner& manner) const {
    return manner.dimensions > 0 ? manner.dimensions : dimension_;
  }

  // Tokens of a text, at most max_length().
  int32_t count_tokens(const std::string& text) const;
  // Sets `embeddings` [texts.size(), dimension(manner)], and in `counts` the tokens of each text
  // before truncation. `cancel` may be null.
  void embed(const std::vector<const std::string*>& texts, const Manner& manner, float* embeddings,
             int32_t* counts, const cs_cancel* cancel) const;

  const std::vector<std::string>& corpus() const { return corpus_.texts; }
  // The size of a text of the corpus as a JSON string.
  int64_t quoted_bytes(int32_t index) const { return quoted_bytes_[static_cast<size_t>(index)]; }
  struct Hits {
    int64_t k = 0;
    std::vector<int32_t> indices;
    std::vector<float> scores;
  };
  Hits search(const std::vector<float>& queries, int64_t n, int64_t k, int32_t metric,
              const cs_cancel* cancel) const;

 private:
  Model model_;
  EmbedArguments arguments_;
  std::string name_, info_, metric_, openapi_;
  int32_t dimension_ = 0, max_length_ = 0;
  Corpus corpus_;
  std::vector<int64_t> quoted_bytes_;
};

}  // namespace contrastive::cli::serve
