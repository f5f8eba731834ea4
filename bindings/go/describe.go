package contrastive

import (
	"encoding/json"

	"contrastive.io/go/internal/raw"
)

// Key describes one config key.
type Key struct {
	Key     string          `json:"key"`
	Type    string          `json:"type"`
	Default json.RawMessage `json:"default"`
	Range   string          `json:"range,omitempty"`
	Values  []string        `json:"values,omitempty"` // the allowed values of a choice
	Unit    string          `json:"unit,omitempty"`
	Help    string          `json:"help"`
	Source  string          `json:"source,omitempty"` // of the default, such as a section of a paper
}

// Describe lists the config keys of a topic: "model" (Load), "data" (OpenDataset, ReadDataset),
// "train" (NewTrainer: the keys of all methods), the name of a method ("clsr"), or of a task
// ("sts").
func Describe(topic string) ([]Key, error) {
	name, err := terminated("the topic", topic)
	if err != nil {
		return nil, err
	}
	var keys []Key
	err = describe(name, &keys)
	return keys, err
}

// DescribeAll lists the config keys of every topic.
func DescribeAll() (map[string][]Key, error) {
	var topics map[string][]Key
	err := describe(nil, &topics)
	return topics, err
}

func describe(topic []byte, into any) error {
	if err := ready(); err != nil {
		return err
	}
	var failure uintptr
	result, err := text(raw.C().Cs_config_describe(topic, &failure), &failure)
	if err != nil {
		return err
	}
	return decode(result, into)
}
