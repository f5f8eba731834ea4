/* The public header as C99, first and alone, with every warning an error. A use of each macro and
 * struct proves that they work in this language. */
#include <contrastive/contrastive.h>

int header_c99(void);
int header_c99(void) {
  const cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  const cs_status status = CS_DONE;
  return options.normalize == -1 && options.struct_size == sizeof options && status > CS_OK &&
                 CS_METRIC_MANHATTAN == 3
             ? CS_VERSION_MINOR
             : -1;
}
