package process

import (
	"go/token"
	"go/types"
	"slices"
	"strings"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// Confinement by evidence: a field that is written with no lock at all, in every function
// that writes it, is written by one goroutine at a time, as the program is taken to be
// free of data races. That goroutine has a role, named by the field and its object. A
// function that writes the field has the role, and so has a function all of whose callers
// have it. Two functions with the same role on the same object do not run at the same
// time (thread roles: Sutherland and Scherlis, Composable thread coloring, PPoPP 2010).
//
//	func (e *Elector) try() {
//		if e.record() != next { e.setRecord(next) } // each under e.mu
//		e.raw = next.raw // no lock: one goroutine at a time calls try
//	}
//
// A write is evidence only if all runs of the function come to it alike. One that is
// decided by an argument may be made in one kind of run alone:
//
//	func (r *Raft) appendEntries(a *Request) { // also called for heartbeats, by another goroutine
//		if len(a.Entries) > 0 { r.latest = a.Entries[0] }
//	}
//
// and one that is decided by what was read under a lock, or atomically, may be protected
// by that decision, which is what the detectors question. A check of an argument that ends
// the function with an error makes no other kind of run: see rejects. Unknown code that
// calls a function through a value keeps to no role.
//
// A read without a lock, of a field that is written under one, is evidence against the
// writers of that field: who alone writes a field needs no lock to read it.
//
//	func (e *Elector) renew() {
//		if e.leader == e.id { // no lock: only the goroutine of renew sets e.leader
//			e.setLeader(e.next(e.getLeader()))
//		}
//	}

// Confined reports whether writer w has a role on the object at base in common with f: the
// two do not run at the same time.
func (p *Processes) Confined(f *Func, base accesspath.Path, w *fact.Writer) bool {
	return p.sameRole(f, base, w, func(r role) bool { return !r.isDocumented() })
}

// sameRole reports whether f and a writer have a role of some kind in common.
func (p *Processes) sameRole(f *Func, base accesspath.Path, w *fact.Writer, kind func(role) bool) bool {
	if w.Fn < 0 {
		return false
	}
	g := p.Funcs[w.Fn]
	of := accesspath.Param(0)
	e := g.WriteOf(w)
	if e != nil {
		of = e.Base
	}
	return p.shareRole(f, base, g, of, kind) || e != nil && p.readsBare(f, base, e.Loc, kind)
}

// readsBare reports whether f reads location l of the object at base without a lock.
func (p *Processes) readsBare(f *Func, base accesspath.Path, l accesspath.Location, kind func(role) bool) bool {
	return !p.Procs.calledBack(f.ID) && slices.ContainsFunc(p.rolesOf(f), func(r role) bool { return r.loc == l && kind(r) && p.covers(f, r, base) })
}

// shareRole reports whether f, on the object at base, and g, on the object at of, have a
// role of some kind in common.
func (p *Processes) shareRole(f *Func, base accesspath.Path, g *Func, of accesspath.Path, kind func(role) bool) bool {
	if p.Procs.calledBack(f.ID) || p.Procs.calledBack(g.ID) {
		return false
	}
	return slices.ContainsFunc(p.rolesOf(f), func(r role) bool {
		return kind(r) && (p.covers(f, r, base) || f.keeps(r, base)) && slices.ContainsFunc(p.rolesOf(g), func(q role) bool {
			return q.loc == r.loc && (q.writes || r.writes) && (p.covers(g, q, of) || g.keeps(q, of))
		})
	})
}

// covers reports whether the object at base, in the terms of f, is that of the role, or a part of it. An object
// that was there before is no part of those that refer to it.
//
//	func (c *conn) handle() {
//		c.requests++ // no lock: one goroutine for each conn, but all of them have the same c.server
//		if c.server.get() == 0 { c.server.set(1) }
//	}
func (p *Processes) covers(f *Func, r role, base accesspath.Path) bool {
	if r.base.IsGlobal() {
		return true
	}
	if !base.Within(r.base) {
		return false
	}
	inElement := false // the container has elements of its own
	for ; base != r.base; base = base.Parent() {
		if base.IsElement() {
			inElement = true
		} else if !inElement && p.exclusives().referred[f.Resolver().Locate(base)] {
			return false
		} else {
			inElement = false
		}
	}
	return true
}

// keeps reports whether the object at base is an argument of f of a type that the receiver has a
// container of, and the role is that of the receiver: what is done with the requests of a server, the
// goroutine of the server does.
//
//	func (s *Server) revert(r *request) { // delete(s.requests, r.id)
//		if !r.reverted() { r.setReverted() } // each under r.mu
//		s.retries++ // no lock
//	}
func (f *Func) keeps(r role, base accesspath.Path) bool {
	if f.Fn.Signature.Recv() == nil || r.base.Root() != accesspath.Param(0) {
		return false
	}
	owner, ok := ssautil.Deref(f.Fn.Params[0].Type()).Underlying().(*types.Struct)
	if !ok {
		return false
	}
	for i, prm := range f.Fn.Params {
		if i == 0 || base.Root() != accesspath.Param(i) {
			continue
		}
		for v := range owner.Fields() {
			if elem := ssautil.Elem(v.Type()); elem != nil && types.Identical(elem, prm.Type()) && ssautil.IsReference(elem) {
				return true
			}
		}
	}
	return false
}

// ConfinedView is like Confined, for the function of a view of location l of the object at
// base.
func (p *Processes) ConfinedView(f *Func, base accesspath.Path, v *fact.View, l accesspath.Location) bool {
	if v.Fn < 0 {
		return false
	}
	i := slices.IndexFunc(v.Vars, func(x fact.Var) bool { return x.Loc == l })
	return i >= 0 && p.shareRole(f, base, p.Funcs[v.Fn], v.Vars[i].Base, func(r role) bool { return !r.isDocumented() })
}

// Roles describes the roles of f, for dumps.
func (p *Processes) Roles(f *Func) []string {
	var out []string
	for _, r := range p.rolesOf(f) {
		if r.writes {
			text := "writes alone " + r.loc.Name()
			if strings.Contains(string(r.loc), " ") {
				text = "by contract " + string(r.loc)
			}
			out = append(out, text+" of "+string(r.base))
		}
	}
	return out
}

// WriteOf returns the access of a writer in f, or nil.
func (f *Func) WriteOf(w *fact.Writer) *funcsum.Event {
	for _, e := range f.Events {
		if e.Writes() && e.Loc == w.Loc && e.Pos.Pos == w.Pos.Pos {
			return e
		}
	}
	return nil
}

// rolesOf returns the roles of f.
func (p *Processes) rolesOf(f *Func) []role {
	p.findRoles()
	return f.roles
}

// findRoles computes the roles of all functions: its own, and those that all callers have,
// by a greatest fixpoint.
func (p *Processes) findRoles() {
	if p.rolesKnown {
		return
	}
	p.rolesKnown = true
	plain, locked := p.writtenLocations()
	own := make([][]role, len(p.Funcs))
	for i, f := range p.Funcs {
		own[i] = union(p.ownRoles(f, plain, locked), p.contractRoles(f))
	}
	// A function without known roles has all, until its callers are known.
	known := make([]bool, len(p.Funcs))
	for i, f := range p.Funcs {
		if p.isOpen[i] {
			known[i], f.roles = true, own[i]
		}
	}
	for changed := true; changed; {
		changed = false
		for i, f := range p.Funcs {
			if p.isOpen[i] {
				continue
			}
			given, ok := p.givenRoles(f, known)
			if !ok {
				continue
			}
			all := union(own[i], given)
			if !known[i] || !slices.Equal(all, f.roles) {
				known[i], f.roles, changed = true, all, true
			}
		}
	}
}

// givenRoles intersects the roles of the callers of f, in the terms of f. It returns false
// as long as no caller is known.
func (p *Processes) givenRoles(f *Func, known []bool) ([]role, bool) {
	var out []role
	any := false
	for _, s := range p.sitesOf[f.ID] {
		if s.call.Instr == nil || s.caller.Test || !known[s.caller.ID] || p.beforePublication(s) {
			continue
		}
		var at []role
		if _, isGo := s.call.Instr.(*ssa.Go); !isGo && s.call.Kind == fact.Called {
			for _, r := range s.caller.roles {
				if r.base = p.inCallee(f, s, r.base); r.base != accesspath.Unknown {
					at = append(at, r)
				}
			}
			at = union(at, nil)
		}
		if !any {
			out, any = at, true
			continue
		}
		out = common(out, at)
	}
	return out, any
}

// common returns the roles that are in both lists. A function that has one of them may
// write the location if it may do so by both.
func common(a, b []role) []role {
	var out []role
	for _, r := range a {
		if i := slices.IndexFunc(b, r.same); i >= 0 {
			r.writes = r.writes && b[i].writes
			out = append(out, r)
		}
	}
	return out
}

// union returns the roles of both lists, in order.
func union(a, b []role) []role {
	out := slices.Concat(a, b)
	slices.SortFunc(out, role.compare)
	out = slices.CompactFunc(out, role.same) // those that write come first
	return out[:min(len(out), limit.Roles)]
}

// writtenLocations returns the locations that are written after construction: never with a
// lock held or atomically, and others.
func (p *Processes) writtenLocations() (plain, locked map[accesspath.Location]bool) {
	plain = make(map[accesspath.Location]bool)
	locked = make(map[accesspath.Location]bool)
	for _, f := range p.Funcs {
		if f.Test || f.constructs {
			continue
		}
		for u := range p.uses(f) {
			if !u.write {
				continue
			}
			if u.locked {
				locked[u.loc] = true
			} else {
				plain[u.loc] = true
			}
		}
	}
	for l := range locked {
		delete(plain, l)
	}
	return plain, locked
}

// A use is an access of a function to a location of the package.
type use struct {
	loc    accesspath.Location
	base   accesspath.Path
	write  bool
	locked bool
	instr  ssa.Instruction
	event  *funcsum.Event // nil in a function without a summary
}

// uses yields the accesses of f, those of its callees included if f has a summary.
func (p *Processes) uses(f *Func) func(yield func(use) bool) {
	underLock := len(f.Entry) > 0 || len(f.contexts) > 0
	return func(yield func(use) bool) {
		if f.State == funcsum.Built {
			for _, e := range f.Events {
				if e.Loc.Pkg() != p.Pkg.Path() || e.Loc.IsOfRun() || e.Op&fact.Content != 0 || e.Once() || loadsShared(e) {
					continue
				}
				if !yield(use{e.Loc, e.Base, e.Writes(), underLock || p.isLocked(f, e), e.Instr, e}) {
					return
				}
			}
			return
		}
		for _, b := range f.Fn.Blocks {
			for _, instr := range b.Instrs {
				if st, ok := instr.(*ssa.Store); ok {
					if _, field := st.Addr.(*ssa.FieldAddr); !field {
						continue
					}
					ref := f.Resolver().Resolve(st.Addr)
					if ref.Loc != "" && ref.Loc.Pkg() == p.Pkg.Path() && !yield(use{ref.Loc, ref.Base, true, underLock, st, nil}) {
						return
					}
				}
			}
		}
	}
}

// isLocked reports whether f itself protects an access, or a comment says that something does.
func (p *Processes) isLocked(f *Func, e *funcsum.Event) bool {
	return len(e.Holds) > 0 || len(f.Claimed(e.Instr)) > 0 || len(p.fields[e.Loc]) > 0
}

// loadsShared reports whether e loads a pointer to an atomic variable or a sync.Map, whose content
// belongs to the same location: the load is no use of the content without a lock.
//
//	s.table.Load(k) // s.table is a *sync.Map
func loadsShared(e *funcsum.Event) bool {
	l, ok := e.Instr.(*ssa.UnOp)
	if !ok || e.Writes() {
		return false
	}
	_, isPointer := l.Type().Underlying().(*types.Pointer)
	n := ssautil.Named(l.Type())
	return isPointer && n != nil && n.Obj().Pkg() != nil && stdlib.OfPackage(n.Obj().Pkg().Path()).Opaque
}

// ownRoles returns the roles that f has by its own accesses, to locations that are written
// without a lock or under one.
func (p *Processes) ownRoles(f *Func, plain, locked map[accesspath.Location]bool) []role {
	if f.Test || f.constructs {
		return nil
	}
	var out []role
	for u := range p.uses(f) {
		if u.locked || u.base.IsLocal() || !plain[u.loc] && (u.write || !locked[u.loc]) {
			continue
		}
		r := role{u.loc, u.base, u.write}
		if !slices.Contains(out, r) && !handedOver(f, u.instr) && !p.decided(f, u) {
			out = append(out, r)
		}
	}
	return union(out, nil)
}

// handedOver reports whether all paths to an access wait for another goroutine, which may
// have handed the location over: before that, the two run at the same time.
//
//	<-s.done
//	return s.err // written before close(s.done)
func handedOver(f *Func, instr ssa.Instruction) bool {
	for _, b := range f.Fn.Blocks {
		for _, at := range b.Instrs {
			if funcsum.Receives(at) && ssautil.Precedes(at, instr) {
				return true
			}
		}
	}
	return false
}

// decided reports whether only some runs of f come to an access: it depends on an argument
// that determines the work, or on a value that was read under a lock or atomically.
func (p *Processes) decided(f *Func, u use) bool {
	if u.event == nil {
		return slices.ContainsFunc(depgraph.NewControl(f.Fn).Deciding(u.instr.Block()), func(br *ssa.If) bool { return !rejects(br) && !f.isIdle(br, u.instr) })
	}
	if slices.ContainsFunc(u.event.Control, func(i int) bool { return len(f.Events[i].Holds) > 0 }) {
		return true
	}
	conds := slices.Clone(u.event.Conditions)
	for at := u.event; at != nil; at = at.Within {
		for _, br := range f.Branches(at) {
			if f.isIdle(br, u.instr) {
				continue
			}
			if !rejects(br) {
				conds = append(conds, br.Cond)
			} else if f.isGuarded(f.Determining(br.Cond)) {
				return true
			}
		}
	}
	if len(conds) > limit.Deciding {
		return true
	}
	return slices.ContainsFunc(conds, func(c ssa.Value) bool {
		s := f.Determining(c)
		return f.distinguishes(s) || f.isGuarded(s)
	})
}

// isIdle reports whether the runs that a branch keeps from an instruction have accessed no shared memory, and do not: they are no other kind of run.
//
//	func (r *Reader) ReadAt(p []byte) {
//		if len(p) == 0 { return }
//		r.reads++ // no lock
//	}
func (f *Func) isIdle(br *ssa.If, instr ssa.Instruction) bool {
	if br.Parent() != f.Fn || instr.Parent() != f.Fn || slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool { return f.Paths().Reaches(e.Instr, br) }) {
		return false
	}
	aside := false
	for _, side := range br.Block().Succs {
		at := side.Instrs[0]
		leads := func(to ssa.Instruction) bool { return to.Block() == side || f.Paths().Reaches(at, to) }
		switch {
		case leads(instr):
		case slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool { return leads(e.Instr) }):
			return false
		default:
			aside = true
		}
	}
	return aside
}

// distinguishes reports whether a condition with the given slice distinguishes the runs
// of f by their arguments.
func (f *Func) distinguishes(s depgraph.Slice) bool {
	for i, prm := range f.Fn.Params {
		if (i > 0 || f.Fn.Signature.Recv() == nil) && !isSetting(prm.Type()) && !ssautil.IsError(prm.Type()) && s.Has(prm) {
			return true
		}
	}
	return false
}

// isGuarded reports whether a condition with the given slice depends on what was read
// under a lock or atomically.
func (f *Func) isGuarded(s depgraph.Slice) bool {
	return slices.ContainsFunc(f.Events, func(e *funcsum.Event) bool { return e.Reads() && len(e.Holds) > 0 && s.HasAny(e.Values) })
}

// rejects reports whether one side of a branch does nothing but panic, or return an error.
//
//	if target == nil {
//		return errNoTarget
//	}
func rejects(br *ssa.If) bool {
	return slices.ContainsFunc(br.Block().Succs, func(b *ssa.BasicBlock) bool {
		if len(b.Preds) != 1 {
			return false
		}
		switch last := b.Instrs[len(b.Instrs)-1].(type) {
		case *ssa.Panic:
			return true
		case *ssa.Return:
			n := len(last.Results)
			return n > 0 && ssautil.IsError(last.Results[n-1].Type()) && isFailure(stored(b, last.Results[n-1]), br.Cond)
		}
		return false
	})
}

// stored returns the value that block b stores in the result variable which v loads, or v:
// a function with deferred calls keeps its results in variables.
func stored(b *ssa.BasicBlock, v ssa.Value) ssa.Value {
	load, ok := v.(*ssa.UnOp)
	if !ok {
		return v
	}
	for _, instr := range slices.Backward(b.Instrs) {
		if st, ok := instr.(*ssa.Store); ok && st.Addr == load.X {
			return st.Val
		}
	}
	return v
}

// isFailure reports whether an error is not nil: it was made, or the condition has found it.
func isFailure(err, cond ssa.Value) bool {
	switch err := err.(type) {
	case *ssa.MakeInterface, *ssa.Call:
		return true
	case *ssa.UnOp:
		_, global := err.X.(*ssa.Global)
		return global
	case *ssa.Extract:
		test, ok := cond.(*ssa.BinOp)
		return ok && test.Op == token.NEQ && (test.X == err || test.Y == err)
	}
	return false
}

// Documented reports whether a doc comment says that f, on the object at base, does not run
// beside the function of writer w.
func (p *Processes) Documented(f *Func, base accesspath.Path, w *fact.Writer) bool {
	return p.sameRole(f, base, w, role.isDocumented)
}
