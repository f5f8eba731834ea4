//go:build cgo && !contrastive_purego

package contrastive_test

import "contrastive.io/go/internal/reference"

var encodeInC = reference.Encode

const conformanceFile = "go.jsonl"
