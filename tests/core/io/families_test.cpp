// What the families' readers refuse, and how they read the keys of published files.
#include "core/io/families/family.h"

#include "core/io/hf_config.h"
#include "core/io/weight_names.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::io {
namespace {

using encoder::Architecture;
using testing::HasSubstr;

Json config_in(const std::string& folder) {
  return read_json_file(fixtures() + "/families/" + folder + "/config.json");
}

Architecture read_changed(const std::string& folder, const Json& changes,
                          std::vector<std::string>* notes = nullptr) {
  Json config = config_in(folder);
  for (const auto& [key, value] : changes.items()) config[key] = value;
  std::vector<std::string> ignored;
  return read_hf_config(config, "config.json", notes != nullptr ? *notes : ignored);
}

void expect_refused(Status status, const std::string& part, const std::string& folder,
                    const std::string& key, const Json& value) {
  SCOPED_TRACE(folder + ": " + key);
  expect_error(status, part, [&] { read_changed(folder, Json::object({{key, value}})); });
}

TEST(FamiliesConfig, WhatNoWalkerComputesIsRefusedByItsKey) {
  expect_refused(Status::kUnsupported, "relative_attention_num_buckets is 64; only 32 is read",
                 "mpnet", "relative_attention_num_buckets", 64);
  expect_refused(Status::kUnsupported, "position_embedding_type 'relative_key'", "electra",
                 "position_embedding_type", "relative_key");
  expect_refused(Status::kUnsupported, "use_task_id is true; only false is read", "ernie",
                 "use_task_id", true);
  expect_refused(Status::kUnsupported, "gap_size is 2; only 0 is read", "albert", "gap_size", 2);
  for (const char* key :
       {"prenorm", "parallel_block", "use_rms_norm", "causal", "rotary_emb_interleaved"}) {
    expect_refused(Status::kUnsupported, std::string(key) + " is true; only false is read",
                   "nomic_bert", key, true);
  }
  expect_refused(Status::kUnsupported, "num_experts is 8", "nomic_bert", "num_experts", 8);
  expect_refused(Status::kUnsupported, "rotary_emb_fraction is not 1", "nomic_bert",
                 "rotary_emb_fraction", 0.5);
  expect_refused(Status::kUnsupported, "activation_function 'gelu_new' is not known", "nomic_bert",
                 "activation_function", "gelu_new");
  expect_refused(Status::kUnsupported, "layer_norm_type 'rms_norm'", "gte", "layer_norm_type",
                 "rms_norm");
  expect_refused(Status::kUnsupported, "logn_attention_scale is true", "gte",
                 "logn_attention_scale", true);
  expect_error(Status::kUnsupported, "local_rope_theta is null", [] {
    read_changed("modernbert", {{"rope_parameters", nullptr}, {"local_rope_theta", nullptr}});
  });
  expect_refused(Status::kUnsupported, "layer_types holds \"linear_attention\"", "modernbert",
                 "layer_types",
                 {"full_attention", "linear_attention", "full_attention", "full_attention"});
  expect_refused(Status::kFormat, "layer_types must list 4 layers", "modernbert", "layer_types",
                 {"full_attention"});
  expect_refused(Status::kUnsupported, "use_sliding_window is true", "qwen3", "use_sliding_window",
                 true);
  expect_refused(Status::kUnsupported, "rope_scaling is set", "qwen3", "rope_scaling",
                 {{"type", "yarn"}, {"factor", 4}});
  expect_refused(Status::kUnsupported, "rope_type 'yarn' is not known", "qwen3", "rope_parameters",
                 {{"rope_type", "yarn"}, {"rope_theta", 1e6}});
  expect_refused(Status::kUnsupported, "attn_logit_softcapping is set", "gemma3",
                 "attn_logit_softcapping", 50.0);
  expect_refused(Status::kUnsupported, "unknown dense_act_fn 'xielu'", "t5", "dense_act_fn",
                 "xielu");
}

// Keys that transformers writes in addition to feed_forward_proj have priority.
TEST(FamiliesConfig, T5sBlockIsOfTheKeysThatTransformersReadsLast) {
  const Json none = {{"dense_act_fn", nullptr}, {"is_gated_act", nullptr}};
  const auto block = [&](Json changes) {
    for (const auto& [key, value] : none.items()) {
      if (!changes.contains(key)) changes[key] = value;
    }
    const Architecture a = read_changed("t5", changes);
    return std::pair(a.gated, a.hidden_act);
  };
  using encoder::Activation;
  EXPECT_EQ(block({{"feed_forward_proj", "relu"}}), std::pair(false, Activation::kRelu));
  EXPECT_EQ(block({{"feed_forward_proj", "gated-gelu"}}), std::pair(true, Activation::kGeluTanh));
  EXPECT_EQ(block({{"feed_forward_proj", "gelu"}}), std::pair(false, Activation::kGeluErf));
  EXPECT_EQ(block({{"feed_forward_proj", "gated-silu"}}), std::pair(true, Activation::kSilu));
  EXPECT_EQ(block({{"feed_forward_proj", "gated-silu"}, {"dense_act_fn", "tanh"}}),
            std::pair(true, Activation::kTanh));
  EXPECT_EQ(block({{"feed_forward_proj", "gated-silu"}, {"is_gated_act", false}}),
            std::pair(false, Activation::kSilu));
}

TEST(FamiliesConfig, ImpossibleShapesAreRefused) {
  expect_refused(Status::kFormat, "num_hidden_groups 3 does not divide num_hidden_layers 4",
                 "albert_groups", "num_hidden_groups", 3);
  expect_refused(Status::kLimit, "inner_group_num 900", "albert_groups", "inner_group_num", 900);
  expect_refused(Status::kFormat, "num_key_value_heads 3 does not divide num_attention_heads 2",
                 "qwen3", "num_key_value_heads", 3);
  expect_refused(Status::kFormat, "rotary positions turn pairs of numbers, and a head has 13",
                 "qwen3", "head_dim", 13);
  expect_refused(Status::kFormat, "num_attention_heads 3 does not divide hidden_size 16",
                 "distilbert", "n_heads", 3);
  expect_refused(Status::kFormat, "cannot be", "t5", "relative_attention_max_distance", 4);
  expect_refused(Status::kLimit, "n_layers is 100000", "distilbert", "n_layers", 100000);
}

TEST(FamiliesConfig, WhatTransformersIgnoresIsIgnored) {
  std::vector<std::string> notes;
  const Architecture mpnet = read_changed("mpnet", {{"pad_token_id", 0}}, &notes);
  EXPECT_EQ(mpnet.first_position, 2);
  EXPECT_TRUE(mpnet == read_changed("mpnet", {}));
  EXPECT_THAT(notes, testing::Contains(HasSubstr("pad_token_id is ignored")));
  EXPECT_EQ(write_hf_config(mpnet, {{"pad_token_id", 0}}).at("pad_token_id"), 0);
}

TEST(FamiliesConfig, CodeOfItsOwnIsReadWhereAFamilyIsThatCode) {
  const auto with_class = [](const std::string& folder, const std::string& code) {
    return read_changed(folder, {{"auto_map", {{"AutoModel", code}}}});
  };
  EXPECT_EQ(with_class("gte", "Alibaba-NLP/new-impl--modeling.NewModel").family, "gte");
  EXPECT_EQ(with_class("nomic_bert", "modeling_hf_nomic_bert.NomicBertModel").family, "nomic_bert");
  const std::string refusal =
      "auto_map gives the encoder to code of its own, 'modeling.Qwen3BidirectionalModel', and this "
      "library runs no code of a checkpoint; "
      "for Qwen3 it reads: Qwen3Model";
  expect_error(Status::kUnsupported, refusal,
               [&] { with_class("qwen3", "modeling.Qwen3BidirectionalModel"); });
  expect_error(Status::kUnsupported, "XLMRobertaLoRA",
               [&] { with_class("xlm_roberta", "somebody/code--modeling_lora.XLMRobertaLoRA"); });
  // An auto_map without an encoder changes nothing.
  EXPECT_EQ(read_changed("bert", {{"auto_map", {{"AutoModelForMaskedLM", "x.Y"}}}}).family, "bert");
  // JinaBERT, recognised by its class alone, and its variant of another shape.
  const auto jina = [&](const std::string& code) {
    return read_changed("bert", {{"auto_map", {{"AutoModel", code}}},
                                 {"position_embedding_type", "alibi"}});
  };
  EXPECT_EQ(jina("jinaai/jina-bert-implementation--modeling_bert.JinaBertModel").family,
            "jina_bert");
  expect_error(Status::kUnsupported, "'absolute' is not known; known: alibi", [&] {
    read_changed("bert", {{"auto_map", {{"AutoModel", "modeling_bert.JinaBertModel"}}},
                          {"position_embedding_type", "absolute"}});
  });
  expect_error(Status::kUnsupported, "variant qk-post-norm",
               [&] { jina("jinaai/jina-bert-v2-qk-post-norm--modeling_bert.JinaBertModel"); });
}

TEST(FamiliesConfig, PublishedSpellings) {
  // NomicBERT's older keys.
  const Json older = {{"model_type", "nomic_bert"},
                      {"n_embd", 768},
                      {"n_layer", 12},
                      {"n_head", 12},
                      {"n_inner", nullptr},
                      {"n_positions", 8192},
                      {"activation_function", "swiglu"},
                      {"rotary_emb_base", 1000},
                      {"rotary_emb_fraction", 1.0},
                      {"layer_norm_epsilon", 1e-12},
                      {"vocab_size", 30528},
                      {"type_vocab_size", 2},
                      {"qkv_proj_bias", false},
                      {"rotary_scaling_factor", 2},
                      {"max_trained_positions", 2048}};
  std::vector<std::string> notes;
  const Architecture nomic = read_hf_config(older, "config.json", notes);
  EXPECT_EQ(nomic.hidden_size, 768);
  EXPECT_EQ(nomic.intermediate_size, 3072);
  EXPECT_EQ(nomic.rotary_base, 1000);
  EXPECT_EQ(nomic.hidden_act, encoder::Activation::kSilu);
  EXPECT_EQ(nomic.max_tokens(), 2048);
  EXPECT_THAT(notes, testing::Contains(HasSubstr("texts are cut at 2048 tokens")));
  // Files that have both spellings: the length of texts is n_positions.
  Json both = older;
  both["max_position_embeddings"] = 2048;
  both["rotary_scaling_factor"] = nullptr;
  both["rope_parameters"] = {{"rope_theta", 1000.0}, {"rope_type", "default"}};
  EXPECT_EQ(read_hf_config(both, "config.json", notes).max_tokens(), 8192);
  const Json written = write_hf_config(nomic, older);
  EXPECT_EQ(written.at("n_embd"), 768);
  EXPECT_FALSE(written.contains("hidden_size"));
  // GTE's.
  const Architecture gte =
      read_changed("gte", {{"model_type", "new"},
                           {"rope_parameters", nullptr},
                           {"rope_theta", 160000},
                           {"rope_scaling", {{"type", "ntk"}, {"factor", 8.0}}}});
  EXPECT_EQ(gte.family, "gte");
  EXPECT_EQ(gte.rotary_base, 160000);
  EXPECT_EQ(gte.rotary_factor, 8);
  EXPECT_EQ(write_hf_config(gte, {{"model_type", "new"}}).at("architectures"),
            Json::array({"NewModel"}));
  // Missing keys have the defaults of transformers' class, or of the code that the published files
  // name.
  const Json missing = {{"vocab_size", nullptr},
                        {"type_vocab_size", nullptr},
                        {"pad_token_id", nullptr},
                        {"rope_parameters", nullptr}};
  const Architecture bare = read_changed("gte", missing);
  EXPECT_EQ(std::tuple(bare.vocab_size, bare.type_vocab_size, bare.pad_token_id, bare.rotary_base),
            std::tuple(250048, 1, 1, 160000.0));
  Json published = missing;
  published["model_type"] = "new";
  const Architecture older_bare = read_changed("gte", published);
  EXPECT_EQ(std::tuple(older_bare.vocab_size, older_bare.type_vocab_size, older_bare.pad_token_id,
                       older_bare.rotary_base),
            std::tuple(30528, 2, 0, 10000.0));
  // JinaBERT states that it is BERT.
  const Json jina = {{"model_type", "bert"},
                     {"position_embedding_type", "alibi"},
                     {"feed_forward_type", "geglu"},
                     {"vocab_size", 30528},
                     {"hidden_size", 512},
                     {"num_hidden_layers", 4},
                     {"num_attention_heads", 8},
                     {"intermediate_size", 2048},
                     {"max_position_embeddings", 8192}};
  const Architecture alibi = read_hf_config(jina, "config.json", notes);
  EXPECT_EQ(alibi.family, "jina_bert");
  EXPECT_EQ(alibi.relative_bias, encoder::RelativeBias::kAlibi);
  EXPECT_TRUE(alibi.gated);
  EXPECT_EQ(alibi.max_tokens(), 8192);
}

TEST(FamiliesWeights, RowsOfOneTensorAreSeveralWeights) {
  std::vector<std::string> notes;
  const Architecture a = read_hf_config(config_in("modernbert"), "config.json", notes);
  const TensorEntry fused{"model.layers.1.attn.Wqkv.weight", "F32", {48, 16}, 0, 0, 0},
      short_one{"layers.1.attn.Wqkv.weight", "F32", {32, 16}, 0, 0, 0};
  expect_error(Status::kMismatch,
               "layers.1.attn.Wqkv.weight is [32, 16] where config.json asks for [48, 16]",
               [&] { match_weights({{nullptr, &short_one}}, a, "model", notes); });
  expect_error(Status::kMismatch, "missing: embeddings.tok_embeddings.weight",
               [&] { match_weights({{nullptr, &fused}}, a, "model", notes); });
  EXPECT_EQ(family_tensor_name(fused.name, a), "layers.1.attn.Wqkv.weight");
}

TEST(FamiliesWeights, NomicBertsBesideAHeadHaveItsNameBefore) {
  const Architecture a = read_changed("nomic_bert", Json::object());
  for (const char* name : {"nomic_bert.emb_ln.weight", "bert.emb_ln.weight", "emb_ln.weight"})
    EXPECT_EQ(family_tensor_name(name, a), "emb_ln.weight");
  EXPECT_EQ(a.mlm_act, a.hidden_act);
}

}  // namespace
}  // namespace contrastive::io
