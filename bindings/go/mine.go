package contrastive

import (
	"context"

	"contrastive.io/go/internal/swig"
)

// Mine finds, for pairs (anchor, positive), texts that are like the anchor and no answer to it, and
// writes these hard negatives as a file to train on. The search is exact. The corpus is texts; nil:
// the positives, which are candidates in any case. The name of the output ends in .jsonl or .tsv;
// the file is replaced when all is found. The report says how many rows were written, what each
// filter took out, what the scores are like, and shows a sample. Options are the keys of
// Describe("mining"). A call that was cancelled leaves what it had embedded, and the same call goes
// on with it.
func (m *Model) Mine(
	ctx context.Context,
	pairs, corpus *Dataset,
	output string,
	options ...Option,
) (Report, error) {
	return m.mine(ctx, 0, pairs, corpus, output, options)
}

// MineGuided is Mine with a second model, whose scores of the candidates decide.
func (m *Model) MineGuided(
	ctx context.Context,
	guide *Model,
	pairs, corpus *Dataset,
	output string,
	options ...Option,
) (report Report, err error) {
	if guide == nil {
		return nil, argument("the guide is nil")
	}
	err = guide.use(func(second uintptr, _ *uintptr) (err error) {
		report, err = m.mine(ctx, second, pairs, corpus, output, options)
		return err
	})
	return report, err
}

// MineReranked is Mine with a reranker of one label as the guide: it reads each candidate together
// with the anchor, which takes far longer.
func (m *Model) MineReranked(
	ctx context.Context,
	guide *Reranker,
	pairs, corpus *Dataset,
	output string,
	options ...Option,
) (report Report, err error) {
	if guide == nil {
		return nil, argument("the guide is nil")
	}
	err = guide.use(func(second uintptr, _ *uintptr) (err error) {
		report, err = m.mine(ctx, second, pairs, corpus, output, options)
		return err
	})
	return report, err
}

func (m *Model) mine(
	ctx context.Context,
	guide uintptr,
	pairs, corpus *Dataset,
	output string,
	options []Option,
) (Report, error) {
	return m.onPairs(
		ctx,
		pairs,
		corpus,
		output,
		options,
		func(model, examples, texts uintptr, file []byte, config, cancel uintptr, failure *uintptr) string {
			return swig.Cs_mine(model, guide, examples, texts, file, config, cancel, failure)
		},
	)
}

// onPairs reports what a call in C makes of pairs and a corpus, which may be nil; all that the call
// takes but the output are handles.
func (m *Model) onPairs(
	ctx context.Context,
	pairs, corpus *Dataset,
	output string,
	options []Option,
	call func(model, pairs, corpus uintptr, output []byte, config, cancel uintptr, failure *uintptr) string,
) (report Report, err error) {
	if pairs == nil {
		return nil, argument("the dataset of pairs is nil")
	}
	place, err := terminated("the output", output)
	if err != nil {
		return nil, err
	}
	examples, err := pairs.owned().acquire()
	if err != nil {
		return nil, err
	}
	defer pairs.handle.release()
	texts := uintptr(0)
	if corpus != nil {
		if texts, err = corpus.owned().acquire(); err != nil {
			return nil, err
		}
		defer corpus.handle.release()
	}
	err = m.use(func(pointer uintptr, failure *uintptr) error {
		return configured(options, false, func(config uintptr) error {
			return cancellable(ctx, func(flag uintptr) error {
				result, err := text(
					call(pointer, examples, texts, place, config, flag, failure),
					failure,
				)
				report = Report(result)
				return err
			})
		})
	})
	return report, err
}
