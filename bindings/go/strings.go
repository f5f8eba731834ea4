package contrastive

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

var noBytes = make([]byte, 1)

// bytesOf returns the memory of a string, for a call that does not retain it. The result is never
// nil.
func bytesOf(s string) []byte {
	if len(s) == 0 {
		return noBytes[:0]
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// terminated converts a path, key or name to a NUL-terminated string. It returns an error if the
// string contains a NUL.
func terminated(what, s string) ([]byte, error) {
	if at := strings.IndexByte(s, 0); at >= 0 {
		return nil, argument(what + " holds a NUL byte, at " + strconv.Itoa(at))
	}
	bytes := make([]byte, len(s)+1)
	copy(bytes, s)
	return bytes, nil
}

// narrow converts an int to the library's 32 bits.
func narrow(what string, value int) (int32, error) {
	if value < math.MinInt32 || value > math.MaxInt32 {
		return 0, argument(what + " is " + strconv.Itoa(value) + ", beyond 32 bits")
	}
	return int32(value), nil
}

// packed has several texts in one buffer: text i is data[offsets[i]:offsets[i+1]].
type packed struct {
	data    []byte
	offsets []int32
}

var packs = sync.Pool{
	New: func() any { return &packed{data: make([]byte, 0, 256), offsets: make([]int32, 1, 16)} },
}

// pack copies texts into a pooled buffer, which free returns to the pool.
func pack(texts []string) (*packed, error) { return packUpTo(math.MaxInt32, texts) }

// packUpTo is pack with a limit on the total number of bytes. Each text is read twice, and another
// goroutine may replace it by a longer one in between. The limit and the offsets therefore apply to
// the bytes that were copied.
func packUpTo(most int, texts []string) (*packed, error) {
	total := 0
	for _, text := range texts {
		total += len(text)
	}
	if total > most {
		return nil, tooMuch(total, most)
	}
	p := packs.Get().(*packed)
	if cap(p.data) < total || p.data == nil {
		p.data = make([]byte, 0, total)
	}
	p.data, p.offsets = p.data[:0], p.offsets[:1]
	for _, text := range texts {
		if total = len(p.data) + len(text); total > most {
			p.free()
			return nil, tooMuch(total, most)
		}
		p.data = append(p.data, text...)
		p.offsets = append(p.offsets, int32(len(p.data)))
	}
	return p, nil
}

func tooMuch(total, most int) error {
	message := "the texts of one call have " + strconv.Itoa(
		total,
	) + " bytes; at most " + strconv.Itoa(
		most,
	) + " are possible"
	return &Error{Code: ErrLimit, Message: message}
}

// texts returns the number of texts.
func (p *packed) texts() int64 { return int64(len(p.offsets) - 1) }

func (p *packed) free() {
	const keep = 1 << 20 // a single huge call must not keep its memory forever
	if cap(p.data) <= keep && cap(p.offsets) <= keep {
		packs.Put(p)
	}
}
