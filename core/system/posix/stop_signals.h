// The signals by which run times stop their threads to collect garbage: mono, .NET and Boehm's
// collector.
#pragma once

#include <signal.h>

namespace contrastive::system {

// Calls body(signal) for each.
template <class Body>
void for_each_stop_signal(Body body) {
#ifdef SIGPWR
  body(SIGPWR);
#endif
  body(SIGXCPU);
#ifdef SIGRTMIN
  for (int signal = SIGRTMIN; signal <= SIGRTMAX; ++signal) body(signal);
#endif
}

}  // namespace contrastive::system
