package driver

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
	"github.com/atomvet/atomvet/passes/closedworld"
)

type finding = report.Finding

// findings collects what go vet -json prints: one object for each package it
// has checked, empty if there is nothing to say.
type findings struct {
	units  int
	list   []finding
	errors map[string]bool
	// incomplete are the functions that were not analyzed in full.
	incomplete []remark
	// calls are what the units know of their calls.
	calls []*closedworld.Unit
}

// errCutOff is the error for output that ends in the middle.
var errCutOff = fmt.Errorf("the output of go vet ends in the middle; is the disk of the temporary directory %s, or that of the build cache, full?", os.TempDir())

// read reads the output of go vet to its end, and calls step after each object.
func (fs *findings) read(r io.Reader, step func()) error {
	dec := json.NewDecoder(r)
	for {
		var unit map[string]map[string]json.RawMessage // package, analyzer
		err := dec.Decode(&unit)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = fs.addUnit(unit)
		}
		if errors.Is(err, io.ErrUnexpectedEOF) {
			return errCutOff
		}
		if err != nil {
			io.Copy(io.Discard, r) // do not leave the writer with a broken pipe
			return fmt.Errorf("unexpected output from go vet: %v", err)
		}
		step()
	}
}

func (fs *findings) addUnit(unit map[string]map[string]json.RawMessage) error {
	fs.units++
	for pkg, results := range unit {
		for analyzer, result := range results {
			if err := fs.addResult(pkg, analyzer, result); err != nil {
				return err
			}
		}
	}
	return nil
}

func (fs *findings) addResult(pkg, analyzer string, result json.RawMessage) error {
	var failed struct{ Error string }
	if json.Unmarshal(result, &failed) == nil {
		fs.fail(pkg, analyzer, failed.Error)
		return nil
	}

	var diagnostics []struct {
		Category, Posn, End, Message string
		SuggestedFixes               []report.Fix `json:"suggested_fixes"`
		Related                      []struct{ Posn, End, Message string }
	}
	if err := json.Unmarshal(result, &diagnostics); err != nil {
		return err
	}
	for _, d := range diagnostics {
		category, inTest := strings.CutPrefix(d.Category, testMark)
		switch category {
		case failureCategory:
			fs.fail(pkg, analyzer, d.Message)
			continue
		case outsideCategory:
			unit, err := closedworld.Decode(d.Message)
			if err != nil {
				return err
			}
			fs.calls = append(fs.calls, unit)
			continue
		case partialCategory:
			fs.incomplete = append(fs.incomplete, newRemark(pkg, d.Message))
			continue
		}
		f := finding{
			InTest:   inTest,
			Analyzer: analyzer,
			Category: category,
			Package:  pkg,
			Position: report.ParsePosition(d.Posn),
			End:      report.ParsePosition(d.End),
			Message:  d.Message,
			Fixes:    d.SuggestedFixes,
		}
		for _, r := range d.Related {
			f.Related = append(f.Related, report.Related{Position: report.ParsePosition(r.Posn), End: report.ParsePosition(r.End), Message: r.Message})
		}
		f.Related, f.Interleaving = takeRun(f.Related)
		f.Related, f.Anchors = takeAnchors(f.Related)
		fs.list = append(fs.list, f)
	}
	return nil
}

// fail records a failure of an analyzer.
func (fs *findings) fail(pkg, analyzer, message string) {
	if fs.errors == nil {
		fs.errors = make(map[string]bool)
	}
	fs.errors[fmt.Sprintf("%s: %s: %s", pkg, analyzer, message)] = true
}

// failures returns the failures of analyzers in a fixed order.
func (fs *findings) failures() []string {
	list := make([]string, 0, len(fs.errors))
	for e := range fs.errors {
		list = append(list, e)
	}
	slices.Sort(list)
	return list
}

// tidy makes a list to print: with short paths, sorted, each finding once.
// A finding is repeated when its file is part of a package and of variants of
// it that are compiled for tests. The variants know of more callers, so that what they say of
// one place may differ in the rival and in the confidence: the surest one stays.
func tidy(list []finding, analyzers []*analysis.Analyzer) []finding {
	urls := make(map[string]string)
	for _, a := range analyzers {
		urls[a.Name] = a.URL
	}
	short := newShortener()
	for i := range list {
		f := &list[i]
		f.URL = categoryURL(urls[f.Analyzer], f.Category)
		short.position(&f.Position)
		short.position(&f.End)
		for j := range f.Related {
			short.position(&f.Related[j].Position)
			short.position(&f.Related[j].End)
			if a := f.Related[j].Anchors; a != nil {
				a.Each(func(p *report.Position) { short.position(p) })
			}
		}
		if f.Interleaving != nil {
			for j := range f.Interleaving.Steps {
				short.position(&f.Interleaving.Steps[j].Position)
				short.position(&f.Interleaving.Steps[j].End)
			}
		}
		if f.Anchors != nil {
			f.Anchors.Each(func(p *report.Position) { short.position(p) })
		}
		for _, fix := range f.Fixes {
			for j := range fix.Edits {
				fix.Edits[j].File = short.path(fix.Edits[j].File)
			}
		}
	}

	compare := func(f, g finding) int {
		return cmp.Or(
			report.ComparePositions(f.Position, g.Position),
			cmp.Compare(f.Analyzer, g.Analyzer),
			cmp.Compare(f.Category, g.Category),
			compareConfidence(f, g),
			cmp.Compare(f.Message, g.Message),
		)
	}
	slices.SortFunc(list, func(f, g finding) int {
		// Among equals the order decides which one stays.
		return cmp.Or(compare(f, g), report.ComparePositions(f.End, g.End), cmp.Compare(f.Package, g.Package),
			cmp.Compare(contents(f), contents(g)))
	})
	seen := make(map[string]bool)
	list = slices.DeleteFunc(list, func(f finding) bool {
		key := subject(f)
		repeated := seen[key]
		seen[key] = true
		return repeated
	})
	number(list)
	return list
}

// compareConfidence puts the surer finding first.
func compareConfidence(f, g finding) int {
	levels := []string{"high", "medium", "low"}
	return cmp.Compare(slices.Index(levels, f.Confidence()), slices.Index(levels, g.Confidence()))
}

// subject returns what a finding is about: its place, and the accesses that are split there or, if
// a detector names none, the message.
func subject(f finding) string {
	about := []any{f.Analyzer, f.Category, f.Position}
	if a := f.Anchors; a != nil {
		about = append(about, a.Unit, a.Object, a.ActObject, a.Check.Position)
	} else {
		about = append(about, f.Message)
	}
	data, err := json.Marshal(about)
	if err != nil {
		return f.Message // not of strings and numbers
	}
	return string(data)
}

// contents returns what a finding says beside its message.
func contents(f finding) string {
	data, err := json.Marshal([]any{f.Related, f.Fixes})
	if err != nil {
		return "" // not of strings and numbers
	}
	return string(data)
}

// categoryURL returns the page of a category. Go vet does not hand on what the
// analysis framework found, so this follows the same rule.
func categoryURL(base, category string) string {
	if base == "" || category == "" {
		return base
	}
	u, err := url.Parse(base)
	if err != nil {
		return ""
	}
	return u.ResolveReference(&url.URL{Fragment: category}).String()
}
