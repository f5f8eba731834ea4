package contrastive_test

import (
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	contrastive "contrastive.io/go"
	"contrastive.io/go/internal/reference"
)

// best is the shortest time of one call, over rounds of each of the two in turn: what remains is not somebody else's work.
func best(rounds int, inC, inGo func() time.Duration) (c, g time.Duration) {
	c, g = time.Hour, time.Hour
	for range rounds {
		c, g = min(c, inC()), min(g, inGo())
	}
	return c, g
}

func timed(calls int, call func()) time.Duration {
	start := time.Now()
	for range calls {
		call()
	}
	return time.Since(start) / time.Duration(calls)
}

// What a call costs above the same call made in C, on the smallest model: as a table, and within limits.
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
	query, scores := contrastive.Vectors{Values: vectors.Row(3), Dimension: 384}, make([]float32, 1000)
	rows := []struct {
		name      string
		limit     time.Duration
		inC, inGo func() time.Duration
	}{
		{"bare call (dimension)", 500 * time.Nanosecond,
			func() time.Duration { return reference.TimeBare(model.Pointer(), 20000) },
			func() time.Duration { return timed(20000, func() { model.Dimension() }) }},
		{"no text, into a caller's slice", time.Microsecond,
			func() time.Duration { return reference.TimeEncode(model.Pointer(), nil, []int32{0}, nil, 5000) },
			func() time.Duration { return timed(5000, func() { _ = model.EncodeInto(background, nil, nil) }) }},
		{"one text, into a caller's slice", time.Microsecond,
			func() time.Duration { return reference.TimeEncode(model.Pointer(), data, offsets, out, 200) },
			func() time.Duration { return timed(200, func() { _ = model.EncodeInto(background, out, one) }) }},
		{"one text, fresh result", 3 * time.Microsecond,
			func() time.Duration { return reference.TimeEncode(model.Pointer(), data, offsets, out, 200) },
			func() time.Duration { return timed(200, func() { _, _ = model.EncodeText(background, "cat") }) }},
		{"1,000 texts, into a caller's slice", 250 * time.Microsecond,
			func() time.Duration { return reference.TimeEncode(model.Pointer(), manyData, manyOffsets, manyOut, 1) },
			func() time.Duration { return timed(1, func() { _ = model.EncodeInto(background, manyOut, many) }) }},
		{"1,000 x 384 floats in, scores into a slice", 10 * time.Microsecond,
			func() time.Duration { return reference.TimeSimilarity(query.Values, vectors.Values, 384, scores, 50) },
			func() time.Duration {
				return timed(50, func() { _ = contrastive.SimilarityInto(scores, query, vectors, contrastive.Cosine) })
			}},
	}
	var table strings.Builder
	fmt.Fprintf(&table, "%-44s %12s %12s %12s\n", "", "C", "Go", "above C")
	for _, row := range rows {
		var c, g, limit time.Duration
		for try := 0; try < 5 && (try == 0 || g-c > limit); try++ { // somebody else's work may hide in one round, not in five
			c, g = best(40, row.inC, row.inGo)
			limit = row.limit + c/10 // two measurements of the same computation differ by that much on a busy machine
		}
		fmt.Fprintf(&table, "%-44s %12v %12v %12v\n", row.name, c, g, g-c)
		if g-c > limit {
			t.Errorf("%s: %v above C; at most %v is allowed", row.name, g-c, limit)
		}
	}
	fmt.Fprint(os.Stderr, table.String())
}
