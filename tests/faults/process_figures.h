/* The resources of a process: resident memory, threads, file descriptors. Leak tests compare
 * them. */
#pragma once

#include <dirent.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void cannot_read(const char *path) {
  perror(path);
  abort();
}

struct figures {
  long kilobytes, threads, descriptors;
};

static long entries(const char *folder) {
  long count = 0;
  DIR *open = opendir(folder);
  if (open == NULL) cannot_read(folder);
  while (readdir(open) != NULL) ++count;
  closedir(open);
  return count;
}

static struct figures measure(void) {
  struct figures now = {0, 0, 0};
  malloc_trim(0);
  FILE *file = fopen("/proc/self/statm", "r");
  if (file == NULL || fscanf(file, "%*d %ld", &now.kilobytes) != 1) cannot_read("/proc/self/statm");
  fclose(file);
  now.kilobytes *= sysconf(_SC_PAGESIZE) / 1024;
  /* A joined thread is still listed until it has run once more. */
  for (int wait = 0, same = 0; wait < 400 && same < 20; ++wait) {
    const long threads = entries("/proc/self/task");
    same = threads == now.threads ? same + 1 : 0;
    now.threads = threads;
    usleep(5000);
  }
  now.descriptors = entries("/proc/self/fd");
  return now;
}

static int by_value(const void *a, const void *b) {
  return (*(const double *)a > *(const double *)b) - (*(const double *)a < *(const double *)b);
}

/* How much a round adds to `values`, which has one value for each of at least three rounds: the
 * median of the slopes between any two rounds that are not adjacent. A single outlier has no
 * influence on it (Theil and Sen). */
static double median_slope(const double *values, long count) {
  double *slopes = calloc((size_t)(count * count), sizeof *slopes);
  if (slopes == NULL) abort();
  size_t n = 0;
  for (long i = 0; i < count; ++i) {
    for (long j = i + 2; j < count; ++j) slopes[n++] = (values[j] - values[i]) / (double)(j - i);
  }
  qsort(slopes, n, sizeof *slopes, by_value);
  const double median = slopes[n / 2];
  free(slopes);
  return median;
}
