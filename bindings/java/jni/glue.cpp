// Converts arrays and text between Java and the library (glue.h), and looks up the Java classes
// when the library is loaded.
#include "bindings/java/jni/glue.h"

#include <cstdio>
#include <cstring>

namespace jni {

Ids ids;

namespace {

jclass global_class(JNIEnv *env, const char *name) {
  jclass local = env->FindClass(name);
  if (local == nullptr) return nullptr;
  jclass global = static_cast<jclass>(env->NewGlobalRef(local));
  env->DeleteLocalRef(local);
  return global;
}

// Stops at the first one that is missing; its NoClassDefFoundError or NoSuchMethodError is then
// pending.
bool look_up(JNIEnv *env) {
  if ((ids.exception = global_class(env, "io/contrastive/ContrastiveException")) == nullptr)
    return false;
  if ((ids.log = global_class(env, "io/contrastive/Log")) == nullptr) return false;
  if ((ids.call = global_class(env, "io/contrastive/CallScope")) == nullptr) return false;
  if ((ids.floats = global_class(env, "[F")) == nullptr ||
      (ids.rows = global_class(env, "[[F")) == nullptr)
    return false;
  if ((ids.vectors = global_class(env, "io/contrastive/Vectors")) == nullptr) return false;
  if ((ids.memory = env->GetFieldID(ids.vectors, "memory", "Ljava/lang/Object;")) == nullptr ||
      (ids.size = env->GetFieldID(ids.vectors, "size", "I")) == nullptr ||
      (ids.dimension = env->GetFieldID(ids.vectors, "dimension", "I")) == nullptr) {
    return false;
  }
  return (ids.from_native = env->GetStaticMethodID(ids.exception, "fromNative",
                                                   "(I[B)Lio/contrastive/ContrastiveException;")) !=
             nullptr &&
         (ids.deliver = env->GetStaticMethodID(ids.log, "deliver", "(I[B)V")) != nullptr &&
         (ids.progress = env->GetStaticMethodID(ids.call, "progress", "(J[BJJ)V")) != nullptr;
}

}  // namespace

bool out_of_memory(JNIEnv *env) {
  jclass error = env->FindClass("java/lang/OutOfMemoryError");
  if (error != nullptr) env->ThrowNew(error, "no native memory for the arguments of a call");
  return false;
}

jbyteArray bytes(JNIEnv *env, const char *text) {
  if (text == nullptr) return nullptr;
  const jsize n = static_cast<jsize>(std::strlen(text));
  jbyteArray array = env->NewByteArray(n);
  if (array != nullptr) env->SetByteArrayRegion(array, 0, n, reinterpret_cast<const jbyte *>(text));
  return array;
}

static void throw_contrastive(JNIEnv *env, cs_status status, const char *text) {
  jbyteArray message = bytes(env, text);
  if (env->ExceptionCheck()) return;  // no memory for the message: throws OutOfMemoryError instead
  jobject exception = env->CallStaticObjectMethod(ids.exception, ids.from_native,
                                                  static_cast<jint>(status), message);
  if (!env->ExceptionCheck() && exception != nullptr)
    env->Throw(static_cast<jthrowable>(exception));
}

void raise(JNIEnv *env, cs_error *error) {
  throw_contrastive(env, cs_error_status(error), cs_error_message(error));
  cs_error_free(error);
}

bool refuse(JNIEnv *env, const char *message) {
  throw_contrastive(env, CS_ERROR_ARGUMENT, message);
  return false;
}

// Calls `action` with the JNIEnv of this thread, which Java may not know yet, and with the text.
template <typename Action>
static void call_java(const char *text, Action action) {
  JNIEnv *env = nullptr;
  bool attached = false;
  if (ids.vm->GetEnv(reinterpret_cast<void **>(&env), JNI_VERSION_1_8) != JNI_OK) {
    if (ids.vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void **>(&env), nullptr) != JNI_OK)
      return;
    attached = true;
  }
  jbyteArray array = bytes(env, text);
  if (array != nullptr) {
    action(env, array);
    env->DeleteLocalRef(array);
  }
  if (env->ExceptionCheck())
    env->ExceptionClear();  // Java catches what a sink or listener throws, so this is
                            // OutOfMemoryError, and the message is lost
  if (attached) ids.vm->DetachCurrentThread();
}

void deliver(int32_t level, const char *message, void *) {
  call_java(message, [level](JNIEnv *env, jbyteArray text) {
    env->CallStaticVoidMethod(ids.log, ids.deliver, static_cast<jint>(level), text);
  });
}

void progress(const char *what, int64_t done, int64_t total, void *user) {
  call_java(what, [=](JNIEnv *env, jbyteArray text) {
    env->CallStaticVoidMethod(ids.call, ids.progress, reinterpret_cast<jlong>(user), text,
                              static_cast<jlong>(done), static_cast<jlong>(total));
  });
}

bool Terminated::load(JNIEnv *env, jbyteArray array) {
  if (array == nullptr) return true;
  const jsize n = env->GetArrayLength(array);
  if (!memory_.reserve(env, static_cast<size_t>(n) + 1)) return false;
  env->GetByteArrayRegion(array, 0, n, reinterpret_cast<jbyte *>(memory_.get()));
  if (env->ExceptionCheck()) return false;
  memory_.get()[n] = '\0';
  length_ = n;
  return true;
}

bool PackedTexts::hold(JNIEnv *env, jbyteArray data) {
  array_ = data;
  n_ = env->GetArrayLength(data);
  return data_.reserve(env, static_cast<size_t>(n_));
}

bool PackedTexts::load(JNIEnv *env, jintArray offsets) {
  if (offsets == nullptr) {
    if (!offsets_.reserve(env, 2)) return false;
    offsets_.get()[0] = 0;
    offsets_.get()[1] = n_;
  } else {
    const jsize n_offsets = env->GetArrayLength(offsets);
    if (n_offsets < 1) return refuse(env, "there are no offsets: n texts have n + 1 of them");
    if (!offsets_.reserve(env, static_cast<size_t>(n_offsets))) return false;
    env->GetIntArrayRegion(offsets, 0, n_offsets, offsets_.get());
    if (env->ExceptionCheck()) return false;
    const jint end = offsets_.get()[n_offsets - 1];  // data may be longer than its used part
    if (end < 0 || end > n_) return refuse(env, "the last offset is beyond the bytes of the texts");
    n_ = end;
    n_texts_ = n_offsets - 1;
  }
  if (n_ > 0) env->GetByteArrayRegion(array_, 0, n_, reinterpret_cast<jbyte *>(data_.get()));
  return !env->ExceptionCheck();
}

bool PackedTexts::expect(JNIEnv *env, int64_t rows) {
  rows_ = rows;
  return rows <= n_texts_ || refuse(env, "there are fewer texts than the call counts");
}

bool PackedTexts::expect_columns(JNIEnv *env, int32_t columns) {
  return columns < 1 || rows_ <= n_texts_ / columns ||
         refuse(env, "there are fewer texts than examples times columns");
}

bool Floats::measure(JNIEnv *env, jobject array) {
  array_ = array;
  floats_ = static_cast<float *>(env->GetDirectBufferAddress(array));
  if (floats_ != nullptr) {  // checked first, because callers measure in microseconds
    kind_ = Kind::kDirect;
    return true;
  }
  if (env->IsInstanceOf(array, ids.floats)) {
    kind_ = Kind::kFlat;
    n_ = env->GetArrayLength(static_cast<jarray>(array));
  } else if (!env->IsInstanceOf(array, ids.rows)) {
    kind_ = Kind::kDirect;  // of no memory
    return true;
  } else {
    kind_ = Kind::kRows;
    n_ = static_cast<int64_t>(rows_) * dimension_;
  }
  if (!memory_.reserve(env, static_cast<size_t>(n_))) return false;
  floats_ = memory_.get();
  return true;
}

bool Floats::copy_rows(JNIEnv *env, bool to_java) {
  const jobjectArray rows = static_cast<jobjectArray>(array_);
  float *at = floats_;
  for (jsize i = 0; i < rows_; ++i, at += dimension_) {
    jfloatArray row = static_cast<jfloatArray>(env->GetObjectArrayElement(rows, i));
    if (env->ExceptionCheck()) return false;
    if (row == nullptr) {
      char message[32];  // not a std::string, because nothing would catch its bad_alloc
      std::snprintf(message, sizeof message, "rows[%d] is null", static_cast<int>(i));
      jclass error = env->FindClass("java/lang/NullPointerException");
      if (error != nullptr) env->ThrowNew(error, message);
      return false;
    }
    const jsize n = env->GetArrayLength(row);
    if (n != dimension_) {
      char message[128];
      std::snprintf(
          message, sizeof message,
          "row %d has %d floats and had %d when Vectors.of checked it: the array must not "
          "change meanwhile",
          static_cast<int>(i), static_cast<int>(n), static_cast<int>(dimension_));
      return refuse(env, message);
    }
    if (to_java) env->SetFloatArrayRegion(row, 0, n, at);
    else env->GetFloatArrayRegion(row, 0, n, at);
    if (env->ExceptionCheck()) return false;
    env->DeleteLocalRef(row);  // otherwise a corpus of a million rows would create a million local
                               // references
  }
  return true;
}

bool Floats::read(JNIEnv *env, jobject vectors) {
  if (vectors == nullptr) return true;
  rows_ = env->GetIntField(vectors, ids.size);
  dimension_ = env->GetIntField(vectors, ids.dimension);
  if (!measure(env, env->GetObjectField(vectors, ids.memory))) return false;
  if (kind_ == Kind::kFlat)
    env->GetFloatArrayRegion(static_cast<jfloatArray>(array_), 0, static_cast<jsize>(n_), floats_);
  if (kind_ == Kind::kRows && !copy_rows(env, false)) return false;
  return !env->ExceptionCheck();
}

bool Floats::prepare(JNIEnv *env, jobject array) {
  if (array == nullptr) return true;
  if (env->IsInstanceOf(array, ids.rows)) {  // rows that the layer above has just made, all of the
                                             // same length
    rows_ = env->GetArrayLength(static_cast<jarray>(array));
    jobject first =
        rows_ == 0 ? nullptr : env->GetObjectArrayElement(static_cast<jobjectArray>(array), 0);
    if (env->ExceptionCheck()) return false;
    dimension_ = first == nullptr ? 0 : env->GetArrayLength(static_cast<jarray>(first));
    if (first != nullptr) env->DeleteLocalRef(first);
  }
  return measure(env, array);
}

void Floats::limit(int64_t n) {
  if (kind_ == Kind::kFlat && n >= 0 && n < n_) n_ = n;
}

void Floats::store(JNIEnv *env) {
  if (kind_ == Kind::kNone || kind_ == Kind::kDirect || env->ExceptionCheck()) return;
  if (kind_ == Kind::kFlat)
    env->SetFloatArrayRegion(static_cast<jfloatArray>(array_), 0, static_cast<jsize>(n_), floats_);
  if (kind_ == Kind::kRows) copy_rows(env, true);  // its exception is pending in Java
}

}  // namespace jni

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *) {
  JNIEnv *env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void **>(&env), JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  jni::ids.vm = vm;
  return jni::look_up(env) ? JNI_VERSION_1_8 : JNI_ERR;
}
