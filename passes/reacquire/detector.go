package reacquire

import (
	"go/token"

	"golang.org/x/tools/go/analysis"

	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// The categories.
const (
	reacquired   = "reacquire" // the second section relies on the first
	encapsulated = "stylistic" // it does, but nobody can come in between
	bare         = "pattern"   // nothing is known to depend on it
	different    = "variant"   // two witnesses
)

// A detector looks for the pattern in one function.
type detector struct {
	pass    *analysis.Pass
	pkg     *summary.Package
	f       *summary.Func
	takings []summary.Taking
	// inSection has the accesses in the section of a taking, of those that were asked for.
	inSection map[int][]int
	// reliances are the reasons of candidates, and rules decide about them.
	reliances, rules rule.Set[*candidate]
	judge            *rule.Judge
}

func (d *detector) line(t summary.Taking) int { return d.lineOf(t.Instr.Pos()) }

func (d *detector) lineOf(at token.Pos) int { return d.pass.Fset.Position(at).Line }

func (d *detector) lockName(a summary.Acquisition) string {
	return d.f.GuardName(summary.Hold{Guard: a.Guard})
}

// contextClass names a context as others would: by its declaration, if it has one.
func (d *detector) contextClass(c context) string {
	if c.Class != "" {
		return c.Class.Name()
	}
	return d.f.GuardName(summary.Hold{Guard: c.Guard})
}

func (d *detector) contextName(c context) string {
	name := d.f.GuardName(summary.Hold{Guard: c.Guard})
	if c.entry() && c.caller != "" {
		name += " (held by " + c.caller + ")"
	}
	return name
}
