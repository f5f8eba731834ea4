/* bindings/bench/reference.c for Overhead.java. */
#include <jni.h>

int reference_open(const char *folder);
double reference_time(int which, int calls);

JNIEXPORT jint JNICALL Java_Overhead_open(JNIEnv *env, jclass self, jstring folder) {
  (void)self;
  const char *path = (*env)->GetStringUTFChars(env, folder, NULL);
  if (path == NULL) return -1;
  const int status = reference_open(path);
  (*env)->ReleaseStringUTFChars(env, folder, path);
  return status;
}

JNIEXPORT jdouble JNICALL Java_Overhead_inC(JNIEnv *env, jclass self, jint which, jint calls) {
  (void)env;
  (void)self;
  return reference_time(which, calls);
}
