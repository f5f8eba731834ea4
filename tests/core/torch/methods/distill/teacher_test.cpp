#include "core/torch/methods/distill/teacher.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>

#include "core/model/principal_components.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/torch/methods/distill/distill_tests.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(Distill, AnotherDimensionIsRefusedWithTheWaysOut) {
  const auto refused = [](const std::string& json, const std::string& part) {
    expect_error(Status::kArgument, part, [&] { make_method("distill", json); });
  };
  refused(keys(kModels + "bert_st_old"), "the teacher's vectors have 12 dimensions, the student's "
                                         "32: set distill.projection = linear");
  refused(keys(kModels + "bert_st_old", R"("distill.teacher_pca": true)"),
          "there is nothing to take away");
  const auto method =
      make_method("distill", keys(kModels + "bert_st_old", R"("distill.projection": "linear")"));
  EXPECT_EQ(method->parameters().back().name, "projection.0.bias");
  EXPECT_EQ(method->deliver()->dimension(), 32) << "the projection is not saved with the model";
}

TEST(Distill, ItsOwnTeacherTeachesNothingOfSingleTexts) {
  const auto data = data::make_dataset();
  for (const data::Example& example : some_texts().examples) data->add(example);
  expect_error(Status::kArgument, "config key 'distill.teacher' is missing",
               [&] { make_method("distill")->prepare(data.get(), nullptr); });
}

// A teacher of 32 dimensions, a student of 8: the start model behind a Dense module.
TEST(Distill, ComponentsTakeTheTeacherToTheStudentsDimension) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  Tensor weight({8, 32});
  for (int64_t i = 0; i < weight.elements(); ++i)
    weight.mutable_floats()[i] = static_cast<float>((i * 7) % 11) / 40 - 0.1F;
  folder.dense = {{weight, Tensor(), "identity"}};
  folder.normalize = false;
  const auto start = std::make_shared<model::SentenceEncoder>(std::move(folder), on_test_device());
  const auto data = data::make_dataset();
  std::vector<std::string> texts;
  for (const char* what : {"cat", "dog", "bird", "house", "tree", "mat", "water"}) {
    for (const char* how : {"a red ", "the old ", "two "}) texts.push_back(std::string(how) + what);
  }
  for (const std::string& text : texts) data->add({text, "", false});
  const std::string json = keys(kModels + "bert_st", R"("distill.teacher_pca": true)");
  expect_error(Status::kArgument,
               "the teacher's vectors have 32 dimensions, the student's 8: set "
               "distill.projection = linear, or distill.teacher_pca = true",
               [&] { make_method("distill", keys(kModels + "bert_st"), start); });
  const auto method = make_method("distill", json, start);
  expect_error(Status::kArgument, "needs a dataset", [&] { method->prepare(nullptr, nullptr); });
  method->prepare(data.get(), nullptr);

  const auto teacher = model::SentenceEncoder::load(kModels + "bert_st", on_test_device());
  const at::Tensor all = embedded(*teacher, {texts.begin(), texts.end()});
  const at::Tensor axes = tensors::to_torch(model::principal_axes(tensors::from_torch(all), 8));
  const data::Batch batch = singles_batch({texts[0], texts[5], texts[9]});
  const at::Tensor taught = embedded(*teacher, {texts[0], texts[5], texts[9]}).matmul(axes.t());
  const double expected =
      (embedded(*start, {texts[0], texts[5], texts[9]}) - taught).square().mean().item<double>();
  EXPECT_NEAR(loss_of(*method, batch), expected, 1e-5 * std::max(1.0, expected));

  const auto resumed = make_method("distill", json, start);
  resumed->load_state(method->save_state());
  EXPECT_EQ(loss_of(*resumed, batch), loss_of(*method, batch))
      << "a resumed run has the same components";
  const auto few = data::make_dataset();
  for (const std::string& text : {texts[0], texts[1]}) few->add({text, "", false});
  expect_error(Status::kArgument, "8 components are wanted, but there are only 2 training texts",
               [&] { make_method("distill", json, start)->prepare(few.get(), nullptr); });
}

}  // namespace
}  // namespace contrastive::methods
