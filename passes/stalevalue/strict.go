package stalevalue

import (
	"fmt"
	"go/token"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// escapes reports the plain definition of block-local atomicity: a value read
// in a passage is used, in whatever way, after the passage has ended (Artho,
// Havelund, Biere, section 3). One report for each read.
func (d *detector) escapes() {
	for i, r := range d.f.Events {
		if !r.Reads() || len(r.Values) == 0 || r.Callee != nil && r.Pos.Pos == token.NoPos {
			continue
		}
		info := d.pkg.Location(r.Loc)
		guard, ok := validGuard(r, info)
		if !ok {
			continue
		}
		if use := d.laterUse(r, guard); use.IsValid() {
			s := stale{read: r, act: r, readIndex: i, guard: guard, info: info, category: escape}
			f := finding.Finding{
				Pos:      use,
				Category: escape,
				Message: fmt.Sprintf("%s was read at line %d under %s and is used here after that was released",
					d.f.NameOf(r), d.line(d.pos(r)), d.f.GuardName(guard)),
				Notes: []finding.Note{{Pos: d.pos(r), Message: d.f.NameOf(r) + " is read here"}},
			}
			if at := d.releaseAfter(s); at.IsValid() {
				f.Notes = append(f.Notes, finding.Note{Pos: at, Message: d.f.GuardName(guard) + " is released here"})
			}
			d.findings = append(d.findings, f)
		}
	}
}

// laterUse returns the first use of the value of r after the end of its passage.
func (d *detector) laterUse(r *summary.Event, guard summary.Hold) token.Pos {
	first := token.NoPos
	for _, b := range d.f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if !instr.Pos().IsValid() || instr == r.Instr || !d.uses(instr, r) {
				continue
			}
			ended := guard.Inner && d.f.Order().Flows(r.Instr, instr) || !guard.Inner && d.f.Order().EndsBetween(r.Instr, instr, guard.Path)
			if ended && (!first.IsValid() || instr.Pos() < first) {
				first = instr.Pos()
			}
		}
	}
	return first
}

// uses reports whether an operand of instr is computed from the value of r.
func (d *detector) uses(instr ssa.Instruction, r *summary.Event) bool {
	var buf [8]*ssa.Value
	for _, op := range instr.Operands(buf[:0]) {
		if *op == nil {
			continue
		}
		if v := *op; d.pkg.Slice(d.f, v).HasAny(r.Values) {
			return true
		}
	}
	return false
}
