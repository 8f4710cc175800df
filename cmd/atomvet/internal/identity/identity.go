// Package identity compares findings of two runs on two versions of the source. Two findings are
// the same if they have the same rule, the same enclosing function and the same code. Line
// numbers and file names are ignored, so that edits elsewhere change no identity.
package identity

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// A Key is the identity of a finding, but for its number among those with the same key.
type Key struct {
	Rule     string `json:"rule"`
	Package  string `json:"package"`
	Function string `json:"function,omitempty"` // as f, T.f or (*T).f; empty outside of functions
	Content  string `json:"content"`            // the line of source, with single spaces
}

// Of returns the key of a finding.
func Of(f *report.Finding, source *report.Source) Key {
	return Key{
		Rule:     f.Rule(),
		Package:  f.Package,
		Function: source.FunctionName(f.Position),
		Content:  strings.Join(strings.Fields(source.Line(f.Position)), " "),
	}
}

// Hash returns a short form of the key.
func (k Key) Hash() string {
	sum := sha256.Sum256([]byte(strings.Join([]string{k.Rule, k.Package, k.Function, k.Content}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

// IDs counts the IDs that have been given to keys.
type IDs map[string]int

// Next returns the ID of the next finding with a key: a prefix of the hash of the key, followed by a
// number from the second finding on.
func (ids IDs) Next(k Key) string {
	id := k.Hash()[:12]
	if ids[id]++; ids[id] > 1 {
		return fmt.Sprintf("%s-%d", id, ids[id])
	}
	return id
}
