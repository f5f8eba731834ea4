// The list of methods. A further one is a source beside this one and a line in registry.cpp;
// nothing else names a method.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "core/base/options.h"
#include "core/encoder/architecture.h"
#include "core/torch/methods/method.h"

namespace contrastive::methods {

// What the trained model gives: a vector of a text; or of a pair of texts a score, or a logit for
// each class, where it is a reranker.
enum class Gives { kVectors, kScores, kClasses };

// What a method's options say before any model or data is touched.
struct MethodTraits {
  Json rows;                        // its own keys, for cs_config_describe
  Config training_defaults;         // its values for the trainer's keys: batch size, learning rate,
                                    // schedule, ...
  bool in_batch_negatives = false;  // a batch of one example teaches nothing
  bool needs_pairs = false;         // every example must have a text b
  bool needs_labels = false;        // and a label
  std::string needed_by = {};    // the keys that these two come from, "config key 'consert.mode' is
                                 // joint"; empty: the method always needs them
  bool separates_pairs = false;  // the texts of a pair are examples of their own: nothing tells
                                 // them apart from single texts
  bool hard_negatives = false;   // an example's own negatives take part in its loss
  bool scores = false;  // and so do the scores of its texts, a teacher's or labels (data.scores)
  Gives gives = Gives::kVectors;
  bool caches = false;  // keeps something in MethodContext::cache_folder
  bool arranges_examples =
      false;  // Method::arrange() makes others of them: how many, only the tokenizer knows
  bool trains_encoder = true;  // Method::trains_encoder(): its weights must be float32
  std::vector<std::string> preset_keys =
      {};  // of `rows`: those whose values decide the defaults of all others
  // Of a method that can share the encoder with others in a run of several tasks: its keys that say
  // what that encoder is and what of it trains, which hold where its task is the first alone.
  // Empty: it cannot.
  std::vector<std::string> encoder_keys = {};
  // What each stage of a run sets, for methods that train in several: a stage is a run of its own,
  // and begins from the best weights of the one before.
  std::vector<Config> stages = {};
  // The views that are sentence vectors as the delivered model gives them, where compare() does
  // nothing but compare them: they may be cut to their first numbers (matryoshka.h). Empty: none
  // may, and `uncut` says why.
  std::vector<std::string> sentence_vectors = {};
  std::string uncut = "its loss stands behind layers that are as wide as the whole vectors";
  // What the config asks of a model that one of this shape does not have: kArgument naming the key.
  // Empty: nothing.
  std::function<void(const encoder::Architecture& shape)> check_shape = {};
};

// Where a method comes from, for the card of a model.
struct Paper {
  const char* method;  // as the paper calls it: "SimCSE"
  const char* tag;  // of the card: sentence-transformers' name of the loss where it has one, else
                    // the method's
  const char* bibtex;  // its last line ended
};

struct MethodEntry {
  const char* name;
  std::unique_ptr<Method> (*make)(const MethodContext& context);
  MethodTraits (*describe)(
      const Config& config);  // reads and validates the method's keys; kArgument names the bad one
  const char* summary;
  Paper paper;
};

const std::vector<MethodEntry>& all_methods();
const MethodEntry& find_method(
    const std::string& name);  // kArgument with the nearest name and the list

// What a config puts around its method: cuts of its vectors (matryoshka.h). The keys are the same
// for every method.
Json describe_wrappers();
// kArgument for keys that contradict each other or the method; `traits` are the method's.
void check_wrappers(const MethodEntry& entry, const MethodTraits& traits, const Config& config);
// The method of a run, with all that its config puts around it.
std::unique_ptr<Method> make_method(const MethodEntry& entry, const MethodContext& context);
// The dimensions that a run trains its vectors at, in the order of the config; empty: their own
// alone.
std::vector<int64_t> trained_dimensions(const Config& config);
// Where such vectors come from, for the card of a model.
const Paper& cut_vectors_paper();

template <class Options, class = void>
struct TunesEncoder : std::false_type {};
template <class Options>
struct TunesEncoder<Options, std::void_t<decltype(Options::encoder)>> : std::true_type {};

// The `describe` of a method whose options aggregate has: kPrefix, visit(), validate(config) const,
// training_defaults() const, kInBatchNegatives, kNeedsPairs; and, where it tunes the encoder, which
// it then may share, TunedEncoderOptions by the name of `encoder`.
template <class Options>
MethodTraits describe(const Config& config) {
  const auto options = read_options<Options>(config, Options::kPrefix);
  options.validate(config);
  MethodTraits traits{describe_options<Options>(Options::kPrefix), options.training_defaults(),
                      Options::kInBatchNegatives, Options::kNeedsPairs};
  if constexpr (TunesEncoder<Options>::value) {
    traits.check_shape = options.encoder.shape_check(config);
    traits.encoder_keys = options.encoder.shared_keys();
  }
  return traits;
}

}  // namespace contrastive::methods
