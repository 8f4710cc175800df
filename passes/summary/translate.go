package summary

import (
	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// roots maps the roots of a callee's paths to paths of the caller f.
func (p *SumPackage) roots(f *SumFunc, c callee) func(accesspath.Path) accesspath.Path {
	return func(root accesspath.Path) accesspath.Path {
		if root.IsGlobal() {
			return root
		}
		if i, ok := index(root, 'p'); ok && i < len(c.args) {
			if _, isConst := c.args[i].(*ssa.Const); isConst {
				return accesspath.Path(f.Res.Key(c.args[i]))
			}
			return f.Res.Resolve(c.args[i]).Path
		}
		if i, ok := index(root, 'f'); ok && c.closure != nil && i < len(c.closure.Bindings) {
			return f.Res.Resolve(c.closure.Bindings[i]).Path
		}
		return accesspath.Unknown
	}
}

// callees returns the functions that a call made by f may run.
func (p *SumPackage) callees(f *SumFunc, c *ssa.CallCommon) []callee {
	cs, ok := f.callees[c]
	if !ok {
		cs = p.resolve(f.GraphFunc, c)
		if f.callees == nil {
			f.callees = make(map[*ssa.CallCommon][]callee)
		}
		f.callees[c] = cs
	}
	return cs
}

// translate rewrites a path of callee c in the terms of f. Along a cycle of calls a path
// would grow without end; one that selects a field twice is widened to an unknown one.
func (p *SumPackage) translate(f *SumFunc, c callee, path accesspath.Path) accesspath.Path {
	out := p.substitute(f, c, path)
	if p.isCycle(f, c) && out.Repeats() {
		return accesspath.Unknown
	}
	return out
}

// isCycle reports whether the call of c by f is part of a cycle.
func (p *SumPackage) isCycle(f *SumFunc, c callee) bool {
	return c.fn != nil && f.component > 0 && p.of(c.fn).component == f.component
}

func (p *SumPackage) substitute(f *SumFunc, c callee, path accesspath.Path) accesspath.Path {
	if c.via == nil {
		return path.Substitute(p.roots(f, c))
	}
	maker := p.of(c.via.maker)
	inner := path.Substitute(func(root accesspath.Path) accesspath.Path {
		if i, ok := index(root, 'f'); ok && i < len(c.via.closure.Bindings) {
			return p.resolver(maker).Resolve(c.via.closure.Bindings[i]).Path
		}
		return root
	})
	return inner.Substitute(p.roots(f, callee{args: c.via.call.Call.Args}))
}

func (p *SumPackage) translateKey(f *SumFunc, c callee, key accesspath.Key) accesspath.Key {
	if key == "" {
		return ""
	}
	if c.via != nil {
		return accesspath.AnyKey
	}
	out := key.Substitute(p.roots(f, c))
	if p.isCycle(f, c) && out.Repeats() {
		return accesspath.AnyKey
	}
	return out
}

// index returns the number of a root of the given kind.
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
