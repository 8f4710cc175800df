package funcsum

import (
	"go/constant"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// resultTruth returns the relation of a boolean result i of f to the variable that it is
// read from.
func (p *Summaries) resultTruth(f *Body, returns []*ssa.Return, i int) fact.Truth {
	if b, ok := f.Fn.Signature.Results().At(i).Type().Underlying().(*types.Basic); !ok || b.Kind() != types.Bool {
		return fact.Untold
	}
	out := fact.Untold
	for n, r := range returns {
		t := p.returnTruth(f, r, ssautil.Returned(r, i))
		if n > 0 && t != out {
			return fact.Untold
		}
		out = t
	}
	return out
}

// returnTruth returns the relation of v, returned at r. A constant has the relation of the
// condition that leads to the return:
//
//	if !ok { return nil, false } // false is related to ok
func (p *Summaries) returnTruth(f *Body, r *ssa.Return, v ssa.Value) fact.Truth {
	c, ok := v.(*ssa.Const)
	if !ok || c.Value == nil {
		return f.Truth(v)
	}
	direct := f.DirectBranches(r.Block())
	if len(direct) != 1 {
		return fact.Untold
	}
	truth := f.Truth(direct[0].Cond)
	for side, to := range direct[0].Block().Succs {
		if len(to.Preds) == 1 && to.Dominates(r.Block()) {
			if constant.BoolVal(c.Value) == (side == 0) {
				return truth
			}
			return truth.Not()
		}
	}
	return fact.Untold
}

// Truth returns the relation of the boolean v to the one variable that it is read from.
func (f *Body) Truth(v ssa.Value) fact.Truth {
	yes, no := branch.Alone(v, true), branch.Alone(v, false)
	switch {
	case yes.Nil() || yes.Empty():
		return fact.Negated
	case no.Nil() || no.Empty():
		return fact.Plain // a list is true if it is not empty
	case yes.True():
		return f.flagTruth(yes.Subject)
	case yes.False():
		return f.flagTruth(yes.Subject).Not()
	}
	return fact.Untold
}

// flagTruth is Truth for a boolean that is not a comparison.
func (f *Body) flagTruth(v ssa.Value) fact.Truth {
	switch v := v.(type) {
	case *ssa.UnOp:
		if v.Op == token.MUL && !depgraph.IsVariable(v.X) {
			return fact.Plain
		}
	case *ssa.Lookup:
		return fact.Plain
	case *ssa.Extract:
		switch t := v.Tuple.(type) {
		case *ssa.Lookup:
			return fact.Plain
		case *ssa.Call:
			return f.in.callTruth(f, t, v.Index)
		}
	case *ssa.Call:
		return f.in.callTruth(f, v, 0)
	}
	return fact.Untold
}

func (p *Summaries) callTruth(f *Body, c *ssa.Call, i int) fact.Truth {
	callees := p.Callees(f, &c.Call)
	out := fact.Untold
	for n, callee := range callees {
		s := p.SummaryOf(callee)
		switch {
		case s == nil && isAtomicLoad(callee):
			return fact.Plain
		case s == nil || i >= len(s.Results) || n > 0 && s.Results[i].Truth != out:
			return fact.Untold
		}
		out = s.Results[i].Truth
	}
	return out
}

// isAtomicLoad reports whether a callee reads an atomic variable, or looks up an element of
// a sync.Map.
func isAtomicLoad(c callgraph.Callee) bool {
	access := stdlib.OfFunc(c.Obj).Access
	return access&stdlib.Reads != 0 && access&(stdlib.Writes|stdlib.Whole) == 0
}
