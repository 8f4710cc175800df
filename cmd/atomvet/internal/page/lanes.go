package page

import "github.com/atomvet/atomvet/cmd/atomvet/internal/report"

// lanes is the run of an interleaving: a lane for each goroutine, a row for each step.
type lanes struct {
	Goroutines []string
	Rows       []row
	Outcome    string
}

type row struct {
	Cells []*place // one for each goroutine, nil but for the one that makes the step
	State string
}

func newLanes(run *report.Interleaving, source *report.Source) *lanes {
	if run == nil || len(run.Steps) == 0 {
		return nil
	}
	l := &lanes{Goroutines: run.Goroutines, Outcome: run.Outcome}
	for _, s := range run.Steps {
		r := row{Cells: make([]*place, len(run.Goroutines)), State: s.State}
		if 0 <= s.Goroutine && s.Goroutine < len(r.Cells) {
			p := placeOf(source, s.Position, s.End, s.Message)
			r.Cells[s.Goroutine] = &p
		}
		l.Rows = append(l.Rows, r)
	}
	return l
}
