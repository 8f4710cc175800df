package reacquire

import (
	"fmt"
	"go/token"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// finding words a finding. It is at the second section, where a person would
// have to use what the first has found out.
func (d *detector) finding(r pair, category string, why *candidate) finding.Finding {
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
			d.f.NameOf(why.read), who(why.rival()), d.contextClass(r.context))
	case encapsulated:
		f.Message += ", which protects all that it does"
	}
	if category == reacquired && !pattern {
		f.Doubts = d.rules.Doubts(d.judge, why)
		f.Group = d.group(d.contextName(r.context), witness, why)
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
	if category == reacquired {
		rival := why.rival()
		note(rival.Pos.Pos, why.read.Loc.Name()+" is also written here, by "+rival.Func)
		f.Anchors = d.pkg.Anchors(summary.Split{Fset: d.pass.Fset, Func: d.f, Check: why.read, Act: why.access, Writers: []summary.Writer{*rival}})
	}
	return f
}

// group returns the group of the findings about one witness in one context, in the declaration that
// the function belongs to, for the same reason: a variable that is asked for again and again.
func (d *detector) group(context, witness string, why *candidate) string {
	return fmt.Sprint(ssautil.Declaration(d.f.Fn).Pos(), " ", context, " ", witness, " ", why.read.Loc, " ", why.reliance())
}

func who(w *summary.Writer) string {
	if w.Pos.Text == "" {
		return w.Func
	}
	return w.Func + " (" + w.Pos.Text + ")"
}
