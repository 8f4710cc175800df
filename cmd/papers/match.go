package main

import "slices"

// A match is an expectation and its report. One of them is nil if there is
// nothing to go with the other.
type match struct {
	entry  *expectation
	report *report
}

// match brings the expectations and the reports of a mode together, by line and
// category. Several of the same kind on one line are taken in order. An expectation
// of several reports has a match for each.
func (p *program) match(mode string) []match {
	var out []match
	free := slices.Clone(p.reports[mode])
	take := func(same func(r report) bool) *report {
		i := slices.IndexFunc(free, same)
		if i < 0 {
			return nil
		}
		r := free[i]
		free = slices.Delete(free, i, i+1)
		return &r
	}
	for i := range p.Expect[mode] {
		e := &p.Expect[mode][i]
		if e.Label == isMissed {
			continue
		}
		for range max(1, e.Times) {
			out = append(out, match{e, take(func(r report) bool { return r.line == e.At && r.category == e.Category })})
		}
	}
	// What is left on the same line has the wrong category.
	for i := range out {
		if m := &out[i]; m.report == nil {
			m.report = take(func(r report) bool { return r.line == m.entry.At })
		}
	}
	for _, r := range free {
		out = append(out, match{report: &r})
	}
	return out
}

// same reports whether the report is the expected one.
func (m match) same() bool {
	return m.entry != nil && m.report != nil && m.entry.Category == m.report.category
}

// A tally counts what is to be known of a column.
type tally struct {
	missed, wrong, benign int
	any                   bool // a violation or a report
}

// tally counts for a mode, or for all detectors as they are by default.
func (p *program) tally(column string) tally {
	var t tally
	found := make(map[string]bool)
	misses := false
	for _, m := range modes {
		if m.name != column && !(column == allDetectors && m.standard) {
			continue
		}
		misses = misses || !m.adds
		for _, match := range p.match(m.name) {
			t.any = t.any || match.report != nil
			if match.same() {
				t.add(match.entry, found)
			}
		}
	}
	if misses {
		t.any = t.any || len(p.Violations) > 0
		for _, v := range p.Violations {
			if !found[v.ID] {
				t.missed++
			}
		}
	}
	return t
}

func (t *tally) add(e *expectation, found map[string]bool) {
	switch e.Label {
	case isTrue:
		for _, id := range e.Violation {
			found[id] = true
		}
	case isFalse:
		t.wrong++
	case isBenign:
		t.benign++
	}
}
