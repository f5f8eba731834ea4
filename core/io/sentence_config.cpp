#include "core/io/sentence_config.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/stated_keys.h"

namespace contrastive::io {
namespace {

constexpr int64_t kLongest = 1 << 24;

// Where to get files from; has no effect on a folder that is already local.
const std::set<std::string> kHubKeys = {"cache_dir",        "force_download", "local_files_only",
                                        "revision",         "subfolder",      "token",
                                        "trust_remote_code"};

// The object under either of a key's two names, or an empty one. sentence-transformers prefers the
// old name.
const Json& arguments_of(const JsonObject& config, const char* old_name, const char* name) {
  static const Json kNone = Json::object();
  const char* const key = config.has(old_name) ? old_name : name;
  if (!config.has(key)) return kNone;
  check(config.at(key).is_object(), Status::kFormat, config.source(), ": ", key,
        " must be an object");
  return config.at(key);
}

// Throws kUnsupported for a key of `arguments` that is neither in `idle` nor one of the hub's.
// `advice` says what to do.
void only_idle(const Json& arguments, const std::set<std::string>& idle, const std::string& source,
               const char* advice) {
  for (const auto& [key, value] : arguments.items()) {
    check(idle.count(key) > 0 || kHubKeys.count(key) > 0 || value.is_null(), Status::kUnsupported,
          source, ": ", key.substr(0, 100), " is ", dump_ascii(value).substr(0, 80),
          ", which is not read here: ", advice);
  }
}

// The arguments of calls of the tokenizer. The common ones come before those of texts.
void read_processing(const JsonObject& config, const std::string& task, SentenceConfig& result) {
  if (!config.has("processing_kwargs")) return;
  const JsonObject all(config.at("processing_kwargs"), config.source() + ": processing_kwargs");
  const std::set<std::string> idle = {
      "padding",        "padding_side",  "pad_to_multiple_of",         "return_tensors",
      "stride",         "return_length", "return_special_tokens_mask", "return_offsets_mapping",
      "logits_to_keep", "verbose"};
  for (const char* part : {"text", "common"}) {
    if (!all.has(part)) continue;
    const std::string source = all.source() + "." + part;
    const JsonObject options(all.at(part), source);
    result.max_seq_length = options.integer("max_length", 1, kLongest, result.max_seq_length);
    Json rest = all.at(part);
    rest.erase("max_length");
    if (options.has("truncation")) {
      const Json& truncation = options.at("truncation");
      const bool cuts = truncation == true || truncation == "longest_first" ||
                        (truncation == "only_first" && task == "feature-extraction");
      const bool leaves = truncation == false || truncation == "do_not_truncate";
      check(cuts || leaves, Status::kUnsupported, source, ": truncation is ",
            dump_ascii(truncation).substr(0, 80),
            "; known: true, false, \"longest_first\", \"do_not_truncate\"");
      result.truncates = cuts;
      rest.erase("truncation");
    }
    for (const char* key :
         {"add_special_tokens", "return_attention_mask", "return_token_type_ids"}) {
      if (options.boolean(key, true)) rest.erase(key);
    }
    for (const char* key : {"is_split_into_words", "return_overflowing_tokens"}) {
      if (!options.boolean(key, false)) rest.erase(key);
    }
    only_idle(rest, idle, source, "remove it if the model does without it");
  }
}

// The arguments that the tokenizer is made with.
void read_processor(const JsonObject& config, SentenceConfig& result) {
  Json rest = arguments_of(config, "tokenizer_args", "processor_kwargs");
  const std::string source =
      config.source() + (config.has("tokenizer_args") ? ": tokenizer_args" : ": processor_kwargs");
  result.max_seq_length = JsonObject(rest, source)
                              .integer("model_max_length", 1, std::numeric_limits<int64_t>::max(),
                                       result.max_seq_length);
  result.max_seq_length = std::min(result.max_seq_length, kLongest);
  rest.erase("model_max_length");
  if (rest.contains("truncation_side") && rest["truncation_side"] == "right")
    rest.erase("truncation_side");
  only_idle(rest, {"use_fast", "padding_side", "clean_up_tokenization_spaces"}, source,
            "state it in tokenizer_config.json, and remove it here");
}

// Checks which output of the encoder is used as token states, and for which kinds of input.
void check_modalities(const JsonObject& config, const std::string& task) {
  if (!config.has("modality_config")) return;
  const bool reranker = task == "sequence-classification";
  const std::string output = reranker ? "logits" : "last_hidden_state",
                    feature = reranker ? "scores" : "token_embeddings";
  const JsonObject all(config.at("modality_config"), config.source() + ": modality_config");
  check(!all.has("message"), Status::kUnsupported, all.source(),
        ".message: sentence-transformers puts every text into a chat template first, which is not "
        "run here: remove it to embed texts as they are");
  check(all.has("text"), Status::kUnsupported, all.source(),
        " has no text: this model embeds something else than texts");
  const JsonObject text(all.at("text"), all.source() + ".text");
  const std::string method = text.string("method", "forward");
  check(method == "forward", Status::kUnsupported, text.source(), ".method '", method.substr(0, 60),
        "' is not known; known: forward");
  const Json stated = text.has("method_output_name") ? text.at("method_output_name") : Json(output);
  check(stated == output || stated == Json::array({output}), Status::kUnsupported, text.source(),
        ".method_output_name is ", dump_ascii(stated).substr(0, 80), "; only ", output, " is read",
        reranker ? "" : ". For another layer or the pooler load the model with key pooling");
  const std::string module_output = config.string("module_output_name", feature);
  check(module_output == feature, Status::kUnsupported, config.source(), ": module_output_name '",
        module_output.substr(0, 60), "' is not known; known: ", feature);
}

void note_lengths(const JsonObject& config, std::vector<std::string>& notes) {
  for (const char* key : {"query_length", "document_length"}) {
    if (config.has(key))
      notes.push_back(cat(
          key,
          " is ignored: sentence-transformers uses it only in encode_query and encode_document"));
  }
}

}  // namespace

SentenceConfig read_sentence_config(const std::string& transformer_folder,
                                    std::vector<std::string>& notes, const char* task) {
  SentenceConfig result;
  for (const char* name :
       {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    const std::string path = transformer_folder + "/sentence_" + name + "_config.json";
    if (!path_exists(path)) continue;
    const Json json = read_json_file(path);
    const JsonObject config(json, path);
    result.file = path;
    result.max_seq_length = config.integer("max_seq_length", 1, kLongest, 0);
    result.do_lower_case = config.boolean("do_lower_case", false);
    const std::string stated = config.string("transformer_task", task);
    check(stated == task, Status::kUnsupported, path, ": transformer_task '", stated.substr(0, 60),
          "' is not known; known: ", task);
    check_stated_keys("sentence_bert_config.json", json, path, notes);
    check_modalities(config, task);
    note_lengths(config, notes);
    read_processor(config, result);
    read_processing(config, task, result);
    only_idle(arguments_of(config, "model_args", "model_kwargs"),
              {"torch_dtype", "dtype", "attn_implementation", "device_map", "low_cpu_mem_usage",
               "use_safetensors", "add_pooling_layer"},
              path + ": model_kwargs (model_args)", "remove it if the model does without it");
    for (const auto& [key, value] : arguments_of(config, "config_args", "config_kwargs").items()) {
      if (kHubKeys.count(key) == 0) result.config_changes[key] = value;
    }
    if (!result.config_changes.empty())
      notes.push_back("config_args of " + path.substr(path.rfind('/') + 1) +
                      " replace keys of config.json");
    for (const char* key :
         {"processing_kwargs", "query_length", "document_length", "unpad_inputs"}) {
      if (config.has(key)) result.kept[key] = config.at(key);
    }
    break;
  }
  return result;
}

}  // namespace contrastive::io
