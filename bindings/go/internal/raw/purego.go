//go:build !cgo || contrastive_purego

package raw

import (
	"fmt"
	"reflect"
	"strings"
	"sync"
	"unsafe"

	"github.com/ebitengine/purego"
)

const abi = 0 // CS_ABI_VERSION of the header that this table was written for

var functions Functions

// C returns the functions of the library. Without a library they do nothing and return 0 or "".
func C() *Functions {
	_ = Loaded()
	return &functions
}

// Loaded opens the library at the first call. It returns nil, or an error that says why the library
// was not found.
var Loaded = sync.OnceValue(func() error {
	library, place, err := open()
	missing := bind(func(name string) uintptr {
		if err != nil {
			return 0
		}
		address, _ := Symbol(library, name)
		return address
	})
	if err != nil || missing == nil || functions.Cs_abi_version() != abi {
		return err // another number of the interface is for the caller to report
	}
	return fmt.Errorf("%s lacks %d functions, such as %s: install the library in the version of "+
		"this package", place, len(missing), missing[0])
})

// structs are the functions that take a struct or a callback. forms.go calls them.
var structs struct {
	Cs_string_free         func(*byte)
	Cs_set_log_sink        func(sink uintptr, lowest int32, user uintptr, failure *uintptr) int32
	Cs_cancel_set_progress func(flag, listener, user uintptr, failure *uintptr) int32
	Cs_encode_packed       func(model uintptr, data []byte, offsets []int32, texts int64,
		options *encodeOptions, embeddings []float32, floats int64, failure *uintptr) int32
	Cs_encode_dimension func(model uintptr, options *encodeOptions, failure *uintptr) int32
	Cs_rerank_packed    func(model uintptr, data []byte, offsets []int32, pairs int64,
		options *rerankOptions, scores []float32, room int64, failure *uintptr) int32
	Cs_dataset_add_texts func(dataset uintptr, texts []*byte, lengths []int64, columns int32,
		label float64, failure *uintptr) int32
}

// bind fills the tables, and returns the names that have no address.
func bind(address func(name string) uintptr) (missing []string) {
	functions = forms
	for _, table := range []reflect.Value{
		reflect.ValueOf(&functions).Elem(), reflect.ValueOf(&structs).Elem(),
	} {
		for i := range table.NumField() {
			field := table.Field(i)
			name := "cs_" + strings.TrimPrefix(table.Type().Field(i).Name, "Cs_")
			if !field.IsNil() {
				continue
			}
			if place := address(name); place != 0 {
				bindFunction(field, name, place)
				continue
			}
			missing = append(missing, name)
			bindNothing(field)
		}
	}
	return missing
}

// bindNothing makes a field of a table a function that returns 0.
func bindNothing(field reflect.Value) {
	kind := field.Type()
	field.Set(reflect.MakeFunc(kind, func([]reflect.Value) []reflect.Value {
		results := make([]reflect.Value, kind.NumOut())
		for i := range results {
			results[i] = reflect.Zero(kind.Out(i))
		}
		return results
	}))
}

// bindFunction makes a field of a table call a function of the library.
func bindFunction(field reflect.Value, name string, address uintptr) {
	kind := field.Type()
	if kind.NumOut() == 0 || kind.Out(0).Kind() != reflect.String {
		purego.RegisterFunc(field.Addr().Interface(), address)
		return
	}
	// A text is copied. A char * is then freed; a const char * belongs to the library.
	borrowed := name == "cs_version" || name == "cs_status_name" || name == "cs_error_message"
	arguments := make([]reflect.Type, kind.NumIn())
	for i := range arguments {
		arguments[i] = kind.In(i)
	}
	call := reflect.New(reflect.FuncOf(arguments, []reflect.Type{reflect.TypeFor[*byte]()}, false))
	purego.RegisterFunc(call.Interface(), address)
	field.Set(reflect.MakeFunc(kind, func(values []reflect.Value) []reflect.Value {
		text := call.Elem().Call(values)[0].Interface().(*byte)
		copied := copyText(text)
		if !borrowed {
			structs.Cs_string_free(text)
		}
		return []reflect.Value{reflect.ValueOf(copied)}
	}))
}

// copyText copies a text of the library that ends at its NUL.
func copyText(text *byte) string {
	if text == nil {
		return ""
	}
	length := 0
	for *(*byte)(unsafe.Add(unsafe.Pointer(text), length)) != 0 {
		length++
	}
	return strings.Clone(unsafe.String(text, length))
}
