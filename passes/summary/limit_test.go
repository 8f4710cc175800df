package summary

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/limit"
)

// TestIncomplete: a function that exceeds a bound is analyzed as far as the bound allows, and
// is named if the driver asks for it.
func TestIncomplete(t *testing.T) {
	defer func() { remarks = false }()
	repeat := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	source := "package p\nimport \"sync\"\ntype S struct {\n\tmu sync.Mutex\n\tx int\n" + repeat(80, "\tf%d int\n") + repeat(40, "\tm%d sync.Mutex\n") + "}\n" +
		"func (s *S) Events() {\ns.mu.Lock()\n" + repeat(limit.Events+1, "s.x = %d\n") + "s.mu.Unlock()\n}\n" +
		"func (s *S) Inlined() {\ns.mu.Lock()\nset := func() {\n" + repeat(limit.Events-1, "s.x = %d\n") + "}\nset()\nset()\ns.mu.Unlock()\n}\n" +
		"func (s *S) Regions() {\n" + repeat(limit.Regions+1, "s.m%[1]d.Lock()\ns.f%[1]d = 1\ns.m%[1]d.Unlock()\n") + "}\n" +
		"func (s *S) Small() {\ns.mu.Lock()\ns.x = 1\ns.mu.Unlock()\n}\n" +
		"func (s *S) Params(" + strings.TrimSuffix(repeat(limit.Params, "p%d int, "), ", ") + ") {\ns.mu.Lock()\ns.x = p0\ns.mu.Unlock()\n}\n"
	p := newProgram()
	pass := p.build(t, "p", []*ast.File{p.parse(t, "p.go", source)})
	of := func(function, bound string) string {
		i := slices.IndexFunc(limit.Table, func(l limit.Limit) bool { return l.Name == bound })
		return fmt.Sprintf("(*S).%s: more than %d %s", function, limit.Table[i].Max, limit.Table[i].Of)
	}
	for _, asked := range []bool{true, false} {
		remarks = asked
		result, err := run(pass)
		if err != nil {
			t.Fatal(err)
		}
		pkg := result.(*Package)
		got := pkg.Incomplete()
		if !asked {
			if got != nil {
				t.Errorf("remarks %q, though nobody asks for them", got)
			}
			continue
		}
		for _, want := range []string{of("Events", "Events"), of("Inlined", "Events"), of("Regions", "Regions"), of("Params", "Params")} {
			if !slices.Contains(got, want) {
				t.Errorf("no remark %q in %q", want, got)
			}
		}
		for _, r := range got {
			if strings.HasPrefix(r, "(*S).Small") {
				t.Errorf("remark %q", r)
			}
		}
		for _, name := range []string{"Events", "Inlined"} {
			i := slices.IndexFunc(pkg.Funcs, func(f *Func) bool { return f.Fn.Name() == name })
			if n := len(pkg.Funcs[i].Events); n != limit.Events {
				t.Errorf("%d accesses of %s are analyzed, want %d", n, name, limit.Events)
			}
		}
	}
}

// TestCyclic: values, types and calls that lead back to themselves end all
// walks.
func TestCyclic(t *testing.T) {
	chain := ""
	for i := range 300 {
		chain += fmt.Sprintf("func (s *S) f%d(k int) { if k > 0 { s.f%d(k-1); s.f%d(k-2); s.mu.Lock(); s.x++; s.mu.Unlock() } }\n", i, (i+1)%300, (i*7+3)%300)
	}
	for name, source := range map[string]string{
		"channel of itself": `type C chan C
func (s *S) Start(c C) { go s.run(c) }
func (s *S) run(c C) { for range c { s.mu.Lock(); s.x++; s.mu.Unlock() } }`,
		"pointer to itself": `type P *P
func (s *S) Use(p P) { for *p != nil { p = *p; s.mu.Lock(); s.x++; s.mu.Unlock() } }`,
		"function of itself": `type F func(F) F
func (s *S) Use(f F) { for i := 0; i < 9; i++ { f = f(f); s.mu.Lock(); s.x++; s.mu.Unlock() } }`,
		"interface of itself": `type I interface { M(I) I }
func (s *S) M(i I) I { s.mu.Lock(); s.x++; s.mu.Unlock(); return i.M(s) }`,
		"literal of itself": `func (s *S) Use() { var f func(int); f = func(k int) { s.mu.Lock(); s.x = k; s.mu.Unlock(); go f(k-1); defer f(k) }; f(9) }`,
		"phi of itself": `func (s *S) Use(work func() bool) { var d *S; var n int
for d == nil || n > 3 { if work() { continue }; s.mu.Lock(); d = s.next; n = s.x; s.mu.Unlock(); if work() { d, n = d.next, n+1; s.mu.Lock(); s.next = nil; s.x = n; s.mu.Unlock() } } }`,
		"lists":               `func (s *S) Use() { a, b := s, s.next; for a != b { s.mu.Lock(); a, b = b.next, a; s.mu.Unlock(); s.mu.Lock(); a.next = b; s.mu.Unlock() } }`,
		"recursive component": chain,
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgram()
			file := p.parse(t, "p.go", "package p\nimport \"sync\"\ntype S struct { mu sync.Mutex; x int; next *S }\n"+source)
			result, err := run(p.build(t, "p", []*ast.File{file}))
			if err != nil {
				t.Fatal(err)
			}
			if failures := result.(*Package).Failures(); len(failures) > 0 {
				t.Errorf("failures %q", failures)
			}
		})
	}
}

// TestRemote: a test has the accesses near to it, and those without a lock however far away. A function that is
// no test has all.
func TestRemote(t *testing.T) {
	const source = `package p
import "sync"
type S struct { mu sync.Mutex; x, y int }
func (s *S) Set()   { s.mu.Lock(); s.x = 1; s.mu.Unlock(); s.y = 1 }
func (s *S) Once() bool  { s.Set(); return true }
func (s *S) Twice() int { s.Once(); return 2 }
`
	p := newProgram()
	pass := p.build(t, "p", []*ast.File{
		p.parse(t, "p.go", source+"func near(s *S) { s.Set() }\nfunc far(s *S) { s.Twice() }\n"),
		p.parse(t, "p_test.go", "package p\nfunc nearTest(s *S) { s.Once() }\nfunc farTest(s *S) { s.Twice() }\n"),
	})
	result, err := run(pass)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"near": "x y", "far": "x y", "nearTest": "x y", "farTest": "y"}
	for _, f := range result.(*Package).Funcs {
		var got []string
		for _, e := range f.Events {
			if e.Writes() {
				got = append(got, e.Loc.LastField())
			}
		}
		if w, asked := want[f.Fn.Name()]; asked && strings.Join(got, " ") != w {
			t.Errorf("%s has writes of %q, want %q", f.Fn.Name(), got, w)
		}
	}
}

// TestRecursiveWalk: a function that calls its parameter for all parts of a recursive structure has few uses of the
// parameter in its summary, however many paths the structure has: a literal is inlined for each of them.
func TestRecursiveWalk(t *testing.T) {
	var fields, walks strings.Builder
	for i := range 12 {
		fmt.Fprintf(&fields, "\tp%d *N\n", i)
		fmt.Fprintf(&walks, "\tif n.p%[1]d != nil { n.p%[1]d.walk(visit) }\n", i)
	}
	p := newProgram()
	pass := p.build(t, "p", []*ast.File{p.parse(t, "p.go", `package p
import "sync"
type N struct {
	mu sync.Mutex
	n int
`+fields.String()+`}
func (n *N) walk(visit func(*N)) {
	n.mu.Lock(); n.n++; n.mu.Unlock()
`+walks.String()+`	visit(n)
}
func (n *N) Reset() { n.walk(func(m *N) { m.mu.Lock(); m.n = 0; m.mu.Unlock() }) }
`)})
	result, err := run(pass)
	if err != nil {
		t.Fatal(err)
	}
	funcs := result.(*Package).Funcs
	i := slices.IndexFunc(funcs, func(f *Func) bool { return f.Fn.Name() == "Reset" })
	if n := len(funcs[i].Events); n == 0 || n > 100 {
		t.Errorf("Reset has %d accesses, want 1 to 100", n)
	}
}

// TestUnknownLocation: a location that is in no summary and in no fact has no writer.
func TestUnknownLocation(t *testing.T) {
	p := newProgram()
	pass := p.build(t, "p", []*ast.File{p.parse(t, "p.go", "package p\n")})
	result, err := run(pass)
	if err != nil {
		t.Fatal(err)
	}
	pkg := result.(*Package)
	for _, info := range []*LocInfo{pkg.Location("q#T.n"), pkg.Guards().Location("p#T.n")} {
		if info == nil || !info.Constant() || info.Counter {
			t.Errorf("an unknown location has the properties %+v", info)
		}
	}
}
