package callgraph

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// ContextOf returns the name of the field with the context that the cancel function in a field ends, "" if it is in none; false
// if the package does not store them, or if not all stores say the same.
func (p *Graph) ContextOf(cancel accesspath.Location) (name string, ok bool) {
	field := p.contexts[cancel]
	return field.name, field.loc != ""
}

// scanCancel records a store to a field of the cancel function that a call returns beside a context.
func (p *scanner) scanCancel(st *ssa.Store) {
	addr, ok := st.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	call, ok := resultOf(st.Val, 1)
	loc := accesspath.LocationOf(addr)
	if !ok || loc == "" {
		return
	}
	field := contextField{loc: loc}
	for to := range fieldsWith(call, 0) {
		if ssautil.SamePointer(to.X, addr.X) {
			field = contextField{ssautil.Field(to.X.Type(), to.Field).Name(), accesspath.LocationOf(to)}
		}
	}
	if before, known := p.contexts[loc]; known && before != field {
		field = contextField{}
	}
	p.contexts[loc] = field
}
