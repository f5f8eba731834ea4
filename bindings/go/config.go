package contrastive

import (
	"encoding/json"
	"fmt"
	"slices"

	"contrastive.io/go/internal/raw"
)

// Config is a set of keys and values that can be stored, printed and merged. For a single call,
// options are enough.
type Config struct{ handle *handle }

// Option sets config keys of one call: see Set, JSON and With. Later options override earlier ones.
type Option func(*Config) error

// Set sets one key, for instance Set("batch_size", 64) or Set("clsr.temperature", 0.05); see
// Config.Set.
func Set(key string, value any) Option { return func(c *Config) error { return c.Set(key, value) } }

// JSON sets the keys of a JSON object. {"clsr": {"temperature": 0.1}} and {"clsr.temperature": 0.1}
// are equivalent.
func JSON(object string) Option {
	return func(c *Config) error {
		other, err := ParseConfig(object)
		if err != nil {
			return err
		}
		defer other.Close()
		return c.Merge(other)
	}
}

// With sets the keys of a config.
func With(config *Config) Option { return func(c *Config) error { return c.Merge(config) } }

// NewConfig creates a config from options.
func NewConfig(options ...Option) (*Config, error) {
	if err := ready(); err != nil {
		return nil, err
	}
	var failure uintptr
	pointer := raw.C().Cs_config_parse(nil, &failure)
	if pointer == 0 {
		return nil, take(failure)
	}
	c := newConfig(pointer)
	if err := c.apply(options); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// ParseConfig reads a config from a JSON object.
func ParseConfig(object string) (*Config, error) {
	bytes, err := terminated("the config", object)
	if err != nil {
		return nil, err
	}
	if err := ready(); err != nil {
		return nil, err
	}
	var failure uintptr
	pointer := raw.C().Cs_config_parse(bytes, &failure)
	if pointer == 0 {
		return nil, take(failure)
	}
	return newConfig(pointer), nil
}

func newConfig(pointer uintptr) *Config {
	c := &Config{}
	c.handle = own("config", pointer, 0, raw.C().Cs_config_free)
	return c
}

func (c *Config) apply(options []Option) error {
	for _, option := range options {
		if option == nil {
			return errNilOption
		}
		if err := option(c); err != nil {
			return err
		}
	}
	return nil
}

// Set sets one key. encoding/json encodes the value: a string stays a string, and the entries of a
// map or struct become keys below this one. Keys and values are checked when the config is used.
func (c *Config) Set(key string, value any) error {
	name, _ := json.Marshal(key) // a string can always be encoded
	literal, err := json.Marshal(value)
	if err != nil {
		return &Error{
			Code:    ErrArgument,
			Message: "the value of config key " + key + ": " + err.Error(),
			cause:   err,
		}
	}
	if text := string(literal); text == "null" || text == "{}" {
		return argument(
			fmt.Sprintf(
				"config key %s: encoding/json writes %T as %s, which is not a value",
				key,
				value,
				text,
			),
		)
	}
	one, err := ParseConfig("{" + string(name) + ":" + string(literal) + "}")
	if err != nil {
		return err
	}
	defer one.Close()
	return c.Merge(one)
}

// Merge adds the entries of other to c. They replace entries with the same keys.
func (c *Config) Merge(other *Config) error {
	if other == nil {
		return argument("the config to merge is nil")
	}
	pointer, err := c.owned().acquire()
	if err != nil {
		return err
	}
	defer c.handle.release()
	over, err := other.owned().acquire()
	if err != nil {
		return err
	}
	defer other.handle.release()
	var failure uintptr
	return check(raw.C().Cs_config_merge(pointer, over, &failure), &failure)
}

// JSON returns the config as one flat object with sorted keys.
func (c *Config) JSON() (string, error) {
	pointer, err := c.owned().acquire()
	if err != nil {
		return "", err
	}
	defer c.handle.release()
	var failure uintptr
	result := raw.C().Cs_config_to_json(pointer, &failure)
	return text(result, &failure)
}

// Close frees the config.
func (c *Config) Close() error {
	c.owned().close()
	return nil
}

// ofKind adds the kind of model that a function loads, "encoder" or "reranker". It comes last, so
// that it overrides the caller's options.
func ofKind(kind string, options []Option) []Option {
	return append(slices.Clone(options), Set("kind", kind))
}

// configured runs call with a config made of options. If there are no options and the config is
// optional, it passes 0.
func configured(options []Option, needed bool, call func(config uintptr) error) error {
	if err := ready(); err != nil {
		return err
	}
	if len(options) == 0 && !needed {
		return call(0)
	}
	config, err := NewConfig(options...)
	if err != nil {
		return err
	}
	defer config.Close()
	pointer, err := config.owned().acquire()
	if err != nil {
		return err
	}
	defer config.handle.release()
	return call(pointer)
}
