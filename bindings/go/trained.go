package contrastive

import "contrastive.io/go/internal/raw"

// Model returns a copy of the trained model. Further training does not change the copy.
func (t *Trainer) Model() (*Model, error) { return t.model(0) }

// BestModel returns the model that scored best on the dev set, or the current one if nothing was
// measured yet.
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

// Reranker returns a copy of the trained reranker, if the run trains one. Further training does not
// change the copy.
func (t *Trainer) Reranker() (*Reranker, error) { return t.reranker(0) }

// BestReranker returns the reranker that scored best on the dev set, or the current one if nothing
// was measured yet.
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

// ofRun returns a handle of the trained model, which the caller owns; 0 if the C call failed. It
// returns ErrState if the run trains the other kind of model.
func ofRun(trainer uintptr, best int32, reranker bool, failure *uintptr) (uintptr, error) {
	model := raw.C().Cs_trainer_model(trainer, best, failure)
	if model == 0 || (raw.C().Cs_model_kind(model) == kindReranker) == reranker {
		return model, nil
	}
	raw.C().Cs_model_free(model)
	if reranker {
		return 0, &Error{
			Code:    ErrState,
			Message: "the run trains a sentence encoder: ask for its Model",
		}
	}
	return 0, &Error{Code: ErrState, Message: "the run trains a reranker: ask for its Reranker"}
}

// Save writes the current model and, in the same folder, the state that ResumeTrainer needs. The
// save is atomic, as Model.Save is.
func (t *Trainer) Save(path string) error { return t.save(path, raw.C().Cs_trainer_save) }

// SaveBest writes the model that scored best on the dev set, without the state for ResumeTrainer.
func (t *Trainer) SaveBest(path string) error { return t.save(path, raw.C().Cs_trainer_save_best) }

func (t *Trainer) save(path string, write func(uintptr, []byte, *uintptr) int32) error {
	folder, err := terminated("the path", path)
	if err != nil {
		return err
	}
	return t.use(func(pointer uintptr, failure *uintptr) error {
		return check(write(pointer, folder, failure), failure)
	})
}
