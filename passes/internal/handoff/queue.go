package handoff

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A list that one goroutine appends to and another one takes elements out of is a channel: to
// append is to send, and to take out is to receive.
//
//	s.mu.Lock(); s.queue = append(s.queue, job); s.mu.Unlock()
//
//	s.mu.Lock(); batch := s.queue; s.queue = nil; s.mu.Unlock()
//	for _, job := range batch { … }

// appends returns the elements that f appends to shared lists by itself, as sends.
func appends(f *funcsum.Body) []*send {
	var out []*send
	for _, w := range f.Events {
		st, ok := w.Instr.(*ssa.Store)
		if !ok || w.Callee != nil || w.Within != nil || w.Key != "" || w.Loc.Type() == "" && !w.Path.IsGlobal() {
			continue
		}
		call, ok := st.Val.(*ssa.Call)
		if !ok || len(w.Added) != 1 || len(call.Call.Args) != 2 {
			continue
		}
		for _, x := range elements(w.Added[0]) {
			out = append(out, &send{
				instr: st, to: origin{loc: w.Loc}, path: w.Path, listed: true, await: awaitAfter(f, st),
				message: func(field string) item { return part(f, x, field) },
			})
		}
	}
	return out
}

// elements returns what is stored into a new slice.
func elements(v ssa.Value) []ssa.Value {
	s, ok := v.(*ssa.Slice)
	if !ok {
		return nil
	}
	array, ok := s.X.(*ssa.Alloc)
	if !ok {
		return nil
	}
	return ssautil.StoredIn(array)
}

// removals returns the reads of shared lists in f whose section takes out what was read.
func removals(f *funcsum.Body) []*reception {
	var out []*reception
	for _, e := range f.Events {
		load, ok := e.Instr.(*ssa.UnOp)
		if !ok || load.Op != token.MUL || e.Callee != nil || e.Within != nil || e.Key != "" || !e.Owned() || !isTakenOut(f, e) {
			continue
		}
		r := newReception(f, load, origin{loc: e.Loc}, e.Path)
		r.carryElements(load)
		if len(r.carriers) > 0 {
			out = append(out, r)
		}
	}
	return out
}

// isTakenOut reports whether the section of a read makes the list empty, or a part of it.
func isTakenOut(f *funcsum.Body, e *funcsum.Event) bool {
	return slices.ContainsFunc(f.Events, func(w *funcsum.Event) bool {
		if !w.Writes() || w.Loc != e.Loc || !accesspath.Same(w.Base, e.Base) || w.Key != "" || !funcsum.SharePassage(e, w) {
			return false
		}
		st, ok := w.Instr.(*ssa.Store)
		if !ok {
			return false
		}
		_, part := st.Val.(*ssa.Slice)
		return part || w.Op&fact.Fixed != 0
	})
}

// carryElements adds the elements of a list as carriers.
func (r *reception) carryElements(list ssa.Value) {
	work := []ssa.Value{list}
	for i := 0; i < len(work); i++ {
		for _, use := range *work[i].Referrers() {
			switch use := use.(type) {
			case *ssa.IndexAddr:
				for _, at := range *use.Referrers() {
					if l, ok := at.(*ssa.UnOp); ok && l.Op == token.MUL {
						r.carry(l)
					}
				}
			case *ssa.Phi:
				if !slices.Contains(work, ssa.Value(use)) {
					work = append(work, use)
				}
			}
		}
	}
}
