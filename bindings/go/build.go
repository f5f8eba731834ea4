package contrastive

import "contrastive.io/go/internal/swig"

// Build is what the library is made of and where it found it.
type Build struct {
	Version        string `json:"version"`
	ABI            int    `json:"abi"`
	Compiler       string `json:"compiler"`
	LibTorch       string `json:"libtorch"`        // its version; "" where training is not installed
	LibTorchPath   string `json:"libtorch_path"`   // "" likewise
	LibTorchReason string `json:"libtorch_reason"` // why there is no training
	LibraryPath    string `json:"library_path"`
	CPU            string `json:"cpu"` // the instruction set that encoding uses
	Threads        int    `json:"threads"`
	CUDA           struct {
		Devices int    `json:"devices"`
		Reason  string `json:"reason"` // why none can be used
	} `json:"cuda"`
}

// Version is the library's version, "MAJOR.MINOR.PATCH".
func Version() string { return swig.Cs_version() }

// BuildInfo tells what the library is made of and where it found it. It loads the part that trains,
// and LibTorch, where they are installed.
func BuildInfo() (Build, error) {
	var build Build
	if err := ready(); err != nil {
		return build, err
	}
	var failure uintptr
	result, err := text(swig.Cs_build_info(&failure), &failure)
	if err != nil {
		return build, err
	}
	return build, decode(result, &build)
}

// LiveHandles counts the objects that exist in the C library, in the whole process: a leak test
// compares it before and after.
func LiveHandles() int64 { return swig.Cs_live_handles() }

// SetThreads sets how many threads one call may compute with, for the whole process; 0 is one for
// each processor.
func SetThreads(threads int) error {
	if err := ready(); err != nil {
		return err
	}
	count, err := narrow("the number of threads", threads)
	if err != nil {
		return err
	}
	var failure uintptr
	return check(swig.Cs_set_threads(count, &failure), &failure)
}

// SetLibTorch names LibTorch's folder (the one that holds lib/libtorch_cpu.so, or lib itself) for
// the whole process, before a call first needs it: training, CUDA, a task that trains, BuildInfo.
// No other is taken then, and what is wrong with it is the error of that call. "" goes back to what
// the environment variable CONTRASTIVE_LIBTORCH says, and to the search. ErrState: LibTorch is
// loaded already.
func SetLibTorch(folder string) error {
	name, err := terminated("the folder of LibTorch", folder)
	if err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	var failure uintptr
	return check(swig.Cs_set_libtorch(name, &failure), &failure)
}
