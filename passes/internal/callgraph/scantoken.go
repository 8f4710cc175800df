package callgraph

import (
	"go/constant"
	"go/token"
	"go/types"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
	"golang.org/x/tools/go/ssa"
)

func (p *scanner) scanStore(st *ssa.Store) {
	m, ok := st.Val.(*ssa.MakeChan)
	if !ok {
		return
	}
	loc := accesspath.LocationOf(st.Addr)
	if loc == "" {
		return
	}
	t := p.Tokens[loc]
	c, ok := m.Size.(*ssa.Const)
	if one := ok && c.Value != nil && constant.Compare(c.Value, token.EQL, constant.MakeInt64(1)); one {
		t.one = true
	} else {
		t.barred = true
	}
	p.Tokens[loc] = t
}

// scanToken records a send or receive; waits is false in a select statement with a default
// case.
func (p *scanner) scanToken(f *Node, ch ssa.Value, send, waits bool) {
	loc := ChanLocation(ch)
	if loc == "" {
		return
	}
	t := p.Tokens[loc]
	if t.senders == nil {
		t.senders, t.takers = make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
		t.trySend, t.tryTake = make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
	}
	outer := f.Fn
	for outer.Parent() != nil {
		outer = outer.Parent()
	}
	switch {
	case waits:
	case send:
		t.trySend[outer] = true
	default:
		t.tryTake[outer] = true
	}
	if !send {
		t.takers[outer] = true
	} else if l, ok := ch.(*ssa.UnOp); ok && OwnsChannel(l.X) || !ok {
		t.Primed = true
	} else {
		t.senders[outer] = true
	}
	f.Shares = true
	p.Tokens[loc] = t
}

// scanCond records the mutex of a *sync.Cond that is created and stored in a field or
// package variable: s.cond = sync.NewCond(&s.mu).
func (p *scanner) scanCond(obj *types.Func, instr ssa.CallInstruction) {
	c, ok := instr.(*ssa.Call)
	if !ok || !stdlib.OfFunc(obj).MakesCond || len(c.Call.Args) != 1 {
		return
	}
	locker := c.Call.Args[0]
	if mi, ok := locker.(*ssa.MakeInterface); ok {
		locker = mi.X
	}
	for _, use := range *c.Referrers() {
		st, ok := use.(*ssa.Store)
		if !ok || st.Val != c {
			continue
		}
		loc := accesspath.LocationOf(st.Addr)
		switch l := locker.(type) {
		case *ssa.FieldAddr:
			field, ok := st.Addr.(*ssa.FieldAddr)
			if ok && loc != "" && ssautil.SamePointer(field.X, l.X) {
				p.Conds[loc] = ssautil.Field(l.X.Type(), l.Field).Name()
			}
		case *ssa.Global:
			if loc != "" {
				p.Conds[loc] = string(accesspath.Global(l.Pkg.Pkg.Path(), l.Name()))
			}
		}
	}
}
