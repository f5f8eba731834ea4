package contrastive

import (
	"context"

	"contrastive.io/go/internal/raw"
)

// Create creates a model with random weights, of any size, to train from scratch. Its tokenizer
// comes from a folder that TrainVocabulary wrote or from an existing model. Options are the keys of
// Describe("recipe"), such as "tokenizer" and "pooling".
func Create(options ...Option) (*Model, error) {
	var model *Model
	err := configured(options, true, func(config uintptr) (err error) {
		var failure uintptr
		model, err = newModel(raw.C().Cs_model_create(config, &failure), &failure)
		return err
	})
	return model, err
}

// TrainVocabulary learns a vocabulary from the lines of a text file and writes it as a folder that
// Create and Hugging Face's tokenizers read. Options are the keys of Describe("vocabulary").
func TrainVocabulary(ctx context.Context, input, output string, options ...Option) error {
	from, err := terminated("the input", input)
	if err != nil {
		return err
	}
	to, err := terminated("the output", output)
	if err != nil {
		return err
	}
	return configured(options, false, func(config uintptr) error {
		return cancellable(ctx, func(flag uintptr) error {
			var failure uintptr
			return check(raw.C().Cs_vocabulary_train(from, to, config, flag, &failure), &failure)
		})
	})
}
