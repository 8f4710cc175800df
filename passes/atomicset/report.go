package atomicset

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/atomicset/internal/check"
	"github.com/atomvet/atomvet/passes/atomicset/internal/model"
	"github.com/atomvet/atomvet/passes/internal/finding"
)

// finding returns the finding of a violation: the violating access, and the interleaving,
// step by step.
func (a *analyzed) finding(v *violation) finding.Finding {
	f := finding.Finding{Pos: v.act.Site, Category: v.scenario.String()}
	if v.set.inferred {
		f.Category = inferredCategory
	}
	var b strings.Builder
	sequence := v.scenario.Name(v.names...)
	if v.intrudes {
		fmt.Fprintf(&b, "%s can come between the accesses of %s to the atomic set %s, although that holds a lock: %s", v.unit(1), v.unit(0), v.set, sequence)
	} else {
		fmt.Fprintf(&b, "%s is not one atomic step for the atomic set %s: %s, if %s comes in between", v.unit(0), v.set, sequence, v.other())
	}
	if v.trace == nil {
		b.WriteString(" (the interleaving is too long to be shown)")
	}
	for i, s := range v.shown() {
		text := fmt.Sprintf("%d. %s %s", i+1, v.who(s), does(s))
		fmt.Fprintf(&b, "\n\t%s (%s)", text, a.place(s))
		f.Notes = append(f.Notes, finding.Note{Pos: s.Pos, Message: text})
	}
	f.Message = b.String()
	return f
}

// shown returns the steps of the interleaving that explain it: without accesses outside
// the scenario, and without critical sections that contain nothing else.
func (v *violation) shown() []check.Step {
	var out []check.Step
	for _, s := range v.trace {
		if !s.Access && (s.Op == model.Read || s.Op == model.Write) || s.Text == "" {
			continue
		}
		if s.Op == model.Unlock || s.Op == model.RUnlock {
			if i := lastOf(out, s.Unit); i >= 0 && out[i].Arg == s.Arg && (out[i].Op == model.Lock || out[i].Op == model.RLock) {
				out = slices.Delete(out, i, i+1)
				continue
			}
		}
		out = append(out, s)
	}
	return out
}

// lastOf returns the index of the last step of a process, or -1.
func lastOf(steps []check.Step, unit int) int {
	for i := len(steps) - 1; i >= 0; i-- {
		if steps[i].Unit == unit {
			return i
		}
	}
	return -1
}

// unit returns the unit of work that makes the accesses of u, or of u', in the scenario,
// or the process if they are outside of units.
func (v *violation) unit(number int) string {
	own := v.accessesOf(number)
	switch {
	case len(own) == 0:
		return [2]*process{v.u, v.v}[number].name()
	case own[0].Within != "":
		return own[0].Within
	}
	return own[0].Where
}

// other returns the name of the interfering unit.
func (v *violation) other() string {
	if v.unit(0) == v.unit(1) {
		return "another " + v.unit(1)
	}
	return v.unit(1)
}

// who returns the process of a step, by its unit of work, and the function with the step.
func (v *violation) who(s check.Step) string {
	name := s.Within
	if name == "" {
		name = s.Where
	}
	if v.unit(0) == v.unit(1) && s.Unit == 1 {
		name += "'"
	}
	if s.Within != "" && s.Where != s.Within {
		name += ", in " + s.Where + ","
	}
	return name
}

// does returns the text of a step.
func does(s check.Step) string {
	text := s.Text
	if text == "" {
		text = "it"
	}
	switch s.Op {
	case model.Lock:
		return "takes " + text
	case model.RLock:
		return "takes " + text + " for reading"
	case model.Unlock, model.RUnlock:
		return "releases " + text
	case model.Read:
		return "reads " + text
	case model.Write:
		return "writes " + text
	case model.Start:
		return "starts " + text
	case model.Join:
		return "waits for " + text
	}
	return s.Op.String()
}

func (a *analyzed) place(s check.Step) string {
	if !s.Pos.IsValid() {
		return "in another package"
	}
	p := a.pass.Fset.Position(s.Pos)
	return fmt.Sprintf("%s:%d", p.Filename[strings.LastIndexByte(p.Filename, '/')+1:], p.Line)
}

// statistics reports the size of the model of a set, before and after its reduction.
func (a *analyzed) statistics() finding.Finding {
	text := fmt.Sprintf("set %s: %d processes; %d procedures with %d steps and %d locks, reduced to %d, %d and %d; %d questions, %d of them answered by a bounded search",
		a.set, len(a.processes), a.before.procs, a.before.nodes, a.before.locks, a.after.procs, a.after.nodes, a.after.locks, a.questions, a.bounded)
	if a.full {
		text += "; a part was left out because there is too much of it"
	}
	return finding.Finding{Pos: a.at(), Category: statsCategory, Message: text}
}

// incomplete reports that a declared set could not be checked exactly: the absence of
// findings is then no proof.
func (a *analyzed) incomplete() finding.Finding {
	text := fmt.Sprintf("the atomic set %s is only checked in part: %d of %d questions were answered by a bounded search, as locks are not taken and given up in nested order, or there are too many",
		a.set, a.bounded, a.questions)
	if a.full {
		text = fmt.Sprintf("the atomic set %s is only checked in part: too much code has to do with it", a.set)
	}
	return finding.Finding{Pos: a.at(), Category: incompleteCategory, Message: text}
}

// at returns the position of the declaration of the set, or the package clause if the set
// is declared in another package.
func (a *analyzed) at() token.Pos {
	if a.set.pos.IsValid() {
		return a.set.pos
	}
	return a.pass.Files[0].Package
}
