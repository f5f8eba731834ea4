// Package contrastive embeds sentences and trains sentence encoders with contrastive learning, in
// the process of the caller.
//
// Load a sentence-transformers or Hugging Face model folder, embed and search with it, retrain it
// on your own texts, and save it. To get the folder of this example, run "hf download
// sentence-transformers/all-MiniLM-L6-v2 --local-dir all-MiniLM-L6-v2":
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
// The options of a model, a method or a task are dotted keys with values. Set them with [Set],
// [JSON] and [With]. [Describe] lists the keys with their defaults, ranges and help. The error for
// an unknown key suggests the nearest one. The defaults are defined only in the library, not in
// this package.
//
// # Errors
//
// Every error of the library is an [*Error]. Its kind is one of the Err constants; test it with
// errors.Is. After a cancelled context both errors.Is(err, ErrCancelled) and errors.Is(err,
// ctx.Err()) are true.
//
// # Lifetime and goroutines
//
// Close frees an object at once. It may be called twice, and while other goroutines use the object:
// their calls finish first, and later calls get [ErrClosed]. The garbage collector frees objects
// that are never closed, before forgotten models fill the memory. Any number of goroutines may use
// a [Model] at once; a Model never changes. Only one goroutine at a time may use a [Trainer],
// [Dataset] or [Config]; a second one gets [ErrBusy].
//
// # Building
//
// The package needs Go 1.24. With cgo it also needs a C++17 compiler and the installed C library,
// which it finds with pkg-config (module "contrastive"), or with the build tag contrastive_flags
// only through CGO_CPPFLAGS and CGO_LDFLAGS. With CGO_ENABLED=0 or the build tag contrastive_purego
// the program opens the library when it runs: the file or folder that the environment variable
// CONTRASTIVE_LIBRARY names, or the library next to the executable, in package
// contrastive.io/go/natives, or where the system looks. See README.md for details.
package contrastive
