// For each key of config.json: a value that changes transformers' states is applied or refused
// here, and others are not refused without a reason. The values come from
// tests/golden/families/keys.py.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "core/base/error.h"
#include "core/encoder/encoder.h"
#include "core/io/hf_config.h"
#include "core/io/model_folder.h"
#include "core/runtime/threads.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::model {
namespace {

// Keys that transformers ignores in some families but that are refused here. They belong to another
// kind of model, to the code that published checkpoints of the family contain, or to older versions
// of transformers, where they change the states.
const std::set<std::string> kRefusedWithoutNeed = {
    "is_decoder", "add_cross_attention", "pruned_heads", "position_embedding_type",
    "embedding_size", "rope_scaling", "use_sliding_window", "attn_logit_softcapping", "causal",
    "gap_size", "down_scale_factor", "net_structure_type", "rotary_emb_interleaved",
    "rotary_emb_fraction", "logn_attention_scale", "layer_norm_type", "use_rms_norm", "prenorm",
    "parallel_block", "num_experts", "qkv_proj_bias", "activation_function", "n_embd",
    // The same as GELU if no number is beyond 10.
    "hidden_act \"gelu_10\""};
// The maximum length of a family without a table of positions: it cuts texts, but does not change
// the states.
const std::set<std::string> kOfLength = {"max_position_embeddings", "n_positions"};
// "dtype": 16-bit weights are read unchanged, and computed with in float32.
const std::set<std::string> kOfPrecision = {"dtype", "torch_dtype"};

const std::vector<std::vector<int32_t>>& texts() {
  static const std::vector<std::vector<int32_t>> kTexts = [] {
    std::vector<std::vector<int32_t>> all = {{2, 7, 11, 5, 3}, {2, 9, 3}, {2}, {2}};
    for (int i = 0; i < 30; ++i) all[2].push_back(4 + (i * 7) % 40);
    for (int i = 0; i < 118; ++i) all[3].push_back(4 + (i * 13) % 40);
    for (size_t i = 2; i < 4; ++i) all[i].push_back(3);
    return all;
  }();
  return kTexts;
}

// The same checksum as in keys.py, of the family's weights with a config.json.
std::vector<double> states(const std::string& family, const Json& config) {
  const TemporaryFolder folder;
  for (const char* name : {"model.safetensors", "vocab.txt"}) {
    std::filesystem::create_symlink(std::filesystem::absolute(fixtures() + "/families/" + family +
                                                              "/" + name),
                                    folder / name);
  }
  folder.write("config.json", config.dump());
  const io::ModelFolder model = io::read_model_folder(folder.path());
  const auto encoder = encoder::make_encoder(model.encoder, model.weights, runtime::Device(),
                                             runtime::Precision::kFloat32);
  std::vector<int32_t> ids;
  std::vector<int64_t> offsets = {0};
  for (const std::vector<int32_t>& text : texts()) {
    ids.insert(ids.end(), text.begin(), text.end());
    offsets.push_back(static_cast<int64_t>(ids.size()));
  }
  std::vector<encoder::Pooling> poolings;
  for (const char* name : {"mean", "cls", "lasttoken"})
    poolings.push_back(encoder::parse_pooling(name, model.encoder.num_hidden_layers));
  const auto width = static_cast<size_t>(model.encoder.hidden_size);
  std::vector<float> rows(texts().size() * 3 * width);
  encoder->infer({ids.data(), nullptr, offsets.data(), static_cast<int64_t>(texts().size())},
                 poolings, {nullptr, nullptr, nullptr}, rows.data(), 1);
  std::vector<double> sum(8);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (i % width < sum.size()) sum[i % width] += rows[i];
  }
  return sum;
}

TEST(FamilyKeys, WhatChangesTransformersStatesIsAppliedOrRefused) {
  const Json table = read_json_file(fixtures() + "/family_keys.json");
  for (const auto& [family, row] : table.at("families").items()) {
    const Json config = read_json_file(fixtures() + "/families/" + family + "/config.json");
    std::vector<std::string> notes;
    const std::string base = io::read_hf_config(config, family, notes).inference_text();
    const std::vector<double> base_states = states(family, config);
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string key = table.at("keys")[i][0].get<std::string>();
      Json changed = config;
      changed[key] = table.at("keys")[i][1];
      if (key == "layer_types") {
        const auto layers = static_cast<size_t>(config.value("num_hidden_layers", 2));
        changed[key] = Json::array();
        for (size_t layer = 0; layer < layers; ++layer)
          changed[key].push_back(layer % 2 == 0 ? "sliding_attention" : "full_attention");
      }
      const std::string what = family + ": " + key + " " + changed[key].dump();
      const Json& seen = row[i];
      if (seen == "error" || kOfPrecision.count(key) > 0 ||
          (seen == "same" && kOfLength.count(key) > 0))
        continue;
      std::vector<double> own = base_states;
      try {
        if (io::read_hf_config(changed, family, notes).inference_text() != base)
          own = states(family, changed);
      } catch (const Error& error) {
        const bool listed = kRefusedWithoutNeed.count(key) +
                                kRefusedWithoutNeed.count(key + " " + changed[key].dump()) >
                            0;
        EXPECT_TRUE(seen != "same" || listed) << what << ": " << error.message();
        continue;
      }
      const std::vector<double> wanted =
          seen == "same" ? base_states : seen.get<std::vector<double>>();
      for (size_t n = 0; n < wanted.size(); ++n) {
        ASSERT_EQ(wanted.size(), own.size());
        if (std::abs(wanted[n] - own[n]) < 3e-4 + 1e-4 * std::abs(wanted[n])) continue;
        ADD_FAILURE() << what << ": " << own[n] << " where transformers has " << wanted[n];
        break;
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::model
