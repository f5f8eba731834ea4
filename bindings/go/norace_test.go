//go:build !race

package contrastive_test

// raceEnabled tells that memory accesses are not watched.
const raceEnabled = false
