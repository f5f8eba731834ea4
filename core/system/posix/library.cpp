#include "core/system/library.h"

#include <dlfcn.h>
#include <locale.h>
#if __has_include(<xlocale.h>)  // macOS
#include <xlocale.h>
#endif

namespace contrastive::system {
namespace {

// The loader translates its messages into the language of the thread, and the library looks for
// English words in them.
class InEnglish {
 public:
  InEnglish() : english_(::newlocale(LC_ALL_MASK, "C", locale_t{})) {
    if (english_ != locale_t{}) before_ = ::uselocale(english_);
  }
  ~InEnglish() {
    if (english_ == locale_t{}) return;
    ::uselocale(before_);
    ::freelocale(english_);
  }
  InEnglish(const InEnglish&) = delete;
  InEnglish& operator=(const InEnglish&) = delete;

 private:
  locale_t english_, before_{};
};

}  // namespace

void* open_library(const char* name, Bind bind) noexcept {
  const InEnglish english;
  return ::dlopen(name, (bind == Bind::kNow ? RTLD_NOW : RTLD_LAZY) | RTLD_LOCAL);
}

void* find_symbol(const char* library, const char* name) noexcept {
  void* const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const symbol = dlsym(handle, name);
  dlclose(handle);  // the reference that dlopen() added
  return symbol;
}

void close_library(void* library) noexcept { ::dlclose(library); }

std::string library_error() {
  const InEnglish english;
  const char* const problem = ::dlerror();
  return problem != nullptr ? problem : "it cannot be loaded";
}

LoadedLibrary library_of(const void* address) {
  Dl_info info{};
  if (::dladdr(address, &info) == 0) return {};
  return {info.dli_fname != nullptr ? info.dli_fname : "", info.dli_fbase};
}

}  // namespace contrastive::system
