//go:build cgo && !contrastive_purego

package contrastive_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"
	"contrastive.io/go/internal/reference"
)

// above returns how long a call takes in C, and how much more it costs in Go: medians over rounds
// of C, Go, Go and C. The second is the median of the differences within a round. A slow period of
// the machine affects all four calls; a disturbance of one of them does not change the median.
func above(rounds int, inC, inGo func() time.Duration) (c, difference time.Duration) {
	times, differences := make([]time.Duration, rounds), make([]time.Duration, rounds)
	for i := range rounds {
		first, one, two, last := inC(), inGo(), inGo(), inC()
		times[i], differences[i] = (first+last)/2, (one+two-first-last)/2
	}
	slices.Sort(times)
	slices.Sort(differences)
	return times[rounds/2], differences[rounds/2]
}

func timed(calls int, call func()) time.Duration {
	start := time.Now()
	for range calls {
		call()
	}
	return time.Since(start) / time.Duration(calls)
}

// Prints a table of what calls cost more than the same calls in C, on the smallest model, and
// checks limits.
func TestCallOverhead(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector slows Go and not C: there is nothing to compare")
	}
	model := load(t)
	one, out := []string{"cat"}, make([]float32, model.Dimension())
	data, offsets, err := contrastive.Packed(one)
	must(t, err)
	many := make([]string, 1000)
	for i := range many {
		many[i] = fmt.Sprint("the cat ", i)
	}
	manyOut := make([]float32, len(many)*model.Dimension())
	manyData, manyOffsets, err := contrastive.Packed(many)
	must(t, err)
	vectors := contrastive.Vectors{Values: make([]float32, 1000*384), Dimension: 384}
	for i := range vectors.Values {
		vectors.Values[i] = float32(i%17) - 8
	}
	query, scores := contrastive.Vectors{
		Values:    vectors.Row(3),
		Dimension: 384,
	}, make(
		[]float32,
		1000,
	)
	rows := []struct {
		name      string
		rounds    int
		limit     time.Duration
		inC, inGo func() time.Duration
	}{
		{"bare call (dimension)", 100, 500 * time.Nanosecond,
			func() time.Duration { return reference.TimeBare(model.Pointer(), 2000) },
			func() time.Duration { return timed(2000, func() { model.Bare() }) }},
		{"no text, into a caller's slice", 100, time.Microsecond,
			func() time.Duration {
				return reference.TimeEncode(model.Pointer(), nil, []int32{0}, nil, 1000)
			},
			func() time.Duration {
				return timed(1000, func() { _ = model.EncodeInto(background, nil, nil) })
			}},
		{"one text, into a caller's slice", 300, time.Microsecond,
			func() time.Duration { return reference.TimeEncode(model.Pointer(), data, offsets, out, 20) },
			func() time.Duration {
				return timed(20, func() { _ = model.EncodeInto(background, out, one) })
			}},
		{"one text, fresh result", 300, 3 * time.Microsecond,
			func() time.Duration { return reference.TimeEncode(model.Pointer(), data, offsets, out, 20) },
			func() time.Duration {
				return timed(20, func() { _, _ = model.EncodeText(background, "cat") })
			}},
		{"1,000 texts, into a caller's slice", 40, 250 * time.Microsecond,
			func() time.Duration {
				return reference.TimeEncode(model.Pointer(), manyData, manyOffsets, manyOut, 1)
			},
			func() time.Duration {
				return timed(1, func() { _ = model.EncodeInto(background, manyOut, many) })
			}},
		{"1,000 x 384 floats in, scores into a slice", 100, 10 * time.Microsecond,
			func() time.Duration {
				return reference.TimeSimilarity(query.Values, vectors.Values, 384, scores, 10)
			},
			func() time.Duration {
				return timed(
					10,
					func() { _ = contrastive.SimilarityInto(scores, query, vectors, contrastive.Cosine) },
				)
			}},
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-44s %12s %12s %12s\n", "", "C", "Go above C", "allowed")
	for _, row := range rows {
		c, difference := above(row.rounds, row.inC, row.inGo)
		// The time of a long computation varies by a quarter on a busy machine, so this limit only
		// detects a copy of the floats.
		allowed := func() time.Duration {
			if c < 100*time.Microsecond {
				return row.limit
			}
			return max(row.limit, c/4)
		}
		// Other work on the machine may disturb a round, but not twenty.
		for try := 1; try < 20 && difference > allowed(); try++ {
			c, difference = above(row.rounds, row.inC, row.inGo)
		}
		fmt.Fprintf(&table, "%-44s %12v %12v %12v\n", row.name, c, difference, allowed())
		if difference > allowed() {
			t.Errorf("%s: %v above C; at most %v is allowed", row.name, difference, allowed())
		}
	}
	fmt.Fprint(os.Stderr, table.String())
}
