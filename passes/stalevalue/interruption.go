package stalevalue

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// interruption completes a finding which says that a writer may come between two accesses of the function. It adds a note at the writer,
// unless that is in another package, or the note is "", and the places for programs, unless the object has no name. The driver
// leaves a finding out if its callers refute that the function and the writer run at once, which it knows from the places.
func (d *detector) interruption(f finding.Finding, check, act *summary.Event, by *summary.Writer, note string) finding.Finding {
	split := summary.Split{Fset: d.pass.Fset, Func: d.f, Check: check, Act: act}
	if by != nil {
		split.Writers = []summary.Writer{*by}
		if note != "" && by.Pos.Pos.IsValid() {
			f.Notes = append(f.Notes, finding.Note{Pos: by.Pos.Pos, Message: note})
		}
	}
	f.Anchors = d.pkg.Anchors(split)
	return f
}

// useOf is an instruction that uses what an access is to, and that is no access itself, as one: a read.
func useOf(e *summary.Event, use ssa.Instruction) *summary.Event {
	return &summary.Event{Instr: use, Ref: e.Ref, Op: summary.Read}
}
