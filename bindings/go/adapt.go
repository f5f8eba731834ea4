package contrastive

import (
	"context"

	"contrastive.io/go/internal/swig"
)

// Adapt makes the model better at pairs of a query and the document that answers it, or says why it
// is not: it splits the pairs, tests the model, mines hard negatives, trains, tests again, and
// writes the result to the folder output only if it is better. The corpus is texts, what is
// searched beside the documents of the pairs; nil: those alone. Options are the keys of
// Describe("adapt"). The report says whether the model was written ("shipped") and why ("reason"),
// and the figures before and after with their intervals. A call that was cancelled leaves what was
// done, and the same call goes on with it.
func (m *Model) Adapt(
	ctx context.Context,
	pairs, corpus *Dataset,
	output string,
	options ...Option,
) (Report, error) {
	return m.onPairs(ctx, pairs, corpus, output, options, swig.Cs_adapt)
}
