package contrastive_test

import (
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"testing"

	contrastive "contrastive.io/go"
)

// result calls a method with zero values, and with a nil option if it takes options and one is
// requested. It fails the test if the method panics.
func result(
	t *testing.T,
	object reflect.Value,
	method reflect.Method,
	option bool,
	with func(reflect.Type) reflect.Value,
) error {
	t.Helper()
	defer func() {
		if cause := recover(); cause != nil {
			t.Errorf("%v.%s panicked: %v", object.Type(), method.Name, cause)
		}
	}()
	call := object.MethodByName(method.Name)
	var arguments []reflect.Value
	for i := 0; i < call.Type().NumIn(); i++ {
		in := call.Type().In(i)
		if call.Type().IsVariadic() && i == call.Type().NumIn()-1 {
			if option {
				arguments = append(arguments, reflect.Zero(in.Elem()))
			}
			continue
		}
		arguments = append(arguments, with(in))
	}
	for _, value := range call.Call(arguments) {
		if err, ok := value.Interface().(error); ok {
			return err
		}
	}
	return nil
}

func takes(method reflect.Method, wanted reflect.Type) bool {
	for i := 0; i < method.Type.NumIn(); i++ {
		if method.Type.In(i) == wanted {
			return true
		}
	}
	return false
}

// failing reports whether the last result of a method that can fail is an error. Close always
// returns nil.
func failing(method reflect.Method) bool {
	results := method.Type.NumOut()
	return method.Name != "Close" && results > 0 &&
		method.Type.Out(results-1) == reflect.TypeFor[error]()
}

func TestNothingPanicsOnNil(t *testing.T) {
	zero := func(in reflect.Type) reflect.Value {
		if in == reflect.TypeFor[context.Context]() {
			return reflect.ValueOf(&background).Elem()
		}
		return reflect.Zero(in)
	}
	methods := 0
	for _, object := range []any{(*contrastive.Model)(nil), (*contrastive.Reranker)(nil),
		(*contrastive.Trainer)(nil), (*contrastive.Dataset)(nil), (*contrastive.Config)(nil),
		new(contrastive.Model), new(contrastive.Reranker), new(contrastive.Trainer),
		new(contrastive.Dataset), new(contrastive.Config)} {
		value := reflect.ValueOf(object)
		for i := 0; i < value.NumMethod(); i++ {
			method := value.Type().Method(i)
			if method.Name == "Bare" || method.Name == "Pointer" {
				continue // of export_test.go
			}
			methods++
			err := result(t, value, method, false, zero)
			if failing(method) && !errors.Is(err, contrastive.ErrHandle) &&
				!errors.Is(err, contrastive.ErrArgument) {
				t.Errorf("%v.%s of nil: %v", value.Type(), method.Name, err)
			}
		}
	}
	if methods < 80 {
		t.Errorf("only %d methods were called", methods)
	}
}

func TestANilContextOptionOrReaderIsRefused(t *testing.T) {
	model, data := load(t), fill(t)
	reranker, err := contrastive.LoadReranker(filepath.Join(rerankers, "bert"))
	must(t, err)
	defer reranker.Close()
	trainer, err := contrastive.NewTrainer(
		model,
		data,
		contrastive.Set("method", "clsr"),
		contrastive.Set("max_steps", 1),
	)
	must(t, err)
	defer trainer.Close()
	given := map[reflect.Type]reflect.Value{
		reflect.TypeFor[string]():   reflect.ValueOf("sts"),
		reflect.TypeFor[[]string](): reflect.ValueOf([]string{"a"}),
	}
	for _, object := range []any{model, reranker, trainer, data} {
		given[reflect.TypeOf(object)] = reflect.ValueOf(object)
	}
	with := func(in reflect.Type) reflect.Value {
		if value, ok := given[in]; ok {
			return value
		}
		return reflect.Zero(in)
	}
	refused := 0
	for _, object := range []any{model, reranker, trainer} {
		value := reflect.ValueOf(object)
		for i := 0; i < value.NumMethod(); i++ {
			method := value.Type().Method(i)
			for _, option := range []bool{false, true} {
				if wrong := takes(method, reflect.TypeFor[context.Context]()) ||
					option && method.Type.IsVariadic(); !wrong || !failing(method) {
					continue
				}
				refused++
				if err := result(t, value, method, option, with); !errors.Is(
					err,
					contrastive.ErrArgument,
				) {
					t.Errorf("%v.%s: %v", value.Type(), method.Name, err)
				}
			}
		}
	}
	if refused < 20 {
		t.Errorf("only %d calls were made", refused)
	}
	var none context.Context
	one := contrastive.Vectors{Values: []float32{1}, Dimension: 1}
	_, err = contrastive.Search(none, one, one, 1, contrastive.Dot)
	fails(t, err, contrastive.ErrArgument, "the context is nil")
	fails(
		t,
		contrastive.TrainVocabulary(none, "a", "b"),
		contrastive.ErrArgument,
		"the context is nil",
	)
	_, err = contrastive.Load(models, nil)
	fails(t, err, contrastive.ErrArgument, "an option is nil")
	_, err = contrastive.ReadDataset(nil)
	fails(t, err, contrastive.ErrArgument, "the reader is nil")
	_, err = contrastive.NewConfig(contrastive.With(nil))
	fails(t, err, contrastive.ErrArgument, "nil")
}
