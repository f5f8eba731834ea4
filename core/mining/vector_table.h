// The vectors of a table's texts, in a folder that outlives the process, so that an interrupted run
// continues with what it has embedded. The key of a vector is the SHA-256 of what decides it: the
// model, how it embeds, the prompt and the text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/data/row_store.h"
#include "core/eval/text_encoder.h"
#include "core/mining/text_table.h"
#include "core/retrieval/similarity.h"

namespace contrastive::mining {

// An encoder for texts. `identity` names everything that decides the vectors.
struct NamedEncoder {
  eval::TextEncoder encoder;
  std::string identity;
  std::string prompt = {};  // put before every text
};

class VectorTable {
 public:
  // All vectors of a store have the same length. `encoder` and `texts` must outlive this.
  VectorTable(const NamedEncoder& encoder, const TextTable& texts,
              std::shared_ptr<data::RowStore> store);

  // Embeds the texts that the store does not have yet, out of all texts or out of `numbers`. `what`
  // is for the log: "texts embedded".
  void embed(const std::string& what, const Cancel* cancel);
  void embed(const std::vector<int64_t>& numbers, const std::string& what, const Cancel* cancel);

  int64_t size() const { return texts_.size(); }
  int64_t dimension() const { return encoder_.encoder.dimension; }
  // Number of texts that this object embedded; the store had the others.
  int64_t embedded() const { return embedded_; }
  // Vectors of embedded texts: [count, dimension].
  void copy(int64_t first, int64_t count, float* into) const;
  void copy(const std::vector<int64_t>& numbers, float* into) const;
  // The similarity of `query` [dimension] with each of `numbers`, which may be all texts: only some
  // thousand vectors are in memory at a time.
  void score(const float* query, const std::vector<int64_t>& numbers, retrieval::Metric metric,
             float* scores) const;

 private:
  void copy_one(int64_t number, float* into) const;

  const NamedEncoder& encoder_;
  const TextTable& texts_;
  std::shared_ptr<data::RowStore> store_;
  std::vector<int64_t> rows_;  // [texts] row in the store; kAbsent if not embedded
  int64_t embedded_ = 0;
};

// Opens the store for the vectors of one model in `folder`. `identity` as in NamedEncoder, without
// the prompt: queries and documents share a store.
std::shared_ptr<data::RowStore> open_vector_store(const std::string& folder,
                                                  const std::string& identity, int64_t dimension);
// Removes the stores in `folder`, and the folder too if nothing else is in it.
void remove_vector_stores(const std::string& folder) noexcept;

}  // namespace contrastive::mining
