package contrastive

import "contrastive.io/go/internal/swig"

// Model is the trained model, independent of the trainer from then on.
func (t *Trainer) Model() (*Model, error) { return t.model(0) }

// BestModel is the one that scored best on the dev set, or the present one where nothing was
// measured.
func (t *Trainer) BestModel() (*Model, error) { return t.model(1) }

func (t *Trainer) model(best int32) (model *Model, err error) {
	err = t.use(func(pointer uintptr, failure *uintptr) (err error) {
		result, err := ofRun(pointer, best, false, failure)
		if err == nil {
			model, err = newModel(result, failure)
		}
		return err
	})
	return model, err
}

// Reranker is the trained reranker of a run that trains one, independent of the trainer from then
// on.
func (t *Trainer) Reranker() (*Reranker, error) { return t.reranker(0) }

// BestReranker is the one that scored best on the dev set, or the present one where nothing was
// measured.
func (t *Trainer) BestReranker() (*Reranker, error) { return t.reranker(1) }

func (t *Trainer) reranker(best int32) (reranker *Reranker, err error) {
	err = t.use(func(pointer uintptr, failure *uintptr) (err error) {
		result, err := ofRun(pointer, best, true, failure)
		if err == nil {
			reranker, err = newReranker(result, failure)
		}
		return err
	})
	return reranker, err
}

// ofRun is the trained model, which the caller owns; 0 where C failed. ErrState where the run
// trains the other kind.
func ofRun(trainer uintptr, best int32, reranker bool, failure *uintptr) (uintptr, error) {
	model := swig.Cs_trainer_model(trainer, best, failure)
	if model == 0 || (swig.Cs_model_kind(model) == kindReranker) == reranker {
		return model, nil
	}
	swig.Cs_model_free(model)
	if reranker {
		return 0, &Error{
			Code:    ErrState,
			Message: "the run trains a sentence encoder: ask for its Model",
		}
	}
	return 0, &Error{Code: ErrState, Message: "the run trains a reranker: ask for its Reranker"}
}

// Save writes the model as it is now, and beside it the state that ResumeTrainer needs. Atomic as
// Model.Save.
func (t *Trainer) Save(path string) error { return t.save(path, swig.Cs_trainer_save) }

// SaveBest writes the model that scored best on the dev set, without state.
func (t *Trainer) SaveBest(path string) error { return t.save(path, swig.Cs_trainer_save_best) }

func (t *Trainer) save(path string, write func(uintptr, []byte, *uintptr) int32) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return t.use(
		func(pointer uintptr, failure *uintptr) error { return check(write(pointer, folder, failure), failure) },
	)
}
