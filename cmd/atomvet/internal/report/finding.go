// Package report has the findings of atomvet in the form in which a user gets them, and what
// the forms of output share: positions, lines of source and the functions around findings.
//
// The JSON form is the type [Finding] itself; text, SARIF and HTML are packages of their own.
package report

import (
	"cmp"
	"regexp"
	"strconv"
	"strings"
)

// A Finding is a diagnostic of an analyzer, in the form in which -json prints
// it. README.md says what the fields are.
type Finding struct {
	Analyzer string `json:"analyzer"`
	Category string `json:"category,omitempty"`
	URL      string `json:"url,omitempty"`
	Package  string `json:"package"`
	Position
	End          Position      `json:"end"`
	Message      string        `json:"message"`
	Related      []Related     `json:"related,omitempty"`
	Fixes        []Fix         `json:"suggested_fixes,omitempty"`
	Interleaving *Interleaving `json:"interleaving,omitempty"`
	InTest       bool          `json:"-"` // in a _test.go file
	// ID stays the same when code elsewhere changes. Anchors are the places for programs.
	ID      string   `json:"id,omitempty"`
	Anchors *Anchors `json:"anchors,omitempty"`
}

// Rule returns the detector and the category, by which findings are classified.
func (f *Finding) Rule() string {
	if f.Category == "" {
		return f.Analyzer
	}
	return f.Analyzer + "/" + f.Category
}

// Text returns the message without the category, which it begins with.
func (f *Finding) Text() string { return strings.TrimPrefix(f.Message, f.Category+": ") }

// Title returns the text without further lines: those are for drivers that do not show the
// related positions.
func (f *Finding) Title() string {
	if len(f.Related) == 0 {
		return f.Text()
	}
	title, _, _ := strings.Cut(f.Text(), "\n")
	return title
}

// Further returns how many other findings of the same cause the report includes.
func (f *Finding) Further() int {
	n := 0
	for _, r := range f.Related {
		if IsFurther(r.Message) {
			n++
		}
	}
	return n
}

// Confidence returns high, medium or low. Messages mention it if it is not high.
func (f *Finding) Confidence() string {
	for _, level := range []string{"medium", "low"} {
		if strings.Contains(f.Message, " ["+level+" confidence: ") {
			return level
		}
	}
	return "high"
}

var further = regexp.MustCompile(`^also [a-z-]+: `)

// IsFurther reports whether the message of a related place is that of another finding, which is reported
// with this one.
func IsFurther(message string) bool { return further.MatchString(message) }

// A Related is another place that matters to a finding.
type Related struct {
	Position
	End     Position `json:"end"`
	Message string   `json:"message"`
	// Anchors are those of a further finding.
	Anchors *Anchors `json:"anchors,omitempty"`
}

// A Fix is a change that mends what was found.
type Fix struct {
	Message string `json:"message"`
	Edits   []Edit `json:"edits"`
}

// An Edit replaces the bytes from Start to End of the file as it was checked.
type Edit struct {
	File  string `json:"filename"`
	Start int    `json:"start"`
	End   int    `json:"end"`
	New   string `json:"new"`
}

// An Interleaving is a run that shows what goes wrong.
type Interleaving struct {
	// Goroutines names the goroutines of the run.
	Goroutines []string `json:"goroutines"`
	// Steps has the steps of the run in the order of time.
	Steps []Step `json:"steps"`
	// Outcome says what is wrong in the end, and Serial what is the case instead if one
	// goroutine runs after the other.
	Outcome string   `json:"outcome,omitempty"`
	Serial  []string `json:"serial_outcomes,omitempty"`
}

// A Step is what one goroutine does next.
type Step struct {
	Goroutine int `json:"goroutine"` // index
	Position
	End     Position `json:"end"`
	Message string   `json:"message"`
	State   string   `json:"state,omitempty"` // of shared memory, after the step
	// Action is reads, writes or releases, Place what that is done to, and Value what is
	// read or written.
	Action string `json:"action,omitempty"`
	Place  string `json:"place,omitempty"`
	Value  string `json:"value,omitempty"`
}

// A Position is a place in a file. Line and column count from 1, the column in bytes; they
// are 0 if they are unknown.
type Position struct {
	File   string `json:"file"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
}

// ParsePosition reads "file:line:column". Both numbers may be missing.
func ParsePosition(s string) Position {
	p := Position{File: s}
	var numbers []int
	for len(numbers) < 2 {
		i := strings.LastIndexByte(p.File, ':')
		if i < 0 {
			break
		}
		n, err := strconv.Atoi(p.File[i+1:])
		if err != nil {
			break
		}
		p.File, numbers = p.File[:i], append(numbers, n)
	}
	switch len(numbers) {
	case 1:
		p.Line = numbers[0]
	case 2:
		p.Line, p.Column = numbers[1], numbers[0]
	}
	return p
}

// ComparePositions orders positions by file, line and column.
func ComparePositions(p, q Position) int {
	return cmp.Or(
		cmp.Compare(p.File, q.File),
		cmp.Compare(p.Line, q.Line),
		cmp.Compare(p.Column, q.Column),
	)
}
