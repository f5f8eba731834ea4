// contrastive doctor: checks whether this machine has everything that the library needs. It prints
// one line for each check. The exit code is 8 if one fails.
#include <unistd.h>

#include <cstdlib>

#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"
#include "core/base/temporary.h"

namespace contrastive::cli {
namespace {

struct DoctorArguments {
  std::string model, device;
};

class Report {
 public:
  explicit Report(bool json) : json_(json) {}

  void add(const std::string& name, bool ok, const std::string& found) {
    failed_ += !ok;
    if (json_) {
      checks_.push_back({{"check", name}, {"ok", ok}, {"found", found}});
    } else {
      print_line((ok ? "ok    " : "FAIL  ") + name + ": " + found);
    }
  }
  void finish() {
    if (json_) print_json({{"ok", failed_ == 0}, {"checks", checks_}});
    flush_stdout();
    if (failed_ > 0) throw Failure(kExitCheck, "CHECK", counted(failed_, "check") + " failed");
  }

 private:
  bool json_;
  int failed_ = 0;
  Json checks_ = Json::array();
};

Json build_info() {
  Outcome outcome;
  const String text(cs_build_info(outcome));
  outcome.check();
  return Json::parse(text.get());
}

// Checks that the library computes: the similarity of two equal vectors is 1.
void check_arithmetic(Report& report) {
  const float vector[4] = {1, 2, 3, 4};
  float score = 0;
  const cs_status status =
      cs_similarity(vector, 1, vector, 1, 4, CS_METRIC_COSINE, &score, 1, nullptr);
  report.add("arithmetic", status == CS_OK && score > 0.999999f && score < 1.000001f,
             "the cosine of equal vectors is " + fixed(score, 6));
}

void check_temporary_folder(Report& report) {
  const std::string folder = temporary_folder();
  const bool writable = access(folder.c_str(), W_OK) == 0;
  report.add("temporary folder", writable,
             folder + (writable ? " is writable" : " is not writable: set TMPDIR"));
}

// Training is optional: report a missing LibTorch without failing. Fail only if
// CONTRASTIVE_LIBTORCH names one that cannot be loaded.
void check_training(Report& report, const Json& info) {
  const auto version = info["libtorch"].get<std::string>();
  const char* const named = std::getenv("CONTRASTIVE_LIBTORCH");
  const bool usable = !version.empty() || named == nullptr || *named == '\0';
  report.add("training", usable,
             version.empty()
                 ? (usable ? "not installed (" : "cannot be used (") +
                       info["libtorch_reason"].get<std::string>() + ")"
                 : "LibTorch " + version + " from " + info["libtorch_path"].get<std::string>());
}

void check_device(Report& report, const Json& info, const std::string& device) {
  const int devices = info["cuda"]["devices"].get<int>();
  const bool asked = device.rfind("cuda", 0) == 0;
  const std::string reason =
      info["libtorch"] == "" ? "it needs training" : info["cuda"]["reason"].get<std::string>();
  report.add("CUDA", !asked || devices > 0,
             devices > 0 ? std::to_string(devices) + " device(s)" : "none (" + reason + ")");
}

// Scores one pair, and returns a line that reports it.
std::string scored_pair(const cs_model* reranker) {
  const int32_t labels = cs_model_labels(reranker);
  std::vector<float> scores(static_cast<size_t>(labels));
  const char* const document = "A first text.";
  Outcome outcome;
  cs_rerank(reranker, "A first query.", -1, &document, nullptr, 1, nullptr, scores.data(), labels,
            outcome);
  outcome.check();
  return " scores pairs of texts for " + std::to_string(labels) + " label(s)";
}

void check_model(Report& report, const DoctorArguments& arguments) {
  ModelArguments model_arguments;
  model_arguments.model = arguments.model;
  model_arguments.device = arguments.device;
  model_arguments.any_kind = true;
  try {
    const Model model = load_model(model_arguments);
    if (cs_model_kind(model.get()) == CS_KIND_RERANKER) {
      report.add("model", true, arguments.model + scored_pair(model.get()));
      return;
    }
    const int32_t dimension = cs_model_dimension(model.get());
    std::vector<float> embedding(static_cast<size_t>(dimension));
    const char* text = "A first text.";
    Outcome outcome;
    cs_encode(model.get(), &text, nullptr, 1, nullptr, embedding.data(), dimension, outcome);
    outcome.check();
    report.add("model", true,
               arguments.model + " embeds texts in " + std::to_string(dimension) + " dimensions");
  } catch (const Failure& failure) {
    report.add("model", false, failure.message);
  }
}

void run(const DoctorArguments& arguments, const Common& common) {
  Report report(common.json);
  const Json info = build_info();
  const std::string header = std::to_string(CS_VERSION_MAJOR) + "." +
                             std::to_string(CS_VERSION_MINOR) + "." +
                             std::to_string(CS_VERSION_PATCH);
  report.add("library", cs_abi_version() == CS_ABI_VERSION,
             "version " + info["version"].get<std::string>() + " from " +
                 info["library_path"].get<std::string>() + "; this program was built for " +
                 header);
  check_training(report, info);
  report.add("processor", true,
             info["cpu"].get<std::string>() + ", " + std::to_string(info["threads"].get<int>()) +
                 " threads");
  check_arithmetic(report);
  check_temporary_folder(report);
  check_device(report, info, arguments.device);
  if (!arguments.model.empty()) check_model(report, arguments);
  report.finish();
}

}  // namespace

void add_doctor(CLI::App& program, Common& common) {
  static DoctorArguments arguments;
  CLI::App* verb =
      add_verb(program, "doctor", "Check that everything the library needs is installed",
               R"(  contrastive doctor
  contrastive doctor --model DIR --device cuda)",
               common, [&common] { run(arguments, common); });
  add_option(verb, "-m,--model", arguments.model, "a model folder to load and use as well");
  add_option(verb, "--device", arguments.device,
             "device that must be usable: cpu, cuda or cuda:N; default cpu");
}

}  // namespace contrastive::cli
