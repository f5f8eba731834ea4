package contrastive

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"unsafe"
)

var noBytes = make([]byte, 1)

// bytesOf is the memory of a string, for a call that does not keep it; never nil.
func bytesOf(s string) []byte {
	if len(s) == 0 {
		return noBytes[:0]
	}
	return unsafe.Slice(unsafe.StringData(s), len(s))
}

// terminated is a string as the library wants paths, keys and names: it ends at a NUL and cannot
// hold another.
func terminated(what, s string) ([]byte, error) {
	if at := strings.IndexByte(s, 0); at >= 0 {
		return nil, argument(what + " holds a NUL byte, at " + strconv.Itoa(at))
	}
	bytes := make([]byte, len(s)+1)
	copy(bytes, s)
	return bytes, nil
}

// narrow is an int as the library's 32 bits.
func narrow(what string, value int) (int32, error) {
	if value < math.MinInt32 || value > math.MaxInt32 {
		return 0, argument(what + " is " + strconv.Itoa(value) + ", beyond 32 bits")
	}
	return int32(value), nil
}

// packed is texts in one buffer: text i is data[offsets[i]:offsets[i+1]].
type packed struct {
	data    []byte
	offsets []int32
}

var packs = sync.Pool{
	New: func() any { return &packed{data: make([]byte, 0, 256), offsets: make([]int32, 1, 16)} },
}

// pack copies texts into a buffer that goes back to the pool by free.
func pack(texts []string) (*packed, error) { return packUpTo(math.MaxInt32, texts) }

// packUpTo does so for texts of at most so many bytes. Each is looked at twice, and another
// goroutine may have put a longer one there meanwhile: so the limit holds for what is copied, and
// offsets tell what that was.
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

// texts is how many there are.
func (p *packed) texts() int64 { return int64(len(p.offsets) - 1) }

func (p *packed) free() {
	const keep = 1 << 20 // a single huge call must not hold its memory for ever
	if cap(p.data) <= keep && cap(p.offsets) <= keep {
		packs.Put(p)
	}
}
