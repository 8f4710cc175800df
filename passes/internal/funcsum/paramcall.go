package funcsum

import (
	"cmp"
	"go/types"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// A paramScan finds the uses that a function makes of its function-valued parameters.
type paramScan struct {
	p     *Summaries
	f     *Body
	m     *merger
	calls []fact.ParamCall
}

// paramCalls returns the uses of function-valued parameters of f.
func (p *Summaries) paramCalls(f *Body, m *merger) []fact.ParamCall {
	if !ssautil.TakesFunc(f.Fn) {
		return nil
	}
	scan := &paramScan{p: p, f: f, m: m}
	f.Flow.Walk(scan.visit)
	for i, prm := range f.Fn.Params {
		if f.Keeps && i < fact.MaxParams && ssautil.IsFunc(prm.Type()) && ssautil.Kept(prm, nil) {
			scan.add(fact.ParamCall{Param: i, Kind: fact.Escapes})
		}
	}
	slices.SortFunc(scan.calls, func(a, b fact.ParamCall) int {
		return cmp.Or(cmp.Compare(a.Param, b.Param), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Regions, b.Regions), slices.Compare(a.Args, b.Args))
	})
	return widened(scan.calls)
}

// visit adds the uses that an instruction makes.
func (s *paramScan) visit(instr ssa.Instruction, ord int, st *lockset.State) {
	switch instr := instr.(type) {
	case ssa.CallInstruction:
		s.call(instr, ord, st)
	case *ssa.MakeClosure:
		s.captures(instr)
	}
}

// add adds a use, unless there is the same already.
func (s *paramScan) add(pc fact.ParamCall) {
	same := func(o fact.ParamCall) bool {
		return o.Param == pc.Param && o.Kind == pc.Kind && o.Regions == pc.Regions && slices.Equal(o.Args, pc.Args)
	}
	if !slices.ContainsFunc(s.calls, same) {
		s.calls = append(s.calls, pc)
	}
}

// call adds the call of a parameter, and the uses that a callee makes of those that it is given.
func (s *paramScan) call(instr ssa.CallInstruction, ord int, st *lockset.State) {
	c, kind := instr.Common(), fact.Called
	if _, ok := instr.(*ssa.Go); ok {
		kind = fact.Spawned
	}
	if i := s.param(c.Value); !c.IsInvoke() && i >= 0 {
		s.add(fact.ParamCall{Param: i, Kind: kind, Regions: s.held(instr, st), Args: s.p.argPaths(s.f, c.Args)})
	}
	for _, callee := range s.p.Callees(s.f, c) {
		if sum := s.p.SummaryOf(callee); sum != nil {
			s.passes(callee, sum, kind, instr, ord, st)
		}
	}
}

// passes adds the uses that a callee makes of the parameters that it is given.
func (s *paramScan) passes(callee callgraph.Callee, sum *fact.FuncSummary, kind fact.CallKind, instr ssa.Instruction, ord int, st *lockset.State) {
	for _, pc := range sum.Calls {
		if pc.Param >= len(callee.Args) {
			continue
		}
		if i := s.param(callee.Args[pc.Param]); i >= 0 {
			inner := s.p.regionsOf(s.f, s.m, callee, pc.Regions, ord)
			s.add(fact.ParamCall{Param: i, Kind: max(kind, pc.Kind), Regions: s.held(instr, st) | inner, Args: s.p.given(s.f, callee, pc.Args)})
		}
	}
}

// captures adds the uses of the parameters that a literal captures.
func (s *paramScan) captures(literal *ssa.MakeClosure) {
	if s.p.ByFn[literal.Fn.(*ssa.Function)] == nil {
		return
	}
	for _, b := range literal.Bindings {
		i, ok := index(s.f.Res.Resolve(b).Path, 'p')
		if !ok || !ssautil.IsFunc(b.Type()) {
			continue
		}
		kind := fact.Called
		if s.p.closureEscapes(literal) {
			kind = fact.Spawned
		}
		s.add(fact.ParamCall{Param: i, Kind: kind})
	}
}

// param returns the index of the function-valued parameter that a value is, or -1.
func (s *paramScan) param(v ssa.Value) int {
	i, ok := index(s.f.Res.Resolve(v).Path, 'p')
	if _, isFunc := v.Type().Underlying().(*types.Signature); !ok || !isFunc || i >= fact.MaxParams {
		return -1
	}
	return i
}

// held returns the critical sections that contain an instruction, as a bit set.
func (s *paramScan) held(instr ssa.Instruction, st *lockset.State) (set uint64) {
	pos := s.p.Pos(ssautil.Pos(instr))
	for _, c := range s.f.Claimed(instr) {
		set |= s.m.region(Hold{Guard: c.Guard, Sites: []int{c.set.Ord}}, false, pos)
	}
	for _, h := range st.Held {
		if s.f.Flow.Holds(h) {
			set |= s.m.region(Hold{Guard: h.Guard, Sites: h.Sites}, false, pos)
		}
	}
	return set
}

// widened returns sorted uses of parameters in which those that differ in the arguments alone are one, of which the
// arguments are not known, if there are too many. A literal is inlined for each of them, and a function that calls
// itself for the parts of a recursive structure has as many as the structure has paths.
//
//	func (n *node) walk(visit func(*node)) { n.left.walk(visit); n.right.walk(visit); visit(n) }
func widened(calls []fact.ParamCall) []fact.ParamCall {
	var out []fact.ParamCall
	for len(calls) > 0 {
		first := calls[0]
		n := slices.IndexFunc(calls, func(c fact.ParamCall) bool {
			return c.Param != first.Param || c.Kind != first.Kind || c.Regions != first.Regions
		})
		if n < 0 {
			n = len(calls)
		}
		if n > limit.ParamCalls {
			first.Args = nil
			out = append(out, first)
		} else {
			out = append(out, calls[:n]...)
		}
		calls = calls[n:]
	}
	return out
}
