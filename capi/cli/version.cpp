// contrastive version: the library, LibTorch, the processor, CUDA.
#include "capi/cli/failure.h"
#include "capi/cli/terminal.h"
#include "capi/cli/verb.h"

namespace contrastive::cli {
namespace {

void run(const Common& common) {
  Outcome outcome;
  const String text(cs_build_info(outcome));
  outcome.check();
  const Json info = Json::parse(text.get());
  if (common.json) {
    print_json(info);
    return;
  }
  const int devices = info["cuda"]["devices"].get<int>();
  print_line("contrastive " + info["version"].get<std::string>());
  print_line("LibTorch    " + info["libtorch"].get<std::string>() + ", " + info["cpu"].get<std::string>());
  print_line("CUDA        " + (devices > 0 ? std::to_string(devices) + " device(s)" : "none: " + info["cuda"]["reason"].get<std::string>()));
}

}  // namespace

void add_version(CLI::App& program, Common& common) {
  add_verb(program, "version", "Print the versions of the library and of what it uses", R"(  contrastive version
  contrastive version --json)",
           common, [&common] { run(common); });
}

}  // namespace contrastive::cli
