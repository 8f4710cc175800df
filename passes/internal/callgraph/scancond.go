package callgraph

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// The mutex of a condition variable is known where the condition variable is made, if both
// belong to one object, or are package variables, or the mutex is made for it:
//
//	s.cond = sync.NewCond(&s.mu)
//	s.cond.L = &s.mu
//	s.cond = sync.NewCond(new(sync.Mutex))

// scanCond records the mutex of a *sync.Cond that is created and stored in a field or
// package variable.
func (p *scanner) scanCond(obj *types.Func, instr ssa.CallInstruction) {
	c, ok := instr.(*ssa.Call)
	if !ok || !stdlib.OfFunc(obj).MakesCond || len(c.Call.Args) != 1 {
		return
	}
	for _, use := range *c.Referrers() {
		if st, ok := use.(*ssa.Store); ok && st.Val == c {
			p.recordCond(st.Addr, c.Call.Args[0])
		}
	}
}

// scanCondField records the mutex that is stored in a condition variable.
func (p *scanner) scanCondField(st *ssa.Store) {
	addr, ok := st.Addr.(*ssa.FieldAddr)
	if !ok {
		return
	}
	known, _ := stdlib.OfType(addr.X.Type())
	if field := ssautil.Field(addr.X.Type(), addr.Field); !known.Waits || field == nil || field.Name() != "L" {
		return
	}
	made, ok := addr.X.(*ssa.Alloc)
	if !ok {
		p.recordCond(addr.X, st.Val)
		return
	}
	for _, use := range *made.Referrers() {
		switch use := use.(type) {
		case *ssa.Store:
			if use.Val == made {
				p.recordCond(use.Addr, st.Val)
			}
		case *ssa.UnOp:
			for _, copied := range *use.Referrers() {
				if to, ok := copied.(*ssa.Store); ok && to.Val == use {
					p.recordCond(to.Addr, st.Val)
				}
			}
		}
	}
}

// recordCond records locker as the mutex of the condition variable at, or referred to by,
// the address.
func (p *scanner) recordCond(addr, locker ssa.Value) {
	loc := accesspath.LocationOf(addr)
	if loc == "" {
		return
	}
	switch l := ssautil.Unboxed(locker).(type) {
	case *ssa.FieldAddr:
		if field, ok := addr.(*ssa.FieldAddr); ok && ssautil.SamePointer(field.X, l.X) {
			p.Conds[loc] = ssautil.Field(l.X.Type(), l.Field).Name()
		}
	case *ssa.Global:
		p.Conds[loc] = string(accesspath.Global(l.Pkg.Pkg.Path(), l.Name()))
	case *ssa.Alloc:
		if len(*l.Referrers()) == 1 {
			p.Conds[loc] = ownMutex
		}
	}
}

// ownMutex is the entry in Conds of a condition variable whose mutex nothing else refers to.
const ownMutex = ""
