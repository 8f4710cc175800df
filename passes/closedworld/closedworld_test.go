package closedworld_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/closedworld"
)

const (
	store = "m/internal/store"
	app   = "m/internal/app"
	other = "m/internal/other"
	main  = "m"
	add   = store + "#Store.Add"
	clear = store + "#Store.Clear"
	put   = app + "#App.Put"
)

type (
	Root = closedworld.Root
	Unit = closedworld.Unit
	Call = closedworld.Call
	Pair = closedworld.Pair
	Own  = closedworld.Own
	Lock = closedworld.Lock
)

var own = Own{Known: true}

func entry(key string) Root {
	return Root{Kind: closedworld.Entry, Package: closedworld.Package(key), Name: key}
}

func goes(at string, times closedworld.Times) Root {
	return Root{Kind: closedworld.Go, Name: at, Times: times}
}

// beside is the pair of what runs two functions on one object.
func beside(a, b string) Pair { return Pair{A: entry(a), B: entry(b), Own: own} }

// unit makes a unit with roots that each make some calls.
func unit(pkg string, imports string, calls ...any) *Unit {
	u := &Unit{Package: pkg, Program: pkg == main, Imports: strings.Fields(imports)}
	for _, c := range calls {
		switch c := c.(type) {
		case Root:
			u.Roots = append(u.Roots, c)
		case Call:
			c.From = len(u.Roots) - 1
			u.Calls = append(u.Calls, c)
		}
	}
	// As the driver gets it.
	decoded, err := closedworld.Decode(u.Encode())
	if err != nil {
		panic(err)
	}
	return decoded
}

func isInternal(pkg string) bool { return strings.Contains(pkg+"/", "/internal/") }

var mainRoot = Root{Kind: closedworld.Main}

func TestRefutes(t *testing.T) {
	outer := Lock{Class: "m/internal/app#App.mu", Own: own}
	shared := Lock{Class: "m/internal/app#App.mu", Own: own, Shared: true}
	global := Lock{Class: "@m/internal/app#mu", Global: true}
	library := "m/store#Store.Add"
	for _, test := range []struct {
		name  string
		units []*Unit
		rests []Pair // by default that Add runs beside itself
		mains []string
		want  string // in the reason, "" if the finding stays
	}{
		{name: "not called", want: "nothing in the program calls Store.Add"},
		{name: "a goroutine once per object", want: "the goroutine started at app.go:1:2 calls it, which is one at a time", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.PerObject), Call{To: add, Own: own})}},
		{name: "a goroutine once per object, on what others have, too", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.PerObject), Call{To: add})}},
		{name: "a goroutine once per program", want: "the goroutine", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.PerProgram), Call{To: add})}},
		{name: "many goroutines", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Own: own})}},
		{name: "two goroutines", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.PerObject), Call{To: add, Own: own}, goes("app.go:2:2", closedworld.PerObject), Call{To: add, Own: own})}},
		{name: "two goroutines, on different functions", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.PerObject), Call{To: add, Own: own}, goes("app.go:2:2", closedworld.PerObject), Call{To: clear, Own: own})},
			want: "the goroutine"},
		{name: "two goroutines, on different functions that both matter", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.PerObject), Call{To: add, Own: own}, goes("app.go:2:2", closedworld.PerObject), Call{To: clear, Own: own})},
			rests: []Pair{beside(add, add), beside(add, clear)}},
		{name: "the rival is not called", rests: []Pair{beside(add, clear)}, want: "nothing in the program calls Store.Clear",
			units: []*Unit{unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Own: own})}},
		{name: "main", want: "one thing after the other", units: []*Unit{
			unit(main, store, mainRoot, Call{To: add})}},
		{name: "main and a goroutine", units: []*Unit{
			unit(main, store+" "+app, mainRoot, Call{To: add}),
			unit(app, store, goes("app.go:1:2", closedworld.PerProgram), Call{To: add})}},
		{name: "main of another program", want: "in different programs", units: []*Unit{
			unit(main, store, mainRoot, Call{To: add}),
			unit(app, store, goes("app.go:1:2", closedworld.PerProgram), Call{To: add})}},
		{name: "tests", want: "one thing after the other", units: []*Unit{
			unit(store, "", Root{Kind: closedworld.Tests}, Call{To: add}), unit(app, store, Root{Kind: closedworld.Tests}, Call{To: add})}},
		{name: "goroutines of a test", units: []*Unit{
			unit(store, "", Root{Kind: closedworld.Go, Name: "store_test.go:1:2", Test: true}, Call{To: add, Own: own})}},
		{name: "a goroutine, and a test without it", want: "different programs", units: []*Unit{
			unit(store, "", Root{Kind: closedworld.Tests}, Call{To: add}), unit(app, store, goes("app.go:1:2", closedworld.PerProgram), Call{To: add})}},
		{name: "a goroutine, and an external test with it", units: []*Unit{
			unit(store+"_test", store+" "+app, Root{Kind: closedworld.Tests}, Call{To: add}), unit(app, store, goes("app.go:1:2", closedworld.PerProgram), Call{To: add})}},
		{name: "a lock of the owner", want: "all callers hold App.mu", units: []*Unit{
			unit(app, store, entry(put), Call{To: add, Own: own, Locks: []Lock{outer}}), unit(other, app, goes("other.go:1:2", closedworld.Often), Call{To: put})}},
		{name: "a lock of the owner, as readers", units: []*Unit{
			unit(app, store, entry(put), Call{To: add, Own: own, Locks: []Lock{shared}}), unit(other, app, goes("other.go:1:2", closedworld.Often), Call{To: put})}},
		{name: "a lock of the owner in one of two places", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Own: own, Locks: []Lock{outer}}, goes("app.go:2:2", closedworld.Often), Call{To: add, Own: own})}},
		{name: "a lock of an owner that another function makes", want: "App.mu", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Locks: []Lock{{Class: outer.Class, Own: Own{Known: true, If: []string{store + "#New"}}}}})}},
		{name: "a lock of an owner that another function may make", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Locks: []Lock{{Class: outer.Class, Own: Own{Known: true, If: []string{store + "#Get"}}}}})}},
		{name: "a lock of the program", want: "all callers hold mu", rests: []Pair{{A: entry(add), B: entry(add)}}, units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Locks: []Lock{global}})}},
		{name: "a lock of an object, for an object that others have", rests: []Pair{{A: entry(add), B: entry(add)}}, units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Locks: []Lock{outer}})}},
		{name: "a lock of the caller's caller", want: "all callers hold App.mu", units: []*Unit{
			unit(app, store, entry(put), Call{To: add, Own: own}),
			unit(other, app, goes("other.go:1:2", closedworld.Often), Call{To: put, Own: own, Locks: []Lock{{Class: outer.Class, Own: own}}})}},
		{name: "a lock of the caller's caller, for another object", units: []*Unit{
			unit(app, store, entry(put), Call{To: add}),
			unit(other, app, goes("other.go:1:2", closedworld.Often), Call{To: put, Own: own, Locks: []Lock{{Class: outer.Class, Own: own}}})}},
		{name: "through an exported function", want: "the goroutine started at other.go:1:2", units: []*Unit{
			unit(app, store, entry(put), Call{To: add, Own: own}), unit(other, app, goes("other.go:1:2", closedworld.PerObject), Call{To: put, Own: own})}},
		{name: "through an exported function that nobody calls", want: "nothing in the program calls", units: []*Unit{
			unit(app, store, entry(put), Call{To: add, Own: own})}},
		{name: "through functions that call each other", want: "the goroutine", units: []*Unit{
			unit(app, store+" "+other, entry(put), Call{To: add, Own: own}, Call{To: other + "#Do", Own: own}, goes("app.go:1:2", closedworld.PerObject), Call{To: other + "#Do", Own: own}),
			unit(other, app, entry(other+"#Do"), Call{To: put, Own: own})}},
		{name: "through an exported function of a library", units: []*Unit{
			unit("m/lib", store, entry("m/lib#Put"), Call{To: add, Own: own})}},
		{name: "through a library with a lock", want: "all callers hold Lib.mu", units: []*Unit{
			unit("m/lib", store, entry("m/lib#Put"), Call{To: add, Own: own, Locks: []Lock{{Class: "m/lib#Lib.mu", Own: own}}})}},
		{name: "an object that nobody else has yet", want: "on an object that others can have", units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Fresh: true})}},
		{name: "an object that nobody else has yet, and another one", rests: []Pair{{A: entry(add), B: entry(add)}}, units: []*Unit{
			unit(app, store, goes("app.go:1:2", closedworld.Often), Call{To: add, Fresh: true})}},
		{name: "a part of an object that nobody else has yet", want: "on an object that others can have", units: []*Unit{
			unit(app, store, entry(put), Call{To: add, Own: own}), unit(other, app, goes("other.go:1:2", closedworld.Often), Call{To: put, Fresh: true})}},
		{name: "not a part of an object that nobody else has yet", units: []*Unit{
			unit(app, store, entry(put), Call{To: add}), unit(other, app, goes("other.go:1:2", closedworld.Often), Call{To: put, Fresh: true})}},
		{name: "a function value", units: []*Unit{{Package: app, Handout: closedworld.Handout{Values: []string{add}}}}},
		{name: "an argument of a function that may reflect", units: []*Unit{
			{Package: app, Handout: closedworld.Handout{Received: map[string][]string{"m/page": {add}}}},
			{Package: "m/page", Imports: []string{"text/template"}}, {Package: "text/template", Handout: closedworld.Handout{Reflects: true}}}},
		{name: "an argument of a function that does not reflect", want: "nothing in the program", units: []*Unit{
			{Package: app, Handout: closedworld.Handout{Received: map[string][]string{"fmt": {add}}}},
			{Package: "fmt", Imports: []string{"reflect"}}, {Package: "reflect"}, {Package: "text/template", Imports: []string{"fmt"}, Handout: closedworld.Handout{Reflects: true}}}},
		{name: "an interface that nobody calls", want: "nothing in the program", units: []*Unit{{Package: app, Handout: closedworld.Handout{Dynamic: []string{add + "/1/0"}, Invoked: []string{"~Clear/1/0", "~Add/1/1"}}}}},
		{name: "an interface that the standard library calls", units: []*Unit{{Package: app, Handout: closedworld.Handout{Dynamic: []string{add + "/1/0"}}}, {Package: "sort", Handout: closedworld.Handout{Invoked: []string{"~Add/1/0"}}}}},
		{name: "an interface in a test", units: []*Unit{{Package: app, Tests: closedworld.Handout{Dynamic: []string{add + "/1/0"}}, Handout: closedworld.Handout{Invoked: []string{"~Add/1/0"}}}}},
		{name: "an interface that one goroutine calls", want: "the goroutine started at other.go:1:2", units: []*Unit{
			{Package: app, Imports: []string{store}, Handout: closedworld.Handout{Dynamic: []string{add + "/1/0"}}},
			unit(other, "", goes("other.go:1:2", closedworld.PerProgram), Call{To: "~Add/1/0"})}},
		{name: "an interface that is called from an exported function", units: []*Unit{
			{Package: app, Imports: []string{store}, Handout: closedworld.Handout{Dynamic: []string{add + "/1/0"}}},
			unit(other, "", entry(other+"#Do"), Call{To: "~Add/1/0", Own: own}),
			unit(main, app+" "+other, goes("main.go:1:2", closedworld.Often), Call{To: other + "#Do", Own: own})}},
		{name: "an interface that users of a library may have", units: []*Unit{
			{Package: "m/lib", Imports: []string{store}, Handout: closedworld.Handout{Dynamic: []string{add + "/1/0"}}}}},
		{name: "a value that users of a library have", units: []*Unit{
			{Package: "m/lib", Imports: []string{store}, Handout: closedworld.Handout{Leaked: []string{add}}}}},
		{name: "a value that users of a main package have", want: "nothing in the program", units: []*Unit{
			{Package: main, Program: true, Imports: []string{store}, Handout: closedworld.Handout{Leaked: []string{add}}}}},
		{name: "an unknown caller", units: []*Unit{unit(app, store, Root{Kind: closedworld.Unknown}, Call{To: add, Own: own})}},
		{name: "a package that was not checked", units: []*Unit{unit(app, store+" m/internal/lost", Root{Kind: closedworld.Unknown})}},
		{name: "a library", rests: []Pair{beside(library, library)}, units: []*Unit{unit("m/store", "")}},
		{name: "a library that main is all the program of", rests: []Pair{beside(library, library)}, mains: []string{main}, want: "one thing after the other", units: []*Unit{
			unit("m/store", "", Root{Kind: closedworld.Go, Name: "store_test.go:1:2", Test: true}, Call{To: library}),
			unit("m/unused", "m/store", goes("a.go:1:2", closedworld.Often), Call{To: library}),
			unit(main, "m/store", mainRoot, Call{To: library})}},
		{name: "a library with its own goroutine", rests: []Pair{beside(library, library), {A: entry(library), B: Root{Kind: closedworld.Go, Package: "m/store", Name: "store.go:1:2", Times: closedworld.PerObject}, Own: own}},
			mains: []string{main}, units: []*Unit{unit("m/store", ""), unit(main, "m/store", mainRoot, Call{To: library})}},
		{name: "two programs", rests: []Pair{beside(library, library)}, mains: []string{main, "m/cmd"}, want: "different programs", units: []*Unit{
			unit("m/store", ""), unit(main, "m/store", goes("a.go:1:2", closedworld.PerProgram), Call{To: library}),
			{Package: "m/cmd", Program: true, Imports: []string{"m/store"}, Roots: []Root{{Kind: closedworld.Go, Package: "m/cmd", Name: "b.go:1:2", Times: closedworld.PerProgram}}, Calls: []Call{{To: library}}}}},
		{name: "on what is not known", rests: []Pair{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			units := append([]*Unit{{Package: store, Makes: []string{store + "#New"}}}, test.units...)
			rests := test.rests
			if rests == nil {
				rests = []Pair{beside(add, add)}
			}
			slices.Reverse(units) // the order does not matter
			reason, ok := closedworld.New(units, isInternal, test.mains).Refutes(rests)
			if ok != (test.want != "") || !strings.Contains(reason, test.want) {
				t.Errorf("refuted %t, reason %q; want %q", ok, reason, test.want)
			}
		})
	}
}

// TestMonotone: on random programs, further callers and functions that are handed out never refute
// more, and the order of the units does not matter.
func TestMonotone(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	pkgs := []string{main, app, other, store, "m/lib"}
	var keys []string
	for _, pkg := range pkgs[1:] {
		keys = append(keys, pkg+"#T.A", pkg+"#T.B")
	}
	locks := []Lock{{Class: "l", Own: own}, {Class: "l", Own: own, Shared: true}, {Class: "@g", Global: true}, {Class: "c", Own: Own{Known: true, If: []string{"m/lib#New"}}}}
	kinds := []Root{
		{Kind: closedworld.Main}, {Kind: closedworld.Tests}, {Kind: closedworld.Unknown}, goes("a.go:1:1", closedworld.PerObject),
		goes("b.go:1:1", closedworld.PerProgram), goes("c.go:1:1", closedworld.Often), {Kind: closedworld.Go, Name: "t.go:1:1", Test: true},
	}
	random := func(n int) []*Unit {
		var units []*Unit
		for _, pkg := range pkgs {
			u := &Unit{Package: pkg, Program: pkg == main, Imports: []string{pkgs[r.IntN(len(pkgs))]}}
			for range r.IntN(n) {
				root := kinds[r.IntN(len(kinds))]
				if r.IntN(3) > 0 {
					root = entry(pkg + "#T." + string(rune('A'+r.IntN(2))))
				}
				root.Package = pkg
				u.Roots = append(u.Roots, root)
				c := Call{From: len(u.Roots) - 1, To: keys[r.IntN(len(keys))], Own: Own{Known: r.IntN(3) > 0}, Fresh: r.IntN(5) == 0}
				if r.IntN(6) == 0 {
					c.To = "~A/0/0"
				}
				if r.IntN(2) == 0 {
					c.Locks = []Lock{locks[r.IntN(len(locks))]}
				}
				u.Calls = append(u.Calls, c)
			}
			units = append(units, u)
		}
		return units
	}
	refuted := 0
	for range 2000 {
		few, more := random(3), random(3)
		if r.IntN(4) == 0 {
			more[r.IntN(len(more))].Values = []string{keys[r.IntN(len(keys))]}
			more[r.IntN(len(more))].Dynamic, more[r.IntN(len(more))].Invoked = []string{keys[r.IntN(len(keys))] + "/0/0"}, []string{"~A/0/0"}
		}
		all := slices.Concat(few, more)
		r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		var mains []string
		if r.IntN(2) == 0 {
			mains = []string{main}
		}
		w, v := closedworld.New(few, isInternal, mains), closedworld.New(all, isInternal, mains)
		shuffled := slices.Clone(all)
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		u := closedworld.New(shuffled, isInternal, mains)
		for _, a := range keys {
			for _, b := range keys {
				if !w.Has(closedworld.Package(a)) || !w.Has(closedworld.Package(b)) {
					continue // of another world, whose findings are not asked for
				}
				p := []Pair{{A: entry(a), B: entry(b), Own: Own{Known: r.IntN(2) == 0}}}
				_, before := w.Refutes(p)
				_, after := v.Refutes(p)
				_, again := u.Refutes(p)
				if after && !before {
					t.Fatalf("%s and %s are refuted with more callers only\n%s\n%s", a, b, show(few), show(more))
				}
				if after != again {
					t.Fatalf("%s and %s: the order of the units matters\n%s", a, b, show(all))
				}
				if after {
					refuted++
				}
			}
		}
	}
	if refuted == 0 {
		t.Error("nothing was refuted")
	}
}

func show(units []*Unit) string {
	var b strings.Builder
	for _, u := range units {
		fmt.Fprintln(&b, u.Encode())
	}
	return b.String()
}

// TestMany: a function with very many contexts may be called by anybody.
func TestMany(t *testing.T) {
	var units []*Unit
	for i := range 300 {
		units = append(units, unit(fmt.Sprintf("m/internal/a%d", i), store, goes("a.go:1:1", closedworld.Often),
			Call{To: add, Own: own, Locks: []Lock{{Class: "m/internal/app#App.mu", Own: own}}}))
	}
	few := append([]*Unit{{Package: store}}, units[:3]...)
	if _, ok := closedworld.New(few, isInternal, nil).Refutes([]Pair{beside(add, add)}); !ok {
		t.Error("with few callers, all of which hold the lock, the finding is not refuted")
	}
	all := append([]*Unit{{Package: store}}, units...)
	if _, ok := closedworld.New(all, isInternal, nil).Refutes([]Pair{beside(add, add)}); ok {
		t.Error("beyond the bound, callers are dropped")
	}
}

// TestSort: a unit is the same in whatever order its calls were found.
func TestSort(t *testing.T) {
	a, b := goes("a.go:1:2", closedworld.Often), goes("b.go:1:2", closedworld.Often)
	one := &Unit{Roots: []Root{b, a}, Calls: []Call{{From: 0, To: add}, {From: 1, To: add, Own: own}, {From: 1, To: add}}}
	other := &Unit{Roots: []Root{a, b}, Calls: []Call{{From: 0, To: add}, {From: 0, To: add, Own: own}, {From: 1, To: add}}}
	one.Sort()
	other.Sort()
	if one.Encode() != other.Encode() || one.Roots[one.Calls[0].From] != a {
		t.Errorf("%s, but %s", one.Encode(), other.Encode())
	}
}

func TestParent(t *testing.T) {
	for path, want := range map[string]string{
		"m/internal": "m", "m/internal/a": "m", "m/a/internal/b": "m/a", "m/internal/a/internal/b": "m/internal/a", "m/internals/a": "-", "m": "-",
		"internal/a": "-", "internal": "-", "m/xinternal/a": "-",
	} {
		got, ok := closedworld.Parent(path)
		if !ok {
			got = "-"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
}
