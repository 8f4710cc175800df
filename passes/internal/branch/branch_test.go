package branch_test

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	"golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/branch"
)

// preamble declares what the rows are made of. The calls yes() and no() are in the two
// blocks that the branch of a row leads to.
const preamble = `package p

import "errors"

func yes()
func no()
func get() (*T, bool)
func done() bool
func find(s []int) []int

type T struct{ set bool }
type flag bool
type state int32
type named string
type failure interface { error; Code() int }

const debug = true

var errGone = errors.New("gone")

func f[P ~bool, Z comparable, B ~string | ~[]byte](x, y *T, p any, err error, fail failure, ok, other bool, fl flag, pb P, z Z, bs B,
	n, k int, n8 int8, u uint, u8 uint8, n32 int32, st state, r float64, s, s2 string, nm named, c chan int,
	list []int, bytes []byte, m map[string]*T, arr [3]int) {
	%s
}
`

// build returns the generic function with the given body.
func build(t *testing.T, body string) *ssa.Function {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", fmt.Sprintf(preamble, body), parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	conf := &types.Config{Importer: importer.Default()}
	pkg, _, err := ssautil.BuildPackage(conf, fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return pkg.Func("f")
}

// marked returns the block with a call of a function, or nil.
func marked(fn *ssa.Function, name string) *ssa.BasicBlock {
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if c, ok := instr.(*ssa.Call); ok && c.Call.StaticCallee() != nil && c.Call.StaticCallee().Name() == name {
				return b
			}
		}
	}
	return nil
}

// on returns what is implied by the branch that leads to the block with a call.
func on(t *testing.T, fn *ssa.Function, name string) string {
	t.Helper()
	b := marked(fn, name)
	if b == nil {
		t.Fatalf("there is no %s", name)
	}
	br, ok := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
	if !ok || len(b.Preds) != 1 {
		t.Fatalf("no branch leads to %s", name)
	}
	return text(branch.Implied(br.Cond, b.Preds[0].Succs[0] == b))
}

func text(facts func(func(branch.Fact) bool)) string {
	var out []string
	for f := range facts {
		out = append(out, show(f))
	}
	return strings.Join(out, "; ")
}

// show prints a fact with the names of the source.
func show(f branch.Fact) string {
	s := f.String()
	s = strings.ReplaceAll(s, f.Subject.Name(), spell(f.Subject))
	if f.Other != nil {
		s = s[:strings.LastIndex(s, " ")+1] + spell(f.Other)
	}
	return s
}

func spell(v ssa.Value) string {
	switch v := v.(type) {
	case *ssa.Extract:
		return fmt.Sprintf("%s#%d", spell(v.Tuple), v.Index)
	case *ssa.Lookup:
		return spell(v.X) + "[" + spell(v.Index) + "]"
	case *ssa.TypeAssert:
		return spell(v.X) + ".(T)"
	case *ssa.Call:
		if b, ok := v.Call.Value.(*ssa.Builtin); ok {
			return b.Name() + "(" + spell(v.Call.Args[0]) + ")"
		}
		return v.Call.StaticCallee().Name() + "()"
	case *ssa.UnOp:
		return v.Op.String() + spell(v.X)
	case *ssa.Phi:
		return "phi"
	case *ssa.FieldAddr:
		return "&" + spell(v.X) + ".f"
	case *ssa.Convert:
		return fmt.Sprintf("%s(%s)", v.Type(), spell(v.X))
	case *ssa.BinOp:
		return spell(v.X) + v.Op.String() + spell(v.Y)
	case *ssa.MakeInterface:
		return fmt.Sprintf("any(%s)", v.X.(*ssa.Const).Value)
	case *ssa.Const:
		return "const"
	}
	return v.Name()
}

// TestImplied has one row for each spelling of each property, with what the two sides
// imply. Statements before the condition end in a semicolon.
func TestImplied(t *testing.T) {
	for _, row := range []struct{ cond, yes, no string }{
		// nil and not nil
		{`x == nil`, `x == nil`, `x != nil`},
		{`x != nil`, `x != nil`, `x == nil`},
		{`nil == x`, `x == nil`, `x != nil`},
		{`nil != x`, `x != nil`, `x == nil`},
		{`!(x == nil)`, `x != nil`, `x == nil`},
		{`!!(nil != x)`, `x != nil`, `x == nil`},
		{`(x == nil) == true`, `x == nil`, `x != nil`},
		{`false == (x == nil)`, `x != nil`, `x == nil`},
		{`flag(x == nil)`, `x == nil`, `x != nil`},
		{`err != nil`, `err != nil`, `err == nil`},
		{`error(fail) != nil`, `fail != nil`, `fail == nil`},
		{`list == nil`, `list == nil`, `list != nil`},
		{`errors.Is(err, errGone)`, `Is() == true; err != nil`, `Is() == false`},
		{`!errors.As(err, &fail)`, `As() == false`, `As() == true; err != nil`},
		{`errors.Is(err, nil)`, `Is() == true`, `Is() == false`},
		// two values
		{`x == y`, `x == y`, `x != y`},
		{`!(x != y)`, `x == y`, `x != y`},
		{`n < k`, `n < k`, ``},
		{`n >= k`, ``, `n < k`},
		{`z == *new(Z)`, `z == const`, `z != const`},
		{`err == errGone`, `err == *errGone`, `err != *errGone`},
		{`p == 3`, `p == any(3)`, `p != any(3)`},
		// booleans
		{`ok`, `ok == true`, `ok == false`},
		{`!ok`, `ok == false`, `ok == true`},
		{`ok == false`, `ok == false`, `ok == true`},
		{`ok != true`, `ok == false`, `ok == true`},
		{`false != ok`, `ok == true`, `ok == false`},
		{`true == ok`, `ok == true`, `ok == false`},
		{`bool(fl)`, `fl == true`, `fl == false`},
		{`fl == false`, `fl == false`, `fl == true`},
		{`pb == false`, `pb == false`, `pb == true`},
		{`ok == other`, `ok == other`, `ok != other`},
		{`done()`, `done() == true`, `done() == false`},
		{`x.set`, `*&x.f == true`, `*&x.f == false`},
		{`!x.set`, `*&x.f == false`, `*&x.f == true`},
		{`debug`, ``, ``},
		{`ok == debug`, `ok == true`, `ok == false`},
		// present and absent
		{`_, in := m[s]; in`, `m[s]#1 == true`, `m[s]#1 == false`},
		{`_, in := m[s]; in == false`, `m[s]#1 == false`, `m[s]#1 == true`},
		{`_, in := get(); !in`, `get()#1 == false`, `get()#1 == true`},
		{`_, in := <-c; in`, `<-c#1 == true`, `<-c#1 == false`},
		{`_, is := err.(failure); is`, `err.(T)#1 == true; err != nil`, `err.(T)#1 == false`},
		{`_, is := p.(*T); is != true`, `p.(T)#1 == false`, `p.(T)#1 == true; p != nil`},
		// constants
		{`n == 3`, `n == 3`, `n != 3`},
		{`3 != n`, `n != 3`, `n == 3`},
		{`s == "a"`, `s == "a"`, `s != "a"`},
		{`string(nm) == "a"`, `nm == "a"`, `nm != "a"`},
		{`r == 0.5`, `r == 1/2`, `r != 1/2`},
		{`int64(n32) == 3`, `n32 == 3`, `n32 != 3`},
		{`int64(u8) == 3`, `u8 == 3`, `u8 != 3`},
		{`state(n32) == 3`, `n32 == 3`, `n32 != 3`},
		{`int8(n) == 3`, `int8(n) == 3`, `int8(n) != 3; n != 3`},
		{`uint8(n) == 0`, `uint8(n) == 0`, `uint8(n) > 0; n != 0`},
		{`uint8(u) == 0`, `uint8(u) == 0`, `uint8(u) > 0; u > 0`},
		{`uint8(n) > 4`, `uint8(n) > 4`, `uint8(n) < 5`},
		{`uint64(n) == 3`, `uint64(n) == 3`, `uint64(n) != 3; n != 3`},
		{`int(r) != 3`, `int(r) != 3`, `int(r) == 3`},
		{`float64(n) == 3`, `float64(n) == 3`, `float64(n) != 3`},
		{`debug == debug`, ``, ``},
		// above and below
		{`n > 0`, `n > 0`, `n < 1`},
		{`0 < n`, `n > 0`, `n < 1`},
		{`n >= 1`, `n > 0`, `n < 1`},
		{`1 <= n`, `n > 0`, `n < 1`},
		{`!(n <= 0)`, `n > 0`, `n < 1`},
		{`!(n < 1)`, `n > 0`, `n < 1`},
		{`0 >= n`, `n < 1`, `n > 0`},
		{`n != 0`, `n != 0`, `n == 0`},
		{`u > 0`, `u > 0`, `u == 0`},
		{`u != 0`, `u > 0`, `u == 0`},
		{`u >= 1`, `u > 0`, `u == 0`},
		{`u < 3`, `u < 3`, `u > 2`},
		{`r > 0`, `r > 0`, ``},
		{`r >= 1`, ``, ``},
		{`r < 1`, `r < 1`, ``},
		{`s < "m"`, `s < "m"`, ``},
		{`s <= "m"`, ``, `s > "m"`},
		// length
		{`len(list) == 0`, `len(list) == 0`, `len(list) > 0`},
		{`len(list) != 0`, `len(list) > 0`, `len(list) == 0`},
		{`len(list) > 0`, `len(list) > 0`, `len(list) == 0`},
		{`0 < len(list)`, `len(list) > 0`, `len(list) == 0`},
		{`len(list) >= 1`, `len(list) > 0`, `len(list) == 0`},
		{`len(list) < 1`, `len(list) == 0`, `len(list) > 0`},
		{`len(m) <= 0`, `len(m) == 0`, `len(m) > 0`},
		{`len(list) > 3`, `len(list) > 3`, `len(list) < 4`},
		{`int64(len(list)) > 0`, `len(list) > 0`, `len(list) == 0`},
		{`size := len(list); size > 0`, `len(list) > 0`, `len(list) == 0`},
		{`len(list) == n`, `len(list) == n`, `len(list) != n`},
		{`s == ""`, `s == ""`, `s != ""`},
		{`"" != s`, `s != ""`, `s == ""`},
		{`len(s) == 0`, `s == ""`, `s != ""`},
		{`0 < len(s)`, `s != ""`, `s == ""`},
		{`len(nm) > 2`, `len(nm) > 2`, `len(nm) < 3`},
		{`len([]byte(s)) > 0`, `s != ""`, `s == ""`},
		{`len(string(bytes)) > 0`, `len(bytes) > 0`, `len(bytes) == 0`},
		{`len([]rune(s)) > 3`, `len([]rune(s)) > 3`, `len([]rune(s)) < 4`},
		// joined by && and ||, as a value
		{`b := x == nil; b`, `x == nil`, `x != nil`},
		{`b := x != nil && ok; b`, `phi == true; ok == true; x != nil`, `phi == false`},
		{`b := x == nil || ok == false; b`, `phi == true`, `phi == false; ok == true; x != nil`},
		{`b := x != nil && (n > 3 || n == 8); b`, `phi == true; phi == true; n > 3; x != nil`, `phi == false`},
		{`b := !(x == nil || y == nil) && ok; b`, `phi == true; ok == true; y != nil; x != nil`, `phi == false`},
		{`b := n == 1 || n == 1; b`, `phi == true; n == 1`, `phi == false; n != 1; n != 1`},
		{`b := ok && debug; b`, `phi == true; ok == true`, `phi == false; ok == false`},
		{`b := ok && n > 5 || other && n > 3; b`, `phi == true; n > 3`, `phi == false; phi == false`},
		// joined by a branch
		{`found := false; if x == nil { found = true }; found`, `phi == true; x == nil`, `phi == false; x != nil`},
		{`found := false; if x == nil { found = ok }; found`, `phi == true; ok == true; x == nil`, `phi == false`},
		{`w := 0; if x == nil { w = 1 } else if ok { w = 2 }; w > 1`, `phi > 1; ok == true; x != nil`, `phi < 2`},
		{`var v *T; if ok { v = x }; v != nil`, `phi != nil; x != nil; ok == true`, `phi == nil`},
		{`var v []int; if ok { v = list }; len(v) > 0`, `len(phi) > 0; len(list) > 0; ok == true`, `len(phi) == 0`},
		{`v := "none"; if ok { v = s }; len(v) < 2`, `len(phi) < 2; len(s) < 2; ok == true`, `len(phi) > 1`},
		{`size := 0; if ok { size = len(s) }; size > 0`, `phi > 0; s != ""; ok == true`, `phi < 1`},
		{`b := *new(P); if ok { b = pb }; bool(b)`, `phi == true; pb == true; ok == true`, `phi == false`},
		{`v := *new(B); if ok { v = bs }; len(v) > 0`, `len(phi) > 0`, `len(phi) == 0`},
		{`var v Z; if ok { v = z }; v == z`, `phi == z`, `phi != z`},
		{`var v error; if ok { v = err }; v == err`, `phi == err`, `phi != err`},
		{`b := ok; for range n { b = x == nil }; b`, `phi == true`, `phi == false`},
		{`b := ok; for done() { b = x == nil }; b`, `phi == true`, `phi == false`},
		{`b := true; for b { b = x == nil }; other`, `other == true`, `other == false`},
	} {
		stmt, cond := "", row.cond
		if i := strings.LastIndex(cond, "; "); i >= 0 {
			stmt, cond = cond[:i], cond[i+2:]
		}
		bodies := []string{fmt.Sprintf("%s\nif %s { yes() } else { no() }", stmt, cond)}
		if stmt == "" {
			bodies = append(bodies, fmt.Sprintf("b := %s; if b { yes() } else { no() }", cond))
		}
		for _, body := range bodies {
			check(t, body, row.yes, row.no)
		}
	}
}

// check compares what the branch of a body implies.
func check(t *testing.T, body, yes, no string) {
	t.Helper()
	fn := build(t, body)
	if got := on(t, fn, "yes"); got != yes {
		t.Errorf("%s: %s, want %s", body, got, yes)
	}
	if got := on(t, fn, "no"); got != no {
		t.Errorf("not %s: %s, want %s", body, got, no)
	}
}

// TestSwitch is about branches that are no if.
func TestSwitch(t *testing.T) {
	for _, row := range []struct{ body, yes, no string }{
		{`switch n { case 1: yes(); default: no() }`, `n == 1`, `n != 1`},
		{`switch st { case 1: case 2: yes(); default: no() }`, `st == 2`, `st != 2`},
		{`switch x { case nil: yes(); default: no() }`, `x == nil`, `x != nil`},
		{`switch ok { case false: yes(); default: no() }`, `ok == false`, `ok == true`},
		{`switch { case x == nil: yes(); default: no() }`, `x == nil`, `x != nil`},
		{`switch { case ok && x != nil: yes(); case !ok: no() }`, `x != nil`, `ok == false`},
		{`switch true { case ok: yes(); default: no() }`, `ok == true`, `ok == false`},
		{`switch false { case ok: yes(); default: no() }`, `ok == false`, `ok == true`},
		{`switch p.(type) { case nil: yes(); default: no() }`, `p == nil`, `p != nil`},
		{`switch p.(type) { case *T: yes(); default: no() }`, `p.(T)#1 == true; p != nil`, `p.(T)#1 == false`},
		{`for x == nil { yes() }; no()`, `x == nil`, `x != nil`},
		{`for !ok { yes() }; no()`, `ok == false`, `ok == true`},
		{`if x != nil && !ok { yes() } else if len(list) < 1 { no() }`, `ok == false`, `len(list) == 0`},
	} {
		check(t, row.body, row.yes, row.no)
	}
}

func TestAt(t *testing.T) {
	for _, row := range []struct{ body, want string }{
		{`yes()`, ``},
		{`if x == nil { return }; if !ok { return }; yes()`, `ok == true; x != nil`},
		{`if x == nil { done() }; yes()`, ``},
		{`if x == nil { if ok { done() }; yes() }`, `x == nil`},
		{`if n == 1 || n == 2 { yes() }`, ``},
		{`if x == nil || ok { return }; yes()`, `ok == false; x != nil`},
		{`for x == nil { if ok { yes() } }`, `ok == true; x == nil`},
		{`switch n { case 1: case 2: default: yes() }`, `n != 2; n != 1`},
	} {
		if got := text(branch.At(marked(build(t, row.body), "yes"))); got != row.want {
			t.Errorf("%s: %s, want %s", row.body, got, row.want)
		}
	}
}

// TestStop takes one fact after the other, and no more than it wants.
func TestStop(t *testing.T) {
	fn := build(t, `if !errors.Is(err, errGone) { return }; b := ok && other && x != nil; if b { yes() }`)
	b := marked(fn, "yes")
	var all []string
	for f := range branch.At(b) {
		all = append(all, show(f))
	}
	if len(all) != 6 {
		t.Errorf("%d facts: %s", len(all), all)
	}
	for n := range all {
		i := 0
		for f := range branch.At(b) {
			if show(f) != all[i] {
				t.Errorf("fact %d: %s, want %s", i, show(f), all[i])
			}
			if i++; i > n {
				break
			}
		}
	}
}

// TestBound is about a condition that is joined of more than is read.
func TestBound(t *testing.T) {
	const parts = 100
	var cond []string
	for i := range parts {
		cond = append(cond, fmt.Sprintf("n != %d", i))
	}
	fn := build(t, "b := "+strings.Join(cond, " && ")+"\nif b { yes() } else { no() }")
	b := marked(fn, "yes")
	facts := 0
	for range branch.Implied(b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If).Cond, true) {
		facts++
	}
	if facts < 10 || facts > parts/2+20 {
		t.Errorf("%d facts of %d", facts, parts)
	}
}

func TestSide(t *testing.T) {
	of := func(name string, is func(branch.Fact) bool) func(branch.Fact) bool {
		return func(f branch.Fact) bool { return spell(f.Subject) == name && is(f) }
	}
	for _, row := range []struct {
		cond  string
		asked func(branch.Fact) bool
		want  int
	}{
		{`x == nil`, of("x", branch.Fact.Nil), 0},
		{`x == nil`, of("x", branch.Fact.NonNil), 1},
		{`x == nil`, of("y", branch.Fact.Nil), -1},
		{`nil == x && ok`, of("x", branch.Fact.Nil), -1}, // the last branch is the one on ok
		{`n > 3`, of("n", func(branch.Fact) bool { return true }), -1},
		{`len(list) > 3`, of("list", branch.Fact.NonEmpty), 0},
		{`len(list) != 3`, of("list", branch.Fact.NonEmpty), 1},
		{`s == ""`, of("s", branch.Fact.Empty), 0},
		{`len(s) != 0`, of("s", branch.Fact.NonEmpty), 0},
		{`len(s) == 2`, of("s", branch.Fact.NonEmpty), 0},
		{`0 == len(m)`, of("m", branch.Fact.Empty), 0},
		{`_, in := m[s]; in != true`, of("m[s]#1", branch.Fact.Absent), 0},
		{`_, in := m[s]; in != true`, of("m[s]#1", branch.Fact.Present), 1},
		{`ok`, of("ok", branch.Fact.Present), -1},
		{`ok`, of("ok", branch.Fact.True), 0},
		{`ok`, of("ok", branch.Fact.False), 1},
	} {
		stmt, cond := "", row.cond
		if i := strings.LastIndex(cond, "; "); i >= 0 {
			stmt, cond = cond[:i], cond[i+2:]
		}
		b := marked(build(t, fmt.Sprintf("%s\nif %s { yes() }", stmt, cond)), "yes")
		br := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		if got := branch.Side(br.Cond, row.asked); got != row.want {
			t.Errorf("%s: side %d, want %d", row.cond, got, row.want)
		}
	}
}

func TestDecided(t *testing.T) {
	for _, row := range []struct{ stmt, cond, want string }{
		{`found := false; if len(list) > 0 { found = true }`, `found`, "len(list) > 0"},
		{`found := false; if len(list) > 0 { found = true }`, `!found`, "len(list) == 0"},
		{`none := true; if len(list) > 0 { none = false }`, `none`, "len(list) == 0"},
		{`found := false; if x == nil { yes() } else { no(); found = true }`, `found == false`, "x == nil"},
		{`found := false; if x == nil { found = done() }`, `found`, "phi == true"},
		{`found := false; for done() { found = true }`, `found`, "phi == true"},
		{`found := false; if x == nil { if other { found = true } }`, `found`, "phi == true"},
		{``, `ok`, "ok == true"},
	} {
		fn := build(t, fmt.Sprintf("%s\nif %s { find(nil) }", row.stmt, row.cond))
		b := marked(fn, "find")
		br := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		if got := show(branch.Alone(branch.Decided(br.Cond, br.Block().Succs[0] == b))); got != row.want {
			t.Errorf("%s; %s: %s, want %s", row.stmt, row.cond, got, row.want)
		}
	}
}

func TestTrueSide(t *testing.T) {
	for cond, want := range map[string]string{`ok`: "true", `!ok`: "false", `ok == false`: "false", `true == ok`: "true", `other`: "", `x == nil`: ""} {
		fn := build(t, fmt.Sprintf("if %s { yes() }; if ok { done() }", cond))
		b := marked(fn, "yes")
		br := b.Preds[0].Instrs[len(b.Preds[0].Instrs)-1].(*ssa.If)
		side := branch.TrueSide(br.Cond, param(fn, "ok"))
		got := ""
		if side >= 0 {
			got = fmt.Sprint(br.Block().Succs[side] == b)
		}
		if got != want {
			t.Errorf("%s: %q, want %q", cond, got, want)
		}
	}
}

func param(fn *ssa.Function, name string) ssa.Value {
	return fn.Params[slices.IndexFunc(fn.Params, func(p *ssa.Parameter) bool { return p.Name() == name })]
}

func TestNever(t *testing.T) {
	for cond, want := range map[string]bool{`debug`: false, `!debug`: true, `ok`: false, `*new(P)`: true} {
		b := marked(build(t, fmt.Sprintf("if ok { if %s { yes() } }", cond)), "yes")
		from := b.Preds[0]
		cond := from.Instrs[len(from.Instrs)-1].(*ssa.If).Cond
		if got := branch.Never(cond, slices.Index(from.Succs, b)); got != want {
			t.Errorf("%s: %t, want %t", cond, got, want)
		}
	}
}

func TestHolds(t *testing.T) {
	fn := build(t, `if x == nil { yes() }`)
	b := marked(fn, "yes")
	isNil := branch.Fact.Nil
	for _, row := range []struct {
		v    ssa.Value
		b    *ssa.BasicBlock
		want bool
	}{
		{param(fn, "x"), b, true},
		{param(fn, "y"), b, false},
		{param(fn, "x"), b.Preds[0], false},
		{ssa.NewConst(nil, param(fn, "x").Type()), b.Preds[0], true},
		{ssa.NewConst(constant.MakeInt64(0), types.Typ[types.Int]), b, false},
		{ssa.NewConst(nil, types.NewStruct(nil, nil)), b, false},
	} {
		if got := branch.Holds(row.v, row.b, isNil); got != row.want {
			t.Errorf("%s in %s: %t, want %t", row.v, row.b, got, row.want)
		}
	}
}

// TestImplies checks the order of facts against what the numbers from 0 to 6 say.
func TestImplies(t *testing.T) {
	subject := param(build(t, ``), "n")
	var all []branch.Fact
	for _, rel := range []branch.Relation{branch.Equal, branch.Differs, branch.Above, branch.Below} {
		for k := range int64(7) {
			all = append(all, branch.Fact{Subject: subject, Relation: rel, Const: constant.MakeInt64(k)})
		}
	}
	holds := func(f branch.Fact, n int64) bool {
		k, _ := constant.Int64Val(f.Const)
		return f.Relation == branch.Equal && n == k || f.Relation == branch.Differs && n != k ||
			f.Relation == branch.Above && n > k || f.Relation == branch.Below && n < k
	}
	for _, f := range all {
		for _, g := range all {
			want, apart := true, true
			for n := int64(-9); n < 16; n++ {
				want = want && (!holds(f, n) || holds(g, n))
				apart = apart && !(holds(f, n) && holds(g, n))
			}
			if got := f.Excludes(g); got != apart {
				t.Errorf("%s excludes %s: %t, want %t", f, g, got, apart)
			}
			if got := f.Implies(g); got != want {
				t.Errorf("%s implies %s: %t, want %t", f, g, got, want)
			}
		}
		for _, g := range []branch.Fact{{}, {Subject: subject}, {Subject: subject, Length: true, Relation: f.Relation, Const: f.Const},
			{Subject: subject, Relation: f.Relation}, {Subject: subject, Relation: branch.Differs, Const: constant.MakeString("")}} {
			if f.Implies(g) || g.Implies(f) {
				t.Errorf("%s and %s", f, g)
			}
		}
		k, _ := constant.Int64Val(f.Const)
		if f.Is(f.Const) != holds(f, k) || f.IsNot(f.Const) == holds(f, k) && f.Relation != branch.Equal {
			t.Errorf("%s: is %t, is not %t", f, f.Is(f.Const), f.IsNot(f.Const))
		}
		if f.Nil() || f.NonNil() || f.True() || f.False() {
			t.Errorf("%s is of another kind", f)
		}
	}
	if s := (branch.Fact{}).String(); s != "nothing" {
		t.Error(s)
	}
}
