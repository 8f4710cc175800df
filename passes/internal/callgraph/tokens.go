package callgraph

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// A tokenUse tells how a channel with room for one element is used. It is a
// lock if whoever puts something in takes it out again in the same function, or
// the other way round for a channel that starts with a token in it.
type tokenUse struct {
	one     bool // has room for one element
	Primed  bool // the constructor puts the token in
	not     bool // is used in a way that no lock is
	senders map[*ssa.Function]bool
	takers  map[*ssa.Function]bool
}

func (t *tokenUse) IsLock() bool {
	if !t.one || t.not || len(t.senders) == 0 || len(t.senders) != len(t.takers) {
		return false
	}
	for fn := range t.senders {
		if !t.takers[fn] {
			return false
		}
	}
	return true
}

// ChanLocation returns the location that holds a channel, or "".
func ChanLocation(ch ssa.Value) accesspath.Location {
	if l, ok := ch.(*ssa.UnOp); ok && l.Op == token.MUL {
		return accesspath.LocationOf(l.X)
	}
	if m, ok := ch.(*ssa.MakeChan); ok && m.Referrers() != nil {
		for _, use := range *m.Referrers() {
			if st, ok := use.(*ssa.Store); ok && st.Val == m {
				if loc := accesspath.LocationOf(st.Addr); loc != "" {
					return loc
				}
			}
		}
	}
	return ""
}

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
		t.not = true
	}
	p.Tokens[loc] = t
}

func (p *scanner) scanToken(f *Node, ch ssa.Value, send bool) {
	loc := ChanLocation(ch)
	if loc == "" {
		return
	}
	t := p.Tokens[loc]
	if t.senders == nil {
		t.senders, t.takers = make(map[*ssa.Function]bool), make(map[*ssa.Function]bool)
	}
	outer := f.Fn
	for outer.Parent() != nil {
		outer = outer.Parent()
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

// OwnsChannel reports whether the channel at addr belongs to an object that is
// just being made.
func OwnsChannel(addr ssa.Value) bool {
	fa, ok := addr.(*ssa.FieldAddr)
	return ok && ssautil.IsMadeHere(fa.X)
}

// notToken says that a channel is polled: then it carries signals.
func (p *scanner) notToken(ch ssa.Value) {
	if loc := ChanLocation(ch); loc != "" {
		t := p.Tokens[loc]
		t.not = true
		p.Tokens[loc] = t
	}
}

// scanCond finds which mutex a field of type *sync.Cond is made with.
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

// IsMutex reports whether t is, or points to, a lock of the standard library.
func IsMutex(t types.Type) bool {
	known, _ := stdlib.OfType(t)
	return known.Lock && !known.Abstract
}
