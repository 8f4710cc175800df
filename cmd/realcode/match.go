package main

import "slices"

// A matching gives each label its report, and each report its label.
type matching struct {
	labels, reports []report
	labelOf         []int // of a report: an index of labels, or none
	reportOf        []int // of a label
	at              map[group][]int
}

const none = -1

// A group is what a label and its report must have in common.
type group struct{ file, function, category string }

func (r *report) group() group { return group{r.File, r.Func, r.Category} }

// The rules say which report of its group a label belongs to, the sharpest first. A
// label without a function is told by its line.
var rules = []func(label, r *report) bool{
	func(l, r *report) bool { return l.sameLocation(r) && l.sameText(r) && l.Line == r.Line },
	func(l, r *report) bool { return l.sameLocation(r) && l.sameText(r) },
	func(l, r *report) bool { return l.sameText(r) && l.Line == r.Line },
	func(l, r *report) bool { return l.sameLocation(r) },
	func(l, r *report) bool { return l.sameText(r) },
	func(l, r *report) bool { return l.byLine() && l.Line == r.Line && !r.doubted() },
	func(l, r *report) bool { return l.byLine() && l.Line == r.Line },
}

func (r *report) sameText(other *report) bool { return r.Text != "" && r.Text == other.Text }
func (r *report) sameLocation(other *report) bool {
	return r.Location != "" && r.Location == other.Location
}

// match matches labels with reports one by one. Several that no rule tells apart are
// matched in their order in the source. Further reports at the place of a matched label
// have that label, too.
func match(labels, reports []report) *matching {
	m := &matching{
		labels: labels, reports: reports,
		labelOf:  slices.Repeat([]int{none}, len(reports)),
		reportOf: slices.Repeat([]int{none}, len(labels)),
		at:       make(map[group][]int),
	}
	for i := range reports {
		r := &reports[i]
		m.at[r.group()] = append(m.at[r.group()], i)
		if r.Func != "" { // for labels without a function
			byLine := group{file: r.File, category: r.Category}
			m.at[byLine] = append(m.at[byLine], i)
		}
	}
	for _, rule := range rules {
		for i := range labels {
			m.assign(i, rule)
		}
	}
	for i := len(labels) - 1; i >= 0; i-- { // the last one at a place
		m.repeat(i)
	}
	return m
}

func (m *matching) assign(label int, rule func(l, r *report) bool) {
	l := &m.labels[label]
	if m.reportOf[label] != none {
		return
	}
	for _, i := range m.at[l.group()] {
		if m.labelOf[i] == none && rule(l, &m.reports[i]) {
			m.labelOf[i], m.reportOf[label] = label, i
			return
		}
	}
}

// repeat gives the label of a report to those that have no label of their own and
// differ from it in nothing but the column.
func (m *matching) repeat(label int) {
	first := m.reportOf[label]
	if first == none {
		return
	}
	r := &m.reports[first]
	for _, i := range m.at[r.group()] {
		if other := &m.reports[i]; m.labelOf[i] == none && other.Line == r.Line && other.Location == r.Location {
			m.labelOf[i] = label
		}
	}
}

// moved reports whether the text of a label's line is not what its report has.
func (m *matching) moved(label int) bool {
	l, i := &m.labels[label], m.reportOf[label]
	return i != none && !l.byLine() && !l.sameText(&m.reports[i])
}

// folded returns the report that speaks for a label that has none of its own: it is in the same
// function, and about the same location and at the same place or with a note there, or it has
// a note there that is a finding of the label's category.
func (m *matching) folded(label int, src *sources) int {
	l := &m.labels[label]
	if m.reportOf[label] != none {
		return none
	}
	return slices.IndexFunc(m.reports, func(r report) bool {
		switch {
		case r.File != l.File:
			return false
		case l.byLine():
			return r.Line == l.Line && r.Category == l.Category
		}
		return r.Func == l.Func && (r.sameLocation(l) && (r.sameText(l) || r.mentions(l, "", src)) || r.mentions(l, l.Category, src))
	})
}

// mentions reports whether the report has a note at the place of a label, of a finding of the
// given category unless that is "".
func (r *report) mentions(l *report, category string, src *sources) bool {
	return l.Text != "" && slices.ContainsFunc(r.notes, func(s spot) bool {
		file := src.file(s.file)
		return (category == "" || s.category == category) && s.file == l.File && file.enclosing(s.line) == l.Func && file.text(s.line) == l.Text
	})
}
