package ssautil_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"
	xssautil "golang.org/x/tools/go/ssa/ssautil"

	"github.com/atomvet/atomvet/passes/internal/ssautil"
)

const src = `package p

type Pair[T any] struct { a, b T }
type Alias = *Pair[int]
type Func func()
type T struct{ n int; p *int }

func (t *T) M(o *T) {}
func give() (int, error)
func use(any)

func results() {
	give()
	n, _ := give()
	use(n)
}

func deferred() (n int) {
	defer use(1)
	n = 2
	if n > 1 { return 3 }
	return n
}

func plain(n int) int { return n + 1 }

func fields(x Alias, y *Pair[string]) { use(x.b); use(y.a) }

func literals(n int) {
	once := func() { use(n) }
	once()
}

func receivers(a, b *T) { a.M(b); a.M(a); b.M(nil) }

func made(a *T) {
	t := new(T)
	use(&t.n)
	use(&a.n)
	use(a.p)
	use(a.p)
}

func constants(b bool) { use(true); use(false); use(nil); use("x"); use(b) }
`

// build returns the functions of src by name, with the type checker's package.
func build(t *testing.T) (map[string]*ssa.Function, *types.Package) {
	t.Helper()
	return buildOf(t, src)
}

func buildOf(t *testing.T, src string) (map[string]*ssa.Function, *types.Package) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", src, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	pkg, _, err := xssautil.BuildPackage(new(types.Config), fset, types.NewPackage("p", "p"), []*ast.File{file}, ssa.BuilderMode(0))
	if err != nil {
		t.Fatal(err)
	}
	fns := make(map[string]*ssa.Function)
	for _, m := range pkg.Members {
		if fn, ok := m.(*ssa.Function); ok {
			fns[fn.Name()] = fn
		}
	}
	return fns, pkg.Pkg
}

// all returns the instructions of type I in a function, in order.
func all[I ssa.Instruction](fn *ssa.Function) []I {
	var out []I
	for _, b := range fn.Blocks {
		for _, instr := range b.Instrs {
			if x, ok := instr.(I); ok {
				out = append(out, x)
			}
		}
	}
	return out
}

func TestTypes(t *testing.T) {
	_, pkg := build(t)
	lookup := func(name string) types.Type { return pkg.Scope().Lookup(name).Type() }
	alias, pair := lookup("Alias"), lookup("Pair")
	if got := ssautil.Named(alias); got == nil || got.Origin() != pair {
		t.Errorf("Alias is named %v", got)
	}
	if ssautil.Named(types.Typ[types.Int]) != nil {
		t.Error("int has a declaration")
	}
	if _, ok := ssautil.Deref(alias).Underlying().(*types.Struct); !ok {
		t.Errorf("Alias points to %v", ssautil.Deref(alias))
	}
	if ssautil.Field(types.Typ[types.Int], 0) != nil {
		t.Error("int has a field")
	}
	err := types.Universe.Lookup("error").Type()
	for _, test := range []struct {
		typ  types.Type
		want string
	}{
		{alias, "reference"},
		{lookup("Func"), "reference func"},
		{types.NewPointer(lookup("Func")), "reference func"},
		{lookup("T"), ""},
		{err, "reference error"},
		{types.NewPointer(err), "reference"},
		{types.Typ[types.String], "string"},
		{types.Typ[types.UntypedFloat], "number"},
		{types.Typ[types.Bool], "bool"},
		{types.NewStruct(nil, nil), "empty"},
		{types.NewSlice(types.Typ[types.Int]), "reference"},
		{types.NewArray(types.Typ[types.Int], 1), ""},
	} {
		var got []string
		for _, is := range []struct {
			name string
			f    func(types.Type) bool
		}{
			{"reference", ssautil.IsReference}, {"func", ssautil.IsFunc}, {"string", ssautil.IsString}, {"number", ssautil.IsNumber},
			{"bool", ssautil.IsBool}, {"error", ssautil.IsError}, {"empty", ssautil.IsEmptyStruct},
		} {
			if is.f(test.typ) {
				got = append(got, is.name)
			}
		}
		if text := strings.Join(got, " "); text != test.want {
			t.Errorf("%s is %q, want %q", test.typ, text, test.want)
		}
	}
}

// TestField demands that the fields of all instances of a type are those of the type.
func TestField(t *testing.T) {
	fns, pkg := build(t)
	declared := pkg.Scope().Lookup("Pair").Type().Underlying().(*types.Struct)
	for i, fa := range all[*ssa.FieldAddr](fns["fields"]) {
		if got, want := ssautil.Field(fa.X.Type(), fa.Field), declared.Field(1-i); got != want {
			t.Errorf("field %d is %v, want %v", i, got, want)
		}
	}
}

func TestResults(t *testing.T) {
	fns, _ := build(t)
	calls := slices.DeleteFunc(all[*ssa.Call](fns["results"]), func(c *ssa.Call) bool { return c.Call.StaticCallee().Name() != "give" })
	if len(ssautil.Results(calls[0])) != 0 || ssautil.Result(calls[0], 0) != nil {
		t.Error("results that are not used have values")
	}
	list := ssautil.Results(calls[1])
	if len(list) == 0 || ssautil.Result(calls[1], 0) != list[0] || !ssautil.IsNumber(list[0].Type()) {
		t.Errorf("the results are %v", list)
	}
	plain := all[*ssa.Call](fns["results"])[2]
	if got := ssautil.Results(plain); len(got) != 0 && got[0] != ssa.Value(plain) {
		t.Errorf("the result of a function without is %v", got)
	}
	sum := all[*ssa.BinOp](fns["plain"])[0]
	if ssautil.Result(sum, 0) != ssa.Value(sum) {
		t.Error("a value is its own result")
	}
}

func TestReturned(t *testing.T) {
	fns, _ := build(t)
	var got []string
	for _, r := range all[*ssa.Return](fns["deferred"]) {
		if r.Block() != fns["deferred"].Recover {
			got = append(got, ssautil.Returned(r, 0).String())
		}
	}
	slices.Sort(got)
	// Of the second, n is loaded before the deferred call.
	if want := []string{"*t0", "3:int"}; !slices.Equal(got, want) {
		t.Errorf("%q are returned, want %q", got, want)
	}
	r := all[*ssa.Return](fns["plain"])[0]
	if ssautil.Returned(r, 0) != r.Results[0] {
		t.Error("a plain result is put into a variable")
	}
}

// TestOrdinal demands that numbers and instructions go together.
func TestOrdinal(t *testing.T) {
	fns, _ := build(t)
	for _, fn := range fns {
		for i, instr := range all[ssa.Instruction](fn) {
			if got := ssautil.Ordinal(instr); got != i || ssautil.At(fn, i) != instr {
				t.Errorf("%s has number %d, want %d", instr, got, i)
			}
		}
		if ssautil.At(fn, 1000) != nil || ssautil.At(fn, -1) != nil {
			t.Errorf("%s has instructions beyond its end", fn)
		}
	}
}

func TestPos(t *testing.T) {
	fns, _ := build(t)
	for name, fn := range fns {
		first := true
		for _, instr := range all[ssa.Instruction](fn) {
			at := ssautil.Pos(instr)
			if instr.Pos().IsValid() && at != instr.Pos() {
				t.Errorf("%s: %s is moved", name, instr)
			}
			// Once there is a position, all that follows in the block has one.
			if first = first && !at.IsValid(); !first && !at.IsValid() && instr.Block().Index == 0 {
				t.Errorf("%s: %s has no position", name, instr)
			}
		}
	}
}

func TestClosure(t *testing.T) {
	fns, _ := build(t)
	lit := fns["literals"].AnonFuncs[0]
	if mc := ssautil.ClosureOf(lit); mc == nil || mc.Fn != ssa.Value(lit) {
		t.Errorf("the literal is made by %v", mc)
	}
	if ssautil.ClosureOf(fns["plain"]) != nil {
		t.Error("a declared function is made")
	}
}

func TestIsReceiver(t *testing.T) {
	fns, _ := build(t)
	fn := fns["receivers"]
	a := fn.Params[0]
	var got []bool
	for _, c := range all[*ssa.Call](fn) {
		got = append(got, ssautil.IsReceiver(c, a))
	}
	if want := []bool{true, false, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	for _, c := range all[*ssa.Call](fns["literals"]) {
		if ssautil.IsReceiver(c, c.Call.Value) {
			t.Error("a function has a receiver")
		}
	}
}

func TestMadeHere(t *testing.T) {
	fns, _ := build(t)
	var got []bool
	for _, fa := range all[*ssa.FieldAddr](fns["made"]) {
		got = append(got, ssautil.IsMadeHere(fa))
	}
	if want := []bool{true, false, false, false}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

func TestSamePointer(t *testing.T) {
	fns, _ := build(t)
	fields := all[*ssa.FieldAddr](fns["made"])
	a, b := fields[2], fields[3] // the two of a.p
	if !ssautil.SamePointer(a, a) || ssautil.SamePointer(a, b) {
		t.Error("two addresses that are computed apart are told to be the same")
	}
	loads := all[*ssa.UnOp](fns["made"])
	if len(loads) != 2 || !ssautil.SamePointer(loads[0], loads[0]) || ssautil.SamePointer(loads[0], loads[1]) {
		t.Errorf("loads %v", loads)
	}
}

func TestConstants(t *testing.T) {
	fns, _ := build(t)
	var got []string
	for _, c := range all[*ssa.Call](fns["constants"]) {
		v := c.Call.Args[0]
		if mi, ok := v.(*ssa.MakeInterface); ok {
			v = mi.X
		}
		text, ok := ssautil.ConstText(v)
		got = append(got, fmt.Sprint(text, " ", ok, " ", ssautil.IsTrue(v)))
	}
	if want := []string{"true true true", "false true false", "nil true false", `"x" true false`, " false false"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestUses(t *testing.T) {
	fns, _ := build(t)
	if got := ssautil.Uses(ssa.NewConst(nil, fns["made"].Params[0].Type())); got != nil {
		t.Errorf("a constant is used by %v", got)
	}
	if got := ssautil.Uses(all[*ssa.FieldAddr](fns["made"])[0]); len(got) == 0 {
		t.Error("the address of a field has no uses")
	}
}
