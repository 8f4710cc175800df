package viewconsistency

import (
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/interleave"
	"github.com/atomvet/atomvet/passes/summary"
)

// execution executes the function together with the one that has the view. That no such run
// does harm does not speak for the function: the view says what belongs together, and two
// rivals in a row may do what one cannot, such as to change a variable and back.
func (c *candidate) execution() summary.Execution {
	var rivals []*summary.Func
	if c.view.Fn >= 0 {
		rivals = append(rivals, c.d.pkg.Funcs[c.view.Fn])
	}
	return c.d.pkg.Execute(c.d.f, c.first.Instr, c.second.Instr, rivals, true)
}

// confirm shows the run of a candidate for which a harmful one is known. If more than a result
// is at stake, there is no doubt.
func (c *candidate) confirm(f *finding.Finding) {
	if !runs {
		return
	}
	e := c.execution()
	if !e.Harmful() {
		return
	}
	if e.Kind < interleave.Result {
		f.Doubts = nil
	}
	f.Notes = append(f.Notes, finding.RunNotes(e.Answer, f.Pos)...)
}
