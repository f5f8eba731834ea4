// The common base of sentence encoders and rerankers: what a training run starts from and returns.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/json.h"
#include "core/encoder/encoder.h"
#include "core/io/model_folder.h"

namespace contrastive::model {

class CrossEncoder;
class Replicas;
class SentenceEncoder;

class Model {
 public:
  virtual ~Model() = default;
  virtual const encoder::Encoder& encoder() const = 0;
  virtual const Replicas& replicas() const = 0;
  virtual const io::ModelFolder& folder() const = 0;  // everything except the encoder's weights
  virtual int64_t max_length() const = 0;
  virtual void set_card(io::ModelCard card) = 0;  // the model card that save() writes, instead of
                                                  // the README.md that was read
  virtual void save(const std::string& path) const = 0;
  virtual std::string fingerprint() const = 0;  // SHA-256 over everything that affects its results
  virtual Json info() const = 0;
};

// The bytes of the model's weights on all devices.
int64_t weight_bytes(const Model& model);

// Downcasts. Null if the model is of the other kind or is null.
std::shared_ptr<SentenceEncoder> sentence_encoder(const std::shared_ptr<Model>& model);
std::shared_ptr<CrossEncoder> cross_encoder(const std::shared_ptr<Model>& model);

}  // namespace contrastive::model
