#include "core/model/student_recipe.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/named_by_key.h"
#include "core/data/line_reader.h"
#include "core/encoder/static_encoder.h"
#include "core/io/families/family.h"
#include "core/io/hf_config.h"
#include "core/model/principal_components.h"

namespace contrastive::model {
namespace {

constexpr int64_t kMostBytes = int64_t{4} << 30;  // of a file of texts
constexpr const char* kLayerPrefix = "encoder.layer.";

std::string listed(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) text += cat(text.empty() ? "" : ", ", number);
  return text;
}

// Renumbers the weight sets of the kept layers in the order of their first use: old number -> new
// number.
std::map<int64_t, int64_t> renumbered_sets(const encoder::Architecture& from,
                                           const std::vector<int64_t>& kept) {
  std::map<int64_t, int64_t> numbers;
  for (const int64_t layer : kept)
    numbers.emplace(from.weight_set(layer), static_cast<int64_t>(numbers.size()));
  return numbers;
}

encoder::Architecture shape_with(const encoder::Architecture& from,
                                 const std::vector<int64_t>& kept,
                                 const std::map<int64_t, int64_t>& sets) {
  encoder::Architecture shape = from;
  shape.num_hidden_layers = static_cast<int64_t>(kept.size());
  shape.local.clear();
  shape.weight_sets.clear();
  for (const int64_t layer : kept) {
    if (!from.local.empty()) shape.local.push_back(from.is_local(layer));
    if (!from.weight_sets.empty()) shape.weight_sets.push_back(sets.at(from.weight_set(layer)));
  }
  return shape;
}

TensorMap weights_of(const TensorMap& from, const std::map<int64_t, int64_t>& sets) {
  TensorMap weights;
  for (const auto& [name, tensor] : from) {
    if (!begins_with(name, kLayerPrefix)) {
      weights[name] = tensor;
      continue;
    }
    const size_t number = std::string(kLayerPrefix).size(), behind = name.find('.', number);
    const auto set = sets.find(std::stoll(name.substr(number, behind - number)));
    if (set != sets.end()) weights[cat(kLayerPrefix, set->second, name.substr(behind))] = tensor;
  }
  return weights;
}

// Writes config.json and reads it again: the result must be the intended shape, because Python
// reads it the same way.
Json config_of(const encoder::Architecture& shape, const Json& as_read,
               const std::vector<int64_t>& kept) {
  const auto reads_back = [&](const Json& config) {
    std::vector<std::string> notes;
    return io::read_hf_config(config, "the student's config.json", notes) == shape;
  };
  Json config = as_read;
  if (config.contains("layer_types")) {
    Json types = Json::array();
    for (const int64_t layer : kept)
      types.push_back(as_read.at("layer_types").at(static_cast<size_t>(layer)));
    config["layer_types"] = types;
  }
  config = io::write_hf_config(shape, config);
  try {
    if (reads_back(config)) return config;
    if (!shape.local.empty()) {  // a rule that says which layers have a window no longer holds, so
                                 // they are listed
      Json types = Json::array();
      for (const bool local : shape.local)
        types.push_back(local ? "sliding_attention" : "full_attention");
      config["layer_types"] = types;
      if (reads_back(config)) return config;
    }
  } catch (const Error& error) {
    fail(Status::kUnsupported, "config key 'student.layers': with layers ", listed(kept),
         " alone the model cannot be written: ", error.message());
  }
  fail(Status::kUnsupported, "config key 'student.layers': no config.json of ",
       io::family_named(shape.family).title, " says that layers ", listed(kept),
       " are kept alone: layers that share their weights, or a rule of the family, need others");
}

// At most `most` evenly spaced lines of the file.
std::vector<std::string> read_texts(const std::string& path, int64_t most) {
  data::LineReader reader(path);
  check(reader.bytes() <= kMostBytes, Status::kLimit, path, ": ", reader.bytes(),
        " bytes, above the limit of ", kMostBytes);
  std::vector<std::string> lines;
  reader.scan([&](const data::Line& line) {
    check(!line.too_long, Status::kLimit, path, ":", line.number,
          ": a line above the limit of 16 MB");
    if (!line.text.empty()) lines.emplace_back(line.text);
  });
  const auto count = static_cast<int64_t>(lines.size());
  if (count <= most) return lines;
  std::vector<std::string> chosen;
  for (int64_t i = 0; i < most; ++i)
    chosen.push_back(std::move(lines[static_cast<size_t>(i * count / most)]));
  return chosen;
}

// A Dense module that reduces the teacher's vectors and keeps as much of their variance as
// possible.
io::DenseModule reduction(const StudentRecipe& recipe, const SentenceEncoder& teacher,
                          const Cancel* cancel) {
  const int64_t whole = teacher.dimension();
  check(recipe.dimension < whole, Status::kArgument, "config key 'student.dimension' is ",
        recipe.dimension, ", but the teacher's vectors have ", whole,
        " dimensions: a student has fewer");
  const std::vector<std::string> texts =
      named_by_key("student.texts", [&] { return read_texts(recipe.texts, recipe.most_texts); });
  const auto count = static_cast<int64_t>(texts.size());
  check(count > recipe.dimension, Status::kArgument, "config key 'student.texts': ", recipe.texts,
        " has ", count, " texts, too few for ", recipe.dimension,
        " dimensions: some thousands are wanted, and at least one more than there are dimensions");
  Tensor vectors({count, whole});
  EncodeOptions encode;
  encode.cancel = cancel;
  teacher.encode({texts.begin(), texts.end()}, encode, vectors.mutable_floats());
  return {principal_axes(vectors, recipe.dimension, cancel), Tensor(), "identity"};
}

}  // namespace

void StudentRecipe::visit(OptionVisitor& v) {
  v.text("encoder", encoder,
         "folder of a teacher to make a student from, with fewer layers or dimensions: the "
         "tokenizer, the kept weights and, unless set, the pooling are the teacher's; keys for the "
         "shape of an encoder are not allowed. Empty = a new encoder");
  v.integers("layers", layers, between(0, 1000),
             OptionDoc("how many of the teacher's layers to keep, evenly spaced from layer 0 on (6 "
                       "of 12: 0, 2, 4, ...), or a list of the layers to keep, from 0; empty = all")
                 .source("sentence-transformers' model_distillation")
                 .unit("layers"));
  v.integer("dimension", dimension, between(0, 1 << 17),
            OptionDoc(
                "dimensions of the student's vectors: a Dense module keeps this many principal "
                "components of the teacher's vectors of student.texts; 0 = the teacher's")
                .source("sentence-transformers' dimensionality_reduction")
                .unit("dimensions"));
  v.text(
      "texts", texts,
      "file with texts like those that the student will embed, one a line; for student.dimension");
  v.integer("most_texts", most_texts, between(2, 1e7),
            OptionDoc("number of student.texts that are used, evenly spaced")
                .source("sentence-transformers' example: 20000")
                .unit("texts"));
}

void StudentRecipe::validate() const {
  if (encoder.empty()) {
    const char* const idle = !layers.empty()  ? "layers"
                             : dimension > 0  ? "dimension"
                             : !texts.empty() ? "texts"
                                              : nullptr;
    check(idle == nullptr, Status::kArgument, "config key 'student.", idle == nullptr ? "" : idle,
          "' is set, but config key 'student.encoder' is missing: the folder of the teacher");
    return;
  }
  check(!layers.empty() || dimension > 0, Status::kArgument,
        "config key 'student.encoder' is set, but nothing says how the student differs from it: "
        "set student.layers or student.dimension");
  check(dimension == 0 || !texts.empty(), Status::kArgument,
        "config key 'student.texts' is missing: a file of texts, whose vectors decide which "
        "student.dimension directions are kept");
  check(dimension > 0 || texts.empty(), Status::kArgument,
        "config key 'student.texts' is set, but it goes with student.dimension only");
}

std::vector<int64_t> kept_layers(const std::vector<int64_t>& wanted, int64_t count) {
  std::vector<int64_t> kept;
  if (wanted.size() == 1) {
    const int64_t number = wanted.front();
    check(number >= 1 && number <= count, Status::kArgument, "config key 'student.layers' is ",
          number, ", but the teacher has ", count, " layers: keep from 1 to ", count);
    for (int64_t i = 0; i < number; ++i) kept.push_back(i * count / number);
    return kept;
  }
  for (const int64_t layer : wanted) {
    check(layer < count, Status::kArgument, "config key 'student.layers' names layer ", layer,
          ", but the teacher has ", count, ", numbered from 0");
    check(kept.empty() || layer > kept.back(), Status::kArgument,
          "config key 'student.layers': ", listed(wanted),
          " is not in rising order, each layer once");
    kept.push_back(layer);
  }
  return kept;
}

io::ModelFolder keep_layers(io::ModelFolder folder, const std::vector<int64_t>& kept) {
  const encoder::Architecture from = folder.encoder;
  check(from.first_attention_norm || kept.front() == 0, Status::kArgument,
        "config key 'student.layers': layer 0 of ", io::family_named(from.family).title,
        " must be kept: it alone has no norm before its attention, and the first layer of the "
        "student will have none");
  const std::map<int64_t, int64_t> sets = renumbered_sets(from, kept);
  folder.encoder = shape_with(from, kept, sets);
  folder.weights = weights_of(folder.weights, sets);
  folder.config = config_of(folder.encoder, folder.config, kept);
  folder.notes.push_back(cat("layers ", listed(kept), " of ", from.num_hidden_layers));
  return folder;
}

std::shared_ptr<SentenceEncoder> make_student(const StudentRecipe& recipe, const LoadOptions& load,
                                              const Cancel* cancel) {
  recipe.validate();
  const std::shared_ptr<SentenceEncoder> teacher =
      recipe.dimension == 0 ? nullptr : named_by_key("student.encoder", [&] {
        return SentenceEncoder::load(recipe.encoder, load);
      });
  io::ModelFolder folder =
      named_by_key("student.encoder", [&] { return read_for(load, recipe.encoder); });
  check(!encoder::is_static(folder.encoder) || recipe.layers.empty(), Status::kArgument,
        "config key 'student.layers': ", recipe.encoder,
        " holds static embeddings, which have no layers");
  const std::string origin = folder.origin;
  folder.notes.clear();
  if (!recipe.layers.empty()) {
    const auto kept = kept_layers(recipe.layers, folder.encoder.num_hidden_layers);
    folder = keep_layers(std::move(folder), kept);
  }
  if (teacher != nullptr) {
    teacher->set_truncate_dim(0);  // the module after it needs whole vectors
    folder.truncate_dim = 0;
    folder.dense.push_back(reduction(recipe, *teacher, cancel));
    folder.notes.push_back(cat(recipe.dimension, " of ", teacher->dimension(), " dimensions"));
  }
  folder.notes.push_back(cat("a student of ", origin.empty() ? "a model" : origin));
  // What describes the teacher or belongs to its weights does not apply to the student.
  folder.origin.clear();
  folder.readme.clear();
  folder.card = nullptr;
  folder.adapter = nullptr;
  return std::make_shared<SentenceEncoder>(std::move(folder), load);
}

}  // namespace contrastive::model
