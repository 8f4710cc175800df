package stalevalue

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/finding"
	"github.com/atomvet/atomvet/passes/internal/rule"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// An escaped reference: a map or slice is taken out of its critical section and looked
// into afterwards, while others change its elements in place.
//
//	s.mu.Lock(); routes := s.routes; s.mu.Unlock()
//	for _, r := range routes { … } // set: s.mu.Lock(); s.routes[i] = r; s.mu.Unlock()
//
// To assign a container is not to copy it. The same holds for a container that is an element
// of another one. An exported method that returns such a reference, by itself or in a struct,
// gives it to callers which cannot take the lock, and so does a send to a channel. An append to the reference is a write: into the array that all copies
// share, if there is room.

func (r *reference) String() string {
	return fmt.Sprintf("escaped-reference: %s taken at line %d, looked into at line %d, in %s",
		r.d.f.NameOf(r.read), r.d.line(r.d.pos(r.read)), r.d.line(r.use.Pos()), summary.Name(r.d.f.Fn))
}

func (r *reference) Positions() []token.Pos {
	return []token.Pos{r.use.Pos(), r.d.pos(r.read), r.d.f.Fn.Pos()}
}

// escapedReferences reports the first use of each container that was taken out of its
// critical section.
func (d *detector) escapedReferences(rules rule.Set[*reference]) {
	reported := make(map[accesspath.Path]bool)
	for _, r := range d.f.Events {
		for _, v := range d.containers(r) {
			if first := d.firstUse(r, v, rules); first != nil && !reported[r.Path] {
				reported[r.Path] = true
				d.findings = append(d.findings, first.finding())
			}
		}
	}
}

// containers returns the references to a guarded container that a read yields.
func (d *detector) containers(r *summary.Event) []ssa.Value {
	if !r.Reads() || r.Writes() || r.Base.IsLocal() || r.Key.IsNested() {
		return nil
	}
	if info := d.pkg.Location(r.Loc); info.Constant() || len(info.Guards) == 0 {
		return nil
	}
	var out []ssa.Value
	for _, v := range r.Values {
		switch {
		case !depgraph.IsContainer(v.Type()):
			if c, ok := d.sharedCopy(r, v); ok {
				out = append(out, c.containers()...)
				if c.isExported() {
					out = append(out, c.wholes()...)
				}
			}
		case r.Within != nil && r.Callee == nil:
			out = append(out, d.capturedBy(r, v)...)
		case r.Within != nil:
		case r.Callee == nil || d.f.Res.Resolve(v).Path == r.Path:
			out = append(out, v)
		}
	}
	return out
}

// firstUse returns the first use of the elements that is to be reported, or nil.
func (d *detector) firstUse(r *summary.Event, v ssa.Value, rules rule.Set[*reference]) *reference {
	var first *reference
	info := d.pkg.Location(r.Loc)
	under, known := validGuard(r, info)
	try := func(use ssa.Instruction, appends bool) {
		if !use.Pos().IsValid() || first != nil && use.Pos() >= first.use.Pos() {
			return
		}
		if ref := (&reference{d, r, use, info, under, known, appends}); rule.Accept(d.judge, rules, ref) {
			first = ref
		}
	}
	for _, use := range contentUses(v) {
		if !known || d.endsBefore(r, use, under) {
			try(use, false)
		}
	}
	if !known {
		return first
	}
	for _, use := range d.appendsTo(r, v) {
		if d.endsBefore(r, use, under) {
			try(use, true)
		}
	}
	for _, use := range append(d.returnsOf(r, v, under), d.sendsOf(r, v)...) {
		try(use, false)
	}
	return first
}

func (r *reference) finding() finding.Finding {
	d, by := r.d, r.rival()
	w := orNobody(by)
	how := fmt.Sprintf("was read at line %d without a lock", d.line(d.pos(r.read)))
	if r.known {
		how = fmt.Sprintf("was taken at line %d under %s and is %s", d.line(d.pos(r.read)), d.f.GuardName(r.under), r.useName())
	}
	return d.interruption(finding.Finding{
		Pos:      r.use.Pos(),
		Category: escapeRef,
		Message:  fmt.Sprintf("%s %s, while %s %s (%s)", d.f.NameOf(r.read), how, w.Func, r.rivalName(), w.Pos.Text),
		Notes:    []finding.Note{{Pos: d.pos(r.read), Message: d.f.NameOf(r.read) + " is read here"}},
		Fixes:    r.fixes(),
		Group:    d.group("reference " + d.f.NameOf(r.read)),
	}, r.read, useOf(r.read, r.use), by, "an element is changed here, by "+w.Func)
}

// isReplaced: the section of the read puts another container in the place of the one it
// has taken.
//
//	s.mu.Lock(); batch := s.batch; s.batch = nil; s.mu.Unlock()
//	for _, x := range batch { … }
//
// The function has the only reference to the old one, and to what is in it. So it is if the object that the
// container is in has been replaced:
//
//	s.mu.Lock(); old := s.cur; s.cur = new(interval); s.mu.Unlock()
//	for _, x := range old.cells { … }
//
//	s.mu.Lock(); j := s.jobs[id]; delete(s.jobs, id); s.mu.Unlock()
//	for _, x := range j.steps { … }
func (r *reference) isReplaced() bool {
	return r.isOwnerReplaced() || r.isRemoved() || slices.ContainsFunc(r.d.f.Events, func(taken *summary.Event) bool {
		return (taken == r.read || r.isElementOf(taken)) && slices.ContainsFunc(r.d.f.Events, func(w *summary.Event) bool {
			return w.Writes() && w.Loc == r.read.Loc && w.Key == "" && accesspath.Same(w.Base, r.read.Base) && r.d.oneSection(taken, w) &&
				!r.d.others.Rewinds(w)
		})
	})
}

// isRemoved reports whether the container is an element that the section of the read has removed by its key before the use, and that is put
// nowhere else.
//
//	s.mu.Lock(); ws := s.waiters[host]; delete(s.waiters, host); s.mu.Unlock()
//	for _, w := range ws { … }
func (r *reference) isRemoved() bool {
	removes := func(w *summary.Event) bool {
		return w.Op&summary.Delete != 0 && w.Loc == r.read.Loc && w.Key != "" && accesspath.Same(w.Base, r.read.Base) && sameElement(w, r.read) &&
			r.d.oneSection(r.read, w) && r.d.mustPass(r.read.Instr, w.Instr, r.use)
	}
	putsBack := func(w *summary.Event) bool {
		return w.Writes() && w.Loc == r.read.Loc && len(w.Inputs) > 0 && w.Op&summary.Delete == 0 && r.d.f.Slice(w.Inputs[0]).HasAny(r.read.Values)
	}
	return slices.ContainsFunc(r.d.f.Events, removes) && !slices.ContainsFunc(r.d.f.Events, putsBack)
}

// isOwnerReplaced reports whether the object with the container was taken from a variable, or an element, that the section
// puts another one in, or removes.
func (r *reference) isOwnerReplaced() bool {
	return slices.ContainsFunc(r.d.f.Events, func(taken *summary.Event) bool {
		if !taken.Reads() || !r.read.Base.Within(ownPath(taken)) || !r.d.cameFrom(r.read, taken) {
			return false
		}
		return slices.ContainsFunc(r.d.f.Events, func(w *summary.Event) bool {
			return w.Writes() && sameCell(w, taken) && sameElement(w, taken) && r.d.oneSection(taken, w) && r.d.f.Order().MustPass(taken.Instr, w.Instr, r.read.Instr)
		})
	})
}

// ownPath returns the path of what an access reads: of a variable, or of an element.
func ownPath(e *summary.Event) accesspath.Path {
	if e.Key == "" {
		return e.MemberPath()
	}
	return e.ElementPath()
}

// isElementOf reports whether the container that is looked into is an element of one that another
// read has yielded.
func (r *reference) isElementOf(e *summary.Event) bool {
	return e.Reads() && e.Loc == r.read.Loc && e.Key == "" && e.Base == r.read.Base && r.read.Key != "" &&
		slices.ContainsFunc(r.read.Values, func(v ssa.Value) bool { return slices.Contains(e.Values, container(v)) })
}

// container returns the container that v is loaded from as an element, or nil.
func container(v ssa.Value) ssa.Value {
	switch v := v.(type) {
	case *ssa.UnOp:
		if at, ok := v.X.(*ssa.IndexAddr); ok {
			return at.X
		}
	case *ssa.Index:
		return v.X
	case *ssa.Lookup:
		return v.X
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Lookup:
			return t.X
		case *ssa.Next:
			if r, ok := t.Iter.(*ssa.Range); ok {
				return r.X
			}
		}
	}
	return nil
}

// knowsGuard: the container was taken under its guard, or the function takes the guard
// elsewhere. One that does not may be called where that is no matter.
//
//	func (s *server) dump() { // s.mu is held by all callers
//		for _, r := range s.routes { … }
//	}
func (r *reference) knowsGuard() bool {
	return r.known || slices.ContainsFunc(r.d.f.Takings(), func(t summary.Taking) bool { return slices.Contains(r.info.Guards, t.Class) })
}

// isGuardedInCallee: the container is passed to a function that only looks into it under its
// guard.
//
//	weight(k, in, &inMu)
func (r *reference) isGuardedInCallee() bool {
	found := false
	for _, e := range r.d.f.Events {
		if e.Instr != r.use || e.Callee == nil || e.Loc != r.read.Loc {
			continue
		}
		if _, ok := validGuard(e, r.info); !ok {
			return false
		}
		found = true
	}
	return found
}

// rival returns a concurrent writer of elements of the container that needs no lock held
// at the use, or nil.
func (r *reference) rival() *summary.Writer {
	held := r.d.heldAt(r.use)
	if r.isSent() {
		held = nil // whoever receives it does not hold them
	}
	var writers []summary.Writer
	switch {
	case r.appends:
		writers = []summary.Writer{r.asWriter()}
	case r.read.Key != "":
		writers = r.d.others.ElementWriters(r.read.Loc)
	default:
		writers = slices.Concat(r.d.pkg.Guards().Writers(r.read, r.info), r.d.others.FieldWriters(r.read.Loc))
	}
	for i := range writers {
		if (rival{d: r.d, writer: &writers[i], base: r.read.Base, held: held, inPart: true, taken: r.read}).runs() {
			return &writers[i]
		}
	}
	return nil
}

func (r *reference) hasRival() bool { return r.rival() != nil }

// contentUses returns the instructions that look at elements of the container v, or
// pass it to a callee that may.
func contentUses(v ssa.Value) []ssa.Instruction {
	var out []ssa.Instruction
	seen := make(map[ssa.Value]bool)
	var visit func(v ssa.Value)
	visit = func(v ssa.Value) {
		if seen[v] || v.Referrers() == nil {
			return
		}
		seen[v] = true
		for _, use := range ssautil.Uses(v) {
			switch use := use.(type) {
			case *ssa.Range, *ssa.Lookup, *ssa.IndexAddr:
				out = append(out, use)
			case *ssa.Phi, *ssa.Slice, *ssa.ChangeType, *ssa.MakeInterface:
				visit(use.(ssa.Value))
			case *ssa.Store:
				if call := asArgument(use); call != nil && use.Val == v {
					out = append(out, call)
				}
			case *ssa.Call:
				// A function that gets a struct by value may look at other fields.
				if _, isStruct := v.Type().Underlying().(*types.Struct); !isStruct && readsContent(use, v) {
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
	switch ssautil.Builtin(&c.Call) {
	case "":
		return true
	case "copy":
		return c.Call.Args[1] == v
	case "append":
		return len(c.Call.Args) > 1 && c.Call.Args[1] == v
	}
	return false
}
