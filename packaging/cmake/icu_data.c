// Symbols that a static ICU needs for linking but the library never uses: an empty data file, and
// on Windows the name of its time zone. See icu.cmake.
#include <stdint.h>
#include <unicode/urename.h>
#include <unicode/uvernum.h>

const char *uprv_detectWindowsTimeZone(void);

#define JOIN_AGAIN(a, b, c) a##b##c
#define JOIN(a, b, c) JOIN_AGAIN(a, b, c)

// The header of a data file of format "CmnD" without entries, as in ICU's own stubdata.
typedef struct {
  uint16_t header_size;
  uint8_t magic1, magic2;
  uint16_t info_size, reserved;
  uint8_t is_big_endian, charset, size_of_char16, reserved_byte;
  uint8_t format[4], format_version[4], data_version[4];
  char padding[8];
  uint32_t count, more;
  int32_t entry[4];
} EmptyData;

__attribute__((visibility("hidden")))
const EmptyData JOIN(icudt, U_ICU_VERSION_MAJOR_NUM,
                     _dat) = {32,
                              0xda,
                              0x27,
                              20,
                              0,
                              __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__,
                              0,
                              2,
                              0,
                              {0x54, 0x6f, 0x43, 0x50},
                              {1, 0, 0, 0},
                              {0, 0, 0, 0},
                              {0},
                              0,
                              0,
                              {0}};

__attribute__((visibility("hidden"))) const char *uprv_detectWindowsTimeZone(void) { return 0; }
