package stalevalue

import (
	"fmt"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/summary"
)

// An atomic pointer may be read by anyone at any time, though it is only changed under
// a lock. But a function that works on the object under that lock, and then asks the
// pointer again without it, goes on with an object that may be another: R(a) W'(a) R(a),
// the second of the problematic scenarios of Vaziri, Tip and Dolby.

// reloads reports such second loads.
func (d *detector) reloads() {
	if d.pkg.InTest(d.f) {
		return
	}
	for _, second := range d.f.Events {
		info := d.pkg.Location(second.Loc)
		if info.Constant() || !info.Atomic || len(info.Guards) == 0 || !d.loads(second) || d.underAny(second, info.Guards) {
			continue
		}
		for _, first := range d.f.Events {
			h, ok := d.loadedUnder(first, second, info)
			if !ok {
				continue
			}
			if w := d.replacer(second, info); w != nil {
				d.findings = append(d.findings, d.reload(first, second, h, w))
				break
			}
		}
	}
}

// loads reports whether e loads a pointer for a call of a method, or to look into what
// it points to.
func (d *detector) loads(e *summary.Event) bool {
	atomic := slices.ContainsFunc(e.Holds, summary.Hold.IsAtomic)
	return atomic && e.Callee == nil && e.Within == nil && e.Reads() && !e.Writes() && slices.ContainsFunc(e.Values, actedUpon)
}

// actedUpon reports whether v is a pointer that is followed, and not compared.
func actedUpon(v ssa.Value) bool {
	if _, ok := v.Type().Underlying().(*types.Pointer); !ok {
		return false
	}
	used := false
	for _, use := range *v.Referrers() {
		switch use := use.(type) {
		case *ssa.FieldAddr:
			used = true
		case ssa.CallInstruction:
			used = used || summary.IsReceiver(use, v)
		case *ssa.BinOp, *ssa.Phi:
			return false // it is looked at first
		}
	}
	return used
}

// underAny reports whether one of the locks is held at e.
func (d *detector) underAny(e *summary.Event, locks []accesspath.Location) bool {
	return slices.ContainsFunc(d.heldAt(e.Instr), func(l accesspath.Location) bool { return slices.Contains(locks, l) })
}

// loadedUnder returns the lock of the writers that the first load is made under, and
// that is given up on every way to the second.
func (d *detector) loadedUnder(first, second *summary.Event, info *summary.LocInfo) (summary.Hold, bool) {
	if first == second || first.Loc != second.Loc || !accesspath.Same(first.Base, second.Base) || !d.loads(first) {
		return summary.Hold{}, false
	}
	for _, h := range first.Holds {
		if !h.Inner && slices.Contains(info.Guards, h.Class) && d.f.Order().EndsBetween(first.Instr, second.Instr, h.Path) {
			return h, true
		}
	}
	return summary.Hold{}, false
}

// replacer returns somebody who puts another object there, or nil.
func (d *detector) replacer(e *summary.Event, info *summary.LocInfo) *summary.Writer {
	for i := range info.Writers {
		if w := &info.Writers[i]; d.pkg.Concurrent(d.f, w) {
			return w
		}
	}
	return nil
}

func (d *detector) reload(first, second *summary.Event, h summary.Hold, w *summary.Writer) finding.Finding {
	name := d.f.NameOf(second)
	return finding.Finding{
		Pos:      d.pos(second),
		Category: escapeRef,
		Message: fmt.Sprintf("%s was loaded at line %d under %s, which its writers hold; loaded again here, after that was released, it may be another (it is changed by %s, %s)",
			name, d.line(d.pos(first)), d.f.GuardName(h), w.Func, w.Pos.Text),
		Notes: []finding.Note{{Pos: d.pos(first), Message: name + " is loaded for the first time here"}},
	}
}
