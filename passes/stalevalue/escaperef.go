package stalevalue

import (
	"fmt"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/summary"
)

// To assign a map or slice is not to copy it. One that is guarded by a lock, taken
// under the lock and looked into after its release is not guarded there, although
// the variable is only ever accessed under the lock. That matters if somebody
// changes elements of it in place. Those who replace it as a whole leave what was
// taken as it is.

// A reference is a read that yields a reference to a guarded container.
type reference struct {
	read  *summary.Event
	value ssa.Value
	info  *summary.LocInfo
	// under is the guard that it was taken under; it has none if the function
	// took it outside of all critical sections, though it knows of them.
	under summary.Hold
	known bool
}

// escapedRefs reports the first use of each container that was taken out of its
// critical section.
func (d *detector) escapedRefs() {
	reported := make(map[accesspath.Path]bool)
	for _, r := range d.f.Events {
		for _, ref := range d.references(r) {
			use, w := d.looksInto(ref)
			if use == nil || reported[r.Path] {
				continue
			}
			reported[r.Path] = true
			name := d.f.NameOf(r)
			how := fmt.Sprintf("was read at line %d without a lock", d.line(d.pos(r)))
			if ref.known {
				how = fmt.Sprintf("was taken at line %d under %s and is used here after that was released", d.line(d.pos(r)), d.f.GuardName(ref.under))
			}
			d.findings = append(d.findings, finding.Finding{
				Pos:      use.Pos(),
				Category: escapeRef,
				Message:  fmt.Sprintf("%s %s, while %s changes elements of it in place (%s)", name, how, w.Func, w.Pos.Text),
				Notes:    d.refNotes(ref, w),
			})
		}
	}
}

func (d *detector) refNotes(ref reference, w *summary.Writer) []finding.Note {
	notes := []finding.Note{{Pos: d.pos(ref.read), Message: d.f.NameOf(ref.read) + " is read here"}}
	if w.Pos.Pos.IsValid() {
		notes = append(notes, finding.Note{Pos: w.Pos.Pos, Message: "an element is changed here, by " + w.Func})
	}
	return notes
}

// references returns the references to a guarded container that a read yields.
func (d *detector) references(r *summary.Event) []reference {
	if !r.Reads() || r.Writes() || r.Base.IsLocal() || r.Key != "" || r.Within != nil {
		return nil
	}
	info := d.pkg.Location(r.Loc)
	if info.Constant() || len(info.Guards) == 0 || d.replaced(r) {
		return nil
	}
	var out []reference
	for _, v := range r.Values {
		if !depgraph.IsContainer(v.Type()) || r.Callee != nil && d.f.Res.Resolve(v).Path != r.Path {
			continue
		}
		h, ok := validGuard(r, info)
		if ok || d.takesGuard(info) && !d.pkg.InTest(d.f) {
			out = append(out, reference{r, v, info, h, ok})
		}
	}
	return out
}

// replaced reports whether the passage of a read puts another container in the
// place of the one it has taken.
func (d *detector) replaced(r *summary.Event) bool {
	return slices.ContainsFunc(d.f.Events, func(w *summary.Event) bool {
		return w.Writes() && w.Loc == r.Loc && w.Key == "" && accesspath.Same(w.Base, r.Base) && d.onePassage(r, w)
	})
}

// takesGuard reports whether the function knows that a lock guards the container: it
// takes that itself.
func (d *detector) takesGuard(info *summary.LocInfo) bool {
	return slices.ContainsFunc(d.f.Takings(), func(t summary.Taking) bool { return slices.Contains(info.Guards, t.Class) })
}

// looksInto returns the first use of the elements of a container that somebody may
// change at that time, and who.
func (d *detector) looksInto(ref reference) (ssa.Instruction, *summary.Writer) {
	var first ssa.Instruction
	var writer *summary.Writer
	for _, use := range contentUses(ref.value) {
		if first != nil && use.Pos() >= first.Pos() || !d.after(ref, use) {
			continue
		}
		if w := d.changer(ref, use); w != nil {
			first, writer = use, w
		}
	}
	return first, writer
}

// after reports whether a use comes after the critical section that the container
// was taken in.
func (d *detector) after(ref reference, use ssa.Instruction) bool {
	switch {
	case !use.Pos().IsValid():
		return false
	case !ref.known:
		return true
	case ref.under.Inner:
		return d.f.Order().Flows(ref.read.Instr, use)
	}
	return d.f.Order().EndsBetween(ref.read.Instr, use, ref.under.Path)
}

// changer returns somebody who changes elements of the container and needs no lock
// that is held at a use.
func (d *detector) changer(ref reference, use ssa.Instruction) *summary.Writer {
	held := d.heldAt(use)
	writers := d.pkg.Writers(ref.read, ref.info)
	for i := range writers {
		w := &writers[i]
		if w.Part && d.pkg.Concurrent(d.f, w) && !w.Needs(held) {
			return w
		}
	}
	return nil
}

// heldAt returns the classes of the locks held at an instruction.
func (d *detector) heldAt(at ssa.Instruction) []accesspath.Location {
	if d.held == nil {
		d.held = make(map[ssa.Instruction][]accesspath.Location)
		d.f.Flow.Walk(func(instr ssa.Instruction, _ int, st *lockset.State) {
			for _, h := range st.Held {
				d.held[instr] = append(d.held[instr], h.Class) // on some path is enough
			}
		})
	}
	out := slices.Clone(d.held[at])
	for _, g := range d.f.Entry {
		out = append(out, g.Class)
	}
	return out
}

// contentUses returns the instructions that look at elements of the container v, or
// give it to somebody who may.
func contentUses(v ssa.Value) []ssa.Instruction {
	var out []ssa.Instruction
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, use := range *v.Referrers() {
			switch use := use.(type) {
			case *ssa.Range, *ssa.Lookup, *ssa.IndexAddr:
				out = append(out, use)
			case *ssa.Phi, *ssa.Slice, *ssa.ChangeType, *ssa.MakeInterface:
				visit(use.(ssa.Value))
			case *ssa.Call:
				if readsContent(use, v) {
					out = append(out, use)
				}
			}
		}
	}
	visit(v)
	return out
}

// readsContent reports whether a call may look at the elements of its argument v.
func readsContent(c *ssa.Call, v ssa.Value) bool {
	b, ok := c.Call.Value.(*ssa.Builtin)
	switch {
	case !ok:
		return true
	case b.Name() == "copy":
		return c.Call.Args[1] == v
	case b.Name() == "append":
		return len(c.Call.Args) > 1 && c.Call.Args[1] == v
	}
	return false
}
