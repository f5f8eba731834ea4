package contrastive

import "contrastive.io/go/internal/raw"

// NoLimit is a maximum length that keeps every token; 0 is the model's own limit.
const NoLimit = -1

// Tokens are the token ids of a text, special tokens included, equal to those of Hugging Face
// tokenizers. Token i covers text[Begins[i]:Ends[i]].
type Tokens struct {
	IDs    []int32
	Begins []int32 // the first byte of each token; -1 for special tokens
	Ends   []int32 // the position after its last byte; -1 for special tokens
}

// PairTokens are the token ids of two texts, with the type of each id: 0, or 1 for the second text
// if the model distinguishes them.
type PairTokens struct {
	IDs     []int32
	TypeIDs []int32
}

// Tokenize splits a text into tokens and cuts it to maxLength tokens. 0 is the model's own limit;
// NoLimit means no limit.
func (m *Model) Tokenize(text string, maxLength int) (Tokens, error) {
	var tokens Tokens
	arrays := []*[]int32{&tokens.IDs, &tokens.Begins, &tokens.Ends}
	err := m.tokenize(
		maxLength,
		len(text),
		arrays,
		func(model uintptr, limit int32, count *int32, failure *uintptr) int32 {
			return raw.C().Cs_tokenize(
				model,
				bytesOf(text),
				int64(len(text)),
				limit,
				tokens.IDs,
				tokens.Begins,
				tokens.Ends,
				int64(len(tokens.IDs)),
				count,
				failure,
			)
		},
	)
	return tokens, err
}

// TokenizePair splits a pair of texts into one sequence of tokens. The longer text is cut first.
func (m *Model) TokenizePair(a, b string, maxLength int) (PairTokens, error) {
	var tokens PairTokens
	arrays := []*[]int32{&tokens.IDs, &tokens.TypeIDs}
	err := m.tokenize(
		maxLength,
		len(a)+len(b),
		arrays,
		func(model uintptr, limit int32, count *int32, failure *uintptr) int32 {
			return raw.C().Cs_tokenize_pair(
				model,
				bytesOf(a),
				int64(len(a)),
				bytesOf(b),
				int64(len(b)),
				limit,
				tokens.IDs,
				tokens.TypeIDs,
				int64(len(tokens.IDs)),
				count,
				failure,
			)
		},
	)
	return tokens, err
}

// tokenize makes the call with arrays of a guessed length, and repeats it if they were too short.
// The arrays are then cut to the number of tokens.
func (m *Model) tokenize(
	maxLength, bytes int,
	arrays []*[]int32,
	call func(uintptr, int32, *int32, *uintptr) int32,
) error {
	limit, err := narrow("the maximum length", maxLength)
	if err != nil {
		return err
	}
	pointer, err := m.owned().acquire()
	if err != nil {
		return err
	}
	defer m.handle.release()
	room, count := min(bytes+8, 512), int32(0)
	for {
		for _, array := range arrays {
			*array = make([]int32, room)
		}
		var failure uintptr
		err := check(call(pointer, limit, &count, &failure), &failure)
		if failed, ok := err.(*Error); ok && failed.Code == ErrBuffer && int(count) > room {
			room = int(count)
			continue
		}
		for _, array := range arrays {
			*array = (*array)[:min(room, int(count))]
			if err != nil {
				*array = nil
			}
		}
		return err
	}
}

// Token returns the vocabulary entry of a token id; "" if there is none.
func (m *Model) Token(id int) (string, error) {
	number, err := narrow("the token id", id)
	if err != nil {
		return "", err
	}
	var token string
	err = m.use(func(pointer uintptr, failure *uintptr) (err error) {
		token, err = text(raw.C().Cs_token(pointer, number, failure), failure)
		return err
	})
	return token, err
}
