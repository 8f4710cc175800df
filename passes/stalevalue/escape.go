package stalevalue

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/summary"
)

// An escaped value, with the flag -strict: the plain definition of block-local atomicity.
// A value read in a section is used, in whatever way, after the section has ended (Artho,
// Havelund, Biere, section 3).
//
//	s.mu.Lock(); n := s.n; s.mu.Unlock()
//	fmt.Println(n)

// An escapedValue is a read, and an instruction that uses the value.
type escapedValue struct {
	d     *detector
	read  *summary.Event
	guard summary.Hold
	use   ssa.Instruction
}

func (e *escapedValue) String() string {
	return fmt.Sprintf("escaped-value: %s read at line %d, used at line %d, in %s",
		e.d.f.NameOf(e.read), e.d.line(e.d.pos(e.read)), e.d.line(e.use.Pos()), summary.Name(e.d.f.Fn))
}

func (e *escapedValue) Positions() []token.Pos {
	return []token.Pos{e.use.Pos(), e.d.pos(e.read), e.d.f.Fn.Pos()}
}

// isUsedAfter: the use comes after the end of the section of the read.
func (e *escapedValue) isUsedAfter() bool { return e.d.endsBefore(e.read, e.use, e.guard) }

// escapes reports the first use of each read after its section that the rules accept.
func (d *detector) escapes(rules rule.Set[*escapedValue]) {
	for _, r := range d.f.Events {
		if !r.Reads() || len(r.Values) == 0 || r.Callee != nil && !d.pos(r).IsValid() {
			continue
		}
		guard, ok := validGuard(r, d.pkg.Location(r.Loc))
		if !ok {
			continue
		}
		if first := d.firstEscape(r, guard, rules); first != nil {
			d.findings = append(d.findings, first.finding())
		}
	}
}

// firstEscape returns the first use of the value of r after the end of its section, or nil.
func (d *detector) firstEscape(r *summary.Event, guard summary.Hold, rules rule.Set[*escapedValue]) *escapedValue {
	var first *escapedValue
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if !instr.Pos().IsValid() || instr == r.Instr || first != nil && instr.Pos() >= first.use.Pos() || !d.uses(instr, r) {
				continue
			}
			if e := (&escapedValue{d, r, guard, instr}); rule.Accept(d.judge, rules, e) {
				first = e
			}
		}
	}
	return first
}

func (e *escapedValue) finding() finding.Finding {
	d, r := e.d, e.read
	f := d.interruption(finding.Finding{
		Pos:      e.use.Pos(),
		Category: escape,
		Message: fmt.Sprintf("%s was read at line %d under %s and is used here after that was released",
			d.f.NameOf(r), d.line(d.pos(r)), d.f.GuardName(e.guard)),
		Notes: []finding.Note{{Pos: d.pos(r), Message: d.f.NameOf(r) + " is read here"}},
	}, r, useOf(r, e.use), nil, "")
	if at := d.releaseAfter(r, r, e.guard); at.IsValid() {
		f.Notes = append(f.Notes, finding.Note{Pos: at, Message: d.f.GuardName(e.guard) + " is released here"})
	}
	return f
}

// uses reports whether an operand of instr is computed from the value of r.
func (d *detector) uses(instr ssa.Instruction, r *summary.Event) bool {
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if *op != nil && d.f.Slice(*op).HasAny(r.Values) {
			return true
		}
	}
	return false
}
