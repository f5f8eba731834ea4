// cs_npy: embeddings in files that NumPy reads.
#include "core/io/npy.h"

#include "capi/src/arrays.h"
#include "capi/src/guard.h"

using namespace contrastive;
using namespace contrastive::capi;

cs_status cs_npy_save(const char* path, const float* embeddings, int64_t n, int64_t dimension,
                      cs_error** error) {
  return guard(error, [&] {
    need_pointer(path, "path");
    need_array(embeddings, count_elements(n, dimension, "embeddings"), "embeddings");
    io::write_npy(path, embeddings, n, dimension);
  });
}

cs_status cs_npy_load(const char* path, float* embeddings, int64_t n_floats, int64_t* n,
                      int64_t* dimension, cs_error** error) {
  return guard(error, [&] {
    const io::NpyFile file(need_pointer(path, "path"));
    *need_pointer(n, "n") = file.rows();
    *need_pointer(dimension, "dimension") = file.columns();
    const int64_t needed = count_elements(file.rows(), file.columns(), "embeddings");
    if (embeddings == nullptr && n_floats == 0) return;  // only the shape
    file.read(need_buffer(embeddings, n_floats, needed, "embeddings"));
  });
}
