package contrastive

import (
	"context"

	"contrastive.io/go/internal/raw"
)

// Adapt adapts the model to pairs of a query and the document that answers it. It splits the pairs,
// evaluates the model, mines hard negatives, trains, evaluates again, and writes the new model to
// the folder output only if it is better. The corpus has more texts to search, in addition to the
// documents of the pairs; it may be nil. Options are the keys of Describe("adapt"). The report says
// whether the model was written ("shipped") and why ("reason"), and has the metrics before and
// after with their confidence intervals. If a call is cancelled, repeating it later resumes the
// work.
func (m *Model) Adapt(
	ctx context.Context,
	pairs, corpus *Dataset,
	output string,
	options ...Option,
) (Report, error) {
	return m.onPairs(ctx, pairs, corpus, output, options, raw.C().Cs_adapt)
}
