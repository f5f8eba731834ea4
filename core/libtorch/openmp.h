// OpenMP's threads, which LibTorch computes with. Each thread that computes has a team of its own there. OpenMP ends the process when the system
// refuses it a thread, and waits for ever for a team that fork() left behind in the parent: both are looked at beforehand.
#pragma once

namespace contrastive::libtorch {

// To be called at the head of whatever computes with LibTorch, on the thread that will. Afterwards OpenMP and LibTorch compute on this thread with
// threads() threads; or with one, which needs no team, where the system is near its limit of threads or where this thread had a team before its
// process was forked (logged as a warning). The first call of a thread, and the first after set_threads, starts threads and joins them to see what
// is granted; the others cost nothing. A thread of the pool (core/runtime/thread_pool.h), which works beside others, computes alone. kLimit where the stack is too small for LibTorch (stack.h).
void settle_openmp();

}  // namespace contrastive::libtorch
