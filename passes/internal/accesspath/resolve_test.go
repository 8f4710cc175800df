package accesspath_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"sync"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
)

// exports reads the export data of the standard library, once.
var exports = sync.OnceValue(func() types.Importer { return importer.Default() })

// build builds a package from source. Its functions named name(label, x) mark
// the values whose names a test asserts.
func build(t *testing.T, src string) *ssa.Package {
	t.Helper()
	const preamble = `package p

import "sync"

var _ sync.Mutex

func name(label string, x any)
func cond() bool
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", preamble+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: exports()}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// functions returns the function or method named f and the literals in it.
func functions(t *testing.T, pkg *ssa.Package) []*ssa.Function {
	t.Helper()
	fn := pkg.Func("f")
	for _, m := range pkg.Members {
		if typ, ok := m.(*ssa.Type); ok && fn == nil {
			for m := range typ.Type().(*types.Named).Methods() {
				if m.Name() == "f" {
					fn = pkg.Prog.FuncValue(m)
				}
			}
		}
	}
	if fn == nil {
		t.Fatal("no function f")
	}
	return append([]*ssa.Function{fn}, fn.AnonFuncs...)
}

// marked calls visit for every marked value.
func marked(fn *ssa.Function, visit func(label string, v ssa.Value)) {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			c, ok := instr.(*ssa.Call)
			if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().Name() != "name" {
				continue
			}
			visit(constant.StringVal(c.Call.Args[0].(*ssa.Const).Value), c.Call.Args[1])
		}
	}
}

// shared are declarations for the snippets.
const shared = `
type S struct {
	mu    sync.Mutex
	next  *S
	stats struct{ hits int }
	sub   T
	ptr   *T
	m     map[string]*T
	list  []T
	grid  [4][4]int
	any   interface{ M() }
	fn    func()
}
type T struct {
	sync.RWMutex
	n int
}
func (t *T) M() {}
var global S
`

func TestResolve(t *testing.T) {
	// Each value has a path and, if it is shared memory, the location that it
	// belongs to, its base and its key.
	for _, test := range []struct {
		name string
		src  string
		want map[string]string
	}{
		{"roots", shared + `func (s *S) f(t *T, n int) {
			name("receiver", s)
			name("parameter", t)
			name("global", &global)
			name("made", new(T))
			name("map", map[string]int{})
			go func() { name("captured", t) }()
		}`, map[string]string{
			"receiver":  "p0",
			"parameter": "p1",
			"global":    "@p#global loc @p#global of @p#global",
			"made":      "fresh",
			"map":       "fresh",
			"captured":  "f0",
		}},
		{"fields", shared + `func (s *S) f() {
			name("address", &s.mu)
			name("pointer", s.ptr)
			name("through a pointer", &s.ptr.n)
			name("nested", &s.sub.n)
			name("of a struct literal type", &s.stats.hits)
			name("of a variable", &global.sub.n)
			name("chain", s.next.next.ptr)
			t := s.sub
			name("copy", &t.n)
			u := *s.next
			name("reference in a copy", u.ptr)
			w := *s.next
			w.ptr = nil
			name("changed in the copy", w.ptr)
		}`, map[string]string{
			"address":                  "p0.mu loc p#S.mu of p0",
			"pointer":                  "p0.ptr loc p#S.ptr of p0",
			"through a pointer":        "p0.ptr.n loc p#T.n of p0.ptr",
			"nested":                   "p0.sub.n loc p#T.n of p0.sub",
			"of a struct literal type": "p0.stats.hits loc p#S.stats.hits of p0.stats",
			"of a variable":            "@p#global.sub.n loc p#T.n of @p#global.sub",
			"chain":                    "p0.next.next.ptr loc p#S.ptr of p0.next.next",
			"copy":                     "fresh.n loc p#T.n of fresh", // an object of its own
			"reference in a copy":      "p0.next.ptr loc p#S.ptr of p0.next",
			"changed in the copy":      "fresh.ptr loc p#S.ptr of fresh",
		}},
		{"promoted fields", shared + `
		type outer struct { *inner }
		type inner struct { T }
		func f(o *outer) {
			name("field", &o.n)
			name("lock", &o.RWMutex)
			name("written out", &o.inner.T.RWMutex)
		}`, map[string]string{
			"field":       "p0.inner.T.n loc p#T.n of p0.inner.T",
			"lock":        "p0.inner.T.RWMutex loc p#T.RWMutex of p0.inner.T",
			"written out": "p0.inner.T.RWMutex loc p#T.RWMutex of p0.inner.T",
		}},
		{"elements", shared + `func (s *S) f(k, j string, i int) {
			name("by key", s.m[k])
			name("by another", s.m[j])
			name("by constant", s.m["a"])
			name("field of one", &s.m[k].n)
			name("of a slice", &s.list[i])
			name("of a slice, field", &s.list[0].RWMutex)
			name("of an array of arrays", &s.grid[i][2])
			v, ok := s.m[k]
			name("comma ok", v)
			_ = ok
			name("part", s.list[1:i])
		}`, map[string]string{
			"by key":                "p0.m[p1] loc p#S.m of p0 key p1",
			"by another":            "p0.m[p2] loc p#S.m of p0 key p2",
			"by constant":           `p0.m[="a"] loc p#S.m of p0 key ="a"`,
			"field of one":          "p0.m[p1].n loc p#T.n of p0.m[p1]",
			"of a slice":            "p0.list[p3] loc p#S.list of p0 key p3",
			"of a slice, field":     "p0.list[=0].RWMutex loc p#T.RWMutex of p0.list[=0]",
			"of an array of arrays": "p0.grid[p3][=2] loc p#S.grid of p0 key p3;=2",
			"comma ok":              "p0.m[p1] loc p#S.m of p0 key p1",
			"part":                  "p0.list loc p#S.list of p0",
		}},
		{"keys with a name of their own", `
		type K struct { id string }
		type S struct { m map[string]*S }
		func (s *S) f(k *K) {
			name("field", s.m[k.id])
			name("element", s.m[string(k.id[0])])
		}`, map[string]string{
			"field":   "p0.m[p1.id] loc p#S.m of p0 key p1.id",
			"element": "p0.m[p1.id[=0].+0:string] loc p#S.m of p0 key p1.id[=0].+0:string",
		}},
		{"other names for one object", shared + `func (s *S) f(k string) {
			ptr := s.ptr
			name("variable", ptr)
			var i interface{ M() } = ptr
			name("interface", i)
			name("asserted", i.(*T))
			t, ok := s.any.(*T)
			_ = ok
			name("asserted with ok", t)
			type mine *T
			name("converted", mine(ptr))
			n := s.ptr.n
			name("value", n)
		}`, map[string]string{
			"variable":         "p0.ptr loc p#S.ptr of p0",
			"interface":        "p0.ptr loc p#S.ptr of p0",
			"asserted":         "p0.ptr loc p#S.ptr of p0",
			"asserted with ok": "p0.any loc p#S.any of p0",
			"converted":        "p0.ptr loc p#S.ptr of p0",
			"value":            "p0.ptr.n loc p#T.n of p0.ptr",
		}},
		{"one object or another", shared + `func f(a, b *S) {
			s, same := a, a
			if cond() {
				s, same = b, a
			}
			name("another", s)
			name("its field", &s.mu)
			name("the same", same)
		}`, map[string]string{
			"another":   "local",
			"its field": "local.mu loc p#S.mu of local",
			"the same":  "p0",
		}},
		{"found or made", shared + `func (s *S) f(k string) {
			t := s.m[k]
			if t == nil {
				t = new(T)
				s.m[k] = t
			}
			name("put there", t)
			u := s.m[k]
			if u == nil {
				u = new(T)
			}
			name("not put there", u)
			if s.ptr == nil {
				s.ptr = new(T)
			}
			name("field", s.ptr)
		}`, map[string]string{
			"put there":     "p0.m[p1] loc p#S.m of p0 key p1",
			"not put there": "local",
			"field":         "p0.ptr loc p#S.ptr of p0",
		}},
		{"found or made, in a variable of the heap", shared + `func (s *S) f(k string) {
			t, ok := s.m[k]
			if !ok {
				t = new(T)
				s.m[k] = t
			}
			func() { _ = t }()
			name("put there", t)
		}`, map[string]string{
			"put there": "p0.m[p1] loc p#S.m of p0 key p1",
		}},
		{"loops", shared + `func (s *S) f(keys []string) {
			for n := s; n != nil; n = n.next {
				name("list", n)
				name("next", n.next)
			}
			for _, v := range s.m {
				name("value of a map", v)
			}
			for k := range s.m {
				name("element of a map", s.m[k])
			}
			for i := range s.list {
				name("element of a slice", &s.list[i])
			}
		}`, map[string]string{
			"list":               "local",
			"next":               "local.next loc p#S.next of local",
			"value of a map":     "p0.m[local] loc p#S.m of p0 key local",
			"element of a map":   "p0.m[local] loc p#S.m of p0 key local",
			"element of a slice": "p0.list[local.+0:+[=1]] loc p#S.list of p0 key local.+0:+[=1]",
		}},
		{"captured", shared + `func (s *S) f(t *T) {
			x := s.next
			g := func() {
				name("receiver", &s.mu)
				name("variable", x)
			}
			g()
			name("outside", &s.mu)
			y := s.next
			h := func() { y = nil }
			h()
			name("reassigned inside", y)
			name("outside, variable", x)
			z := T{}
			func() { z.n = 1 }()
			name("struct", &z.n)
		}`, map[string]string{
			"receiver":          "f0.mu loc p#S.mu of f0",
			"variable":          "f1",
			"outside":           "p0.mu loc p#S.mu of p0",
			"reassigned inside": "local",
			"outside, variable": "p0.next loc p#S.next of p0",
			"struct":            "fresh.n loc p#T.n of fresh",
		}},
		{"calls", shared + `
		func (s *S) get() *T
		func f(s *S) {
			name("result", s.get())
			name("of its result", &s.get().n)
		}`, map[string]string{
			"result":        "local",
			"of its result": "local.n loc p#T.n of local",
		}},
		{"named by the callee", shared + `
		func part(s *S) (*T, error)
		func fresh() *T
		func f(s *S) {
			t, err := part(s.next)
			_ = err
			name("part of an argument", &t.n)
			name("new", &fresh().n)
		}`, map[string]string{
			"part of an argument": "p0.next.ptr.n loc p#T.n of p0.next.ptr",
			"new":                 "fresh.n loc p#T.n of fresh",
		}},
		{"generics", `
		type S[K comparable, V any] struct { mu sync.Mutex; m map[K]*V; next *S[K, V] }
		func (s *S[K, V]) f(k K) {
			name("lock", &s.mu)
			name("element", s.m[k])
			name("another of the type", &s.next.mu)
		}`, map[string]string{
			"lock":                "p0.mu loc p#S.mu of p0",
			"element":             "p0.m[p1] loc p#S.m of p0 key p1",
			"another of the type": "p0.next.mu loc p#S.mu of p0.next",
		}},
		{"instances share their origin's locations", `
		type S[T any] struct { mu sync.Mutex; v T }
		func f(a *S[int], b *S[string]) {
			name("a", &a.v)
			name("b", &b.v)
		}`, map[string]string{
			"a": "p0.v loc p#S.v of p0",
			"b": "p1.v loc p#S.v of p1",
		}},
		{"aliases of types", `
		type S struct { mu sync.Mutex }
		type A = S
		type P = *A
		func f(p P) {
			name("lock", &p.mu)
		}`, map[string]string{
			"lock": "p0.mu loc p#S.mu of p0",
		}},
		{"alias chosen by the user", shared + `
		func (s *S) f() {
			name("other name", &s.fn)
		}`, map[string]string{
			"other name": "p0.mu loc p#S.mu of p0",
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, fn := range functions(t, build(t, test.src)) {
				res := newResolver(fn)
				marked(fn, func(label string, v ssa.Value) {
					got := describe(res, v)
					want, ok := test.want[label]
					if !ok || got != want {
						t.Errorf("%s: got %q, want %q", label, got, want)
					}
					delete(test.want, label)
				})
			}
			for label := range test.want {
				t.Errorf("no value %s", label)
			}
		})
	}
}

// newResolver returns a resolver that knows of two callees, and of another name
// for the field fn.
func newResolver(fn *ssa.Function) *accesspath.Resolver {
	var res *accesspath.Resolver
	res = accesspath.NewResolver(fn, func(c *ssa.Call, i int) (accesspath.Path, bool) {
		callee := c.Call.StaticCallee()
		if callee == nil {
			return accesspath.Unknown, false
		}
		switch callee.Name() {
		case "part":
			if i == 0 {
				return res.Resolve(c.Call.Args[0]).Path.Field("ptr"), false
			}
		case "fresh":
			return accesspath.Unknown, true
		}
		return accesspath.Unknown, false
	}, func(base accesspath.Ref, field string) (accesspath.Ref, bool) {
		if field != "fn" {
			return accesspath.Ref{}, false
		}
		return accesspath.Ref{Path: base.Path.Field("mu"), Base: base.Path, Loc: "p#S.mu"}, true
	})
	return res
}

// describe writes what v refers to, with local and fresh objects named so.
func describe(res *accesspath.Resolver, v ssa.Value) string {
	ref := res.Resolve(v)
	text := func(p accesspath.Path) accesspath.Path {
		if p == accesspath.Unknown {
			return "unknown"
		}
		return p.Substitute(func(root accesspath.Path) accesspath.Path {
			switch {
			case root.IsFresh():
				return "fresh"
			case root.IsLocal():
				return "local"
			}
			return root
		})
	}
	out := string(text(ref.Path))
	if ref.Loc != "" {
		out += fmt.Sprintf(" loc %s of %s", ref.Loc, text(ref.Base))
	}
	if ref.Key != "" {
		out += " key " + string(text(accesspath.Path("x[" + ref.Key + "]")))[2:]
		out = out[:len(out)-1]
	}
	return out
}

// TestSameName: two values have one name exactly if they are one object, for
// all that can be told without a heap model.
func TestSameName(t *testing.T) {
	pkg := build(t, shared+`func (s *S) f(k string, a, b *S) {
		name("1", s.m[k])
		name("1", s.m[k])
		name("2", s.m[k+"x"])
		name("2", s.m[k+"x"])
		name("3", s.m["x"+k])
		name("4", new(T))
		name("5", new(T))
		name("6", a.next)
		name("6", a.next)
		name("7", b.next)
	}`)
	fn := functions(t, pkg)[0]
	res := newResolver(fn)
	labels := make(map[accesspath.Path]string)
	paths := make(map[string]accesspath.Path)
	marked(fn, func(label string, v ssa.Value) {
		p := res.Resolve(v).Path
		if old, ok := labels[p]; ok && old != label {
			t.Errorf("%s and %s are both named %s", old, label, p)
		}
		if old, ok := paths[label]; ok && old != p {
			t.Errorf("%s is named both %s and %s", label, old, p)
		}
		labels[p], paths[label] = label, p
	})
}

// TestDefinition: the value behind a local path can be found again, and only
// local paths have one.
func TestDefinition(t *testing.T) {
	pkg := build(t, shared+`func (s *S) f(a, b *S) {
		if cond() {
			a = b
		}
		name("phi", a)
		name("field", &a.mu)
		name("made", new(T))
		name("parameter", b)
	}`)
	fn := functions(t, pkg)[0]
	res := newResolver(fn)
	marked(fn, func(label string, v ssa.Value) {
		def := res.Definition(res.Resolve(v).Path)
		switch label {
		case "phi", "field":
			if _, ok := def.(*ssa.Phi); !ok {
				t.Errorf("%s: defined by %v", label, def)
			}
		case "made":
			if _, ok := def.(*ssa.Alloc); !ok {
				t.Errorf("%s: defined by %v", label, def)
			}
		case "parameter":
			if def != nil {
				t.Errorf("%s: defined by %v", label, def)
			}
		}
	})
	for _, p := range []accesspath.Path{"", "v", "v99", "vx", "p0", "@p#x"} {
		if def := res.Definition(p); def != nil {
			t.Errorf("%q is defined by %v", p, def)
		}
	}
}

// TestLocationOf: the location is told by the address alone, as far as that is
// a field or package variable.
func TestLocationOf(t *testing.T) {
	pkg := build(t, shared+`func (s *S) f(t T, i int, ps *int) {
		name("p#S.mu", &s.mu)
		name("p#T.n", &s.ptr.n)
		name("p#S.stats.hits", &s.stats.hits)
		name("@p#global", &global)
		name("p#T.n", &global.sub.n)
		name("", &s.list[i])
		name("", ps)
	}`)
	marked(functions(t, pkg)[0], func(want string, v ssa.Value) {
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		if got := accesspath.LocationOf(v); string(got) != want {
			t.Errorf("location of %s: got %q, want %q", v, got, want)
		}
	})
}

// TestCycles: values that are joined with themselves must not send the resolver
// in circles, and must end up with one name.
func TestCycles(t *testing.T) {
	pkg := build(t, shared+`func f(s *S) {
		a, b := s, s
		for cond() {
			if cond() {
				a, b = b.next, a
			}
			for cond() {
				a = a.next
			}
		}
		name("a", a)
		name("b", b)
	}`)
	fn := functions(t, pkg)[0]
	res := newResolver(fn)
	marked(fn, func(label string, v ssa.Value) {
		if got := describe(res, v); got != "local" {
			t.Errorf("%s: got %s", label, got)
		}
		if first := res.Resolve(v); res.Resolve(v) != first {
			t.Errorf("%s changes its name", label)
		}
	})
}
