package funcsum

import (
	"slices"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/ssautil"
	"github.com/atomvet/atomvet/passes/internal/stdlib"
)

// roots maps the roots of a callee's paths to paths of the caller f.
func (p *Summaries) roots(f *Body, c callgraph.Callee) func(accesspath.Path) accesspath.Path {
	return func(root accesspath.Path) accesspath.Path {
		if root.IsGlobal() {
			return root
		}
		if i, ok := index(root, 'p'); ok && i < len(c.Args) {
			if _, isConst := c.Args[i].(*ssa.Const); isConst {
				return accesspath.Path(f.Res.Key(c.Args[i]))
			}
			return f.Res.Resolve(c.Args[i]).Path
		}
		if i, ok := index(root, 'p'); ok && i < len(c.Given) {
			return c.Given[i]
		}
		if i, ok := index(root, 'f'); ok && i < len(c.Bindings()) {
			return f.Res.Resolve(c.Bindings()[i]).Path
		}
		if c.Site != nil && root.IsLocal() {
			return p.returnedKey(f, c, root)
		}
		return accesspath.Unknown
	}
}

// returnedKey names a local root of callee c by what the call returns: the key of an element, or the element, so that what
// c has found out of the element is known of its result.
//
//	func (s *Set) pick() *conn { for _, c := range s.conns { if c.usable() { return c } }; … }
//
//	c := s.pick() // s.conns[the choice of this call] was usable
//	id := s.next() // for id, j := range s.jobs { if j.idle() { return id } }: s.jobs[id] was idle
func (p *Summaries) returnedKey(f *Body, c callgraph.Callee, root accesspath.Path) accesspath.Path {
	s := p.SummaryOf(c)
	if s == nil {
		return accesspath.Unknown
	}
	for i, r := range s.Results {
		if r.Key != root {
			continue
		}
		if v := ssautil.Result(c.Site, i); v != nil {
			return f.Res.Resolve(v).Path
		}
	}
	if slices.ContainsFunc(s.Results, func(r fact.Result) bool { return r.Path.SelectedBy(root) }) {
		return f.Res.Choice(c.Site)
	}
	return accesspath.Unknown
}

// Callees returns the functions that a call in f may run.
func (p *Summaries) Callees(f *Body, c *ssa.CallCommon) []callgraph.Callee {
	cs, ok := f.callees[c]
	if !ok {
		cs = p.Resolve(f.Node, c)
		if f.callees == nil {
			f.callees = make(map[*ssa.CallCommon][]callgraph.Callee)
		}
		f.callees[c] = cs
	}
	return cs
}

// Translate rewrites a path of callee c in the terms of f. In a cycle of calls a path would
// grow without bound: one that selects a field twice is widened to Unknown.
func (p *Summaries) Translate(f *Body, c callgraph.Callee, path accesspath.Path) accesspath.Path {
	out := p.substitute(f, c, path)
	if p.isCycle(f, c) && out.Repeats() {
		return accesspath.Unknown
	}
	return out
}

// TranslateGuard is Translate for a guard. The class of a parameter becomes that of the argument.
func (p *Summaries) TranslateGuard(f *Body, c callgraph.Callee, g lockset.Guard) lockset.Guard {
	out := g.Rename(func(path accesspath.Path) accesspath.Path { return p.Translate(f, c, path) })
	arg := argument(c, g.Object().Root())
	switch {
	case !g.Declaration().IsParam():
	case arg == nil:
		if to := given(f, c, g.Object().Root()); to.Loc != "" && g.IsAtomic() {
			out = out.Declare(to.Loc)
		}
	case g.IsAtomic():
		out = out.Declare(f.Res.Resolve(arg).Loc)
	default:
		out = out.Declare(lockset.ClassOf(arg, f.Res))
	}
	return out
}

// bind replaces the location of a parameter of c, if ref is in that, by the location of the
// argument: "" for memory that only f knows.
func (p *Summaries) bind(f *Body, c callgraph.Callee, base accesspath.Path, ref *accesspath.Ref) {
	if !ref.Loc.IsParam() {
		return
	}
	to := given(f, c, base)
	if arg := argument(c, base); arg != nil {
		to = f.Res.Resolve(arg)
	}
	if to.Loc == "" {
		*ref = accesspath.Ref{}
		return
	}
	ref.Loc, ref.Base = to.Loc, to.Base
	if ref.Key == "" {
		ref.Key = to.Key
	} else {
		ref.Key = to.Key.Then(ref.Key)
	}
}

// argument returns the argument of a call for the parameter that is a root of the callee's
// paths, or nil.
func argument(c callgraph.Callee, root accesspath.Path) ssa.Value {
	if i, ok := index(root, 'p'); ok && i < len(c.Args) && c.Via == nil {
		return c.Args[i]
	}
	return nil
}

// given returns what another function than f hands over for the parameter that is a root of the callee's paths.
func given(f *Body, c callgraph.Callee, root accesspath.Path) accesspath.Ref {
	if i, ok := index(root, 'p'); ok && i < len(c.Given) {
		return f.Res.At(c.Given[i])
	}
	return accesspath.Ref{}
}

// isCycle reports whether the call of c in f is part of a cycle of calls. While f is
// summarized for the first time, its callees of the same component are those without a
// final summary.
func (p *Summaries) isCycle(f *Body, c callgraph.Callee) bool {
	if c.Fn == nil {
		return false
	}
	g := p.of(c.Fn)
	return g.State == building || g.State == pending || f.component > 0 && g.component == f.component
}

func (p *Summaries) substitute(f *Body, c callgraph.Callee, path accesspath.Path) accesspath.Path {
	if c.Via == nil {
		return path.Substitute(p.roots(f, c))
	}
	maker := p.of(c.Via.Maker)
	inner := path.Substitute(func(root accesspath.Path) accesspath.Path {
		if i, ok := index(root, 'f'); ok && i < len(c.Via.Closure.Bindings) {
			return p.resolver(maker).Resolve(c.Via.Closure.Bindings[i]).Path
		}
		return root
	})
	return inner.Substitute(p.roots(f, callgraph.Callee{Args: c.Via.Call.Call.Args}))
}

// TranslateKey rewrites a key of callee c in the terms of f.
func (p *Summaries) TranslateKey(f *Body, c callgraph.Callee, key accesspath.Key) accesspath.Key {
	if key == "" {
		return ""
	}
	if c.Via != nil {
		return accesspath.AnyKey
	}
	var out accesspath.Key
	for _, part := range key.Parts() {
		out = out.Then(p.translatePart(f, c, part))
	}
	if p.isCycle(f, c) && out.Repeats() {
		return accesspath.AnyKey
	}
	return out
}

// translatePart is TranslateKey for the key of one container. A parameter is named as the key
// that the argument is, and a part of it by what the caller has put there.
func (p *Summaries) translatePart(f *Body, c callgraph.Callee, key accesspath.Key) accesspath.Key {
	if i, ok := index(key.Path(), 'p'); ok && i < len(c.Args) {
		return f.Res.Key(c.Args[i])
	}
	return f.Res.Stored(key.Substitute(p.roots(f, c)))
}

// index returns the index of a root of the given kind: 'p' for parameters, 'f' for free
// variables.
func index(root accesspath.Path, kind byte) (int, bool) {
	if len(root) < 2 || root[0] != kind {
		return 0, false
	}
	n := 0
	for _, d := range []byte(root[1:]) {
		if d < '0' || d > '9' || n > 1<<16 {
			return 0, false
		}
		n = n*10 + int(d-'0')
	}
	return n, true
}

// resolver returns the resolver of f, which follows results of calls by summaries.
func (p *Summaries) resolver(f *Body) *accesspath.Resolver {
	if f.Res == nil {
		f.Res = accesspath.NewResolver(f.Fn, func(c *ssa.Call, i int) (accesspath.Path, bool) {
			return p.callResult(f, c, i)
		}, p.alias)
		f.Res.SetDeterministic(p.deterministic)
		f.Res.SetVariables(p.variable)
	}
	return f.Res
}

// callResult returns the path of result i of a call whose callee always returns the same
// part of an argument, and whether the result is a new object.
func (p *Summaries) callResult(f *Body, c *ssa.Call, i int) (accesspath.Path, bool) {
	cs := p.Resolve(nil, &c.Call)
	if len(cs) != 1 || cs[0].May {
		return accesspath.Unknown, false
	}
	cs[0].Site = c
	known := stdlib.OfFunc(cs[0].Obj)
	if known.ReadLocker {
		return lockset.ReadLocker(f.Res.Resolve(cs[0].Args[0]).Path), false
	}
	if known.Access&stdlib.Element != 0 && i == 0 && len(cs[0].Args) > 1 {
		return f.Res.Resolve(cs[0].Args[0]).Path.Index(f.Res.Key(cs[0].Args[1])), false
	}
	s := p.SummaryOf(cs[0])
	if s == nil || i >= len(s.Results) {
		return accesspath.Unknown, false
	}
	r := s.Results[i]
	if r.Path != accesspath.Unknown {
		path := p.Translate(f, cs[0], r.Path)
		if path.HasAny() {
			path = accesspath.Unknown // an unknown element: the call is the better name
		}
		return path, false
	}
	return accesspath.Unknown, r.Fresh
}

// alias resolves the field L of a condition variable to its mutex.
func (p *Summaries) alias(base accesspath.Ref, field string) (accesspath.Ref, bool) {
	if field != "L" || base.Loc == "" {
		return accesspath.Ref{}, false
	}
	mutex, ok := p.Conds[base.Loc]
	if !ok || mutex == "" {
		return accesspath.Ref{}, false
	}
	if global := accesspath.Path(mutex); global.IsGlobal() {
		return accesspath.Ref{Path: global, Base: global, Loc: accesspath.Location(global)}, true
	}
	loc := base.Loc[:len(base.Loc)-len(base.Loc.LastField())] + accesspath.Location(mutex)
	return accesspath.Ref{Path: base.Base.Field(mutex), Base: base.Base, Loc: loc}, true
}
