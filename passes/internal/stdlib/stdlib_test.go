package stdlib

import (
	"go/importer"
	"go/token"
	"go/types"
	"slices"
	"strings"
	"testing"
)

// std imports packages of the standard library of the Go in use, from source.
var std = importer.ForCompiler(token.NewFileSet(), "source", nil)

func load(t *testing.T, path string) *types.Package {
	t.Helper()
	pkg, err := std.Import(path)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}

// find returns the function or method that a member names, or nil.
func find(pkg *types.Package, m member) *types.Func {
	if m.recv == "" {
		fn, _ := pkg.Scope().Lookup(m.name).(*types.Func)
		return fn
	}
	typ := pkg.Scope().Lookup(m.recv)
	if typ == nil {
		return nil
	}
	obj, _, _ := types.LookupFieldOrMethod(typ.Type(), true, pkg, m.name)
	fn, _ := obj.(*types.Func)
	return fn
}

// TestRows demands that each row names what there is, once, with a reason, and that a
// look-up finds it.
func TestRows(t *testing.T) {
	for _, row := range funcRows {
		pkg := load(t, row.pkg)
		if row.why == "" {
			t.Errorf("%s.%v has no reason", row.pkg, row.names)
		}
		for _, m := range row.members() {
			fn := find(pkg, m)
			if fn == nil {
				t.Errorf("%s has no %s.%s", row.pkg, m.recv, m.name)
				continue
			}
			if got := OfFunc(fn); got != row.Func {
				t.Errorf("%s is found as %+v, want %+v: listed twice?", fn.FullName(), got, row.Func)
			}
			check(t, fn, row.Func)
		}
	}
	for _, row := range typeRows {
		path, name, _ := strings.Cut(row.name, ".")
		obj, _ := load(t, path).Scope().Lookup(name).(*types.TypeName)
		if obj == nil {
			t.Errorf("there is no type %s", row.name)
			continue
		}
		for _, typ := range []types.Type{obj.Type(), types.NewPointer(obj.Type())} {
			if got, ok := OfType(typ); !ok || got != row.Type {
				t.Errorf("%s is found as %+v, want %+v", typ, got, row.Type)
			}
		}
		if row.why == "" {
			t.Errorf("%s has no reason", row.name)
		}
		if row.Lock != implementsLocker(obj.Type()) {
			t.Errorf("%s: lock %t, but its methods say %t", row.name, row.Lock, !row.Lock)
		}
		if row.Abstract != types.IsInterface(obj.Type()) && !row.Scope {
			t.Errorf("%s: abstract %t", row.name, row.Abstract)
		}
	}
	for path, row := range packages {
		load(t, path)
		if row.why == "" {
			t.Errorf("%s has no reason", path)
		}
	}
}

// check demands that the signature of a function has what its row speaks of.
func check(t *testing.T, fn *types.Func, f Func) {
	t.Helper()
	sig := fn.Signature()
	params, results := sig.Params(), sig.Results()
	takesFunc, takesPointer := false, sig.Recv() != nil
	for v := range params.Variables() {
		if _, ok := v.Type().Underlying().(*types.Signature); ok {
			takesFunc = true
		}
	}
	if params.Len() > 0 {
		_, ok := params.At(0).Type().Underlying().(*types.Pointer)
		takesPointer = takesPointer || ok
	}
	wrong := ""
	switch {
	case (f.Runs != Nothing) != takesFunc:
		wrong = "what it does with a function"
	case f.Access != 0 && !takesPointer:
		wrong = "accesses nothing"
	case f.Access&(Reads|Element) != 0 && f.Runs == Nothing && results.Len() == 0:
		wrong = "reads, but returns nothing"
	case f.Access&Reads == 0 && f.Access&Writes != 0 && results.Len() > 0:
		wrong = "returns what it does not read"
	case f.Access&Keyed != 0 && params.Len() == 0:
		wrong = "has no key"
	case f.WaitsFor != "" && field(sig.Recv().Type(), f.WaitsFor) == nil:
		wrong = "has no such field"
	case slices.ContainsFunc(strings.Fields(f.Calls), func(name string) bool { return params.Len() == 0 || field(params.At(0).Type(), name) == nil }):
		wrong = "calls no such method"
	case f.Clock && results.Len() != 1:
		wrong = "has no time"
	}
	if wrong != "" {
		t.Errorf("%s: %s", fn.FullName(), wrong)
	}
}

func field(t types.Type, name string) types.Object {
	obj, _, _ := types.LookupFieldOrMethod(t, true, nil, name)
	return obj
}

func implementsLocker(t types.Type) bool {
	return field(t, "Lock") != nil && field(t, "Unlock") != nil
}

// TestComplete demands that the packages that are listed are listed as a whole.
func TestComplete(t *testing.T) {
	for path, row := range packages {
		if !row.Listed {
			continue
		}
		scope := load(t, path).Scope()
		for _, name := range scope.Names() {
			switch obj := scope.Lookup(name).(type) {
			case *types.Func:
				complete(t, obj)
			case *types.TypeName:
				if !obj.Exported() {
					continue
				}
				if _, ok := OfType(obj.Type()); !ok && path == "sync" {
					t.Errorf("there is no row for type %s.%s", path, name)
				}
				set := types.NewMethodSet(types.NewPointer(obj.Type()))
				if types.IsInterface(obj.Type()) {
					set = types.NewMethodSet(obj.Type())
				}
				for m := range set.Methods() {
					complete(t, m.Obj().(*types.Func))
				}
			}
		}
	}
}

func complete(t *testing.T, fn *types.Func) {
	t.Helper()
	if !fn.Exported() {
		return
	}
	if _, ok := funcs[fn.Pkg().Path()][member{receiver(fn), fn.Name()}]; !ok {
		t.Errorf("there is no row for %s", fn.FullName())
	}
}

// TestMethods demands that the names come in pairs that undo each other.
func TestMethods(t *testing.T) {
	for name, row := range methods {
		pair, ok := OfMethod(row.Pair)
		if !ok || pair.Acquires == row.Acquires || pair.Shared != row.Shared {
			t.Errorf("%s is not undone by %s", name, row.Pair)
		}
		if row.Tries && !row.Acquires || row.why == "" {
			t.Errorf("%s: %+v", name, row)
		}
	}
	if _, ok := OfMethod("Close"); ok {
		t.Error("Close is a method of locks")
	}
}

func TestUnknown(t *testing.T) {
	if got := OfFunc(nil); got != (Func{}) {
		t.Errorf("no function: %+v", got)
	}
	if got := OfFunc(types.Universe.Lookup("error").Type().Underlying().(*types.Interface).Method(0)); got != (Func{}) {
		t.Errorf("error.Error: %+v", got)
	}
	if got := Declares(nil); got != (Package{}) {
		t.Errorf("no package: %+v", got)
	}
	// A function of the same name elsewhere, and one that is not listed.
	for _, name := range []string{"bytes.Clone", "time.ParseDuration"} {
		path, fn, _ := strings.Cut(name, ".")
		if got := OfFunc(find(load(t, path), member{"", fn})); got != (Func{}) {
			t.Errorf("%s: %+v", name, got)
		}
	}
	if _, ok := OfType(types.Typ[types.Int]); ok {
		t.Error("int is listed")
	}
	if !OfPackage("internal/runtime/atomic").Builtin || !OfPackage("runtime/internal/sys").Builtin || OfPackage("runtime/debug").Builtin {
		t.Error("the packages below the runtime")
	}
}
