package repro

import (
	"errors"
	"fmt"
	"go/types"
	"slices"
	"strings"
)

// A candidate is a body for one trial.
type candidate struct {
	lines []string
	// cost is the number of calls that make the start state, and of choices other than the first.
	cost int
}

// Bounds of the search.
const (
	maxTrials = 1000
	// maxCalls bounds the calls that start states are made of.
	maxCalls = 12
)

// A choice is one of the ways to make the arguments.
type choice struct {
	// rival are the values for the rival: those of the unit, so that both mean the same element, or
	// other ones, so that what they leave differs.
	rival values
	// sizes are the values for constructors: small, as limits that are soon reached, or not.
	sizes values
	// parts is set to take an object out of a larger one, if that is what has a constructor.
	parts bool
}

// choices are all of them, with their cost.
func choices() (list []choice, costs []int) {
	for i, parts := range []bool{true, false} {
		for j, sizes := range []values{small, large} {
			for k, rival := range []values{small, otherNumber, otherText, other} {
				list, costs = append(list, choice{rival, sizes, parts}), append(costs, i+j+min(k, 1))
			}
		}
	}
	return list, costs
}

// candidates returns the trials to make: each rival with each choice of values and each start state,
// in the order of their cost.
func (s *search) candidates() ([]candidate, error) {
	var out []candidate
	seen := make(map[string]bool)
	list, costs := choices()
	for i, rival := range s.rivals {
		for j, c := range list {
			trials, err := s.of(rival, c)
			if err != nil {
				s.untried = append(s.untried, fmt.Sprintf("%s: %v", rival.Name(), err))
			}
			for _, t := range trials {
				if t.cost += costs[j]; i >= s.known {
					t.cost++
				}
				if key := strings.Join(t.lines, "\n"); !seen[key] {
					seen[key] = true
					out = append(out, t)
				}
			}
		}
	}
	slices.Sort(s.untried)
	s.untried = slices.Compact(s.untried)
	if len(out) == 0 {
		return nil, errors.New(strings.Join(s.untried, "; "))
	}
	slices.SortStableFunc(out, func(a, b candidate) int { return a.cost - b.cost })
	return out[:min(len(out), maxTrials)], nil
}

// of returns the trials with one rival and one choice of values.
func (s *search) of(rival *types.Func, c choice) ([]candidate, error) {
	b := newBuilder(s.file.Types)
	b.imports, b.fakes, b.sizes, b.parts = s.imports, s.fakes, c.sizes, c.parts
	unit, err := s.invocation(b, s.unit)
	if err != nil {
		return nil, err
	}
	b.values = c.rival
	second, err := s.invocation(b, rival)
	if err != nil {
		return nil, err
	}
	b.values = small
	return s.states(b, unit, second), nil
}

// invocation returns the function literal that calls a function and returns its results.
func (s *search) invocation(b *builder, fn *types.Func) (string, error) {
	sig := fn.Signature()
	fun := fn.Name()
	if recv := sig.Recv(); recv != nil {
		t, err := b.instance(recv.Type())
		if err != nil {
			return "", err
		}
		object, err := b.receiver(t)
		if err != nil {
			return "", err
		}
		fun = object + "." + fun
		if m, ok := methodNamed(pointerTo(t), fn.Name()); ok {
			sig = m.Signature()
		}
	} else if sig.TypeParams().Len() > 0 {
		inst, args, err := b.instantiate(sig)
		if err != nil {
			return "", err
		}
		sig, fun = inst, fun+args
	}
	call, err := b.call(fun, sig)
	if err != nil {
		return "", err
	}
	n := sig.Results().Len()
	if n == 0 {
		return fmt.Sprintf("func() []any { %s; return nil }", call), nil
	}
	var names []string
	for i := range n {
		names = append(names, fmt.Sprintf("r%d", i+1))
	}
	list := strings.Join(names, ", ")
	return fmt.Sprintf("func() []any { %s := %s; return []any{%s} }", list, call, list), nil
}

func methodNamed(t types.Type, name string) (*types.Func, bool) {
	for _, m := range methodsOf(t) {
		if m.Name() == name {
			return m, true
		}
	}
	return nil, false
}

// states returns a trial for each start state: none, one call, and two.
func (s *search) states(b *builder, unit, rival string) []candidate {
	calls := s.preparations(b)
	preparations := [][]string{nil}
	for _, c := range calls {
		preparations = append(preparations, []string{c})
	}
	for _, c := range calls {
		for _, d := range calls {
			preparations = append(preparations, []string{c, d})
		}
	}
	state := s.globals()
	for _, o := range b.objects {
		state = append(state, o.name)
	}
	look := "nil"
	if len(state) > 0 {
		look = "[]any{" + strings.Join(state, ", ") + "}"
	}
	var out []candidate
	for _, prep := range preparations {
		lines := slices.Clone(b.lines)
		for _, c := range prep {
			lines = append(lines, fmt.Sprintf("atomvetrt.Soon(func() { %s })", c))
		}
		lines = append(lines, fmt.Sprintf("return %s, %s, %s", unit, rival, look))
		out = append(out, candidate{lines, len(prep)})
	}
	return out
}

// preparations returns the calls that start states are made of: of the known rivals, which change what
// the unit checks, of the unit, and of the exported methods of the objects that there are.
func (s *search) preparations(b *builder) []string {
	var out []string
	add := func(call string, err error) {
		if err == nil && len(out) < maxCalls && !slices.Contains(out, call) {
			out = append(out, call)
		}
	}
	for _, fn := range append(slices.Clone(s.rivals[:s.known]), s.unit) {
		for _, o := range b.objects {
			if m, ok := methodNamed(o.t, fn.Name()); ok && m.Origin() == fn.Origin() {
				add(b.attempt(o.name+"."+fn.Name(), m.Signature()))
			}
		}
		if fn.Signature().Recv() == nil && fn.Signature().TypeParams().Len() == 0 {
			add(b.attempt(fn.Name(), fn.Signature()))
		}
	}
	for _, o := range slices.Clone(b.objects) {
		for _, fn := range methodsOf(o.t) {
			if fn.Pkg() == s.file.Types && fn.Exported() {
				add(b.attempt(o.name+"."+fn.Name(), fn.Signature()))
			}
		}
	}
	return out
}
