// The list of training methods. To add a method, add its sources and its line in registry.cpp;
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

// What the trained model gives: a vector of a text; or, for a reranker, a score of a pair of texts
// or a logit for each class.
enum class Gives { kVectors, kScores, kClasses };

// What a method's options determine before any model or data is read.
struct MethodTraits {
  Json rows;  // the method's own keys, for cs_config_describe
  // The method's values for the trainer's keys: batch size, learning rate, schedule, ...
  Config training_defaults;
  bool in_batch_negatives = false;  // a batch of one example teaches nothing
  bool needs_pairs = false;         // every example must have a text b
  bool needs_labels = false;        // every example must have a label
  // The keys that cause these two, such as "config key 'consert.mode' is joint"; empty: the method
  // always needs them.
  std::string needed_by = {};
  // The two texts of a pair are separate examples, trained like single texts.
  bool separates_pairs = false;
  bool hard_negatives = false;  // an example's own negatives take part in its loss
  bool scores = false;  // so do the scores of its texts, a teacher's or labels (data.scores)
  Gives gives = Gives::kVectors;
  bool caches = false;  // keeps data in MethodContext::cache_folder
  // Method::arrange() makes other examples of them; only the tokenizer knows how many.
  bool arranges_examples = false;
  bool trains_encoder = true;  // Method::trains_encoder(): its weights must be float32
  // Those of `rows` whose values decide the defaults of all others.
  std::vector<std::string> preset_keys = {};
  // For a method that can share the encoder with others in a run of several tasks: its keys that
  // define the encoder and what of it trains. They apply only if its task is the first. Empty: it
  // cannot share.
  std::vector<std::string> encoder_keys = {};
  // What each stage of a run sets, for methods that train in several stages. A stage is a separate
  // run that begins with the best weights of the one before.
  std::vector<Config> stages = {};
  // The views that are sentence vectors as the delivered model gives them, if compare() only
  // compares them: they may be cut to their first numbers (matryoshka.h). Empty: none may, and
  // `uncut` says why.
  std::vector<std::string> sentence_vectors = {};
  std::string uncut = "its loss comes after layers that are as wide as the whole vectors";
  // Checks what the config requires of a model of this shape: kArgument names the key if the model
  // does not have it. Empty: nothing to check.
  std::function<void(const encoder::Architecture& shape)> check_shape = {};
};

// The publication of a method, for the model card.
struct Paper {
  const char* method;  // as in the paper: "SimCSE"
  // For the card: sentence-transformers' name of the loss if it has one, otherwise the method's.
  const char* tag;
  const char* bibtex;  // ends with a newline
};

struct MethodEntry {
  const char* name;
  std::unique_ptr<Method> (*make)(const MethodContext& context);
  // Reads and validates the method's keys; kArgument names the bad one.
  MethodTraits (*describe)(const Config& config);
  const char* summary;
  Paper paper;
};

const std::vector<MethodEntry>& all_methods();
// kArgument with the nearest name and the list.
const MethodEntry& find_method(const std::string& name);

// The keys of what a config can put around its method: cuts of its vectors (matryoshka.h). They are
// the same for every method.
Json describe_wrappers();
// kArgument for keys that contradict each other or the method; `traits` are the method's.
void check_wrappers(const MethodEntry& entry, const MethodTraits& traits, const Config& config);
// Makes the method of a run, with all that its config puts around it.
std::unique_ptr<Method> make_method(const MethodEntry& entry, const MethodContext& context);
// The dimensions at which a run trains its vectors, in the order of the config; empty: only their
// full dimension.
std::vector<int64_t> trained_dimensions(const Config& config);
// The publication of vectors that may be cut, for the model card.
const Paper& cut_vectors_paper();

template <class Options, class = void>
struct TunesEncoder : std::false_type {};
template <class Options>
struct TunesEncoder<Options, std::void_t<decltype(Options::encoder)>> : std::true_type {};

// The `describe` of a method. Its options aggregate must have kPrefix, visit(), validate(config)
// const, training_defaults() const, kInBatchNegatives and kNeedsPairs. If it tunes the encoder, and
// so can share it, it must also have a TunedEncoderOptions named `encoder`.
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
