package contrastive

import (
	"context"

	"contrastive.io/go/internal/raw"
)

// Mine mines hard negatives. For each pair (anchor, positive) it finds texts that are similar to
// the anchor but do not answer it, and writes a file to train on. The search is exact. The corpus
// has the texts to search; the positives are always candidates, and the only ones if corpus is nil.
// The name of the output file ends in .jsonl or .tsv. The file is replaced when mining has
// finished. The report has the number of rows written, how many candidates each filter removed,
// statistics of the scores, and a sample. Options are the keys of Describe("mining"). If a call is
// cancelled, repeating it later reuses the embeddings already computed.
func (m *Model) Mine(
	ctx context.Context,
	pairs, corpus *Dataset,
	output string,
	options ...Option,
) (Report, error) {
	return m.mine(ctx, 0, pairs, corpus, output, options)
}

// MineGuided is Mine with a second model that scores the candidates.
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

// MineReranked is Mine with a reranker with one label that scores the candidates. It reads each
// candidate together with the anchor, which is more accurate than comparing embeddings and takes
// far longer.
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
		func(model, examples, texts uintptr, file []byte, config, cancel uintptr,
			failure *uintptr) string {
			return raw.C().Cs_mine(model, guide, examples, texts, file, config, cancel, failure)
		},
	)
}

// onPairs makes a C call with pairs and a corpus, which may be nil, and returns its report. All
// arguments of the call except the output are handles.
func (m *Model) onPairs(
	ctx context.Context,
	pairs, corpus *Dataset,
	output string,
	options []Option,
	call func(model, pairs, corpus uintptr, output []byte, config, cancel uintptr,
		failure *uintptr) string,
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
