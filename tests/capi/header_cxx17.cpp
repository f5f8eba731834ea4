// The public header as C++17, first and alone, with every warning an error.
#include <contrastive/contrastive.h>

#include <type_traits>

static_assert(std::is_same<cs_status, int32_t>::value,
              "a status is a plain number in every language");
static_assert(std::is_standard_layout<cs_encode_options>::value &&
                  std::is_trivially_copyable<cs_encode_options>::value,
              "a C struct");

int header_cxx17();
int header_cxx17() {
  const cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  return options.normalize == -1 && options.struct_size == sizeof(options) ? CS_ABI_VERSION : -1;
}
