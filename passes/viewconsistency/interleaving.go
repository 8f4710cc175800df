package viewconsistency

import (
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// executionRules decide by execution, which is expensive: they are asked last.
var executionRules = rule.Set[*candidate]{
	{
		ID: "serializable", Kind: rule.Excludes, Mechanism: rule.Definition,
		Cases: []string{"interleaving.pair.Second"},
		Holds: (*candidate).isSerializable,
	},
}

// execution executes the function together with the one that has the view.
func (c *candidate) execution() summary.Execution {
	var rivals []*summary.Func
	if c.view.Fn >= 0 {
		rivals = append(rivals, c.d.pkg.Funcs[c.view.Fn])
	}
	return c.d.pkg.Execute(c.d.f, c.first.Instr, c.second.Instr, rivals, true)
}

// isSerializable: no schedule of the function and of the one with the view has an outcome
// that none has in which both accesses are one step.
//
//	a := p.A()
//	return a + p.B() - a // what is returned does not depend on a
func (c *candidate) isSerializable() bool { return c.execution().Serializable() }

// confirm completes the finding of a candidate for which a harmful run is known: there is
// no doubt, and the run is shown.
func (c *candidate) confirm(f *finding.Finding) {
	if e := c.execution(); e.Harmful() {
		f.Doubts = nil
		f.Notes = append(f.Notes, finding.RunNotes(e.Answer, f.Pos)...)
	}
}
