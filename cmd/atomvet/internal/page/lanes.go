package page

import (
	"slices"
	"strings"

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
	l := &lanes{Outcome: run.Outcome}
	for g, name := range run.Goroutines {
		l.Goroutines = append(l.Goroutines, laneName(run, source, g, name))
	}
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

// laneName returns the name of a goroutine, with the function of its first step if it has no more
// than a number.
func laneName(run *report.Interleaving, source *report.Source, g int, name string) string {
	i := slices.IndexFunc(run.Steps, func(s report.Step) bool { return s.Goroutine == g })
	if i < 0 || strings.Contains(name, ":") {
		return name
	}
	if fn := source.FunctionName(run.Steps[i].Position); fn != "" {
		return name + ": " + fn
	}
	return name
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
