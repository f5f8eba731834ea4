package contrastive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"contrastive.io/go/internal/swig"
)

// Code is the kind of an error. Each is an error itself, for errors.Is.
type Code int32

// The kinds of errors. Later versions of the library may add some.
const (
	ErrArgument    Code = -1  // an argument or a config value is not allowed
	ErrHandle      Code = -2  // an object is nil or closed
	ErrState       Code = -3  // the object cannot do this now
	ErrBusy        Code = -4  // another goroutine or process uses the object: wait, and call again
	ErrBuffer      Code = -5  // the caller's slice is too small; nothing was written
	ErrNotFound    Code = -6  // a file, folder, tensor or key is not there
	ErrIO          Code = -7  // the operating system refused a read or write
	ErrNoSpace     Code = -8  // the disk or quota is full; the folder that stood there before is intact
	ErrFormat      Code = -9  // a file is malformed; the message names the file and the place in it
	ErrUnsupported Code = -10 // well-formed, but of a kind that the library does not know; or training, where it is not installed
	ErrLimit       Code = -11 // larger than a stated limit
	ErrMismatch    Code = -12 // two things that must agree do not
	ErrCorrupt     Code = -13 // a checksum or length is not what was written
	ErrNoMemory    Code = -14 // host or device memory is exhausted; the objects stay usable, or say ErrState
	ErrDevice      Code = -15 // no such device, or its driver cannot be used
	ErrNumeric     Code = -16 // NaN or infinity where a number is needed
	ErrCancelled   Code = -17 // the context was cancelled or its deadline passed
	ErrDistributed Code = -18 // another rank of the run failed, or did not come in time
	ErrInternal    Code = -99 // a bug of the library: please report the message
)

// ErrClosed is wrapped by the error of every use after Close; its kind is ErrHandle.
var ErrClosed = errors.New("used after Close")

// String is the name of the kind: "FORMAT", "NOT_FOUND", ...
func (c Code) String() string { return swig.Cs_status_name(int32(c)) }

func (c Code) Error() string {
	return "contrastive: " + strings.ToLower(strings.ReplaceAll(c.String(), "_", " "))
}

// Is makes errors.Is(err, fs.ErrNotExist) hold where the kind is ErrNotFound.
func (c Code) Is(target error) bool { return c == ErrNotFound && target == fs.ErrNotExist }

// Error is what failed calls return.
type Error struct {
	Code    Code
	Message string // what is wrong, where, what to do
	cause   error
}

func (e *Error) Error() string { return "contrastive: " + e.Message }

// Unwrap gives errors.Is and errors.As the kind, and what caused the error where that is known,
// such as ctx.Err().
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.cause}
}

// mismatch is the error of every call where the library that the program found has another binary
// interface than the header that this package was compiled with; nil where they agree.
var mismatch = checkABI(swig.Cs_abi_version(), swig.Cs_header_abi_version())

// ready is why no call can be made at all: mismatch, or that the caller is the log sink, on whose
// end another call may wait; nil otherwise.
func ready() error {
	if mismatch != nil {
		return mismatch
	}
	return outsideLogSink()
}

func outsideLogSink() error {
	if swig.InsideLogSink() {
		return &Error{Code: ErrBusy, Message: "the library was called from inside a log sink"}
	}
	return nil
}

func checkABI(library, header int32) error {
	if library == header {
		return nil
	}
	return &Error{
		Code: ErrMismatch,
		Message: fmt.Sprintf(
			"the libcontrastive that was loaded has binary interface %d; this package was made for %d: "+
				"install the two in the same version",
			library,
			header,
		),
	}
}

// decode reads JSON of the library.
func decode(object string, into any) error {
	if err := json.Unmarshal([]byte(object), into); err != nil {
		return &Error{Code: ErrInternal, Message: "the library's JSON: " + err.Error(), cause: err}
	}
	return nil
}

var errNilOption = argument("an option is nil")

func argument(message string) error { return &Error{Code: ErrArgument, Message: message} }

// check turns the result of a command into an error; `failure` is where the call stored its error,
// which is freed.
func check(status int32, failure *uintptr) error {
	if status >= 0 {
		return nil
	}
	if *failure == 0 {
		return &Error{Code: Code(status), Message: "the library gave no message"}
	}
	return take(*failure)
}

func take(failure uintptr) error {
	err := &Error{
		Code:    Code(swig.Cs_error_status(failure)),
		Message: swig.Cs_error_message(failure),
	}
	swig.Cs_error_free(failure)
	return err
}

// text is the result of a function that gives a string or an error.
func text(result string, failure *uintptr) (string, error) {
	if *failure != 0 {
		return "", take(*failure)
	}
	return result, nil
}
