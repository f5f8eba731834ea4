#include "core/io/model_folder.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/encoder/static_encoder.h"
#include "core/io/folder_snapshot.h"
#include "core/io/hf_config.h"
#include "core/io/modules.h"
#include "core/io/sentence_config.h"
#include "core/io/shard_index.h"
#include "core/io/static_table.h"
#include "core/io/tokenizer_files.h"
#include "core/io/weight_names.h"

namespace contrastive::io {
namespace {

// The command that downloads the model if `path` could be its name ("all-MiniLM-L6-v2",
// "intfloat/e5-small-v2"), otherwise a general one.
std::string how_to_get(const std::string& path) {
  const auto in_name = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '-' ||
           c == '_' || c == '.' || c == '/';
  };
  const auto slashes = std::count(path.begin(), path.end(), '/');
  const bool name = path.front() != '.' && path.front() != '/' && path.back() != '/' &&
                    slashes <= 1 && std::all_of(path.begin(), path.end(), in_name);
  if (!name) return "`hf download ORGANISATION/NAME --local-dir FOLDER` fetches one";
  return cat("`hf download ", slashes == 0 ? "sentence-transformers/" : "", path, " --local-dir ",
             path, "` fetches one of that name");
}

// Reports what `path` is if it is not a folder that can be read.
void check_folder(const std::string& path) {
  check(!path.empty(), Status::kArgument, "the path of the model is empty");
  check(path.find('\0') == std::string::npos, Status::kArgument,
        "the path of the model holds a NUL");
  const auto entries = open_entries(path);
  if (!entries) {
    const int error = errno;
    check(error != ENOTDIR, Status::kArgument, path,
          ": a folder is needed (config.json, model.safetensors, ...), not a file");
    check(error != ENOENT, Status::kNotFound, path,
          ": no such folder; models are read from local folders, nothing is downloaded: ",
          how_to_get(path));
    fail_system(path, "cannot be opened", error);
  }
  const bool empty = next_entry(entries.get(), path) == nullptr;
  check(!empty, Status::kNotFound, path, ": the folder is empty");
}

// Checks that the modules of a Dense stack fit their configs, and that each module's input has the
// width of the previous one's output.
void check_widths(const ModuleList& modules, const encoder::Architecture& encoder) {
  check(modules.pooling.width == 0 || modules.pooling.width == encoder.hidden_size,
        Status::kMismatch, "the Pooling module is for embeddings of width ", modules.pooling.width,
        ", but config.json says hidden_size ", encoder.hidden_size);
  int64_t width = encoder.hidden_size * static_cast<int64_t>(modules.pooling.poolings.size());
  for (const DenseConfig& dense : modules.dense) {
    check(dense.in_features == width, Status::kMismatch, dense.folder, "/config.json: in_features ",
          dense.in_features, ", but the module before gives ", width);
    width = dense.out_features;
  }
}

TensorReadOptions tensor_options(const ReadOptions& options) {
  TensorReadOptions read;
  read.allow_non_finite = options.allow_non_finite;
  read.memory_map = options.memory_map;
  return read;
}

DenseModule read_dense_weights(const DenseConfig& config, const ReadOptions& options) {
  const WeightFiles files = open_weight_files(config.folder, options.allow_pickle);
  const std::string& path = files.files[0]->path();
  std::vector<TensorSource> sources;
  const auto want = [&](const char* name, const std::vector<int64_t>& shape) {
    const auto found =
        std::find_if(files.tensors.begin(), files.tensors.end(),
                     [&](const TensorSource& source) { return source.entry->name == name; });
    check(found != files.tensors.end(), Status::kMismatch, path, ": tensor '", name,
          "' is missing");
    check(found->entry->shape == shape, Status::kMismatch, path, ": tensor '", name, "' is ",
          shape_text(found->entry->shape), " where config.json asks for ", shape_text(shape));
    sources.push_back(*found);
  };
  want("linear.weight", {config.out_features, config.in_features});
  if (config.bias) want("linear.bias", {config.out_features});
  check(files.tensors.size() == sources.size(), Status::kMismatch, path, ": holds ",
        files.tensors.size(), " tensors where its config.json asks for ", sources.size());
  DenseModule dense;
  dense.activation = config.activation;
  dense.normalizes = config.normalizes;
  if (!options.load_weights) return dense;
  const std::vector<Tensor> tensors = read_tensors(sources, tensor_options(options));
  dense.weight = tensors[0];
  if (config.bias) dense.bias = tensors[1];
  return dense;
}

// Shares the tensor's numbers.
Tensor rows_of(const Tensor& tensor, int64_t first, int64_t rows) {
  if (rows == tensor.size(0)) return tensor;
  std::vector<int64_t> shape = tensor.shape();
  const int64_t row_bytes = tensor.bytes() / shape[0];
  shape[0] = rows;
  Tensor whole = tensor;
  return Tensor(shape, tensor.type(), static_cast<char*>(whole.mutable_data()) + first * row_bytes,
                tensor.owner());
}

void merge_adapter_folder(const std::string& folder, const ReadOptions& options,
                          ModelFolder& model) {
  const Adapter adapter = read_adapter(folder, model.encoder);
  if (options.load_weights) merge_adapter(adapter, model.weights, folder);
  model.notes.push_back(cat("the adapter ", folder, " is merged into the weights: rank ",
                            adapter.rank, ", scale ", adapter.scale(), ", ", adapter.modules.size(),
                            " modules"));
}

// Returns the files that were read.
std::vector<std::string> read_weights(const std::string& folder, const ReadOptions& options,
                                      ModelFolder& model) {
  const WeightFiles files = open_weight_files(folder, options.allow_pickle);
  std::vector<std::string> paths;
  for (const auto& file : files.files) paths.push_back(file->path());
  std::map<std::string, TensorSource> classifier;
  if (model.classifier != nullptr)
    classifier = find_classifier(files.tensors, model.encoder, *model.classifier, folder);
  // A decoder with its own weights does not fit the encoder's weights: such a head is not read.
  const bool tied =
      JsonObject(model.config, folder + "/config.json").boolean("tie_word_embeddings", true);
  std::map<std::string, TensorSource> head;
  if (tied && model.classifier == nullptr)
    head = find_mlm_head(files.tensors, model.encoder, model.notes);
  if (!head.empty())
    model.notes.push_back(cat("the head of the masked language model, ", head.size(),
                              " tensors, is read for training with it"));
  const std::map<std::string, WeightSource> matched =
      match_weights(files.tensors, model.encoder, folder, model.notes,
                    model.classifier != nullptr ? classifier : head);
  if (!options.load_weights) return paths;
  std::vector<TensorSource> sources;
  std::map<const TensorEntry*, size_t> place;  // one tensor may contain several weights
  const auto want = [&](const TensorSource& source) {
    if (place.emplace(source.entry, sources.size()).second) sources.push_back(source);
  };
  for (const auto& item : matched) want(item.second.tensor);
  for (const auto& item : head) want(item.second);
  for (const auto& item : classifier) want(item.second);
  const std::vector<Tensor> tensors = read_tensors(sources, tensor_options(options));
  for (const auto& [name, source] : matched)
    model.weights[name] =
        rows_of(tensors[place.at(source.tensor.entry)], source.first_row, source.rows);
  for (const auto& item : head) model.mlm_head[item.first] = tensors[place.at(item.second.entry)];
  if (model.classifier != nullptr) {
    Classifier read = *model.classifier;
    for (const auto& item : classifier)
      read.weights[item.first] = tensors[place.at(item.second.entry)];
    model.classifier = std::make_shared<const Classifier>(std::move(read));
  }
  return paths;
}

void read_tokenizer(const ModuleList& modules, const SentenceConfig& sentence,
                    text::InvalidUtf8 invalid_utf8, ModelFolder& model) {
  model.tokenizer_folder = modules.transformer_folder;
  model.tokenizer = modules.is_static
                        ? load_static_tokenizer(model.tokenizer_folder, is_model2vec(model.config),
                                                invalid_utf8, &model.notes)
                        : load_tokenizer(model.tokenizer_folder, invalid_utf8, &model.notes);
  model.tokenizer_files = read_tokenizer_bytes(model.tokenizer_folder);
  const int64_t tokens = model.tokenizer->vocab_size(), rows = model.encoder.vocab_size;
  check(tokens <= rows, Status::kMismatch, model.tokenizer_folder, ": the tokenizer has ", tokens,
        " tokens, the embedding matrix only ", rows, " rows");
  if (tokens < rows) {
    model.notes.push_back(cat("the tokenizer has ", tokens, " tokens, the embedding matrix ", rows,
                              " rows: the others are never used"));
  }
  if (sentence.do_lower_case) {
    // If the tokenizer already lower-cases, the setting has no effect. Otherwise the text would
    // have to be changed before it, which is not implemented.
    const bool void_setting =
        model.tokenizer->encode("AB", 0).ids == model.tokenizer->encode("ab", 0).ids;
    check(void_setting, Status::kUnsupported, modules.transformer_folder,
          ": do_lower_case is true, but the tokenizer keeps case");
  }
}

// core/torch/methods/README.md 2: the value in sentence_bert_config.json, otherwise the smaller of
// the position table and the tokenizer's own limit.
void resolve_max_length(const SentenceConfig& sentence, ModelFolder& model) {
  const int64_t positions = model.encoder.max_tokens();
  model.max_seq_length = positions;
  if (encoder::is_static(model.encoder)) {
    const int64_t stated = is_model2vec(model.config)
                               ? model2vec_length(model.config, "config.json")
                               : model.tokenizer->model_max_length();
    if (stated > 0) model.max_seq_length = std::min(stated, positions);
    return;
  }
  const int64_t tokenizer_limit = model.tokenizer->model_max_length();
  if (!sentence.truncates) {
    model.notes.push_back(cat("processing_kwargs turns truncation off: texts are cut at ",
                              positions, " tokens, the most that the encoder takes"));
    return;
  }
  if (sentence.max_seq_length > 0) {
    model.max_seq_length = std::min(sentence.max_seq_length, positions);
    if (sentence.max_seq_length > positions) {
      model.notes.push_back(cat("max_seq_length ", sentence.max_seq_length, " is more than the ",
                                positions, " positions of the model: cut to that"));
    }
    return;
  }
  if (tokenizer_limit > 0) model.max_seq_length = std::min(positions, tokenizer_limit);
  model.notes.push_back(
      cat("no max_seq_length is stated: ", model.max_seq_length, " is used, from ",
          tokenizer_limit > 0 && tokenizer_limit <= positions ? "the tokenizer" : "the model"));
}

// "read from config.json, model.safetensors, ...": which of the files that a checkpoint may contain
// were used.
std::string reading_note(const std::string& folder, std::vector<std::string> files,
                         const ModelFolder& model) {
  const bool one_file = model.tokenizer_files.count("tokenizer.json") > 0,
             words = model.tokenizer_files.count("vocab.txt") > 0;
  files.push_back(model.tokenizer_folder + (one_file ? "/tokenizer.json"
                                            : words  ? "/vocab.txt"
                                                     : "/vocab.json"));
  std::string text;
  for (const std::string& file : files) {
    if (!file.empty())
      text += (text.empty() ? "read from " : ", ") + file.substr(folder.size() + 1);
  }
  return text;
}

std::string without_slashes(std::string folder) {
  while (folder.size() > 1 && folder.back() == '/') folder.pop_back();
  return folder;
}

// `path` without trailing slashes. Checks that it is a folder.
std::string folder_of(const std::string& path) {
  check_folder(path);
  return without_slashes(path);
}

// In a hub's cache, a model is in .../models--owner--name/snapshots/revision.
std::string origin_of(const std::string& folder) {
  const std::string name = base_name(folder),
                    owner = base_name(parent_folder(parent_folder(folder))), kBegin = "models--";
  const size_t between = owner.find("--", kBegin.size());
  const bool cached = base_name(parent_folder(folder)) == "snapshots" &&
                      owner.rfind(kBegin, 0) == 0 && between != std::string::npos;
  if (cached)
    return owner.substr(kBegin.size(), between - kBegin.size()) + "/" + owner.substr(between + 2);
  return name == "." || name == ".." ? "" : name;
}

// True if `path` is a symbolic link that does not lead into the cache of a hub, where every file is
// a link to "../../blobs/<digest>".
bool leads_elsewhere(const std::string& path) {
  const std::string to = link_target(path), kBlobs = "../../blobs/";
  if (to.empty()) return false;
  const bool digest = to.size() > kBlobs.size() &&
                      to.find_first_not_of("0123456789abcdef", kBlobs.size()) == std::string::npos;
  return !begins_with(to, kBlobs) || !digest;
}

// A save of the model writes this file back, so a link to another file of this machine would
// publish that file. The README affects no result, so problems with it are only noted.
std::string read_readme(const std::string& path, ModelFolder& model) {
  constexpr int64_t kMostBytes = int64_t{4} << 20;
  if (leads_elsewhere(path)) {
    model.notes.push_back(cat("left out: ", path, ": it is a symbolic link"));
    return "";
  }
  try {
    return path_exists(path) ? read_file(path, kMostBytes) : "";
  } catch (const Error& error) {
    model.notes.push_back(cat("left out: ", error.message()));
    return "";
  }
}

constexpr const char* kWordTable = "embeddings.word_embeddings.weight";

std::string config_file(const ModuleList& modules) {
  return modules.transformer_folder + "/config.json";
}

// Sets model.config and model.encoder.
void read_config(const ModuleList& modules, const SentenceConfig& sentence, ModelFolder& model) {
  const std::string file = config_file(modules);
  if (modules.is_static) {  // sentence-transformers describes it only by its table
    model.config = path_exists(file) ? read_json_file(file) : Json::object();
    model.encoder = read_static_shape(modules.transformer_folder);
    return;
  }
  check(path_exists(file) || !path_exists(modules.transformer_folder + "/adapter_config.json"),
        Status::kNotFound, file,
        ": not there: this folder holds an adapter and no model. Load the model that it was "
        "trained on, with this folder as key adapter");
  check(path_exists(file), Status::kNotFound, file, ": not there, so this is not a model folder");
  model.config = read_json_file(file);
  for (const auto& [key, value] : sentence.config_changes.items()) {
    if (model.config.is_object()) model.config[key] = value;
  }
  model.encoder = read_hf_config(model.config, file, model.notes);
}

// Reads a reranker's head and checks that no modules come after it.
void read_classifier_config(const std::string& folder, const ModuleList& modules,
                            const PromptConfig& prompts, ModelFolder& model) {
  check(modules.pooling.poolings.empty() && modules.dense.empty() && !modules.normalize,
        Status::kUnsupported, folder,
        "/modules.json: a reranker is a Transformer alone; this is a sentence encoder");
  Classifier classifier = read_classifier(model.config, config_file(modules), model.encoder);
  if (!prompts.activation_class.empty())
    classifier.activation =
        activation_from_class(prompts.activation_class, prompts.file + ": activation_fn");
  model.classifier = std::make_shared<const Classifier>(std::move(classifier));
}

const char* task_of(bool reranker) {
  return reranker ? "sequence-classification" : "feature-extraction";
}

// sentence-transformers reads its own two files only if there is a modules.json.
SentenceConfig sentence_config_of(const ModuleList& modules, bool reranker,
                                  std::vector<std::string>& notes) {
  return modules.listed ? read_sentence_config(modules.transformer_folder, notes, task_of(reranker))
                        : SentenceConfig();
}

PromptConfig prompt_config_of(const std::string& folder, const ModuleList& modules, bool reranker,
                              std::vector<std::string>& notes) {
  if (modules.listed)
    return read_prompt_config(folder, notes, reranker ? "CrossEncoder" : "SentenceTransformer");
  for (const char* name : {"config_sentence_transformers.json", "sentence_bert_config.json"}) {
    if (path_exists(cat(folder, "/", name)))
      notes.push_back(
          cat(name, " is ignored without modules.json, as sentence-transformers ignores it"));
  }
  return {};
}

ModelFolder read_held_folder(const std::string& folder, const ReadOptions& options) {
  ModelFolder model;
  const ModuleList modules = read_modules(folder, model.notes);
  PromptConfig prompts = prompt_config_of(folder, modules, options.classifier, model.notes);
  const SentenceConfig sentence = sentence_config_of(modules, options.classifier, model.notes);
  model.sentence_keys = sentence.kept;
  read_config(modules, sentence, model);
  model.poolings = modules.pooling.poolings;
  model.include_prompt = modules.pooling.include_prompt;
  model.normalize = modules.normalize;
  check_widths(modules, model.encoder);
  if (options.classifier) read_classifier_config(folder, modules, prompts, model);
  model.prompts = std::move(prompts.prompts);
  model.default_prompt_name = std::move(prompts.default_prompt_name);
  model.similarity = std::move(prompts.similarity);
  model.truncate_dim = prompts.truncate_dim;
  read_tokenizer(modules, sentence, options.invalid_utf8, model);
  resolve_max_length(sentence, model);
  for (const DenseConfig& dense : modules.dense)
    model.dense.push_back(read_dense_weights(dense, options));
  std::vector<std::string> files;
  if (modules.is_static) {
    files = {modules.transformer_folder + "/model.safetensors"};
    if (options.load_weights)
      model.weights[kWordTable] =
          read_static_table(modules.transformer_folder, tensor_options(options));
  } else {
    files = read_weights(modules.transformer_folder, options, model);
  }
  if (path_exists(config_file(modules))) files.insert(files.begin(), config_file(modules));
  files.insert(files.end(), modules.files.begin(), modules.files.end());
  files.insert(files.end(), {sentence.file, prompts.file});
  model.notes.insert(model.notes.begin(), reading_note(folder, files, model));
  model.origin = origin_of(folder);
  model.readme = read_readme(folder + "/README.md", model);
  // As in transformers, an adapter in the folder of the weights belongs to the model.
  const std::string& own = modules.transformer_folder;
  const bool beside = !modules.is_static && path_exists(own + "/adapter_config.json");
  if (beside) merge_adapter_folder(own, options, model);
  if (!options.adapter.empty() && !(beside && is_same_file(options.adapter, own))) {
    merge_adapter_folder(without_slashes(options.adapter), options, model);
    model.readme.clear();  // it describes another model
  }
  return model;
}

}  // namespace

encoder::Architecture read_model_shape(const std::string& path) {
  return read_snapshot(path, [&] {
    ModelFolder model;
    const std::string folder = folder_of(path);
    const ModuleList modules = read_modules(folder, model.notes);
    read_config(modules, sentence_config_of(modules, is_reranker_folder(folder), model.notes),
                model);
    return model.encoder;
  });
}

ModelFolder read_model_folder(const std::string& path, const ReadOptions& options) {
  return read_snapshot(path, [&] { return read_held_folder(folder_of(path), options); });
}

}  // namespace contrastive::io
