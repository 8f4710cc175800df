package ssautil_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"
	xssautil "golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

const forwarders = `package p

type T struct{ n int; next *T }

func (t *T) get(k string, n int) (int, error) { if n > 0 { return n, nil }; return t.n, nil }
func (t *T) Get(k string, n int) (int, error) { return t.get(k, n) }
func (t *T) Outer(k string, n int) (int, error) { return t.Get(k, n) }
func (t *T) add(ns ...int) { t.n += len(ns) }
func (t *T) Add(ns ...int) { t.add(ns...) }
func plain(t *T, ns ...int) { t.add(ns...) }

func (t *T) part(n int) (int, error) { return t.next.get("", n) }
func (t *T) other(k string, n int) (int, error) { return t.get("x", n) }
func (t *T) turned(a, b int) int { return minus(b, a) }
func minus(a, b int) int { if a > b { return a - b }; return 0 }
func (t *T) half(k string, n int) int { m, _ := t.get(k, n); return m }
func swapped(a int) (int, int) { x, y := two(a); return y, x }
func two(a int) (int, int) { if a > 0 { return a, 0 }; return 0, a }
func (t *T) twice(ns ...int) { t.add(ns...); t.add(ns...) }
func (t *T) started(ns ...int) { go t.add(ns...) }
func (t *T) deferred(ns ...int) { defer t.add(ns...) }
func (t *T) counted(ns ...int) { t.n++; t.add(ns...) }
func value(f func(int) int, n int) int { return f(n) }
func loop(n int) int { return pool(n) }
func pool(n int) int { return loop(n) }
func self(n int) int { return self(n) }
`

// TestForwarded checks which functions are forwarders, and where calls of them come to.
func TestForwarded(t *testing.T) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", forwarders+"func use(t *T) { t.Outer(\"\", 1) }\nfunc circle() { loop(1) }\n", 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := xssautil.BuildPackage(&types.Config{}, fset, types.NewPackage("p", "p"), []*ast.File{file}, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"Get": "get", "Outer": "Get", "Add": "add", "plain": "add", "loop": "pool", "pool": "loop"}
	for fn := range xssautil.AllFunctions(pkg.Prog) {
		if fn.Pkg != pkg || fn.Synthetic != "" {
			continue
		}
		got := ""
		if to := ssautil.Forwarded(fn); to != nil {
			got = to.Name()
		}
		if got != want[fn.Name()] {
			t.Errorf("%s forwards to %q, want %q", fn.Name(), got, want[fn.Name()])
		}
	}
	for name, want := range map[string][]string{"use": {"get"}, "circle": {"loop", "pool"}} {
		for _, instr := range pkg.Func(name).Blocks[0].Instrs {
			if c, ok := instr.(*ssa.Call); ok && !slices.Contains(want, ssautil.Target(&c.Call).Name()) {
				t.Errorf("the call in %s comes to %s, want one of %s", name, ssautil.Target(&c.Call).Name(), want)
			}
		}
	}
}
