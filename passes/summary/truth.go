package summary

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// resultTruth returns what the flag that result i of f is tells.
func (p *SumPackage) resultTruth(f *SumFunc, returns []*ssa.Return, i int) Truth {
	if b, ok := f.Fn.Signature.Results().At(i).Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
		return Untold
	}
	out := Untold
	for n, r := range returns {
		t := p.returnTruth(f, r, ssautil.Returned(r, i))
		if n > 0 && t != out {
			return Untold
		}
		out = t
	}
	return out
}

// returnTruth returns what it tells that f returns v at r. A constant tells what the
// branch tells that leads there: if !ok { return nil, false }.
func (p *SumPackage) returnTruth(f *SumFunc, r *ssa.Return, v ssa.Value) Truth {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return f.Truth(v)
	}
	direct := f.DirectBranches(r.Block())
	if len(direct) != 1 {
		return Untold
	}
	told := f.Truth(direct[0].Cond)
	for side, to := range direct[0].Block().Succs {
		if len(to.Preds) == 1 && to.Dominates(r.Block()) {
			if constant.BoolVal(c.Value) == (side == 0) {
				return told
			}
			return told.not()
		}
	}
	return Untold
}

// Truth returns what the flag v tells about the one variable that it is read from.
func (f *SumFunc) Truth(v ssa.Value) Truth {
	yes, no := branch.Alone(v, true), branch.Alone(v, false)
	switch {
	case yes.Nil() || yes.Empty():
		return Negated
	case no.Nil() || no.Empty():
		return Plain // of a list it tells whether something is in there
	case yes.True():
		return f.flagTruth(yes.Subject)
	case yes.False():
		return f.flagTruth(yes.Subject).not()
	}
	return Untold
}

// flagTruth is Truth for a boolean that is no comparison.
func (f *SumFunc) flagTruth(v ssa.Value) Truth {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL && !depgraph.IsVariable(v.X) {
			return Plain
		}
	case *ssa.Lookup:
		return Plain
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Lookup:
			return Plain
		case *ssa.Call:
			return f.in.callTruth(f, t, v.Index)
		}
	case *ssa.Call:
		return f.in.callTruth(f, v, 0)
	}
	return Untold
}

func (p *SumPackage) callTruth(f *SumFunc, c *ssa.Call, i int) Truth {
	callees := p.callees(f, &c.Call)
	out := Untold
	for n, callee := range callees {
		s := p.summaryOf(callee)
		switch {
		case s == nil && isAtomicLoad(callee):
			return Plain
		case s == nil || i >= len(s.Results) || n > 0 && s.Results[i].Truth != out:
			return Untold
		}
		out = s.Results[i].Truth
	}
	return out
}

// isAtomicLoad reports whether a callee reads an atomic variable, or looks for an
// element of a sync.Map.
func isAtomicLoad(c callee) bool {
	access := stdlib.OfFunc(c.obj).Access
	return access&stdlib.Reads != 0 && access&(stdlib.Writes|stdlib.Whole) == 0
}
