// Runs cases.json in C. Checks what each case expects, and writes the results to a file that
// compare.sh compares with those of the other languages. Uses only the public header, a JSON reader
// and SHA-256. README.md describes both files.
#include <contrastive/contrastive.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"

namespace {

using Json = nlohmann::ordered_json;

template <typename T, void (*release)(T*)>
struct Freed {
  void operator()(T* object) const { release(object); }
};
using Error = std::unique_ptr<cs_error, Freed<cs_error, cs_error_free>>;
using Config = std::unique_ptr<cs_config, Freed<cs_config, cs_config_free>>;
using Model = std::unique_ptr<cs_model, Freed<cs_model, cs_model_free>>;
using Dataset = std::unique_ptr<cs_dataset, Freed<cs_dataset, cs_dataset_free>>;
using Trainer = std::unique_ptr<cs_trainer, Freed<cs_trainer, cs_trainer_free>>;
using Text = std::unique_ptr<char, Freed<char, cs_string_free>>;

// A call that failed: its status and message.
struct Failure : std::runtime_error {
  Failure(cs_status s, const std::string& message) : std::runtime_error(message), status(s) {}
  cs_status status;
};

// Runs a call with a place for its error, and throws if the call set one.
template <typename Call>
auto checked(Call call) {
  cs_error* error = nullptr;
  auto result = call(&error);
  const Error owner(error);
  if (error != nullptr) throw Failure(cs_error_status(error), cs_error_message(error));
  return result;
}

Config config_of(const Json& keys) {
  return Config(
      checked([&](cs_error** error) { return cs_config_parse(keys.dump().c_str(), error); }));
}

class Runner {
 public:
  Runner(const std::string& root, const std::string& output)
      : here_(root + "/tests/conformance/"), fixtures_(root + "/tests/fixtures/"),
        work_(output + ".work"), results_(output) {
    if (!results_) throw std::runtime_error("cannot write " + output);
    std::ifstream file(here_ + "cases.json");
    cases_ = Json::parse(file);
    std::filesystem::remove_all(work_);
    std::filesystem::create_directories(work_);
  }
  ~Runner() { std::filesystem::remove_all(work_); }

  // Runs the cases of these kinds, or all if none is named. Returns how many failed.
  int run(const std::set<std::string>& kinds) {
    int failed = 0;
    for (const Json& one : cases_.at("cases")) {
      const std::string kind = one.at("kind"), name = one.at("name");
      if (!kinds.empty() && kinds.count(kind) == 0) continue;
      ++ran_;
      try {
        Json line = {{"case", name}};
        if (kind == "tokenize") tokenize(one, line);
        else if (kind == "encode") encode(one, line);
        else if (kind == "error") refuse(one, line);
        else if (kind == "save") save(one, line);
        else if (kind == "train") train(one, line);
        else throw std::runtime_error("kind " + kind + " is unknown");
        results_ << line.dump() << "\n";
      } catch (const std::exception& error) {
        // The library of a system without LibTorch says so (core/runtime/without_training.cpp).
        if (std::string(error.what()).find("LibTorch, which this library uses on Linux") !=
            std::string::npos) {
          results_ << Json{{"case", name}, {"left_out", "needs LibTorch"}}.dump() << "\n";
          ++left_out_;
          continue;
        }
        std::fprintf(stderr, "%s: %s\n", name.c_str(), error.what());
        ++failed;
      }
    }
    return failed;
  }
  size_t ran() const { return ran_; }
  size_t left_out() const { return left_out_; }

 private:
  static void expect(bool held, const std::string& what) {
    if (!held) throw std::runtime_error(what);
  }

  Model load(const std::string& name) const {
    const Json& model = cases_.at("models").at(name);
    return load_folder(model.at("folder"), model.at("config"));
  }

  Model load_folder(const std::string& folder, const Json& keys) const {
    const Config config = config_of(keys);
    return Model(checked([&](cs_error** error) {
      return cs_model_load((fixtures_ + folder).c_str(), config.get(), error);
    }));
  }

  std::string text(const std::string& name) const {
    const Json& spec = cases_.at("texts").at(name);
    std::string result;
    if (spec.contains("hex")) {
      const std::string hex = spec.at("hex");
      for (size_t i = 0; i < hex.size(); i += 2)
        result += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
      return result;
    }
    for (int i = 0; i < spec.value("times", 1); ++i)
      result += spec.at("text").get_ref<const std::string&>();
    return result;
  }

  struct Tokens {
    std::vector<int32_t> ids, begins, ends;
  };

  Tokens tokens_of(const Json& one) const {
    const Model model = load(one.at("model"));
    const std::string words = text(one.at("text"));
    const auto room = static_cast<size_t>(cs_model_max_length(model.get()));
    Tokens tokens{std::vector<int32_t>(room), std::vector<int32_t>(room),
                  std::vector<int32_t>(room)};
    int32_t count = 0;
    checked([&](cs_error** error) {
      return cs_tokenize(model.get(), words.data(), static_cast<int64_t>(words.size()), 0,
                         tokens.ids.data(), tokens.begins.data(), tokens.ends.data(),
                         static_cast<int64_t>(room), &count, error);
    });
    for (auto* each : {&tokens.ids, &tokens.begins, &tokens.ends})
      each->resize(static_cast<size_t>(count));
    return tokens;
  }

  // Converts byte offsets in a well-formed text to indices of characters.
  static void to_characters(const std::string& words, std::vector<int32_t>& places) {
    for (int32_t& place : places) {
      if (place < 0) continue;
      const auto begins = [](char byte) { return (byte & 0xC0) != 0x80; };
      place = static_cast<int32_t>(std::count_if(words.begin(), words.begin() + place, begins));
    }
  }

  void tokenize(const Json& one, Json& line) const {
    Tokens tokens = tokens_of(one);
    expect(Json(tokens.ids) == one.at("ids"),
           "ids " + Json(tokens.ids).dump() + "; " + one.at("ids").dump() + " were expected");
    line["ids"] = tokens.ids;
    if (!one.contains("begins")) return;
    for (const auto& [key, places] :
         {std::pair{"begins", &tokens.begins}, std::pair{"ends", &tokens.ends}}) {
      to_characters(text(one.at("text")), *places);
      expect(Json(*places) == one.at(key), std::string(key) + " " + Json(*places).dump() + "; " +
                                               one.at(key).dump() + " were expected");
      line[key] = *places;
    }
  }

  // The embeddings of texts from one call, row by row.
  std::vector<float> embedded(const Model& model, const std::vector<std::string>& owned) const {
    std::vector<const char*> texts;
    std::vector<int64_t> lengths;
    for (const std::string& each : owned)
      texts.push_back(each.data()), lengths.push_back(static_cast<int64_t>(each.size()));
    const auto dimension = static_cast<size_t>(cs_model_dimension(model.get()));
    std::vector<float> floats(texts.size() * dimension);
    checked([&](cs_error** error) {
      return cs_encode(model.get(), texts.data(), lengths.data(),
                       static_cast<int64_t>(texts.size()), nullptr, floats.data(),
                       static_cast<int64_t>(floats.size()), error);
    });
    return floats;
  }

  void encode(const Json& one, Json& line) const { encode_with(load(one.at("model")), one, line); }

  void encode_with(const Model& model, const Json& one, Json& line) const {
    std::vector<std::string> texts;
    for (const Json& name : one.at("texts")) texts.push_back(text(name));
    const std::vector<float> floats = embedded(model, texts);
    const size_t dimension = floats.size() / texts.size();
    for (size_t i = 0; i < texts.size(); ++i) {
      const Json& start = one.at("starts").at(i);
      for (size_t k = 0; k < start.size(); ++k) {
        const double expected = start.at(k), found = floats[i * dimension + k];
        expect(std::fabs(found - expected) <= 2e-5,
               "text " + std::to_string(i) + ", value " + std::to_string(k) + " is " +
                   std::to_string(found) + "; " + std::to_string(expected) + " was expected");
      }
    }
    line["sha256"] = contrastive::sha256_hex(
        {reinterpret_cast<const char*>(floats.data()), floats.size() * sizeof(float)});
  }

  // Saves a model, loads it again, and checks it and each file of its folder.
  void save(const Json& one, Json& line) const {
    const std::string folder = work_ + "/saved";
    {
      const Model model = load(one.at("model"));
      checked([&](cs_error** error) { return cs_model_save(model.get(), folder.c_str(), error); });
    }
    encode_with(Model(checked([&](cs_error** error) {
                  return cs_model_load(folder.c_str(), nullptr, error);
                })),
                one, line);
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (!entry.is_regular_file()) continue;
      files[entry.path().lexically_relative(folder).generic_string()] =
          contrastive::sha256_of_file(entry.path().string(), contrastive::kAnySize);
    }
    line["files"] = files;
    std::filesystem::remove_all(folder);
  }

  void refuse(const Json& one, Json& line) const {
    try {
      call(one);
    } catch (const Failure& failure) {
      const std::string status = cs_status_name(failure.status), message = failure.what(),
                        part = one.at("message");
      expect(status == one.at("status") && message.find(part) != std::string::npos,
             status + ": " + message);
      line["status"] = status;
      line["message_sha256"] = contrastive::sha256_hex(message);
      return;
    }
    throw std::runtime_error("was not refused");
  }

  // The calls that must be refused. Their other arguments are valid.
  void call(const Json& one) const {
    const std::string name = one.at("call");
    if (name == "load") {
      load_folder(one.at("folder"), one.at("config"));
    } else if (name == "parse") {
      const std::string json = one.at("json");
      Config(checked([&](cs_error** error) { return cs_config_parse(json.c_str(), error); }));
    } else if (name == "describe") {
      const std::string topic = one.at("topic");
      Text(checked([&](cs_error** error) { return cs_config_describe(topic.c_str(), error); }));
    } else if (name == "open_dataset") {
      const Config config = config_of(one.at("config"));
      const std::string file = here_ + one.at("file").get<std::string>();
      Dataset(checked(
          [&](cs_error** error) { return cs_dataset_open(file.c_str(), config.get(), error); }));
    } else if (name == "create") {
      const Config config = config_of(one.at("config"));
      Model(checked([&](cs_error** error) { return cs_model_create(config.get(), error); }));
    } else if (name == "search") {
      const float vector[2] = {1, 0};
      int32_t index = 0;
      float score = 0;
      checked([&](cs_error** error) {
        return cs_search(vector, 1, vector, 1, 2, CS_METRIC_COSINE, one.at("k"), &index, &score, 1,
                         nullptr, error);
      });
    } else if (name == "calibrate_nan") {
      const float sample[2] = {1, NAN};
      float calibration[4];
      checked([&](cs_error** error) {
        return cs_quantize_calibrate(sample, 1, 2, calibration, 4, error);
      });
    } else if (name == "encode_text") {
      embedded(load(one.at("model")), {text(one.at("text"))});
    } else if (name == "tokenize_text") {
      tokens_of(one);
    } else {
      call_with_model(name, one);
    }
  }

  void call_with_model(const std::string& name, const Json& one) const {
    const Model model = load("bert");
    if (name == "encode") {
      const std::string pooling = one.at("pooling");
      const char* words = "the cat";
      std::vector<float> floats(8192);
      cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
      options.pooling = pooling.c_str();
      options.truncate_dim = one.at("truncate_dim");
      checked([&](cs_error** error) {
        return cs_encode(model.get(), &words, nullptr, 1, &options, floats.data(), 8192, error);
      });
    } else if (name == "tokenize") {
      int32_t ids[8], count = 0;
      checked([&](cs_error** error) {
        return cs_tokenize(model.get(), "the cat", -1, one.at("max_length"), ids, nullptr, nullptr,
                           8, &count, error);
      });
    } else if (name == "evaluate") {
      Json keys = one.at("config");
      if (keys.contains("data")) keys["data"] = here_ + keys["data"].get<std::string>();
      const Config config = config_of(keys);
      const std::string task = one.at("task");
      Text(checked([&](cs_error** error) {
        return cs_evaluate(model.get(), task.c_str(), config.get(), nullptr, error);
      }));
    } else if (name == "trainer" || name == "step_without_data") {
      const Dataset data = one.contains("data") ? dataset(one.at("data")) : nullptr;
      const Trainer trainer = begin(model.get(), data.get(), one.at("config"));
      if (name == "step_without_data")
        checked([&](cs_error** error) { return cs_train_step(trainer.get(), nullptr, error); });
    } else {
      throw std::runtime_error("call " + name + " is unknown");
    }
  }

  Dataset dataset(const std::string& name) const {
    Dataset data(checked([](cs_error** error) { return cs_dataset_new(error); }));
    for (const Json& row : cases_.at("data").at(name)) {
      std::vector<const char*> texts;
      for (const Json& words : row) texts.push_back(words.get_ref<const std::string&>().c_str());
      checked([&](cs_error** error) {
        return cs_dataset_add_texts(data.get(), texts.data(), nullptr,
                                    static_cast<int32_t>(texts.size()), NAN, error);
      });
    }
    return data;
  }

  static Trainer begin(cs_model* model, const cs_dataset* data, const Json& keys) {
    const Config config = config_of(keys);
    return Trainer(checked(
        [&](cs_error** error) { return cs_trainer_new(model, data, config.get(), error); }));
  }

  void train(const Json& one, Json& line) const {
    const Model model = load(one.at("model"));
    const bool step = one.at("through") == "step";
    const Dataset data = step ? dataset(one.at("data")) : nullptr;
    const Trainer trainer = begin(model.get(), data.get(), one.at("config"));
    const Json& rows = cases_.at("data").at(one.at("data").get_ref<const std::string&>());
    for (int i = 0; i < one.at("steps"); ++i) {
      if (step)
        checked([&](cs_error** error) { return cs_train_step(trainer.get(), nullptr, error); });
      else batch(trainer.get(), rows, static_cast<size_t>(i));
    }
    const double loss = cs_trainer_metric(trainer.get(), "loss");
    std::fprintf(stderr, "%s loss %.8g\n", one.at("name").get_ref<const std::string&>().c_str(),
                 loss);
    const std::string folder = work_ + "/model";
    checked([&](cs_error** error) {
      return cs_trainer_save_best(trainer.get(), folder.c_str(), error);
    });
    expect(one.contains("loss"), "the case has no loss");
    const double expected = one.at("loss");
    expect(std::fabs(loss - expected) <= 2e-2 * (1 + std::fabs(expected)),
           "loss " + std::to_string(loss) + "; " + std::to_string(expected) + " was expected");
    line["sha256"] =
        contrastive::sha256_of_file(folder + "/model.safetensors", contrastive::kAnySize);
  }

  // Update i uses examples 4i .. 4i + 3, modulo their number.
  static void batch(cs_trainer* trainer, const Json& rows, size_t i) {
    std::vector<const char*> texts;
    for (size_t k = 0; k < 4; ++k) {
      for (const Json& words : rows.at((4 * i + k) % rows.size()))
        texts.push_back(words.get_ref<const std::string&>().c_str());
    }
    const auto columns = static_cast<int32_t>(texts.size() / 4);
    checked([&](cs_error** error) {
      return cs_train_batch(trainer, texts.data(), nullptr, 4, columns, nullptr, nullptr, error);
    });
  }

  std::string here_, fixtures_, work_;
  std::ofstream results_;
  Json cases_;
  size_t ran_ = 0, left_out_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: conformance_c ROOT RESULTS [KIND...]\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(std::filesystem::path(argv[2]).parent_path());
    checked([](cs_error** error) { return cs_set_threads(1, error); });
    int failed = 0;
    size_t cases = 0, left_out = 0;
    {
      Runner runner(argv[1], argv[2]);
      failed = runner.run({argv + 3, argv + argc});
      cases = runner.ran();
      left_out = runner.left_out();
    }
    if (cs_live_handles() != 0)
      std::fprintf(stderr, "%lld handles are left\n", static_cast<long long>(cs_live_handles())),
          ++failed;
    std::printf("%zu cases, %d failed", cases, failed);
    if (left_out > 0) std::printf(", %zu need LibTorch, which this system does not have", left_out);
    std::printf("\n");
    return failed == 0 ? 0 : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "conformance_c: %s\n", error.what());
    return 1;
  }
}
