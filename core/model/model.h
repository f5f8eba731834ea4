// What a training run starts from and hands out: a sentence encoder or a reranker, by what the two
// have in common.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/encoder/encoder.h"
#include "core/io/model_folder.h"

namespace contrastive::model {

class CrossEncoder;
class SentenceEncoder;

class Model {
 public:
  virtual ~Model() = default;
  virtual const encoder::Encoder& encoder() const = 0;
  virtual const io::ModelFolder& folder() const = 0;  // everything but the encoder's weights
  virtual int64_t max_length() const = 0;
  virtual void set_card(io::ModelCard card) = 0;  // what save() says of its making, in the place of
                                                  // the README.md that was read
  virtual void save(const std::string& path) const = 0;
  virtual std::string fingerprint()
      const = 0;  // SHA-256 over everything that decides what it computes
  virtual Json info() const = 0;
};

// Null where it is the other kind, or null itself.
std::shared_ptr<SentenceEncoder> sentence_encoder(const std::shared_ptr<Model>& model);
std::shared_ptr<CrossEncoder> cross_encoder(const std::shared_ptr<Model>& model);

}  // namespace contrastive::model
