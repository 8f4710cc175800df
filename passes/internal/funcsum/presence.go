package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// testsPresence reports whether a branch of f tests whether the element that e reads
// exists. Such code handles a missing element.
func (f *Body) testsPresence(e *Event) bool {
	if e.Key == "" || !e.Reads() || e.Writes() {
		return false
	}
	for br := range depgraph.Branches(f.Fn) {
		if AbsentSide(br.Cond, e) >= 0 {
			return true
		}
	}
	return false
}

// AbsentSide returns the index of the successor that a branch on cond takes if the element
// that e reads does not exist, or is nil; -1 if cond does not imply either. A callee that looks for the element may say so by
// an error.
func AbsentSide(cond ssa.Value, e *Event) int {
	return branch.Side(cond, func(f branch.Fact) bool {
		if !slices.Contains(e.Values, f.Subject) {
			return false
		}
		if _, result := f.Subject.(*ssa.Extract); result && ssautil.IsError(f.Subject.Type()) {
			return f.NonNil()
		}
		return f.Absent() || f.Nil()
	})
}

// IsFilledOnly reports whether a branch leads to a write only if the place was empty.
//
//	if s.conf == nil { s.conf = load() }
func (f *Body) IsFilledOnly(w *Event) bool {
	return slices.ContainsFunc(f.Branches(w), func(br *ssa.If) bool {
		return slices.ContainsFunc(f.Events, func(e *Event) bool {
			if !e.Reads() || e.Loc != w.Loc || e.Key != w.Key {
				return false
			}
			absent := AbsentSide(br.Cond, e)
			return absent >= 0 && f.OnlySide(br, w.Instr) == absent
		})
	})
}

// AsksForContainer reports whether all that the conditions of w, a write of an element, ask of
// what r has read is whether there is a container: that says nothing about the element.
//
//	if s.conns == nil { return errClosed }
//	s.conns[k] = c
func (f *Body) AsksForContainer(r, w *Event) bool {
	if r.Key != "" || w.Key == "" || r.Loc != w.Loc {
		return false
	}
	if r.Callee != nil {
		return r.Ord == w.Ord && !w.Looked()
	}
	asks := false
	for _, cond := range f.Conditions(w) {
		if !f.Slice(cond).HasAny(r.Values) {
			continue
		}
		asks = branch.Side(cond, func(f branch.Fact) bool { return f.Nil() && slices.Contains(r.Values, f.Subject) }) >= 0
		if !asks {
			return false
		}
	}
	return asks
}
