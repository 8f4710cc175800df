package depgraph_test

import (
	"fmt"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// newSlicer returns a slicer for which package variables and the fields behind
// parameters are shared memory.
func newSlicer() *depgraph.Slicer {
	controls := make(map[*ssa.Function]*depgraph.Control)
	return &depgraph.Slicer{
		Control: func(fn *ssa.Function) *depgraph.Control {
			if controls[fn] == nil {
				controls[fn] = depgraph.NewControl(fn)
			}
			return controls[fn]
		},
		Shared: func(addr ssa.Value) bool { return sharedName(addr) != "" },
		Fills: func(call *ssa.CallCommon, _ ssa.Value) bool {
			callee := call.StaticCallee()
			return callee != nil && (callee.Name() == "decode" || callee.Name() == "scan")
		},
		Result: func(call *ssa.Call, i int) ([]ssa.Value, bool) {
			callee := call.Call.StaticCallee()
			if callee == nil {
				return nil, false
			}
			switch callee.Name() {
			case "source", "cond":
				return nil, true
			case "second":
				return call.Call.Args[1:2], true
			case "swap":
				return call.Call.Args[1-i : 2-i], true
			}
			return nil, false
		},
	}
}

// sharedName names a package variable or a field of a parameter.
func sharedName(addr ssa.Value) string {
	switch addr := addr.(type) {
	case *ssa.Global:
		return addr.Name()
	case *ssa.FieldAddr:
		if param, ok := addr.X.(*ssa.Parameter); ok {
			st := param.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
			return param.Name() + "." + st.Field(addr.Field).Name()
		}
	}
	return ""
}

// origins lists what of a slice has a name: the sources, conditions,
// parameters and loads of shared memory in it.
func origins(s depgraph.Slice) string {
	var list []string
	for _, v := range s {
		if name, ok := named(v, "source"); ok {
			list = append(list, name)
		}
		if name, ok := named(v, "cond"); ok {
			list = append(list, "if "+name)
		}
		switch v := v.(type) {
		case *ssa.Parameter:
			list = append(list, v.Name())
		case *ssa.UnOp:
			if v.Op == token.MUL && sharedName(v.X) != "" {
				list = append(list, "*"+sharedName(v.X))
			}
		}
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), ", ")
}

func TestSlice(t *testing.T) {
	const decls = `
	type S struct { n, m int; items map[int]int; list []int; next *S }
	var global int
	func second(a, b int) int
	func swap(a, b int) (int, int)
	func unknown(a, b int) int
	func fill(p *S, v int)
	func decode(text int, v any)
	func encode(text int, v any)
	func scan(text int, to ...any)
	func print(w interface { Write([]byte) (int, error) }, v int)
	func ask(w interface { Ask() int }, v int)
	type B struct { n int }
	func (b *B) Write([]byte) (int, error)
	func (b *B) Ask() int
	`
	type want = map[string]string
	for _, test := range []struct {
		name string
		src  string
		want want
	}{
		{"expressions", `func f(x, y int) {
			a := source("a")
			b := source("b")
			use("sum", a + b*x)
			use("one", a)
			use("not", !cond("c"))
			use("none", 1)
		}`, want{"sum": "a, b, x", "one": "a", "not": "if c", "none": ""}},
		{"filled by a callee", `func f(x int) {
			var a, b, c, d int
			decode(source("a"), &a)
			encode(source("b"), &b)
			scan(source("c"), &c, &d)
			use("decoded", a)
			use("encoded", b)
			use("first", c)
			use("second", d)
			var out, asked B
			print(&out, source("o"))
			ask(&asked, source("q"))
			use("written", out.n)
			use("asked", asked.n)
		}`, want{"decoded": "a", "encoded": "", "first": "c", "second": "c", "written": "o", "asked": ""}},
		{"length of a slice", `func f() {
			list := make([]int, source("n"))
			copy(list, []int{source("a")})
			use("list", list)
		}`, want{"list": "a, n"}},
		{"sent", `func f() {
			ch := make(chan int, 2)
			ch <- source("a")
			func() { ch <- source("b") }()
			other := make(chan int, 1)
			other <- source("c")
			use("received", <-ch)
		}`, want{"received": "a, b"}},
		{"captured container", `func f() {
			m := make(map[int]int)
			func() { m[source("k")] = source("v") }()
			use("m", m)
		}`, want{"m": "k, v"}},
		{"joined value", `func f() {
			a := source("a")
			if cond("c") { a = source("b") }
			use("joined", a)
		}`, want{"joined": "a, b"}},
		{"index of a loop", `func f(list []int) {
			for i := range list {
				use("index", i)
				if cond("c") {
					continue
				}
				use("work", 1)
			}
		}`, want{"work": "", "index": ""}},
		{"joined flag", `func f() {
			ok := false
			if cond("c") { ok = true }
			use("flag", ok)
		}`, want{"flag": "if c"}},
		{"flag set under two conditions", `func f() {
			ok := false
			if cond("c") {
				if cond("d") { ok = true }
			}
			use("flag", ok)
		}`, want{"flag": "if c, if d"}},
		{"and, or", `func f() {
			use("and", cond("a") && cond("b"))
			use("or", cond("a") || cond("b"))
		}`, want{"and": "if a, if b", "or": "if a, if b"}},
		{"value or nothing", `func f() {
			v := 0
			if cond("c") { v = source("a") }
			use("v", v)
		}`, want{"v": "a, if c"}},
		{"loop", `func f() {
			sum := source("start")
			for i := 0; i < source("n"); i++ { sum += source("item") }
			use("sum", sum)
		}`, want{"sum": "item, start"}},
		{"collected list", `func f() {
			var list []int
			for cond("more") {
				if cond("c") { list = append(list, source("item")) }
			}
			use("list", list)
		}`, want{"list": "if c, item"}},
		{"collected list that ends early", `func f() {
			var list []int
			for cond("more") {
				if cond("c") {
					list = append(list, source("item"))
					if cond("full") { break }
				}
			}
			use("list", list)
		}`, want{"list": "if c, if full, item"}},
		{"collected list of nested loops", `func f() {
			var list []int
			for cond("more") {
				for cond("inner") {
					if cond("c") { list = append(list, source("item")) }
				}
			}
			use("list", list)
		}`, want{"list": "if c, item"}},
		{"local struct", `func f() {
			s := S{n: source("a")}
			s.m = source("b")
			use("n", s.n)
			p := &S{}
			p.n = source("c")
			use("pointer", p.n)
		}`, want{"n": "a, b", "pointer": "c"}}, // fields are not told apart
		{"local map", `func f() {
			m := map[int]int{}
			m[source("k")] = source("v")
			use("element", m[source("i")])
			x, ok := m[1]
			use("ok", ok)
			use("x", x)
			for _, v := range m { use("ranged", v) }
		}`, want{"element": "i, k, v", "ok": "k, v", "x": "k, v", "ranged": "k, v"}},
		{"local slice, places", `func f() {
			list := make([]int, 3)
			list[source("i")] = source("v")
			use("place", list[0])
		}`, want{"place": "i, v"}},
		{"local slice, values", `func f() {
			list := make([]int, 3)
			list[0] = source("v")
			use("element", list[1])
			use("part", list[1:])
			list = append(list, source("w"))
			use("appended", list)
		}`, want{"element": "v", "part": "v", "appended": "v, w"}},
		{"local array", `func f() {
			var a [3]int
			a[1] = source("v")
			use("element", a[0])
			for _, v := range a[:] { use("ranged", v) }
		}`, want{"element": "v", "ranged": "v"}},
		{"captured", `func f() {
			x := source("a")
			func() { use("inside", x) }()
			y := 0
			func() { y = source("b") }()
			use("outside", y)
			z := source("c")
			use("not captured", z)
		}`, want{"inside": "a", "outside": "b", "not captured": "c"}},
		{"captured flag", `func f() {
			ok := false
			func() { if cond("c") { ok = true } }()
			use("flag", ok)
		}`, want{"flag": "if c"}},
		{"captured struct", `func f() {
			var s S
			func() { s.n = source("a") }()
			use("struct", s.n)
		}`, want{"struct": "a"}},
		{"captured map", `func f() {
			m := map[int]int{}
			func() { m[0] = source("a") }()
			m[1] = source("b")
			use("map", m[0])
		}`, want{"map": "a, b"}},
		{"captured slice", `func f() {
			list := make([]int, 3)
			func() { list[0] = source("a") }()
			use("slice", list[0])
		}`, want{"slice": "a"}},
		{"captured pointer", `func f() {
			p := &S{}
			func() { p.n = source("a") }()
			use("pointer", p.n)
		}`, want{"pointer": "a"}},
		{"shared memory", `func f(s *S) {
			s.n = source("a")
			use("field", s.n)
			global = source("b")
			use("global", global)
			use("sum", s.n + s.m)
			use("next", s.next.n)
		}`, want{"field": "*s.n", "global": "*global", "sum": "*s.m, *s.n", "next": "*s.next"}},
		{"shared containers", `func f(s *S) {
			use("map", s.items[source("k")])
			v, ok := s.items[0]
			use("ok", ok)
			use("v", v)
			use("slice", s.list[source("i")])
			use("whole", s.items)
		}`, want{"map": "k", "ok": "", "v": "", "slice": "i", "whole": "*s.items"}},
		{"calls", `func f(x, y int) {
			use("second", second(x, y))
			a, b := swap(x, y)
			use("first of two", a)
			use("second of two", b)
			use("unknown", unknown(x, y))
			use("min", min(x, source("a")))
		}`, want{"second": "y", "first of two": "y", "second of two": "x", "unknown": "x, y", "min": "a, x"}},
		{"filled by a callee", `func f(x int) {
			var s S
			fill(&s, x)
			use("n", s.n)
			t := new(S)
			use("other", t.n)
		}`, want{"n": "x", "other": ""}},
		{"dynamic calls", `func f(g func(int) int, i interface{ M(int) int }, x int) {
			use("function", g(x))
			use("method", i.M(x))
		}`, want{"function": "g, x", "method": "i, x"}},
		{"conversions", `func f(x int, i any) {
			use("converted", float64(x))
			use("interface", any(x))
			use("asserted", i.(int))
			v, ok := i.(string)
			use("v", v)
			use("ok", ok)
		}`, want{"converted": "x", "interface": "x", "asserted": "i", "v": "i", "ok": "i"}},
		{"channels", `func f(c chan int) {
			use("received", <-c)
			v, ok := <-c
			use("v", v)
			use("ok", ok)
		}`, want{"received": "c", "v": "c", "ok": "c"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var wrong []string
			for _, fn := range build(t, decls+test.src) {
				for _, b := range fn.Blocks {
					for _, instr := range b.Instrs {
						name, ok := named(instr, "use")
						if !ok {
							continue
						}
						got := origins(newSlicer().Back(instr.(*ssa.Call).Call.Args[1]))
						if want, ok := test.want[name]; !ok || got != want {
							wrong = append(wrong, fmt.Sprintf("%s comes from %q, want %q", name, got, want))
						}
						delete(test.want, name)
					}
				}
			}
			for name := range test.want {
				wrong = append(wrong, "no use "+name)
			}
			report(t, knownBugs[test.name], wrong)
		})
	}
}

// TestSliceUnion: the slice of several values is the union of their slices, and
// contains the values.
func TestSliceUnion(t *testing.T) {
	fn := build(t, `func f(x int) {
		a := source("a")
		use("1", a+x)
		use("2", source("b"))
	}`)["f"]
	var values []ssa.Value
	slicer := newSlicer()
	union := make(map[ssa.Value]bool)
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := named(instr, "use"); ok {
				v := instr.(*ssa.Call).Call.Args[1]
				values = append(values, v)
				slice := slicer.Back(v)
				for _, w := range slice {
					union[w] = true
				}
				if !slice.Has(v) || !slice.HasAny([]ssa.Value{nil, v}) || slice.HasAny(nil) {
					t.Errorf("%s is not in its own slice", v)
				}
			}
		}
	}
	got := slicer.Back(values...)
	if len(got) != len(union) {
		t.Errorf("%d values, want %d", len(got), len(union))
	}
	for _, v := range got {
		if !union[v] {
			t.Errorf("%s is in the slice of all, but in that of none", v)
		}
	}
	if got := slicer.Back(nil, nil); len(got) != 0 {
		t.Errorf("nothing has the slice %v", got)
	}
}

// TestSliceBound: a slice is bounded, however large the function.
func TestSliceBound(t *testing.T) {
	src := "func f(x int) {\n"
	for range 3000 {
		src += "x = second(x, x*3) + x\n"
	}
	src += "use(\"x\", x)\n}"
	fn := build(t, "func second(a, b int) int\n"+src)["f"]
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if _, ok := named(instr, "use"); ok {
				if n := len(newSlicer().Back(instr.(*ssa.Call).Call.Args[1])); n < 1000 || n > 5000 {
					t.Errorf("the slice has %d values", n)
				}
			}
		}
	}
}

func TestBinding(t *testing.T) {
	fns := build(t, `func f(x int) {
		y := source("a")
		func() { use("y", y) }()
		go func() { use("x", x) }()
	}`)
	for _, name := range []string{"f$1", "f$2"} {
		for _, fv := range fns[name].FreeVars {
			b := depgraph.Binding(fv)
			if b == nil || b.Parent() != fns["f"] || b.Name() == "" {
				t.Errorf("%s of %s is bound to %v", fv.Name(), name, b)
			}
		}
	}
}
