package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// expectations is what is known about a program: an expect.json.
type expectations struct {
	Title      string             `json:"title"` // what the paper calls the program
	Violations []violation        `json:"violations"`
	Papers     map[string]figures `json:"papers"` // by paper, as printed
	Note       string             `json:"note"`   // about violations and figures

	// Expect has the reports to expect, by mode, and the violations that a mode
	// of the suite misses.
	Expect map[string][]expectation `json:"expect"`
}

// A violation is one that a test of the program shows.
type violation struct {
	ID string `json:"id"`
	In string `json:"in"` // the function with the second line

	// First and Second are the lines of the accesses, or of the calls that make
	// them, between which another goroutine must not come.
	First  int    `json:"first"`
	Second int    `json:"second"`
	What   string `json:"what"`
}

// An expectation is a report, or some of one kind, or a violation that there is no
// report of.
type expectation struct {
	At        int      `json:"at,omitempty"`    // line
	Times     int      `json:"times,omitempty"` // how many reports, if more than one
	In        string   `json:"in,omitempty"`    // the enclosing function declaration
	Category  string   `json:"category,omitempty"`
	Label     string   `json:"label"`
	Violation []string `json:"violation,omitempty"` // IDs
	Why       string   `json:"why,omitempty"`
}

// Labels.
const (
	isTrue     = "true"         // reports a violation
	isFalse    = "known-false"  // reports what is right
	isBenign   = "benign"       // reports what is there, but does no damage or is meant to be so
	isMissed   = "known-missed" // no report: the mode misses the violation
	unlabelled = "?"            // made by -update
)

// figures are what a paper says about a program, as numbers or text.
type figures map[string]any

// number returns a figure that is a number.
func (f figures) number(field string) (int, bool) {
	n, ok := f[field].(json.Number)
	if !ok {
		return 0, false
	}
	i, err := n.Int64()
	return int(i), err == nil
}

// errorLine returns the line of data that an error of repo.Decode is about, as far
// as that can be told.
func errorLine(data []byte, err error) int {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	offset := 0
	switch {
	case errors.As(err, &syntax):
		offset = int(syntax.Offset)
	case errors.As(err, &mismatch):
		offset = int(mismatch.Offset)
	default:
		_, field, _ := strings.Cut(err.Error(), "unknown field ")
		return lineWith(data, field)
	}
	return 1 + bytes.Count(data[:min(offset, len(data))], []byte("\n"))
}

// lineWith returns the first line that contains text, or the first one.
func lineWith(data []byte, text string) int {
	before, _, found := bytes.Cut(data, []byte(text))
	if !found {
		return 1
	}
	return 1 + bytes.Count(before, []byte("\n"))
}

// format writes expectations as an expect.json: one violation, paper or report
// in a line, in a fixed order.
func (x *expectations) format() []byte {
	var w jsonWriter
	w.open("{")
	if x.Title != "" {
		w.member("title", x.Title)
	}
	w.array("violations", anys(x.Violations))
	if len(x.Papers) > 0 {
		w.name("papers")
		w.open("{")
		for _, name := range sortedKeys(x.Papers) {
			w.member(name, x.Papers[name])
		}
		w.close("}")
	}
	if x.Note != "" {
		w.member("note", x.Note)
	}
	w.name("expect")
	w.open("{")
	for _, name := range x.modes() {
		w.array(name, anys(x.Expect[name]))
	}
	w.close("}")
	w.close("}")
	return append(w.out.Bytes(), '\n')
}

// modes returns the modes with expectations, in the order of the modes.
func (x *expectations) modes() []string {
	names := sortedKeys(x.Expect)
	slices.SortStableFunc(names, func(a, b string) int { return modeIndex(a) - modeIndex(b) })
	return names
}

func modeIndex(name string) int {
	return slices.IndexFunc(modes, func(m mode) bool { return m.name == name })
}

func sortedKeys[V any](m map[string]V) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

func anys[T any](list []T) []any {
	var out []any
	for _, x := range list {
		out = append(out, x)
	}
	return out
}

// A jsonWriter writes JSON with a line for each member or element, and what is
// in these on the same line.
type jsonWriter struct {
	out   bytes.Buffer
	depth int
	some  bool // written since the last open
}

func (w *jsonWriter) open(bracket string) {
	w.out.WriteString(bracket)
	w.depth++
	w.some = false
}

func (w *jsonWriter) close(bracket string) {
	w.depth--
	if w.some {
		w.newline()
	}
	w.out.WriteString(bracket)
	w.some = true
}

func (w *jsonWriter) newline() {
	fmt.Fprintf(&w.out, "\n%s", strings.Repeat("\t", w.depth))
}

// next begins the line of a member or element.
func (w *jsonWriter) next() {
	if w.some {
		w.out.WriteString(",")
	}
	w.some = true
	w.newline()
}

func (w *jsonWriter) name(name string) {
	w.next()
	w.value(name)
	w.out.WriteString(": ")
}

func (w *jsonWriter) member(name string, v any) {
	w.name(name)
	w.value(v)
}

func (w *jsonWriter) array(name string, elements []any) {
	w.name(name)
	w.open("[")
	for _, e := range elements {
		w.next()
		w.value(e)
	}
	w.close("]")
}

func (w *jsonWriter) value(v any) {
	var line bytes.Buffer
	enc := json.NewEncoder(&line)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // of strings and numbers
	}
	w.out.Write(bytes.TrimSuffix(line.Bytes(), []byte("\n")))
}
