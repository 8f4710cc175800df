package funcsum

import (
	"go/token"
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/branch"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/depgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

// results returns the dependences of the results of f, and for each result the indexes of
// the reads that it depends on.
func (p *Summaries) results(f *Body) ([]fact.Result, [][]int) {
	n := f.Fn.Signature.Results().Len()
	out := make([]fact.Result, n)
	reads := make([][]int, n)
	returns := ssautil.Returns(f.Fn)
	byValue := f.valueIndex()
	for i := range out {
		var values []ssa.Value
		for _, r := range returns {
			values = append(values, ssautil.Returned(r, i))
			if len(returns) > 1 {
				for _, br := range p.control(f.Fn).Deciding(r.Block()) {
					values = append(values, br.Cond)
				}
			}
		}
		slice := p.slice(f).Back(values...)
		out[i].Params = f.params(slice)
		reads[i] = byValue.events(f, slice)
		out[i].Path, out[i].Fresh = p.resultPath(f, returns, i)
		out[i].Key = f.resultKey(returns, i)
		out[i].Truth = p.resultTruth(f, returns, i)
		out[i].Verdict = p.isVerdict(f, returns, i)
		out[i].Nil = slices.ContainsFunc(returns, func(r *ssa.Return) bool {
			c, ok := ssautil.Returned(r, i).(*ssa.Const)
			return ok && c.IsNil()
		})
	}
	return out, reads
}

// resultPath returns the path that result i has at every return, and whether it is an
// unpublished new object. Returns of nil are ignored. A new object that was put where others are found
// has the path of that place:
//
//	o, ok := s.objects[k]
//	if !ok { o = new(object); s.objects[k] = o }
//	return o
func (p *Summaries) resultPath(f *Body, returns []*ssa.Return, i int) (accesspath.Path, bool) {
	if !ssautil.IsReference(f.Fn.Signature.Results().At(i).Type()) {
		return accesspath.Unknown, false
	}
	path, fresh := accesspath.Unknown, false
	published := p.Publications(f)
	for _, r := range returns {
		for _, v := range alternatives(ssautil.Returned(r, i)) {
			if c, ok := v.(*ssa.Const); ok && c.IsNil() {
				continue
			}
			at := f.Res.Resolve(v).Path
			if f.replacesAfter(v, at) {
				return accesspath.Unknown, false
			}
			if _, given := published[at.Root()]; at.IsFresh() && given {
				at = f.placeOf(v)
			} else if at.IsFresh() {
				fresh = true
			}
			if at == accesspath.Unknown || path != accesspath.Unknown && at != path {
				return accesspath.Unknown, false
			}
			path = at
		}
	}
	if path.IsLocal() {
		return accesspath.Unknown, fresh
	}
	return f.chosen(path), false
}

// resultKey returns the local value that result i is at every return that does not return a constant, as it does where there is no
// such element, if an element is selected by it:
//
//	for id, j := range s.jobs {
//		if j.state == queued { j.state = running; return id, true }
//	}
//	return "", false
func (f *Body) resultKey(returns []*ssa.Return, i int) accesspath.Path {
	var key accesspath.Path
	for _, r := range returns {
		result := ssautil.Returned(r, i)
		list := alternatives(result)
		if f.selectsBy(f.Res.Key(result).Path()) {
			list = []ssa.Value{result} // the variable of a loop that counts
		}
		for _, v := range list {
			if _, ok := v.(*ssa.Const); ok {
				continue
			}
			at := f.Res.Key(v).Path()
			if !f.selectsBy(at) || key != "" && at != key {
				return ""
			}
			key = at
		}
	}
	return key
}

// selectsBy reports whether f selects an element by a local value.
func (f *Body) selectsBy(key accesspath.Path) bool {
	return key.IsLocal() && key == key.Root() && slices.ContainsFunc(f.Events, func(e *Event) bool {
		return e.Path.SelectedBy(key) || slices.ContainsFunc(e.Key.Parts(), func(k accesspath.Key) bool { return k.Path() == key })
	})
}

// replacesAfter reports whether f, after it has loaded v from a path, puts something else there: the
// path is that of another object when f returns.
//
//	old := s.cur
//	s.cur = new(interval)
//	return old
func (f *Body) replacesAfter(v ssa.Value, from accesspath.Path) bool {
	load, ok := v.(*ssa.UnOp)
	if !ok || load.Op != token.MUL || from == accesspath.Unknown {
		return false
	}
	return slices.ContainsFunc(f.Events, func(e *Event) bool {
		replaces := e.Writes() && e.Op&fact.Content == 0 && e.Callee == nil && e.Path == from && f.Order().Flows(load, e.Instr)
		return replaces && !slices.ContainsFunc(e.Inputs, func(v ssa.Value) bool {
			return f.Res.Resolve(v).Path == from // s.list[:0] is the same array
		})
	})
}

// alternatives returns the values that v may be.
func alternatives(v ssa.Value) []ssa.Value {
	list := []ssa.Value{v}
	for i := 0; i < len(list); i++ {
		phi, ok := list[i].(*ssa.Phi)
		if !ok {
			continue
		}
		for _, e := range phi.Edges {
			if !slices.Contains(list, e) {
				list = append(list, e)
			}
		}
	}
	return slices.DeleteFunc(list, func(v ssa.Value) bool { _, ok := v.(*ssa.Phi); return ok })
}

// placeOf returns the path of the element or field in which f has put a new object, unknown if there are
// several.
func (f *Body) placeOf(v ssa.Value) accesspath.Path {
	place := accesspath.Unknown
	for _, use := range ssautil.Uses(v) {
		at := accesspath.Unknown
		switch use := use.(type) {
		case *ssa.MapUpdate:
			if use.Value == v {
				at = f.Res.Resolve(use.Map).Path.Index(f.Res.Key(use.Key))
			}
		case *ssa.Store:
			if use.Val == v && !depgraph.IsVariable(use.Addr) {
				at = f.Res.Resolve(use.Addr).Path
			}
		}
		switch {
		case at == accesspath.Unknown:
		case at.IsLocal() || place != accesspath.Unknown && at != place:
			return accesspath.Unknown
		default:
			place = at
		}
	}
	return place
}

// chosen renames an element that is selected by a value computed from the only argument of
// f, or by a comparison with it: the argument becomes the key, as for the lock of a key in
//
//	func (s *S) lockOf(key string) *sync.Mutex { return &s.locks[hash(key)%n] }
//
// An element that is chosen by what it contains has no key that the caller knows.
//
//	func (s *S) claim(now time.Time) *host { for _, h := range s.hosts { if now.After(h.next) { return h } }; … }
func (f *Body) chosen(path accesspath.Path) accesspath.Path {
	first := 0
	if f.Fn.Signature.Recv() != nil {
		first = 1
	}
	if len(f.Fn.Params) != first+1 {
		return path
	}
	return path.Substitute(func(root accesspath.Path) accesspath.Path {
		if root.IsLocal() && f.isFoundBy(root, f.Fn.Params[first]) {
			return accesspath.Param(first)
		}
		return root
	})
}

// isFoundBy reports whether a parameter determines which element a local key selects: the key is computed from the parameter, or it is
// the variable of a loop over all elements, and the function compares something with the parameter for equality.
func (f *Body) isFoundBy(root accesspath.Path, param *ssa.Parameter) bool {
	if !isIterated(f.Res.Definition(root)) {
		return true // a text is hashed by an object of another package
	}
	for br := range depgraph.Branches(f.Fn) {
		is := branch.Alone(br.Cond, true)
		if is.Other != nil && (is.Relation == branch.Equal || is.Relation == branch.Differs) && (f.Slice(is.Subject).Has(param) || f.Slice(is.Other).Has(param)) {
			return true
		}
	}
	return false
}

// isIterated reports whether v is the variable of a loop over the elements of a container.
func isIterated(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Next:
		return true
	case *ssa.Phi:
		return slices.ContainsFunc(v.Edges, func(e ssa.Value) bool {
			next, ok := e.(*ssa.BinOp)
			return ok && next.Op == token.ADD && next.X == v
		})
	}
	return false
}

// regionsOf returns critical sections of a callee, at a call in f, as those of f. Their numbers are
// negative, as the accesses that the callee makes in them, if there are any, have their own.
func (p *Summaries) regionsOf(f *Body, m *merger, c callgraph.Callee, regions uint64, ord int) (set uint64) {
	for i, r := range p.SummaryOf(c).Regions {
		if regions&(1<<i) == 0 {
			continue
		}
		if g := p.TranslateGuard(f, c, r.Guard); g.Path != accesspath.Unknown {
			set |= m.region(Hold{Guard: g, Sites: []int{ord}, Inner: true, Region: InnerPassage{number: -1 - i}}, false, r.Pos)
		}
	}
	return set
}

// argPaths returns the access paths of the arguments of a call in the terms of a caller of f, nil if no
// argument has one.
//
//	func (s *Store) with(f func(*state)) { s.mu.Lock(); defer s.mu.Unlock(); f(&s.st) }
func (p *Summaries) argPaths(f *Body, args []ssa.Value) []accesspath.Path {
	out := make([]accesspath.Path, len(args))
	for i, a := range args {
		if path := f.Res.Resolve(a).Path; ssautil.IsReference(a.Type()) && !path.IsLocal() && !path.HasAny() {
			out[i] = path
		}
	}
	return known(out)
}

// given returns the paths of arguments that callee c uses in the terms of f.
func (p *Summaries) given(f *Body, c callgraph.Callee, args []accesspath.Path) []accesspath.Path {
	out := make([]accesspath.Path, len(args))
	for i, a := range args {
		if a != accesspath.Unknown {
			out[i] = p.Translate(f, c, a)
		}
	}
	return known(out)
}

// known returns paths, nil if all are unknown.
func known(paths []accesspath.Path) []accesspath.Path {
	if !slices.ContainsFunc(paths, func(p accesspath.Path) bool { return p != accesspath.Unknown }) {
		return nil
	}
	return paths
}
