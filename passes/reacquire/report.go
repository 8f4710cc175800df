package reacquire

import (
	"fmt"
	"go/token"
	"slices"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// finding words a finding. It is at the second passage, where a person would
// have to use what the first has found out.
func (d *detector) finding(r pair, category string, u use) finding.Finding {
	first, second := d.takings[r.first], d.takings[r.second]
	witness := d.lockName(second.Acquisition)
	f := finding.Finding{Pos: second.Instr.Pos(), Category: category}
	switch {
	case category == different:
		f.Message = fmt.Sprintf("%s is taken here, after %s at line %d, in one critical section of %s: what the two protect may not fit together",
			witness, d.lockName(first.Acquisition), d.line(first), d.contextName(r.context))
	case r.first == r.second:
		f.Message = fmt.Sprintf("%s is taken again in each round of the loop, in one critical section of %s", witness, d.contextName(r.context))
	default:
		f.Message = fmt.Sprintf("%s is taken again here, after line %d, in one critical section of %s", witness, d.line(first), d.contextName(r.context))
	}
	switch category {
	case reacquired:
		f.Message += fmt.Sprintf("; what the first passage reads of %s may be changed in between by %s, which takes no %s, but the second relies on it",
			d.f.NameOf(u.read), who(u.writer), d.contextClass(r.context))
	case encapsulated:
		f.Message += ", which protects all that it does"
	}
	if category == reacquired && !pattern {
		f.Doubts = d.doubts(r, u)
	}
	note := func(at token.Pos, text string) {
		f.Notes = append(f.Notes, finding.Note{Pos: at, Message: text})
	}
	if r.first != r.second {
		note(first.Instr.Pos(), witness+" is taken for the first time here")
	}
	if !r.context.entry() {
		if instr := d.f.Instr(r.context.site); instr != nil {
			note(instr.Pos(), "the critical section of "+d.contextName(r.context)+" begins here")
		}
	}
	if u.writer != nil {
		note(u.writer.Pos.Pos, u.read.Loc.Name()+" is also written here, by "+u.writer.Func)
	}
	return f
}

// doubts lists what speaks against a second passage that relies on the first: not
// that it does, but that it does harm.
func (d *detector) doubts(r pair, u use) finding.Doubts {
	var out finding.Doubts
	out.Strong(d.pkg.InTest(d.f), finding.Sequential)
	deepest := max(u.read.Depth(), u.second.Depth())
	out.Strong(deepest > 2 || deepest > 1 && !u.update, finding.Deep)
	out.Strong(!u.update && (r.first == r.second || r.context.entry()), "the outer lock protects nothing that comes of the two")
	out.Strong(u.second.Writes() && !d.decided(u), "the second does not go by what the first has found")
	return out
}

// decided reports whether the second passage writes what comes of the first, or is
// only entered because of it.
func (d *detector) decided(u use) bool {
	return slices.Contains(u.second.Data, slices.Index(d.f.Events, u.read)) || d.pkg.LeadsTo(d.f, u.read, u.second.Instr.Block())
}

func who(w *summary.Writer) string {
	if w.Pos.Text == "" {
		return w.Func
	}
	return w.Func + " (" + w.Pos.Text + ")"
}

func (d *detector) line(t summary.Taking) int { return d.pass.Fset.Position(t.Instr.Pos()).Line }

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
