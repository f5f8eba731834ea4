// Package contrastive embeds sentences and trains sentence encoders by contrastive learning, in the
// process of the caller.
//
// Load a model folder (sentence-transformers' or Hugging Face's), embed and search with it, retrain
// it on your own texts, save it. To get the folder of this example, run
// "hf download sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2":
//
//	model, err := contrastive.Load("all-MiniLM-L6-v2")
//	if err != nil {
//		return err
//	}
//	defer model.Close()
//	vectors, err := model.Encode(ctx, []string{"A man is eating food.", "Someone has a meal."})
//
// # Config
//
// What is particular to a model, a method or a task is data: dotted keys with values, given by
// [Set], [JSON] and [With]. [Describe] lists them with default, range and help; a key that nobody
// knows is an error that names the nearest. No default is repeated in this package.
//
// # Errors
//
// Every error of the library is an [*Error]; its kind is one of the Err constants, to be tested
// with errors.Is. After a cancelled context both errors.Is(err, ErrCancelled) and errors.Is(err,
// ctx.Err()) hold.
//
// # Lifetime and goroutines
//
// Close frees at once, may be called twice and while other goroutines are inside a call, which then
// finishes first; whatever comes later gets [ErrClosed]. What is never closed is freed some time
// after the garbage collector finds it. A [Model] may be used by any number of goroutines at once
// and never changes; a [Trainer], [Dataset] and [Config] are for one goroutine at a time: a second
// one gets [ErrBusy].
//
// # Building
//
// The package needs cgo, a C++17 compiler, Go 1.24 and the installed C library: by default through
// pkg-config (module "contrastive"); with the build tag contrastive_flags through CGO_CPPFLAGS and
// CGO_LDFLAGS alone. README.md says more.
package contrastive
