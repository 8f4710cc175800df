// Package baseline keeps the findings that a project lives with, in a file, so that only new ones
// are reported.
package baseline

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"slices"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/identity"
	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// format is the version of the form of the file.
const format = 1

// A Baseline has the number of known findings of each identity.
type Baseline map[identity.Key]int

// An entry is a line of the file.
type entry struct {
	identity.Key
	Count int `json:"count,omitempty"` // if it is not 1
}

type document struct {
	Version  int     `json:"version"`
	Findings []entry `json:"findings"`
}

// Read reads a baseline from a file.
func Read(name string) (Baseline, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var doc document
	if err := json.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("%s is no baseline: %v", name, err)
	}
	if doc.Version != format {
		return nil, fmt.Errorf("%s is no baseline of this version of atomvet: version %d, want %d", name, doc.Version, format)
	}
	b := make(Baseline)
	for _, e := range doc.Findings {
		b[e.Key] += max(e.Count, 1)
	}
	return b, nil
}

// Write writes the baseline to a file, in a fixed order.
func (b Baseline) Write(name string) error {
	doc := document{Version: format, Findings: []entry{}}
	for _, key := range b.keys() {
		e := entry{Key: key}
		if b[key] > 1 {
			e.Count = b[key]
		}
		doc.Findings = append(doc.Findings, e)
	}
	data, err := json.MarshalIndent(doc, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(name, append(data, '\n'), 0o666)
}

func (b Baseline) keys() []identity.Key {
	var out []identity.Key
	for key := range b {
		out = append(out, key)
	}
	slices.SortFunc(out, func(a, b identity.Key) int {
		return cmp.Or(cmp.Compare(a.Package, b.Package), cmp.Compare(a.Function, b.Function),
			cmp.Compare(a.Rule, b.Rule), cmp.Compare(a.Content, b.Content))
	})
	return out
}

// Split returns the findings that are not in the baseline, the number of those that are, and
// what the baseline has that was not found in packages that were checked.
func (b Baseline) Split(list []report.Finding, checked func(pkg string) bool) (found []report.Finding, known int, gone []identity.Key) {
	left := make(Baseline)
	for key, n := range b {
		if checked(key.Package) {
			left[key] = n
		}
	}
	source := report.NewSource()
	for i := range list {
		key := identity.Of(&list[i], source)
		if left[key] > 0 {
			left[key]--
			known++
		} else {
			found = append(found, list[i])
		}
	}
	for _, key := range left.keys() {
		for range left[key] {
			gone = append(gone, key)
		}
	}
	return found, known, gone
}

// Update replaces what the baseline has about the packages that were checked.
func (b Baseline) Update(list []report.Finding, checked func(pkg string) bool) {
	for key := range b {
		if checked(key.Package) {
			delete(b, key)
		}
	}
	source := report.NewSource()
	for i := range list {
		b[identity.Of(&list[i], source)]++
	}
}
