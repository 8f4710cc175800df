package page

import (
	"slices"

	"github.com/atomvet/atomvet/cmd/atomvet/internal/report"
)

// lanes is the run of a finding: a lane for each goroutine, a row for each step.
type lanes struct {
	Goroutines []string
	Rows       []row
	Outcome    string
	Serial     []string // what the outcome is if one goroutine runs after the other
	States     bool     // some row has a state
}

type row struct {
	Number int
	Cells  []*place // one for each goroutine, nil but for the one that makes the step
	State  string   // of shared memory after the step, if that is another than before
}

func newLanes(run *report.Interleaving, source *report.Source) *lanes {
	if run == nil {
		return nil
	}
	l := &lanes{Goroutines: run.Goroutines, Outcome: run.Outcome}
	for _, text := range run.Serial {
		if !slices.Contains(l.Serial, text) {
			l.Serial = append(l.Serial, text)
		}
	}
	state := ""
	for i, s := range run.Steps {
		r := row{Number: i + 1, Cells: make([]*place, len(run.Goroutines))}
		if s.State != state && s.State != "" {
			r.State, state, l.States = s.State, s.State, true
		}
		if 0 <= s.Goroutine && s.Goroutine < len(r.Cells) {
			p := placeOf(source, s.Position, s.End, s.Message)
			r.Cells[s.Goroutine] = &p
		}
		l.Rows = append(l.Rows, r)
	}
	return l
}

// shows reports whether the run has a step on the line of a position.
func (l *lanes) shows(at report.Position) bool {
	if l == nil {
		return false
	}
	return slices.ContainsFunc(l.Rows, func(r row) bool {
		return slices.ContainsFunc(r.Cells, func(p *place) bool { return p != nil && p.File == at.File && p.Line == at.Line })
	})
}
