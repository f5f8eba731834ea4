// contrastive version: prints versions of the library, LibTorch, CUDA and Arrow, and the processor.
#include "capi/program/failure.h"
#include "capi/program/shards/arrow_files.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

void run(const Common& common) {
  Outcome outcome;
  const String text(cs_build_info(outcome));
  outcome.check();
  Json info = Json::parse(text.get());
  std::string no_arrow;
  const std::string arrow = arrow_version(no_arrow);
  if (common.json) {
    info["arrow"] = arrow;
    info["arrow_reason"] = no_arrow;
    print_json(info);
    return;
  }
  const int devices = info["cuda"]["devices"].get<int>();
  print_line("contrastive " + info["version"].get<std::string>());
  const auto libtorch = info["libtorch"].get<std::string>();
  print_line("processor   " + info["cpu"].get<std::string>() + ", " +
             counted(info["threads"].get<int>(), "thread"));
  print_line("LibTorch    " +
             (libtorch.empty() ? "none: " + info["libtorch_reason"].get<std::string>() : libtorch));
  print_line("CUDA        " + (devices > 0 ? std::to_string(devices) + " device(s)"
                                           : "none: " + info["cuda"]["reason"].get<std::string>()));
  print_line("Arrow       " + (arrow.empty() ? "none: " + no_arrow : arrow));
}

}  // namespace

void add_version(CLI::App& program, Common& common) {
  add_verb(program, "version", "Print the versions of the library and of what it uses",
           R"(  contrastive version
  contrastive version --json)",
           common, [&common] { run(common); });
}

}  // namespace contrastive::cli
