// Arrays and text that cross between Java and the library (glue.h), and what is looked up when the library is loaded into a Java process.
#include "bindings/java/jni/glue.h"

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

// Stops at the first miss, whose NoClassDefFoundError or NoSuchMethodError is then pending.
bool look_up(JNIEnv *env) {
  if ((ids.exception = global_class(env, "io/contrastive/ContrastiveException")) == nullptr) return false;
  if ((ids.log = global_class(env, "io/contrastive/Log")) == nullptr) return false;
  if ((ids.floats = global_class(env, "[F")) == nullptr || (ids.rows = global_class(env, "[[F")) == nullptr) return false;
  return (ids.from_native = env->GetStaticMethodID(ids.exception, "fromNative", "(I[B)Lio/contrastive/ContrastiveException;")) != nullptr &&
         (ids.deliver = env->GetStaticMethodID(ids.log, "deliver", "(I[B)V")) != nullptr;
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

void raise(JNIEnv *env, cs_error *error) {
  const cs_status status = cs_error_status(error);
  jbyteArray message = bytes(env, cs_error_message(error));
  cs_error_free(error);
  if (env->ExceptionCheck()) return;  // no memory for the message: that is thrown instead
  jobject exception = env->CallStaticObjectMethod(ids.exception, ids.from_native, static_cast<jint>(status), message);
  if (!env->ExceptionCheck() && exception != nullptr) env->Throw(static_cast<jthrowable>(exception));
}

void deliver(int32_t level, const char *message, void *) {
  JNIEnv *env = nullptr;
  bool attached = false;
  if (ids.vm->GetEnv(reinterpret_cast<void **>(&env), JNI_VERSION_1_8) != JNI_OK) {
    if (ids.vm->AttachCurrentThreadAsDaemon(reinterpret_cast<void **>(&env), nullptr) != JNI_OK) return;
    attached = true;
  }
  jbyteArray array = bytes(env, message);
  if (array != nullptr) {
    env->CallStaticVoidMethod(ids.log, ids.deliver, static_cast<jint>(level), array);
    env->DeleteLocalRef(array);
  }
  if (env->ExceptionCheck()) env->ExceptionClear();  // Log.deliver catches what a sink throws: this is no memory, and the message is lost
  if (attached) ids.vm->DetachCurrentThread();
}

bool Terminated::load(JNIEnv *env, jbyteArray array) {
  if (array == nullptr) return true;
  const jsize n = env->GetArrayLength(array);
  if (!memory_.reserve(env, static_cast<size_t>(n) + 1)) return false;
  env->GetByteArrayRegion(array, 0, n, reinterpret_cast<jbyte *>(memory_.get()));
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
    if (!offsets_.reserve(env, static_cast<size_t>(n_offsets))) return false;
    env->GetIntArrayRegion(offsets, 0, n_offsets, offsets_.get());
    n_ = offsets_.get()[n_offsets - 1];  // data may be longer than what is used of it
  }
  if (n_ > 0) env->GetByteArrayRegion(array_, 0, n_, reinterpret_cast<jbyte *>(data_.get()));
  return true;
}

bool Floats::measure(JNIEnv *env, jobject array) {
  array_ = array;
  floats_ = static_cast<float *>(env->GetDirectBufferAddress(array));
  if (floats_ != nullptr) {  // asked first, because its callers count in microseconds
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
    const jsize rows = env->GetArrayLength(static_cast<jarray>(array));
    for (jsize i = 0; i < rows; ++i) {
      jobject row = env->GetObjectArrayElement(static_cast<jobjectArray>(array), i);
      n_ += env->GetArrayLength(static_cast<jarray>(row));
      env->DeleteLocalRef(row);
    }
  }
  if (!memory_.reserve(env, static_cast<size_t>(n_))) return false;
  floats_ = memory_.get();
  return true;
}

void Floats::copy_rows(JNIEnv *env, bool to_java) {
  const jobjectArray rows = static_cast<jobjectArray>(array_);
  float *at = floats_;
  const jsize n_rows = env->GetArrayLength(rows);
  for (jsize i = 0; i < n_rows; ++i) {
    jfloatArray row = static_cast<jfloatArray>(env->GetObjectArrayElement(rows, i));
    const jsize n = env->GetArrayLength(row);
    if (to_java) env->SetFloatArrayRegion(row, 0, n, at);
    else env->GetFloatArrayRegion(row, 0, n, at);
    at += n;
    env->DeleteLocalRef(row);  // or a corpus of a million rows makes a million local references
  }
}

bool Floats::read(JNIEnv *env, jobject array) {
  if (array == nullptr) return true;
  if (!measure(env, array)) return false;
  if (kind_ == Kind::kFlat) env->GetFloatArrayRegion(static_cast<jfloatArray>(array), 0, static_cast<jsize>(n_), floats_);
  if (kind_ == Kind::kRows) copy_rows(env, false);
  return true;
}

bool Floats::prepare(JNIEnv *env, jobject array) {
  return array == nullptr || measure(env, array);
}

void Floats::limit(int64_t n) {
  if (kind_ == Kind::kFlat && n >= 0 && n < n_) n_ = n;
}

void Floats::store(JNIEnv *env) {
  if (kind_ == Kind::kNone || kind_ == Kind::kDirect || env->ExceptionCheck()) return;
  if (kind_ == Kind::kFlat) env->SetFloatArrayRegion(static_cast<jfloatArray>(array_), 0, static_cast<jsize>(n_), floats_);
  if (kind_ == Kind::kRows) copy_rows(env, true);
}

}  // namespace jni

extern "C" JNIEXPORT jint JNICALL JNI_OnLoad(JavaVM *vm, void *) {
  JNIEnv *env = nullptr;
  if (vm->GetEnv(reinterpret_cast<void **>(&env), JNI_VERSION_1_8) != JNI_OK) return JNI_ERR;
  jni::ids.vm = vm;
  return jni::look_up(env) ? JNI_VERSION_1_8 : JNI_ERR;
}
