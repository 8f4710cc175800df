package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/cmd/internal/repo"
)

// A project is a file in testdata/realcode.
type project struct {
	file string

	Project string `json:"project"`
	Commit  string `json:"commit"` // that the labels are of, or the version

	// Packages and Flags are what atomvet is called with, in the checkout.
	Packages []string `json:"packages"`
	Flags    []string `json:"flags"`

	// Sample says how the labelled reports were chosen if they are not all.
	Sample  string   `json:"sample"`
	Reports []report `json:"reports"`
}

// A report is something that atomvet says or has said, and what a reader of the
// source thinks of it.
type report struct {
	identity

	// Line and column are those of the commit that the file names, and a hint only.
	Line   int `json:"line"`
	Column int `json:"column"`

	Label     string `json:"label"`
	Mechanism string `json:"mechanism"` // what the model does not see, if the report is not true
	Why       string `json:"why"`

	// Of a report of today:
	message string
	notes   []spot
}

// A spot is a place in the source that a report mentions beside its own.
type spot struct {
	file string
	line int
	// category is that of the finding at the spot, if it is one that was folded into the report.
	category string
}

// Labels.
const (
	isTrue     = "true"   // there is an interleaving that does damage
	isMinor    = "minor"  // there is one, and it is worth a change or a comment only
	isBenign   = "benign" // there is one that does none
	isFalse    = "false"  // there is none
	unlabelled = "?"      // made by -update
)

// position is that of the report, as tools print it.
func (r report) position() string { return fmt.Sprintf("%s:%d:%d", r.File, r.Line, r.Column) }

func compareReports(a, b report) int {
	return cmp.Or(
		cmp.Compare(a.File, b.File),
		cmp.Compare(a.Line, b.Line),
		cmp.Compare(a.Column, b.Column),
		cmp.Compare(a.Category, b.Category),
		compareIdentities(a.identity, b.identity),
		cmp.Compare(a.message, b.message),
	)
}

// loadProject reads the file of a project.
func loadProject(dir, name string) (*project, error) {
	p := &project{file: filepath.Join(dir, name+".json")}
	data, err := os.ReadFile(p.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no project %s, only %s", name, strings.Join(projects(dir), ", "))
	}
	if err != nil {
		return nil, err
	}
	if err := repo.Decode(data, p); err != nil {
		return nil, fmt.Errorf("%s:%d: %v", p.file, errorLine(data, err), err)
	}
	if err := p.check(); err != nil {
		return nil, fmt.Errorf("%s: %v", p.file, err)
	}
	return p, nil
}

// projects returns the names of all projects.
func projects(dir string) []string {
	files, _ := filepath.Glob(filepath.Join(dir, "*.json")) // the pattern is right
	for i, file := range files {
		files[i] = strings.TrimSuffix(filepath.Base(file), ".json")
	}
	return files
}

// errorLine returns the line that an error of repo.Decode is about, as far as that can be
// told.
func errorLine(data []byte, err error) int {
	var syntax *json.SyntaxError
	var mismatch *json.UnmarshalTypeError
	before := data
	switch {
	case errors.As(err, &syntax):
		before = data[:min(int(syntax.Offset), len(data))]
	case errors.As(err, &mismatch):
		before = data[:min(int(mismatch.Offset), len(data))]
	default:
		if _, field, ok := strings.Cut(err.Error(), "unknown field "); ok {
			before, _, _ = bytes.Cut(data, []byte(field))
		}
	}
	return 1 + bytes.Count(before, []byte("\n"))
}

// byLine returns how many labels are told by their line only.
func (p *project) byLine() int {
	n := 0
	for _, r := range p.Reports {
		if r.byLine() {
			n++
		}
	}
	return n
}

func (p *project) check() error {
	if p.Project == "" || p.Commit == "" || len(p.Packages) == 0 {
		return errors.New("a file needs project, commit and packages")
	}
	for _, r := range p.Reports {
		if err := r.check(); err != nil {
			return fmt.Errorf("report at %s: %v", r.position(), err)
		}
	}
	return nil
}

func (r report) check() error {
	if r.File == "" || r.Line < 1 || r.Category == "" {
		return errors.New("a report needs file, line and category")
	}
	switch r.Label {
	case isTrue, isMinor, isBenign, isFalse:
		if r.Why == "" {
			return fmt.Errorf("the label %s needs a reason", r.Label)
		}
	case unlabelled:
	default:
		return fmt.Errorf("unknown label %q", r.Label)
	}
	return nil
}

// write writes the file.
func (p *project) write() error {
	slices.SortStableFunc(p.Reports, compareReports)
	data, err := p.format()
	if err != nil {
		return err
	}
	return os.WriteFile(p.file, data, 0o666)
}

// format returns what is in the file, with a line for each report.
func (p *project) format() ([]byte, error) {
	var out bytes.Buffer
	var errs []error
	put := func(before string, v any) {
		text, err := marshal(v)
		errs = append(errs, err)
		out.WriteString(before)
		out.Write(text)
	}
	put("{\n\t\"project\": ", p.Project)
	put(",\n\t\"commit\": ", p.Commit)
	put(",\n\t\"packages\": ", p.Packages)
	if len(p.Flags) > 0 {
		put(",\n\t\"flags\": ", p.Flags)
	}
	if p.Sample != "" {
		put(",\n\t\"sample\": ", p.Sample)
	}
	out.WriteString(",\n\t\"reports\": [")
	for i, r := range p.Reports {
		before := ",\n\t\t"
		if i == 0 {
			before = before[1:]
		}
		put(before, r)
	}
	out.WriteString("\n\t]\n}\n")
	return out.Bytes(), errors.Join(errs...)
}

// marshal is json.Marshal without escapes that only HTML needs.
func marshal(v any) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	err := enc.Encode(v)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n")), err
}
