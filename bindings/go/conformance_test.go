package contrastive_test

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	contrastive "contrastive.io/go"
)

// cases are what all languages must compute and refuse in the same way. tests/conformance/README.md
// describes the cases and the results to write.
type cases struct {
	Models map[string]struct {
		Folder string
		Config json.RawMessage
	}
	Texts map[string]struct {
		Text, Hex string
		Times     int
	}
	Data  map[string][][]string
	Cases []conformanceCase
	root  string
}

type conformanceCase struct {
	Name, Kind, Model, Text                          string
	IDs, Begins, Ends                                []int32
	Texts                                            []string
	Starts                                           [][]float64
	Call, Status, Message, Folder, JSON, Topic, File string
	Pooling, Task, Data, Through                     string
	TruncateDim                                      int `json:"truncate_dim"`
	MaxLength                                        int `json:"max_length"`
	K, Steps                                         int
	Loss                                             float64
	Config                                           json.RawMessage
}

func TestEveryCaseIsAsInTheOtherLanguages(t *testing.T) {
	root, err := filepath.Abs("../..")
	must(t, err)
	text, err := os.ReadFile(root + "/tests/conformance/cases.json")
	must(t, err)
	all := cases{root: root}
	must(t, json.Unmarshal(text, &all))
	if len(all.Cases) < 90 {
		t.Fatalf("only %d cases", len(all.Cases))
	}
	build, err := contrastive.BuildInfo()
	must(t, err)
	if build.LibTorch == "" {
		t.Log("no case trains, because there is no LibTorch: " + build.LibTorchReason)
	}
	var lines strings.Builder
	for _, one := range all.Cases {
		if build.LibTorch == "" && one.Kind == "train" {
			continue
		}
		fmt.Fprintf(&lines, "{\"case\":\"%s\",%s}\n", one.Name, all.run(t, one))
	}
	if t.Failed() {
		return
	}
	output := cmp.Or(os.Getenv("CONTRASTIVE_CONFORMANCE_OUTPUT"),
		root+"/build/conformance/"+conformanceFile)
	must(t, os.MkdirAll(filepath.Dir(output), 0o755))
	must(t, os.WriteFile(output, []byte(lines.String()), 0o644))
}

func digest(bytes []byte) string {
	sum := sha256.Sum256(bytes)
	return hex.EncodeToString(sum[:])
}

// run checks a case, and returns its line of the result file without the name.
func (c *cases) run(t *testing.T, one conformanceCase) string {
	switch one.Kind {
	case "tokenize":
		return c.tokenize(t, one)
	case "encode":
		model := c.load(t, one.Model)
		defer model.Close()
		return c.encode(t, one, model)
	case "save":
		return c.save(t, one)
	case "error":
		err := c.call(t, one)
		var failure *contrastive.Error
		if !errors.As(err, &failure) {
			t.Errorf("%s: was not refused: %v", one.Name, err)
			return ""
		}
		if failure.Code.String() != one.Status || !strings.Contains(failure.Message, one.Message) {
			t.Errorf("%s: %v: %s", one.Name, failure.Code, failure.Message)
		}
		return fmt.Sprintf(
			`"status":"%s","message_sha256":"%s"`,
			failure.Code.String(),
			digest([]byte(failure.Message)),
		)
	case "train":
		return fmt.Sprintf(`"sha256":"%s"`, digest(c.train(t, one)))
	}
	t.Fatalf("kind %s is unknown", one.Kind)
	return ""
}

func (c *cases) load(t *testing.T, name string) *contrastive.Model {
	model, err := contrastive.Load(
		c.folder(c.Models[name].Folder),
		contrastive.JSON(string(c.Models[name].Config)),
	)
	must(t, err)
	return model
}

// folder and file return absolute paths, so that messages with them are the same in all languages.
func (c *cases) folder(name string) string { return c.root + "/tests/fixtures/" + name }
func (c *cases) file(name string) string   { return c.root + "/tests/conformance/" + name }

func (c *cases) text(t *testing.T, name string) string {
	spec := c.Texts[name]
	if spec.Hex != "" {
		bytes, err := hex.DecodeString(spec.Hex)
		must(t, err)
		return string(bytes)
	}
	return strings.Repeat(spec.Text, max(1, spec.Times))
}

func (c *cases) tokenize(t *testing.T, one conformanceCase) string {
	model := c.load(t, one.Model)
	defer model.Close()
	text := c.text(t, one.Text)
	tokens, err := model.Tokenize(text, 0)
	must(t, err)
	same := func(what string, found, expected []int32) string {
		if !slices.Equal(found, expected) {
			t.Errorf("%s: %s %v, expected %v", one.Name, what, found, expected)
		}
		list, err := json.Marshal(found)
		must(t, err)
		return fmt.Sprintf(`"%s":%s`, what, list)
	}
	line := same("ids", tokens.IDs, one.IDs)
	if one.Begins == nil {
		return line
	}
	return line + "," + same(
		"begins",
		characters(text, tokens.Begins),
		one.Begins,
	) + "," + same(
		"ends",
		characters(text, tokens.Ends),
		one.Ends,
	)
}

// characters converts byte offsets in a well-formed text to indices of characters.
func characters(text string, places []int32) []int32 {
	counted := make([]int32, len(places))
	for i, place := range places {
		counted[i] = place
		if place >= 0 {
			counted[i] = int32(utf8.RuneCountInString(text[:place]))
		}
	}
	return counted
}

// save saves a model, loads it again, and checks it and each file of its folder.
func (c *cases) save(t *testing.T, one conformanceCase) string {
	folder := t.TempDir() + "/saved"
	model := c.load(t, one.Model)
	defer model.Close()
	must(t, model.Save(folder))
	again, err := contrastive.Load(folder)
	must(t, err)
	defer again.Close()
	files := map[string]string{}
	must(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		bytes, err := os.ReadFile(path)
		files[filepath.ToSlash(path[len(folder)+1:])] = digest(bytes)
		return err
	}))
	list, err := json.Marshal(files) // sorts the names
	must(t, err)
	return c.encode(t, one, again) + fmt.Sprintf(`,"files":%s`, list)
}

func (c *cases) encode(t *testing.T, one conformanceCase, model *contrastive.Model) string {
	var texts []string
	for _, name := range one.Texts {
		texts = append(texts, c.text(t, name))
	}
	vectors, err := model.Encode(background, texts)
	must(t, err)
	for i, start := range one.Starts {
		for k, expected := range start {
			if found := float64(vectors.Row(i)[k]); math.Abs(found-expected) > 2e-5 {
				t.Errorf(
					"%s: text %d, value %d is %g, expected %g",
					one.Name,
					i,
					k,
					found,
					expected,
				)
			}
		}
	}
	bytes, err := binary.Append(nil, binary.LittleEndian, vectors.Values)
	must(t, err)
	return fmt.Sprintf(`"sha256":"%s"`, digest(bytes))
}

func (c *cases) examples(name string) []contrastive.Example {
	var examples []contrastive.Example
	for _, row := range c.Data[name] {
		examples = append(examples, contrastive.Example{Texts: row})
	}
	return examples
}

// call makes the calls that must be refused. Their other arguments are valid.
func (c *cases) call(t *testing.T, one conformanceCase) error {
	config := contrastive.JSON(string(one.Config))
	var err error
	switch one.Call {
	case "load":
		_, err = contrastive.Load(c.folder(one.Folder), config)
	case "parse":
		_, err = contrastive.ParseConfig(one.JSON)
	case "describe":
		_, err = contrastive.Describe(one.Topic)
	case "open_dataset":
		_, err = contrastive.OpenDataset(c.file(one.File), config)
	case "create":
		_, err = contrastive.Create(config)
	case "search":
		vector := contrastive.Vectors{Values: []float32{1, 0}, Dimension: 2}
		_, err = contrastive.Search(background, vector, vector, one.K, contrastive.Cosine)
	case "encode_text", "tokenize_text":
		model := c.load(t, one.Model)
		defer model.Close()
		if one.Call == "encode_text" {
			_, err = model.EncodeText(background, c.text(t, one.Text))
		} else {
			_, err = model.Tokenize(c.text(t, one.Text), 0)
		}
	case "calibrate_nan":
		_, err = contrastive.Calibrate(
			contrastive.Vectors{Values: []float32{1, float32(math.NaN())}, Dimension: 2},
		)
	default:
		model := c.load(t, "bert")
		defer model.Close()
		return c.callModel(t, model, one, config)
	}
	return err
}

func (c *cases) callModel(
	t *testing.T,
	model *contrastive.Model,
	one conformanceCase,
	config contrastive.Option,
) error {
	var err error
	switch one.Call {
	case "encode":
		_, err = model.Encode(
			background,
			[]string{"the cat"},
			contrastive.Pooling(one.Pooling),
			contrastive.TruncateDim(one.TruncateDim),
		)
	case "tokenize":
		_, err = model.Tokenize("the cat", one.MaxLength)
	case "evaluate":
		var keys struct{ Data string }
		must(t, json.Unmarshal(one.Config, &keys))
		options := []contrastive.Option{config}
		if keys.Data != "" {
			options = append(options, contrastive.Set("data", c.file(keys.Data)))
		}
		_, err = model.Evaluate(background, one.Task, options...)
	case "trainer":
		data, failure := contrastive.NewDataset(c.examples(one.Data)...)
		must(t, failure)
		defer data.Close()
		_, err = contrastive.NewTrainer(model, data, config)
	case "step_without_data":
		trainer, failure := contrastive.NewTrainer(model, nil, config)
		must(t, failure)
		defer trainer.Close()
		_, err = trainer.Step(background)
	default:
		t.Fatalf("call %s is unknown", one.Call)
	}
	return err
}

// train returns the weights after a run.
func (c *cases) train(t *testing.T, one conformanceCase) []byte {
	model := c.load(t, one.Model)
	defer model.Close()
	rows := c.examples(one.Data)
	var data *contrastive.Dataset
	if one.Through == "step" {
		var err error
		data, err = contrastive.NewDataset(rows...)
		must(t, err)
		defer data.Close()
	}
	trainer, err := contrastive.NewTrainer(model, data, contrastive.JSON(string(one.Config)))
	must(t, err)
	defer trainer.Close()
	for i := range one.Steps {
		must(t, update(background, trainer, data, rows, i))
	}
	if loss := trainer.Metric("loss"); !(math.Abs(loss-one.Loss) <= 2e-2*(1+math.Abs(one.Loss))) {
		t.Errorf("%s: loss %g, expected %g", one.Name, loss, one.Loss)
	}
	folder := t.TempDir() + "/model"
	must(t, trainer.SaveBest(folder))
	weights, err := os.ReadFile(folder + "/model.safetensors")
	must(t, err)
	return weights
}

// update makes step i, or trains on batch i of four rows, which starts over at the end of the data.
func update(
	ctx context.Context,
	trainer *contrastive.Trainer,
	data *contrastive.Dataset,
	rows []contrastive.Example,
	i int,
) error {
	if data != nil {
		_, err := trainer.Step(ctx)
		return err
	}
	var batch []contrastive.Example
	for k := range 4 {
		batch = append(batch, rows[(4*i+k)%len(rows)])
	}
	_, err := trainer.Batch(ctx, batch)
	return err
}
