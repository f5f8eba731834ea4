#include "core/torch/methods/sg_opt/sg_opt.h"

#include <ATen/TensorOperators.h>

#include "core/torch/nn/torch_encoder.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/core/torch/methods/sg_opt/sg_opt_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

std::string no_dropout(const std::string& more) {
  return small(R"("sgopt.dropout": false, )" + more);
}

TEST(SgOpt, BackTranslationsNeedPairsAndSentencesAreTakenApart) {
  const auto traits = [](const char* json) {
    return find_method("sgopt").describe(Config::parse(json));
  };
  EXPECT_TRUE(traits("{}").separates_pairs);
  EXPECT_FALSE(traits("{}").needs_pairs);
  for (const char* json : {R"({"sgopt.objective": "bt"})", R"({"sgopt.objective": "bt-sg-opt"})"}) {
    EXPECT_TRUE(traits(json).needs_pairs);
    EXPECT_FALSE(traits(json).separates_pairs);
    expect_error(Status::kArgument, "needs pairs", [&] { loss_of("sgopt", json, some_texts()); });
  }
}

TEST(SgOpt, ThePapersParameters) {
  const auto method = make_method("sgopt");
  int64_t head = 0;
  for (const Parameter& p : method->parameters()) {
    EXPECT_NE(p.name.rfind("embeddings.", 0), 0u) << p.name << " is layer 0, which is frozen";
    EXPECT_NE(p.name.rfind("pooler.", 0), 0u) << p.name;
    if (p.name.rfind("head.", 0) == 0) head += p.tensor.numel();
  }
  EXPECT_EQ(head, 4096 * 32 + 4096 + 4096 * 4096 + 4096);
  EXPECT_EQ(method->deliver()->folder().poolings, std::vector<std::string>{"cls"});
}

TEST(SgOpt, WithoutDistanceFromTheStartTheAnchorIsZero) {
  const auto method = make_method("sgopt", small());
  const LossTerms terms = loss_terms(*method, some_texts());
  ASSERT_EQ(terms.values.size(), 3u);
  EXPECT_EQ(terms.values[2].first, "anchor");
  EXPECT_EQ(terms.values[2].second.item<double>(), 0);
  EXPECT_DOUBLE_EQ(terms.total().item<double>(), terms.values[1].second.item<double>());
  double moved = 0;
  for (const Parameter& p : method->parameters()) {
    if (p.name.rfind("encoder.", 0) != 0) continue;
    p.tensor.detach().add_(0.01);
    moved += 1e-4 * static_cast<double>(p.tensor.numel());
  }
  const LossTerms away = loss_terms(*method, some_texts());
  EXPECT_NEAR(away.values[2].second.item<double>(), moved, 1e-4 * moved);
  EXPECT_NEAR(away.total().item<double>(), away.values[1].second.item<double>() + 0.1 * moved,
              1e-4);
}

TEST(SgOpt, OneSentenceLeavesTheAnchorAlone) {
  for (const char* objective : {"sg", "opt1", "opt2", "sg-opt"}) {
    const auto method =
        make_method("sgopt", small(cat(R"("sgopt.objective": ")", objective, "\"")));
    EXPECT_EQ(loss_of(*method, singles_batch({"alone"})), 0) << objective;
  }
}

TEST(SgOpt, IdenticalAndEmptySentencesStayFinite) {
  for (const char* objective : {"sg", "opt1", "opt2", "sg-opt"}) {
    const auto method =
        make_method("sgopt", no_dropout(cat(R"("sgopt.objective": ")", objective, "\"")));
    const LossTerms terms = loss_terms(*method, singles_batch({"same", "same", "", ""}));
    terms.total().backward();
    for (const Parameter& p : method->parameters()) {
      ASSERT_TRUE(p.tensor.grad().defined()) << p.name;
      EXPECT_TRUE(p.tensor.grad().isfinite().all().item<bool>()) << objective << " " << p.name;
    }
    const auto masked =
        make_method("sgopt",
                    no_dropout(cat(R"("sgopt.false_negatives": "mask", "sgopt.objective": ")",
                                   objective, "\"")));
    EXPECT_EQ(loss_of(*masked, singles_batch({"same", "same", "same"})), 0) << objective;
  }
}

TEST(SgOpt, PairsAreTwoSentencesEach) {
  const data::Batch pairs = pairs_batch({{"the cat", "a dog"}, {"two birds", "red"}});
  const data::Batch singles = singles_batch({"the cat", "two birds", "a dog", "red"});
  const std::string json = no_dropout(R"("sgopt.objective": "sg-opt")");
  EXPECT_NEAR(loss_of("sgopt", json, pairs), loss_of("sgopt", json, singles), 1e-4);
}

TEST(SgOpt, TheTeacherStaysAndTheSharedOneMoves) {
  const std::string keys = R"("sgopt.temperature": 0.5)";
  const auto shift = [](Method& method) {
    for (const Parameter& p : method.parameters()) {
      if (p.name.find("output.dense.weight") != std::string::npos) p.tensor.detach().mul_(1.5);
    }
  };
  const auto h = [](Method& method) {
    return method.views(some_texts())["a.taught"].detach().clone();
  };
  const auto frozen = make_method("sgopt", no_dropout(keys)),
             shared = make_method("sgopt", no_dropout(keys + R"(, "sgopt.teacher": "shared")"));
  const at::Tensor before = h(*frozen);
  EXPECT_TRUE(before.allclose(h(*shared), 1e-4, 1e-5));
  EXPECT_FALSE(frozen->views(some_texts())["a.taught"].requires_grad());
  EXPECT_TRUE(shared->views(some_texts())["a.taught"].requires_grad());
  shift(*frozen);
  shift(*shared);
  EXPECT_TRUE(h(*frozen).equal(before));
  EXPECT_FALSE(h(*shared).allclose(before, 1e-2, 1e-2));
}

TEST(SgOpt, ViewsAreOfTheLayersAndDropoutAsked) {
  const auto views = [](const std::string& more) {
    return make_method("sgopt", small(more))->views(some_texts())["a.taught"].detach().clone();
  };
  const at::Tensor all = views("");
  EXPECT_EQ(all.sizes(), at::IntArrayRef({4, 3, 32}));
  EXPECT_TRUE(views(R"("sgopt.lmin": 1, "sgopt.lmax": 1)").equal(all.narrow(1, 1, 1)));
  EXPECT_FALSE(views(R"("sgopt.view_pooling": "mean")").equal(all));
  EXPECT_FALSE(views(R"("sgopt.teacher_dropout": true)").allclose(all, 1e-3, 1e-3));
  EXPECT_TRUE(views(R"("sgopt.objective": "sg", "sgopt.layer_weights": ["0", "0", "2"])")
                  .equal(all.select(1, 2)));
  EXPECT_EQ(views(R"("sgopt.objective": "opt1")").sizes(), at::IntArrayRef({4, 32}));
}

TEST(SgOpt, TheDropoutOfViewsIsTheTeachersOwnKey) {
  for (const char* teacher : {"frozen", "shared"}) {
    const auto made = [&](const char* student, const char* views) {
      const std::string keys = cat(R"("sgopt.teacher": ")", teacher, R"(", "sgopt.dropout": )",
                                   student, R"(, "sgopt.teacher_dropout": )", views);
      return make_method("sgopt", small(keys))->views(some_texts());
    };
    const Views none = made("false", "false"), views = made("false", "true"),
                student = made("true", "false");
    EXPECT_FALSE(views["a.taught"].allclose(none["a.taught"], 1e-3, 1e-3)) << teacher;
    EXPECT_TRUE(views["a.tuned"].equal(none["a.tuned"])) << teacher;
    EXPECT_TRUE(student["a.taught"].equal(none["a.taught"])) << teacher;
    EXPECT_FALSE(student["a.tuned"].allclose(none["a.tuned"], 1e-3, 1e-3)) << teacher;
  }
}

TEST(SgOpt, ViewsCalledTwiceAreTheSameBits) {
  for (const char* more : {R"("sgopt.objective": "sg")", R"("sgopt.teacher_dropout": true)",
                           R"("sgopt.teacher": "shared")"}) {
    const auto method = make_method("sgopt", small(more));
    const Views one = method->views(some_texts()), two = method->views(some_texts());
    for (size_t i = 0; i < one.vectors.size(); ++i)
      EXPECT_TRUE(one.vectors[i].rows.equal(two.vectors[i].rows)) << more;
  }
}

TEST(SgOpt, DeliversTheClassVectorWithoutDenseModules) {
  const auto start = tiny_model();
  const at::Tensor weight =
      nn::trainable(start->encoder()).weights().layers[0].query.weight;  // any [32, 32]
  start->set_dense({{tensors::from_torch(weight).clone(), Tensor(), "tanh"}});
  const auto method = make_method("sgopt", small(), start);
  EXPECT_TRUE(method->deliver()->folder().dense.empty());
  EXPECT_TRUE(delivered(*method, {"the cat", "a dog"})
                  .allclose(embeddings(*method, {"the cat", "a dog"}), 1e-4, 1e-5));
}

}  // namespace
}  // namespace contrastive::methods
