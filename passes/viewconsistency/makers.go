package viewconsistency

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/summary"
)

// makers know which fields the functions that make objects give a value: those are not nil when an object is published.
type makers struct {
	pkg *summary.Package
	set map[accesspath.Location]bool // nil until somebody asks
}

// sets reports whether a function that makes objects gives a field of theirs a value.
func (m *makers) sets(l accesspath.Location) bool {
	if m.set == nil {
		m.set = make(map[accesspath.Location]bool)
		for _, f := range m.pkg.Funcs {
			if !f.Test && f.Constructs() {
				m.add(f)
			}
		}
	}
	return m.set[l]
}

// add adds the fields to which f gives a value.
func (m *makers) add(f *summary.Func) {
	for _, e := range f.Events {
		if e.Writes() && !e.Empties() {
			m.set[e.Loc] = true
		}
	}
	for _, b := range f.Fn.Blocks {
		for _, instr := range b.Instrs {
			if st, ok := instr.(*ssa.Store); ok && !ssautil.IsNil(st.Val) {
				m.set[accesspath.LocationOf(st.Addr)] = true
			}
		}
	}
}
