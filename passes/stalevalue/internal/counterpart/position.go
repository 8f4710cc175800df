package counterpart

import (
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A number in an element can be its position in an order: those who read the list keep the number up to which they have
// read, and compare it.
//
//	for _, e := range o.events {
//		if e.ID > cursor { send(e); cursor = e.ID }
//	}

// IsPosition reports whether the numbers in a field are compared, by which is greater, with what is in another variable,
// and never with each other, as those who sort or search for the greatest do.
func (p *Finder) IsPosition(field *types.Var) bool {
	if p.compared == nil {
		p.compared = make(map[*types.Var]comparisons)
		for f := range p.Sharing() {
			for _, b := range f.Fn.Blocks {
				for _, instr := range b.Instrs {
					p.noteComparison(instr)
				}
			}
		}
	}
	c := p.compared[field]
	return c.withOther && !c.withEachOther
}

func (p *Finder) noteComparison(instr ssa.Instruction) {
	var x, y ssa.Value
	switch instr := instr.(type) {
	case *ssa.BinOp:
		switch instr.Op {
		case token.LSS, token.LEQ, token.GTR, token.GEQ:
			x, y = instr.X, instr.Y
		}
	case *ssa.Call:
		if args := instr.Call.Args; len(args) == 2 { // cmp.Compare(a.id, b.id)
			x, y = args[0], args[1]
		}
	}
	if x == nil {
		return
	}
	a, b := fieldRead(x), fieldRead(y)
	note := func(field *types.Var, with ssa.Value, other *types.Var) {
		_, constant := with.(*ssa.Const)
		if field == nil || constant {
			return
		}
		c := p.compared[field]
		if other == field {
			c.withEachOther = true
		} else if _, compares := instr.(*ssa.BinOp); compares {
			c.withOther = true
		}
		p.compared[field] = c
	}
	note(a, y, b)
	note(b, x, a)
}

// fieldRead returns the field that a value was read from, of a struct in memory or of a copy, or nil.
func fieldRead(v ssa.Value) *types.Var {
	if v, ok := v.(*ssa.Field); ok {
		return ssautil.Field(v.X.Type(), v.Field)
	}
	return loadedFrom(v)
}
