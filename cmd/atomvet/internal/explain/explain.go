// Package explain has a text for each category of findings: what it means, why the race detector
// is silent about it, and how to mend it.
package explain

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed texts
var texts embed.FS

// A Text explains a category.
type Text struct {
	Rule  string // detector/category, or the category alone if all detectors have it
	Title string // a sentence
	Body  string // with code, which is indented by a tab
}

// String returns the text as it is printed.
func (t Text) String() string { return t.Rule + ": " + t.Title + "\n\n" + t.Body }

// All returns all texts but those about scenarios, in order of the rules.
func All() []Text {
	var out []Text
	fs.WalkDir(texts, "texts", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := texts.ReadFile(name)
			rule := strings.TrimPrefix(strings.TrimSuffix(name, ".txt"), "texts/")
			title, body, _ := strings.Cut(string(data), "\n\n")
			out = append(out, Text{Rule: rule, Title: title, Body: body})
		}
		return nil
	})
	return out
}

// Of returns the texts for a name: detector/category, a category, or a detector.
func Of(name string) []Text {
	if s, ok := scenario(strings.TrimPrefix(name, scenarios+"/")); ok {
		return []Text{s}
	}
	if detector, category, _ := strings.Cut(name, "/"); category == "failure" && detector != "" {
		name = category // all detectors have it
	}
	return slices.DeleteFunc(All(), func(t Text) bool {
		return t.Rule != name && path.Base(t.Rule) != name && path.Dir(t.Rule) != name
	})
}

// scenarios is the detector whose categories are sequences of accesses.
const scenarios = "atomicset"

// scenario explains a sequence of accesses by two units of work, as "R(a) W'(a) W(a)".
func scenario(category string) (Text, bool) {
	var steps []string
	for i, step := range strings.Fields(category) {
		op, rest, ok := strings.Cut(step, "(")
		loc, ok2 := strings.CutSuffix(rest, ")")
		own, other := strings.CutSuffix(op, "'")
		verb, ok3 := map[string]string{"R": "reads", "W": "writes"}[own]
		if !ok || !ok2 || !ok3 || loc == "" {
			return Text{}, false
		}
		who := "the unit of work"
		if other {
			who = "another one"
		}
		steps = append(steps, fmt.Sprintf("\t%d. %s %s %s", i+1, who, verb, loc))
	}
	if len(steps) < 3 {
		return Text{}, false
	}
	return Text{
		Rule:  scenarios + "/" + category,
		Title: "A unit of work is not one atomic step for an atomic set.",
		Body:  fmt.Sprintf(scenarioText, strings.Join(steps, "\n")),
	}, true
}

const scenarioText = `The fields of the set are declared to belong together. This sequence of accesses to them is
possible, and if the units ran one after the other, in either order, nothing like it would be:

%s

The report has the interleaving with the names of the fields and functions, step by step.

	func (a *Account) Settle() {
		n := a.Pending() // locks and unlocks a.mu
		a.mu.Lock()
		a.balance += n // Cancel may have come in between
		a.pending = 0
		a.mu.Unlock()
	}

So etcd lowered a gauge twice when a watcher was cancelled and its stream closed (see commit 395a03843,
server/storage/mvcc/watchable_store.go): the cancel functions and the watchers are a set, and Cancel took
two critical sections to read and to remove one of each, with a Close in between.

Why go test -race is silent

All accesses hold the lock, so they are ordered. That they should be one step is what the directive
declares, and the race detector does not know it.

How to mend it

One critical section for all accesses of the unit to the set:

	func (a *Account) Settle() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.balance += a.pending
		a.pending = 0
	}

If the function is only a part of larger units of work, say so: //atomvet:notunit.
`
