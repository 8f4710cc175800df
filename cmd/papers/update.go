package main

import (
	"bytes"
	"cmp"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
)

// update rewrites the expect.json files.
func (e *evaluation) update() error {
	for _, s := range e.suites {
		for _, p := range s.programs {
			if p.broken != nil && p.data != nil {
				return errors.New(p.broken.String()) // do not lose what is in it
			}
			p.update()
			data := p.format()
			if bytes.Equal(data, p.data) {
				continue
			}
			if err := os.WriteFile(filepath.Join(e.root, p.expectPath()), data, 0o666); err != nil {
				return err
			}
			p.data = data
		}
	}
	return nil
}

// update makes the expectations those of the reports. Labels stay, a new report
// has none yet.
func (p *program) update() {
	p.broken = nil
	expect := make(map[string][]expectation)
	for _, m := range modes {
		if !p.suite.checks(m) {
			continue
		}
		if entries := p.updated(m.name); len(entries) > 0 {
			expect[m.name] = entries
		}
	}
	p.Expect = expect
}

func (p *program) updated(mode string) []expectation {
	var out []expectation
	for _, match := range p.moved(p.match(mode)) {
		e := expectation{Label: unlabelled}
		if match.entry != nil {
			e = *match.entry
		}
		e.At, e.In, e.Category = match.report.line, p.function(match.report.line), match.report.category
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b expectation) int {
		return cmp.Or(cmp.Compare(a.At, b.At), cmp.Compare(a.Category, b.Category))
	})
	out = fold(out)
	for _, e := range p.Expect[mode] {
		if e.Label == isMissed {
			out = append(out, e)
		}
	}
	return out
}

// moved separates entries from reports of another category, and then gives an
// entry to a report on another line if that is where it must have moved to: in the
// same function there are as many reports of that category without an entry as
// entries without a report.
func (p *program) moved(matches []match) []match {
	var out []match
	type kind struct{ in, category string }
	entries := make(map[kind][]*expectation)
	reports := make(map[kind][]*report)
	for _, m := range matches {
		if m.same() {
			out = append(out, m)
			continue
		}
		if m.entry != nil {
			k := kind{m.entry.In, m.entry.Category}
			entries[k] = append(entries[k], m.entry)
		}
		if m.report != nil {
			k := kind{p.function(m.report.line), m.report.category}
			reports[k] = append(reports[k], m.report)
		}
	}
	for k, list := range reports {
		for i, r := range list {
			m := match{report: r}
			if len(entries[k]) == len(list) {
				m.entry = entries[k][i]
			}
			out = append(out, m)
		}
	}
	slices.SortStableFunc(out, func(a, b match) int { return compareReports(*a.report, *b.report) })
	return out
}

// fold makes one expectation of equal ones that follow each other.
func fold(list []expectation) []expectation {
	var out []expectation
	for _, e := range list {
		e.Times = 1
		if n := len(out); n > 0 {
			last := out[n-1]
			last.Times = 1
			if reflect.DeepEqual(last, e) {
				out[n-1].Times++
				continue
			}
		}
		out = append(out, e)
	}
	for i := range out {
		if out[i].Times == 1 {
			out[i].Times = 0 // the usual case is not written
		}
	}
	return out
}
