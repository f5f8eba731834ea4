// Helpers of the generated JNI wrappers: arguments that convert arrays and text from Java and free
// themselves, exceptions, and the sink of log messages.
#pragma once

#include <jni.h>

#include <cstdint>
#include <memory>
#include <new>

#include <contrastive/contrastive.h>

namespace jni {

// (Pointers are not const here because SWIG drops the const of the arguments that it declares.)

// The classes, methods and fields that JNI_OnLoad looks up once. Classes are global references.
struct Ids {
  JavaVM *vm;
  jclass exception;       // io.contrastive.ContrastiveException
  jmethodID from_native;  // static ContrastiveException fromNative(int, byte[])
  jclass log;             // io.contrastive.Log
  jmethodID deliver;      // static void deliver(int, byte[])
  jclass call;            // io.contrastive.CallScope
  jmethodID progress;     // static void progress(long, byte[], long, long)
  jclass floats;          // float[]
  jclass rows;            // float[][]
  jclass vectors;         // io.contrastive.Vectors, and its fields
  jfieldID memory;
  jfieldID size;
  jfieldID dimension;
};
extern Ids ids;

// Throws the ContrastiveException of an error, and frees the error.
void raise(JNIEnv *env, cs_error *error);

// Throws java.lang.OutOfMemoryError. @return false, so that a caller can pass it on.
bool out_of_memory(JNIEnv *env);

// Throws the ContrastiveException of an argument that the library must not be given. @return false
bool refuse(JNIEnv *env, const char *message);

// A new byte[] with the text; null for null.
jbyteArray bytes(JNIEnv *env, const char *text);

// The cs_log_function behind Log. Any thread may call it, even one that Java does not know.
void deliver(int32_t level, const char *message, void *user);

// The cs_progress_function behind Progress. `user` is the cs_cancel of the call, by which CallScope
// finds the listener.
void progress(const char *what, int64_t done, int64_t total, void *user);

// Uninitialised memory of one call. Small sizes, which are the most frequent, need no allocation.
template <typename T>
class Scratch {
 public:
  bool reserve(JNIEnv *env, size_t n) {
    if (n <= kInline) {
      start_ = inline_;
      return true;
    }
    heap_.reset(new (std::nothrow) T[n]);
    start_ = heap_.get();
    return start_ != nullptr || out_of_memory(env);
  }
  T *get() const { return start_; }

 private:
  static constexpr size_t kInline = 256 / sizeof(T);
  T inline_[kInline];
  std::unique_ptr<T[]> heap_;
  T *start_ = nullptr;
};

// The bytes of a byte[] with a NUL after them; null for null.
class Terminated {
 public:
  bool load(JNIEnv *env, jbyteArray array);
  char *get() const { return memory_.get(); }
  int64_t length() const { return length_; }

 private:
  Scratch<char> memory_;
  int64_t length_ = 0;
};

// The texts of an io.contrastive.Packed: a byte[], of which the offsets say how much is used;
// without offsets all of it is one text. Call hold, which allocates memory, then load, which copies
// the bytes, then expect, which checks that there are enough offsets.
class PackedTexts {
 public:
  bool hold(JNIEnv *env, jbyteArray data);
  bool load(JNIEnv *env, jintArray offsets);
  bool expect(JNIEnv *env, int64_t rows);
  bool expect_columns(JNIEnv *env, int32_t columns);
  char *data() const { return data_.get(); }
  int32_t *offsets() const { return offsets_.get(); }

 private:
  jbyteArray array_ = nullptr;
  jsize n_ = 0;
  int64_t n_texts_ = 1;
  int64_t rows_ = 0;
  Scratch<char> data_;
  Scratch<int32_t> offsets_;
};

// A direct FloatBuffer, used in place; or a float[] or float[][], copied once. The buffer's address
// is that of its element 0, so the layer above passes a slice. Rows are the caller's own array,
// which any thread may change at any time, so earlier checks of the layer above do not count.
class Floats {
 public:
  bool read(JNIEnv *env, jobject vectors);   // an input, an io.contrastive.Vectors: null stays null
  bool prepare(JNIEnv *env, jobject array);  // an output: memory of the same size
  void limit(int64_t n);                     // the call fills no more than the first n floats of it
  void store(JNIEnv *env);                   // copies an output to Java, unless it was used in
                                             // place
  float *get() const { return floats_; }

 private:
  bool measure(JNIEnv *env, jobject array);
  bool copy_rows(JNIEnv *env, bool to_java);

  enum class Kind { kNone, kDirect, kFlat, kRows };
  Kind kind_ = Kind::kNone;
  jobject array_ = nullptr;
  int64_t n_ = 0;
  jsize rows_ = 0;
  jsize dimension_ = 0;  // floats of each row
  Scratch<float> memory_;
  float *floats_ = nullptr;
};

// A primitive array, copied in (read) or out (prepare, store). null stays null.
template <typename T, typename Array, void (JNIEnv::*Get)(Array, jsize, jsize, T *),
          void (JNIEnv::*Set)(Array, jsize, jsize, const T *)>
class Primitive {
 public:
  bool prepare(JNIEnv *env, Array array) {
    array_ = array;
    if (array == nullptr) return true;
    n_ = env->GetArrayLength(array);
    return memory_.reserve(env, static_cast<size_t>(n_));
  }
  bool read(JNIEnv *env, Array array) {
    if (!prepare(env, array)) return false;
    if (array != nullptr) (env->*Get)(array, 0, n_, memory_.get());
    return !env->ExceptionCheck();
  }
  void store(JNIEnv *env) {
    if (array_ != nullptr && !env->ExceptionCheck()) (env->*Set)(array_, 0, n_, memory_.get());
  }
  T *elements() const { return memory_.get(); }

 private:
  Array array_ = nullptr;
  jsize n_ = 0;
  Scratch<T> memory_;
};

struct Ints : Primitive<jint, jintArray, &JNIEnv::GetIntArrayRegion, &JNIEnv::SetIntArrayRegion> {
  int32_t *get() const { return elements(); }
};
struct Doubles : Primitive<jdouble, jdoubleArray, &JNIEnv::GetDoubleArrayRegion,
                           &JNIEnv::SetDoubleArrayRegion> {
  double *get() const { return elements(); }
};
struct Longs
    : Primitive<jlong, jlongArray, &JNIEnv::GetLongArrayRegion, &JNIEnv::SetLongArrayRegion> {
  int64_t *get() const { return reinterpret_cast<int64_t *>(elements()); }
};
struct Bytes
    : Primitive<jbyte, jbyteArray, &JNIEnv::GetByteArrayRegion, &JNIEnv::SetByteArrayRegion> {
  uint8_t *get() const { return reinterpret_cast<uint8_t *>(elements()); }
};

}  // namespace jni
