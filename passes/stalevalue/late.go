package stalevalue

import (
	"fmt"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// What goes with an object is done in one passage, and the object is put into a container
// in a later one. The two belong together if others do the one and go by the other, and
// who comes in between does not find the object.

// after reports what is put into a container too late: after an event at one of the
// locations that others have to do with before they go by the container.
func after[T any](
	d *detector,
	others func(container accesspath.Location) map[accesspath.Location]T,
	tooLate func(first, put *summary.Event, other T) bool,
	report func(first, put *summary.Event, other T),
) {
	for _, put := range d.f.Events {
		if !put.Writes() || put.Op&summary.Delete != 0 || put.Const != "" || len(put.Holds) == 0 || put.Key == "" && len(put.Added) == 0 {
			continue
		}
		by := others(put.Loc)
		if len(by) == 0 {
			continue
		}
		for _, first := range d.f.Events {
			if other, ok := by[first.Loc]; ok && tooLate(first, put, other) {
				report(first, put, other)
				break
			}
		}
	}
}

// late reports that put comes too late after first: w may come in between.
func (d *detector) late(category string, put *summary.Event, message string, first *summary.Event, done string, w summary.Writer) {
	f := finding.Finding{
		Pos: d.pos(put), Category: category, Message: message,
		Notes: []finding.Note{{Pos: d.pos(first), Message: fmt.Sprintf("%s is %s here", d.f.NameOf(first), done)}},
	}
	if w.Pos.Pos.IsValid() {
		f.Notes = append(f.Notes, finding.Note{Pos: w.Pos.Pos, Message: "this comes in between, by " + w.Func})
	}
	f.Doubts.Strong(d.pkg.InTest(d.f), finding.Sequential)
	f.Doubts.Strong(put.Deep() || first.Deep(), finding.Deep)
	d.findings = append(d.findings, f)
}
