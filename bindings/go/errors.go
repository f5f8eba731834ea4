package contrastive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"sync"

	"contrastive.io/go/internal/raw"
)

// Code is the kind of an error. It is an error itself, for use with errors.Is.
type Code int32

// The kinds of errors. Later versions of the library may add some.
const (
	ErrArgument    Code = -1  // an argument or a config value is not allowed
	ErrHandle      Code = -2  // an object is nil or closed
	ErrState       Code = -3  // the object cannot do this in its current state
	ErrBusy        Code = -4  // another goroutine or process uses the object: wait, and call again
	ErrBuffer      Code = -5  // the caller's slice is too small; nothing was written
	ErrNotFound    Code = -6  // a file, folder, tensor or key does not exist
	ErrIO          Code = -7  // the operating system refused a read or write
	ErrNoSpace     Code = -8  // the disk or quota is full; the folder to be replaced is intact
	ErrFormat      Code = -9  // a file is malformed; the message gives the file and position
	ErrUnsupported Code = -10 // the input is valid but not supported; or training is not installed
	ErrLimit       Code = -11 // something is larger than a documented limit
	ErrMismatch    Code = -12 // two things that must match do not, such as shapes
	ErrCorrupt     Code = -13 // a file is corrupt: a checksum or length does not match
	ErrNoMemory    Code = -14 // host or device memory is exhausted; objects work or return ErrState
	ErrDevice      Code = -15 // the device does not exist, or its driver cannot be used
	ErrNumeric     Code = -16 // a value is NaN or infinite where a finite number is needed
	ErrCancelled   Code = -17 // the context was cancelled or its deadline passed
	ErrDistributed Code = -18 // another rank of a distributed run failed or timed out
	ErrInternal    Code = -99 // a bug in the library: please report the message
)

// ErrClosed is wrapped by the error of every call after Close; its kind is ErrHandle.
var ErrClosed = errors.New("used after Close")

// String returns the name of the kind: "FORMAT", "NOT_FOUND", ...
func (c Code) String() string {
	if name := raw.C().Cs_status_name(int32(c)); name != "" {
		return name
	}
	return "status " + strconv.Itoa(int(c)) // there is no library
}

func (c Code) Error() string {
	return "contrastive: " + strings.ToLower(strings.ReplaceAll(c.String(), "_", " "))
}

// Is makes errors.Is(err, fs.ErrNotExist) true if the kind is ErrNotFound.
func (c Code) Is(target error) bool { return c == ErrNotFound && target == fs.ErrNotExist }

// Error is the error type of failed calls.
type Error struct {
	Code    Code
	Message string // what is wrong, where, what to do
	cause   error
}

func (e *Error) Error() string { return "contrastive: " + e.Message }

// Unwrap returns the kind and, if it is known, the cause of the error, such as ctx.Err(), for
// errors.Is and errors.As.
func (e *Error) Unwrap() []error {
	if e.cause == nil {
		return []error{e.Code}
	}
	return []error{e.Code, e.cause}
}

// usable returns the error of every call if there is no library, or if it has a different binary
// interface than the header that this package was compiled with.
var usable = sync.OnceValue(func() error {
	if err := raw.Loaded(); err != nil {
		return &Error{Code: ErrNotFound, Message: err.Error(), cause: err}
	}
	return checkABI(raw.C().Cs_abi_version(), raw.C().Cs_header_abi_version())
})

// ready returns an error if no call can be made: the library cannot be used, or the caller is the
// log sink. Another call may be waiting for the sink to return.
func ready() error {
	if err := usable(); err != nil {
		return err
	}
	return outsideCallback()
}

func outsideCallback() error {
	if raw.InsideCallback() {
		return &Error{
			Code:    ErrBusy,
			Message: "the library was called from inside a log sink or a progress function",
		}
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

// decode reads the library's JSON.
func decode(object string, into any) error {
	if err := json.Unmarshal([]byte(object), into); err != nil {
		return &Error{Code: ErrInternal, Message: "the library's JSON: " + err.Error(), cause: err}
	}
	return nil
}

var errNilOption = argument("an option is nil")

func argument(message string) error { return &Error{Code: ErrArgument, Message: message} }

// check converts the status of a call to an error. The call stored its error object in failure,
// which check frees.
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
		Code:    Code(raw.C().Cs_error_status(failure)),
		Message: raw.C().Cs_error_message(failure),
	}
	raw.C().Cs_error_free(failure)
	return err
}

// text returns the result of a function that returns a string or an error.
func text(result string, failure *uintptr) (string, error) {
	if *failure != 0 {
		return "", take(*failure)
	}
	return result, nil
}
