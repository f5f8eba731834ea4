// Students made from a teacher, against transformers with layers removed
// (tests/golden/students/make.py).
#include "core/model/student_recipe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/file.h"
#include "core/io/hf_config.h"
#include "core/model/model_recipe.h"
#include "core/model/principal_components.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

const std::string kTeacher = fixtures() + "/models/bert_st";

Json golden_students() { return read_json_file(fixtures() + "/../golden/students/students.json"); }

LoadOptions mean_pooled() {
  LoadOptions load;
  load.pooling = "mean";
  return load;
}

text::TokenBatch packed_ids(const std::vector<std::vector<int32_t>>& texts) {
  text::TokenBatch batch;
  for (const std::vector<int32_t>& ids : texts) {
    batch.ids.insert(batch.ids.end(), ids.begin(), ids.end());
    batch.type_ids.resize(batch.ids.size(), 0);
    batch.offsets.push_back(static_cast<int64_t>(batch.ids.size()));
    batch.full_lengths.push_back(static_cast<int32_t>(ids.size()));
  }
  return batch;
}

std::vector<float> last_means(io::ModelFolder folder, const text::TokenBatch& batch,
                              const std::string& pooling = "mean") {
  folder.poolings = {pooling};
  folder.normalize = false;
  folder.dense.clear();
  return SentenceEncoder(std::move(folder)).embed(batch);
}

std::shared_ptr<SentenceEncoder> created(const std::string& json) {
  return create_model(read_options<ModelRecipe>(Config::parse(json)));
}

std::string write_texts(const TemporaryFolder& folder, int count) {
  std::string lines;
  for (int i = 0; i < count; ++i) {
    constexpr const char* kWords[] = {"cat",  "dog",    "house",  "tree", "water",
                                      "bird", "summer", "winter", "man",  "child"};
    lines += std::string("the ") + kWords[i % 10] + " and a " + kWords[(i / 10 + 3 * i) % 10] +
             (i % 3 == 0 ? " run\r\n" : " fly\n");
  }
  return folder.write("texts.txt", lines);
}

TEST(StudentRecipe, LayersAreEvenlySpacedOrListed) {
  using Layers = std::vector<int64_t>;
  EXPECT_EQ(kept_layers({6}, 12), (Layers{0, 2, 4, 6, 8, 10}));
  EXPECT_EQ(kept_layers({4}, 6), (Layers{0, 1, 3, 4}));
  EXPECT_EQ(kept_layers({1}, 6), (Layers{0}));
  EXPECT_EQ(kept_layers({6}, 6), (Layers{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(kept_layers({1, 4, 7}, 12), (Layers{1, 4, 7}));
  const auto refused = [](const Layers& wanted, const std::string& part) {
    expect_error(Status::kArgument, part, [&] { kept_layers(wanted, 6); });
  };
  refused({7}, "config key 'student.layers' is 7, but the teacher has 6 layers: keep from 1 to 6");
  refused({0}, "keep from 1 to 6");
  refused({0, 6}, "names layer 6, but the teacher has 6, numbered from 0");
  refused({3, 1}, "not in rising order");
  refused({1, 1}, "not in rising order");
}

TEST(StudentRecipe, EveryFamilyWithoutLayersIsAsTransformersComputesIt) {
  const Json families = golden_students().at("families");
  EXPECT_GE(families.size(), 18u);
  for (const auto& [name, run] : families.items()) {
    SCOPED_TRACE(name);
    io::ModelFolder folder = io::read_model_folder(fixtures() + "/families/" + name);
    const text::TokenBatch batch =
        packed_ids(run.at("texts").get<std::vector<std::vector<int32_t>>>());
    const std::vector<float> vectors =
        last_means(keep_layers(std::move(folder), run.at("kept").get<std::vector<int64_t>>()),
                   batch);
    const auto expected = run.at("vectors").get<std::vector<std::vector<double>>>();
    const size_t width = expected.front().size();
    ASSERT_EQ(vectors.size(), expected.size() * width);
    for (size_t i = 0; i < vectors.size(); ++i) {
      const double wanted = expected[i / width][i % width];
      EXPECT_NEAR(vectors[i], wanted, 2e-5 * std::max(1.0, std::fabs(wanted))) << i;
    }
  }
}

// For every family, even those without a class in transformers: the first layers alone give the
// teacher's states after them.
TEST(StudentRecipe, TheFirstLayersGiveTheTeachersOwnStates) {
  size_t compared = 0;
  for (const std::string& name : fixtures_in("families")) {
    SCOPED_TRACE(name);
    const io::ModelFolder folder = io::read_model_folder(fixtures() + "/families/" + name);
    const int64_t layers = folder.encoder.num_hidden_layers, kept = layers / 2;
    if (folder.encoder.final_norm) continue;  // for which the teacher's inner states are not the
                                              // same
    std::vector<int64_t> first;
    for (int64_t i = 0; i < kept; ++i) first.push_back(i);
    const text::TokenBatch batch = packed_ids({{5, 6, 7}, {8, 9, 10, 11, 12, 13}});
    io::ModelFolder student;
    try {
      student = keep_layers(folder, first);
    } catch (const Error& error) {  // groups of shared weights
      EXPECT_EQ(error.status(), Status::kUnsupported) << error.message();
      EXPECT_EQ(name, "albert_groups");
      continue;
    }
    const std::vector<float> own = last_means(std::move(student), batch),
                             teachers = last_means(folder, batch, cat("layer:", kept, ":mean"));
    ASSERT_EQ(own.size(), teachers.size());
    for (size_t i = 0; i < own.size(); ++i) EXPECT_NEAR(own[i], teachers[i], 1e-5) << i;
    ++compared;
  }
  EXPECT_GE(compared, 12u);
}

TEST(StudentRecipe, AFolderIsWrittenAndReadAgain) {
  for (const std::string& name : fixtures_in("families")) {
    if (name == "albert_groups") continue;
    SCOPED_TRACE(name);
    const TemporaryFolder folder;
    StudentRecipe recipe;
    recipe.encoder = fixtures() + "/families/" + name;
    recipe.layers = {1};
    const auto student = make_student(recipe, mean_pooled());
    EXPECT_EQ(student->shape().num_hidden_layers, 1);
    student->save(folder / "student");
    const auto loaded = SentenceEncoder::load(folder / "student");
    EXPECT_EQ(loaded->fingerprint(), student->fingerprint());
    EXPECT_EQ(loaded->shape().num_hidden_layers, 1);
  }
}

TEST(StudentRecipe, ALayerWithoutANormStaysTheFirst) {
  expect_error(Status::kArgument, "layer 0 of ModernBERT must be kept", [] {
    keep_layers(io::read_model_folder(fixtures() + "/families/modernbert"), {1, 3});
  });
}

TEST(StudentRecipe, FewerDimensionsAreTheComponentsOfTheTeachersVectors) {
  const TemporaryFolder folder;
  const std::string texts = write_texts(folder, 60);
  const auto student =
      created(R"({"student.encoder": ")" + kTeacher +
              R"(", "student.dimension": 5, "student.texts": ")" + texts + R"("})");
  EXPECT_EQ(student->dimension(), 5);
  EXPECT_EQ(student->shape().num_hidden_layers,
            SentenceEncoder::load(kTeacher)->shape().num_hidden_layers);
  ASSERT_EQ(student->folder().dense.size(), 1u);
  EXPECT_FALSE(student->folder().dense[0].bias.defined());
  EXPECT_TRUE(student->folder().readme.empty());

  // The rows of the module are the principal axes of the teacher's vectors for these lines.
  const std::string bytes = read_file(texts, 1 << 20);
  std::vector<std::string> lines;
  for (size_t begin = 0; begin < bytes.size(); begin = bytes.find('\n', begin) + 1) {
    std::string line = bytes.substr(begin, bytes.find('\n', begin) - begin);
    if (line.back() == '\r') line.pop_back();
    lines.push_back(line);
  }
  ASSERT_EQ(lines.size(), 60u);
  Tensor vectors({60, 32});
  SentenceEncoder::load(kTeacher)->encode({lines.begin(), lines.end()}, {},
                                          vectors.mutable_floats());
  const Tensor axes = principal_axes(vectors, 5), weight = student->folder().dense[0].weight;
  for (int64_t i = 0; i < axes.elements(); ++i)
    EXPECT_NEAR(weight.floats()[i], axes.floats()[i], 1e-5) << i;

  const auto both =
      created(R"({"student.encoder": ")" + kTeacher +
              R"(", "student.layers": 1, "student.dimension": 4, "student.texts": ")" + texts +
              R"(", "student.most_texts": 30})");
  EXPECT_EQ(both->dimension(), 4);
  EXPECT_EQ(both->shape().num_hidden_layers, 1);
  both->save(folder / "both");
  EXPECT_EQ(SentenceEncoder::load(folder / "both")->fingerprint(), both->fingerprint());
}

TEST(StudentRecipe, RefusesWhatSaysNothing) {
  const TemporaryFolder folder;
  const std::string texts = write_texts(folder, 20);
  const std::string teacher = R"("student.encoder": ")" + kTeacher + '"';
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"student.layers": 2})",
            "config key 'student.layers' is set, but config key 'student.encoder' is missing"},
           {R"({"student.dimension": 2})", "'student.encoder' is missing"},
           {"{" + teacher + "}", "set student.layers or student.dimension"},
           {"{" + teacher + R"(, "student.dimension": 8})", "'student.texts' is missing"},
           {"{" + teacher + R"(, "student.layers": 1, "student.texts": ")" + texts + R"("})",
            "goes with student.dimension only"},
           {"{" + teacher + R"(, "student.layers": 9})",
            "'student.layers' is 9, but the teacher has 2 layers"},
           {"{" + teacher + R"(, "student.dimension": 32, "student.texts": ")" + texts + R"("})",
            "the teacher's vectors have 32 dimensions"},
           {"{" + teacher + R"(, "student.dimension": 24, "student.texts": ")" + texts + R"("})",
            "has 20 texts, too few for 24 dimensions"},
           {"{" + teacher + R"(, "student.layers": 1, "static.encoder": ")" + kTeacher + R"("})",
            "exclude each other"}}) {
    SCOPED_TRACE(json);
    expect_error(Status::kArgument, part, [&, text = json] { created(text); });
  }
  expect_error(Status::kNotFound, "config key 'student.encoder': /no/such/folder",
               [] { created(R"({"student.encoder": "/no/such/folder", "student.layers": 1})"); });
  expect_error(Status::kNotFound, "config key 'student.texts': /no/such/file", [&] {
    created("{" + teacher + R"(, "student.dimension": 8, "student.texts": "/no/such/file"})");
  });
}

// The same axes as scikit-learn's, including signs.
TEST(StudentRecipe, AxesAreScikitLearns) {
  const Json components = golden_students().at("components");
  const auto rows = components.at("rows").get<std::vector<std::vector<double>>>(),
             expected = components.at("axes").get<std::vector<std::vector<double>>>();
  Tensor table({static_cast<int64_t>(rows.size()), static_cast<int64_t>(rows[0].size())});
  for (size_t i = 0; i < rows.size(); ++i) {
    for (size_t k = 0; k < rows[i].size(); ++k)
      table.mutable_floats()[i * rows[i].size() + k] = static_cast<float>(rows[i][k]);
  }
  const Tensor axes = principal_axes(table, static_cast<int64_t>(expected.size()));
  for (size_t i = 0; i < expected.size(); ++i) {
    for (size_t k = 0; k < expected[i].size(); ++k)
      EXPECT_NEAR(axes.floats()[i * expected[i].size() + k], expected[i][k], 1e-5) << i << " " << k;
  }
}

}  // namespace
}  // namespace contrastive::model
