// The entry points of libFuzzer. The target is the program's name after "fuzz_" (run.sh makes a
// link for each), or CONTRASTIVE_FUZZ_TARGET.
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/fuzz/target.h"

namespace {

contrastive::fuzz::Function chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  (void)argc;
  std::string name = (*argv)[0];
  name = name.substr(name.rfind('/') + 1);
  const char* given = std::getenv("CONTRASTIVE_FUZZ_TARGET");
  if (given != nullptr) name = std::string("fuzz_") + given;
  for (const auto& target : contrastive::fuzz::targets()) {
    if (name == std::string("fuzz_") + target.name) chosen = target.run;
  }
  if (chosen != nullptr) return 0;
  std::fprintf(stderr, "which target? Set CONTRASTIVE_FUZZ_TARGET to one of");
  for (const auto& target : contrastive::fuzz::targets()) std::fprintf(stderr, " %s", target.name);
  std::fprintf(stderr, "\n");
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
