package guards

import (
	"go/types"
	"slices"
	"strings"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"golang.org/x/tools/go/ssa"
)

// Confinement: an object that only one unexported field refers to, and that is never
// published otherwise, is private to the owner of that field. Its writers are the calls
// through the field alone, not all methods of its type, and its guard may be a lock of
// the owner, which is unknown to the methods (ownership, as in Flanagan and Freund, A
// type and effect system for atomicity, section 5).
//
//	db.mu.Lock()
//	db.results.add(r) // of type list; other lists are of no concern
//	db.mu.Unlock()

// OnlyCalledBy reports whether f is the only caller of the function of a writer.
func (p *Guards) OnlyCalledBy(w *fact.Writer, f *process.Func) bool {
	if w.Fn < 0 || p.IsRoot(p.Funcs[w.Fn]) {
		return w.Fn == f.ID
	}
	for _, g := range p.Funcs {
		if g != f && slices.ContainsFunc(g.Calls, func(c callgraph.Call) bool { return c.Callee == w.Fn }) {
			return false
		}
	}
	return true
}

// A part denotes the objects in fields of one name and type.
type part struct{ field, typ string }

// Writers returns the writers that may write the object which e accesses: if the object
// is confined to a field, the writers through that field, else all writers of the
// location.
func (p *Guards) Writers(e *funcsum.Event, info *fact.LocInfo) []fact.Writer {
	of, ok := partOf(e.Base, e.Loc)
	if !ok || !p.isPrivate(of) {
		return info.Writers
	}
	if ws, ok := p.partWriters[ownedLoc{of, e.Loc}]; ok {
		return ws
	}
	ws := []fact.Writer{}
	for f := range p.Sharing() {
		for _, w := range f.Events {
			if w.Loc != e.Loc || !w.Writes() {
				continue
			}
			if o, ok := partOf(w.Base, w.Loc); ok && o == of && !through(w, of) || leavesBehind(f, w) {
				by := f.Writer(w)
				by.Guards = f.Locks(w)
				ws = append(ws, by)
			}
		}
	}
	if p.partWriters == nil {
		p.partWriters = make(map[ownedLoc][]fact.Writer)
	}
	p.partWriters[ownedLoc{of, e.Loc}] = ws
	return ws
}

// An ownedLoc is a location of a part.
type ownedLoc struct {
	part
	loc accesspath.Location
}

// leavesBehind reports whether a function literal writes to an object that it has captured: a method of the part may have
// returned or stored the literal, which others call then.
//
//	func (s *subscribers) leave(id int) func() { return func() { s.mu.Lock(); delete(s.byID, id); s.mu.Unlock() } }
func leavesBehind(f *process.Func, w *funcsum.Event) bool {
	return f.Fn.Parent() != nil && w.Callee == nil && w.Base.IsFree()
}

// through reports whether an access is made in a callee that reaches the object through
// the field itself: the callee is counted as a writer of its own.
func through(e *funcsum.Event, of part) bool {
	if e.Callee == nil || e.Callee.Foreign {
		return false
	}
	a := &e.Callee.Accesses[e.Index]
	o, ok := partOf(a.Base, a.Loc)
	return ok && o == of
}

// partOf returns the field through which an access reaches its object.
func partOf(base accesspath.Path, loc accesspath.Location) (part, bool) {
	field, ok := strings.CutPrefix(base.Last(), ".")
	if !ok || loc.Type() == "" || strings.Count(loc.Name(), ".") != 1 {
		return part{}, false
	}
	return part{field, loc.Pkg() + "#" + loc.Type()}, true
}

func (p *Guards) isPrivate(of part) bool {
	private, ok := p.parts()[of]
	return ok && private
}

// findParts finds the fields that hold objects, and whether each is the only reference to
// its object.
func (p *Guards) findParts() map[part]bool {
	parts := make(map[part]bool)
	filled := make(map[part]bool) // fields that refer to an object made in this package
	note := func(v *types.Var, private bool) {
		of, ok := partVar(v)
		if !ok {
			return
		}
		old, seen := parts[of]
		parts[of] = private && (old || !seen) && !v.Exported() && v.Pkg() == p.Pkg
	}
	fill := func(addr *ssa.FieldAddr) {
		if of, ok := partVar(ssautil.Field(addr.X.Type(), addr.Field)); ok {
			filled[of] = true
		}
	}
	for _, f := range p.Funcs {
		test := f.Test // a test may publish anything
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				switch instr := instr.(type) {
				case *ssa.Store:
					if addr, ok := instr.Addr.(*ssa.FieldAddr); ok {
						fill(addr)
					}
				case *ssa.FieldAddr:
					if _, isPointer := ssautil.Deref(instr.Type()).Underlying().(*types.Pointer); !isPointer {
						fill(instr)
					}
					if v := ssautil.Field(instr.X.Type(), instr.Field); v != nil && !test {
						note(v, p.KeepsPart(f.Body, instr))
					}
				case *ssa.Field:
					if v := ssautil.Field(instr.X.Type(), instr.Field); v != nil && !test {
						note(v, funcsum.OnlyUsed(instr))
					}
				}
			}
		}
	}
	for of := range parts {
		parts[of] = parts[of] && filled[of]
	}
	return parts
}

// partVar returns the part of a field whose type is a struct type or a pointer to one.
func partVar(v *types.Var) (part, bool) {
	if v == nil {
		return part{}, false
	}
	named, ok := types.Unalias(ssautil.Deref(v.Type())).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return part{}, false
	}
	if _, ok := named.Underlying().(*types.Struct); !ok {
		return part{}, false
	}
	return part{v.Name(), named.Obj().Pkg().Path() + "#" + named.Obj().Name()}, true
}
