//go:build race

package contrastive_test

// raceEnabled tells that memory accesses are watched, and everything is slower.
const raceEnabled = true
