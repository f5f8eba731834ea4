package contrastive

import "contrastive.io/go/internal/raw"

// Build describes the loaded library: versions, LibTorch, CPU and CUDA support.
type Build struct {
	Version        string `json:"version"`
	ABI            int    `json:"abi"`
	Compiler       string `json:"compiler"`
	LibTorch       string `json:"libtorch"`        // its version; "" if training is not installed
	LibTorchPath   string `json:"libtorch_path"`   // its folder; "" if training is not installed
	LibTorchReason string `json:"libtorch_reason"` // why training is not available, if it is not
	LibraryPath    string `json:"library_path"`
	CPU            string `json:"cpu"` // the instruction set that encoding uses
	Threads        int    `json:"threads"`
	CUDA           struct {
		Devices int    `json:"devices"`
		Reason  string `json:"reason"` // why no device can be used, if none can
	} `json:"cuda"`
}

// Version is the library's version, "MAJOR.MINOR.PATCH".
func Version() string { return raw.C().Cs_version() }

// BuildInfo describes the loaded library. It loads the training plugin and LibTorch if they are
// installed.
func BuildInfo() (Build, error) {
	var build Build
	if err := ready(); err != nil {
		return build, err
	}
	var failure uintptr
	result, err := text(raw.C().Cs_build_info(&failure), &failure)
	if err != nil {
		return build, err
	}
	return build, decode(result, &build)
}

// LiveHandles counts the objects of the C library in the whole process. A leak test compares it
// before and after.
func LiveHandles() int64 { return raw.C().Cs_live_handles() }

// SetThreads sets the maximum number of threads of one call, for the whole process; 0 means one
// thread per processor.
func SetThreads(threads int) error {
	if err := ready(); err != nil {
		return err
	}
	count, err := narrow("the number of threads", threads)
	if err != nil {
		return err
	}
	var failure uintptr
	return check(raw.C().Cs_set_threads(count, &failure), &failure)
}

// SetLibTorch sets LibTorch's folder (the one that contains lib/libtorch_cpu.so, or lib itself) for
// the whole process. Call it before the first call that needs LibTorch: training, CUDA, a task that
// trains, BuildInfo. Only this folder is then used. If it is not usable, the call that needs it
// fails. "" restores the default: the environment variable CONTRASTIVE_LIBTORCH, or the search.
// SetLibTorch returns ErrState if LibTorch is already loaded.
func SetLibTorch(folder string) error {
	name, err := terminated("the folder of LibTorch", folder)
	if err != nil {
		return err
	}
	if err := ready(); err != nil {
		return err
	}
	var failure uintptr
	return check(raw.C().Cs_set_libtorch(name, &failure), &failure)
}
