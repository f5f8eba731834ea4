//go:build !race

package contrastive_test

// raceEnabled is whether the race detector is on.
const raceEnabled = false
