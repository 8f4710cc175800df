package view_test

import (
	"math/rand"
	"slices"
	"strings"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/view"
)

type (
	set      = view.Set[string]
	conflict = view.Conflict[string]
)

// The threads of the examples below, by their letter or by their number.
const (
	a = iota
	b
	c
	d
	e
)
const (
	t1 = iota
	t2
	t3
	t4
)

// vars returns a set of variables, such as "x,y".
func vars(names string) set {
	if names == "" {
		return nil
	}
	return view.Of(strings.Split(names, ",")...)
}

// views returns the views of a thread, such as "x,y x y".
func views(sections string) []set {
	var out []set
	for section := range strings.FieldsSeq(sections) {
		out = append(out, vars(section))
	}
	return out
}

func TestConflicts(t *testing.T) {
	for _, test := range []struct {
		name    string
		threads []string
		want    []conflict
	}{
		{name: "no threads"},
		{name: "one thread alone", threads: []string{"x,y x y"}},
		{name: "no views", threads: []string{"", "x,y", "x y"}, want: []conflict{{b, c, vars("x,y")}}},

		// Artho et al., table I.
		{name: "example 1", threads: []string{"x y", "x y"}},
		{name: "example 2", threads: []string{"x,y", "x y"}, want: []conflict{{a, b, vars("x,y")}}},
		{name: "example 3", threads: []string{"x,y x y", "x y"}, want: []conflict{{a, b, vars("x,y")}}},
		{name: "example 4", threads: []string{"x,y,z", "x,y x"}},

		// Table II.
		{name: "example 5", threads: []string{c: "x,y", d: "x", e: "x y"}, want: []conflict{{c, e, vars("x,y")}}},
		{name: "example 6", threads: []string{c: "x,y", d: "x", e: "y"}},
		{name: "example 7", threads: []string{c: "x,y x y", d: "y,z y z", e: "z,x z x"}},
		{
			// The table has only the first conflict. But c has {x} and
			// {y,z}, which takes the {z,x} of e apart.
			name:    "example 8",
			threads: []string{c: "x,y x y,z", d: "y,z y z", e: "z,x z x"},
			want:    []conflict{{c, d, vars("y,z")}, {e, c, vars("x,z")}},
		},

		{
			// Figure 4. The second conflict is between two readers, which
			// this definition does not know.
			name:    "coordinates",
			threads: []string{t1: "x,y", t2: "x", t3: "x y", t4: "x x,y"},
			want:    []conflict{{t1, t3, vars("x,y")}, {t4, t3, vars("x,y")}},
		},
		{
			// A method that accesses 1 on some paths only makes {2,3} of
			// {1,2,3}: the paper's false alarm.
			name:    "elevator",
			threads: []string{t1: "1,3 3 2,3", t2: "1,2,3"},
			want:    []conflict{{t2, t1, vars("1,2,3")}},
		},
		{name: "elevator, all paths", threads: []string{t1: "1,3 3 1,2,3", t2: "1,2,3"}},
		{
			name:    "NASA",
			threads: []string{t1: "value achieved", t2: "value,achieved,state"},
			want:    []conflict{{t2, t1, vars("value,achieved,state")}},
		},
		{
			// The daemon looks at the value only of what is achieved.
			name:    "NASA, short circuit",
			threads: []string{t1: "value achieved", t2: "achieved achieved,value,state"},
			want:    []conflict{{t2, t1, vars("value,achieved,state")}},
		},
		{name: "NASA, values only", threads: []string{t1: "value achieved", t2: "value,state achieved,state"}},
		{
			name:    "swap and reset",
			threads: []string{t1: "x,y", t2: "x y"},
			want:    []conflict{{t1, t2, vars("x,y")}},
		},
		{
			// Two threads of the same function take each other's views
			// apart, but none its own.
			name:    "Jigsaw",
			threads: []string{t1: "closed entries closed,entries", t2: "closed entries closed,entries"},
			want:    []conflict{{t1, t2, vars("closed,entries")}, {t2, t1, vars("closed,entries")}},
		},

		// The same variables in every section are never taken apart, even
		// if an update is lost in between.
		{name: "get and set", threads: []string{t1: "n n", t2: "n n"}},
		// getMax and getMin read the flag and one of two fields. If the
		// paths are not told apart, both seem to use all of them.
		{name: "branches, together", threads: []string{t1: "min,max,flag min,max,flag", t2: "min,max,flag"}},
		{
			name:    "branches, apart",
			threads: []string{t1: "min,flag max,flag", t2: "min,max,flag"},
			want:    []conflict{{t2, t1, vars("min,max,flag")}},
		},

		{
			// Every maximal view counts, and each once.
			name:    "two maximal views",
			threads: []string{a: "w,x y,z y y,z", b: "w x y z"},
			want:    []conflict{{a, b, vars("w,x")}, {a, b, vars("y,z")}},
		},
		{
			name:    "apart by each other",
			threads: []string{a: "x,y z", b: "x y,z"},
			want:    []conflict{{a, b, vars("x,y")}, {b, a, vars("y,z")}},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var threads [][]set
			for _, sections := range test.threads {
				threads = append(threads, views(sections))
			}
			got := view.Conflicts(threads)
			if !slices.EqualFunc(got, test.want, sameConflict) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func sameConflict(x, y conflict) bool {
	return x.Thread == y.Thread && x.Other == y.Other && slices.Equal(x.Maximal, y.Maximal)
}

func TestMaximal(t *testing.T) {
	for _, test := range []struct{ views, want string }{
		{"", ""},
		{"x", "x"},
		{"x y", "x y"},
		{"y x", "y x"},
		{"x x", "x"},
		{"x x,y", "x,y"},
		{"x,y x", "x,y"},
		{"x x,y x,y,z", "x,y,z"},
		{"x,y y,z x z", "x,y y,z"},
		{"y,z y x,y z,y", "y,z x,y"},
	} {
		if got := view.Maximal(views(test.views)); !equal(got, views(test.want)) {
			t.Errorf("%s: got %v, want %s", test.views, got, test.want)
		}
	}
	// A section without variables contains nothing, but is contained.
	if got := view.Maximal([]set{nil, vars("x"), nil}); !equal(got, views("x")) {
		t.Errorf("an empty view is maximal: %v", got)
	}
}

func TestSplits(t *testing.T) {
	type split = view.Split[string]
	for _, test := range []struct {
		m, views string
		want     []split
	}{
		{"x,y", "x y", []split{{0, 1, vars("x"), vars("y")}}},
		{"x,y", "y x", []split{{0, 1, vars("y"), vars("x")}}},
		{"x,y", "x x,y", nil},
		{"x,y", "x,y x", nil},
		{"x,y", "x z", nil},
		{"x", "x,y x,z", nil},
		{"", "x y", nil},
		// Only what is in m has been used together.
		{"x,y", "x,z y,w", []split{{0, 1, vars("x"), vars("y")}}},
		// What both have is not taken apart.
		{"1,2,3", "1,3 3 2,3", []split{{0, 2, vars("1"), vars("2")}}},
		{"x,y", "x x,y y x", []split{{0, 2, vars("x"), vars("y")}, {2, 3, vars("y"), vars("x")}}},
	} {
		got := view.Splits(vars(test.m), views(test.views))
		if !slices.EqualFunc(got, test.want, sameSplit) {
			t.Errorf("%s taken apart by %s: got %v, want %v", test.m, test.views, got, test.want)
		}
	}
}

func sameSplit[V int | string](x, y view.Split[V]) bool {
	return x.I == y.I && x.J == y.J && slices.Equal(x.X, y.X) && slices.Equal(x.Y, y.Y)
}

// The laws below are checked on sets of few variables, so that they have much
// in common.
const (
	universe = 5
	rounds   = 20000
)

func equal[V int | string](x, y []view.Set[V]) bool {
	return slices.EqualFunc(x, y, slices.Equal[view.Set[V]])
}

// members returns the variables of the universe that have the property.
func members(has func(v int) bool) view.Set[int] {
	var out view.Set[int]
	for v := range universe {
		if has(v) {
			out = append(out, v)
		}
	}
	return out
}

func randomSet(r *rand.Rand) view.Set[int] {
	return members(func(int) bool { return r.Intn(2) == 0 })
}

func randomViews(r *rand.Rand) []view.Set[int] {
	out := make([]view.Set[int], r.Intn(5))
	for i := range out {
		out[i] = randomSet(r)
	}
	return out
}

// randomChain returns sets of which one contains the other, in any order.
func randomChain(r *rand.Rand) []view.Set[int] {
	order := r.Perm(universe)
	out := make([]view.Set[int], r.Intn(6))
	for i := range out {
		out[i] = view.Of(order[:r.Intn(universe+1)]...)
	}
	return out
}

// TestSetModel compares the operations with those on maps.
func TestSetModel(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	random := func() (list []int, in map[int]bool) {
		in = make(map[int]bool)
		for range r.Intn(universe + 2) {
			v := r.Intn(universe)
			list = append(list, v)
			in[v] = true
		}
		return list, in
	}
	for range rounds {
		list, inS := random()
		given := slices.Clone(list)
		s := view.Of(list...)
		if !slices.Equal(list, given) {
			t.Fatalf("Of changes its argument %v to %v", given, list)
		}
		other, inT := random()
		u := view.Of(other...)
		modelS := members(func(v int) bool { return inS[v] })
		modelT := members(func(v int) bool { return inT[v] })
		if !slices.Equal(s, modelS) {
			t.Fatalf("Of(%v) = %v, want %v", list, s, modelS)
		}
		for v := -1; v <= universe; v++ {
			if s.Contains(v) != inS[v] {
				t.Fatalf("%v contains %d: %t", s, v, s.Contains(v))
			}
		}
		if got, want := s.Intersect(u), members(func(v int) bool { return inS[v] && inT[v] }); !slices.Equal(got, want) {
			t.Fatalf("%v in both %v and %v, want %v", got, s, u, want)
		}
		minus := members(func(v int) bool { return inS[v] && !inT[v] })
		if got := s.Minus(u); !slices.Equal(got, minus) {
			t.Fatalf("%v in %v but not in %v, want %v", got, s, u, minus)
		}
		if got, want := s.SubsetOf(u), len(minus) == 0; got != want {
			t.Fatalf("%v is a subset of %v: %t", s, u, got)
		}
		if !slices.Equal(s, modelS) || !slices.Equal(u, modelT) {
			t.Fatalf("%v and %v have become %v and %v", modelS, modelT, s, u)
		}
	}
}

// TestMaximalLaws checks that the maximal views stand for all: none of them can
// go, and none of the others is missed.
func TestMaximalLaws(t *testing.T) {
	r := rand.New(rand.NewSource(2))
	for range rounds {
		views := randomViews(r)
		maximal := view.Maximal(views)
		for i, s := range maximal {
			for j, u := range maximal {
				if i != j && s.SubsetOf(u) {
					t.Fatalf("%v: %v is in %v, both are maximal", views, s, u)
				}
			}
		}
		for _, s := range views {
			if !slices.ContainsFunc(maximal, s.SubsetOf) {
				t.Fatalf("%v: %v is in none of %v", views, s, maximal)
			}
		}
		rest := views
		for _, s := range maximal {
			i := slices.IndexFunc(rest, func(u view.Set[int]) bool { return slices.Equal(s, u) })
			if i < 0 {
				t.Fatalf("%v: %v is none of them, or not in their order", views, s)
			}
			rest = rest[i+1:]
		}
		if again := view.Maximal(maximal); !equal(again, maximal) {
			t.Fatalf("maximal of %v are %v", maximal, again)
		}
	}
}

// TestChainLaws checks that sets form a chain if, sorted by size, each is in the
// next, however they were given.
func TestChainLaws(t *testing.T) {
	r := rand.New(rand.NewSource(3))
	for range rounds {
		sets := randomViews(r)
		sorted := slices.SortedFunc(slices.Values(sets), func(x, y view.Set[int]) int { return len(x) - len(y) })
		want := true
		for i := 1; i < len(sorted); i++ {
			want = want && sorted[i-1].SubsetOf(sorted[i])
		}
		if got := view.Chain(sets); got != want {
			t.Fatalf("%v is a chain: %t", sets, got)
		}
		permuted := make([]view.Set[int], len(sets))
		for i, j := range r.Perm(len(sets)) {
			permuted[i] = sets[j]
		}
		if got := view.Chain(permuted); got != want {
			t.Fatalf("%v is a chain: %t, but %v: %t", sets, want, permuted, got)
		}
		if chain := randomChain(r); !view.Chain(chain) {
			t.Fatalf("%v is no chain", chain)
		}
	}
}

// TestOverlapLaws checks that the overlaps are what the views have of m.
func TestOverlapLaws(t *testing.T) {
	r := rand.New(rand.NewSource(4))
	for range rounds {
		m, views := randomSet(r), randomViews(r)
		overlap := view.Overlap(m, views)
		for _, o := range overlap {
			if len(o) == 0 || !o.SubsetOf(m) {
				t.Fatalf("overlap %v of %v with %v", o, views, m)
			}
		}
		i := 0
		for _, s := range views {
			want := members(func(v int) bool { return m.Contains(v) && s.Contains(v) })
			if len(want) == 0 {
				continue
			}
			if i == len(overlap) || !slices.Equal(overlap[i], want) {
				t.Fatalf("%v is missing in the overlaps %v of %v with %v", want, overlap, views, m)
			}
			i++
		}
		if i != len(overlap) {
			t.Fatalf("overlaps %v of %v with %v", overlap, views, m)
		}
	}
}

// TestSplitsLaws checks that the splits are a proof of what Compatible says.
func TestSplitsLaws(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range rounds {
		m, views := randomSet(r), randomViews(r)
		splits := view.Splits(m, views)
		compatible := view.Compatible(m, views)
		if (len(splits) == 0) != compatible {
			t.Fatalf("%v compatible with %v: %t, but splits are %v", views, m, compatible, splits)
		}
		// Every pair that is no chain, and only it.
		for j := range views {
			for i := range j {
				got := slices.DeleteFunc(slices.Clone(splits), func(s view.Split[int]) bool { return s.I != i || s.J != j })
				s, u := views[i], views[j]
				x := members(func(v int) bool { return m.Contains(v) && s.Contains(v) && !u.Contains(v) })
				y := members(func(v int) bool { return m.Contains(v) && u.Contains(v) && !s.Contains(v) })
				var want []view.Split[int]
				if len(x) > 0 && len(y) > 0 {
					want = []view.Split[int]{{I: i, J: j, X: x, Y: y}}
				}
				if !slices.EqualFunc(got, want, sameSplit) {
					t.Fatalf("%v and %v take %v apart: got %v, want %v", s, u, m, got, want)
				}
			}
		}
		for _, s := range splits {
			if s.I < 0 || s.I >= s.J || s.J >= len(views) {
				t.Fatalf("splits of %v by %v: %v", m, views, splits)
			}
		}
		// A part of m is not easier to take apart.
		if part := m.Intersect(randomSet(r)); compatible && !view.Compatible(part, views) {
			t.Fatalf("%v is compatible with %v, but not with %v", views, m, part)
		}
		// A chain takes nothing apart.
		if chain := randomChain(r); len(view.Splits(m, chain)) > 0 {
			t.Fatalf("the chain %v takes %v apart", chain, m)
		}
	}
}

// TestConflictsLaws checks that the maximal views are enough to look at, and that
// whether two threads conflict does not depend on the others.
func TestConflictsLaws(t *testing.T) {
	r := rand.New(rand.NewSource(6))
	for range rounds {
		threads := [][]view.Set[int]{randomViews(r), randomViews(r), randomViews(r)}
		conflicts := view.Conflicts(threads)
		for i, u := range threads {
			for j, w := range threads {
				var got []view.Set[int]
				for _, c := range conflicts {
					if c.Thread == i && c.Other == j {
						got = append(got, c.Maximal)
					}
				}
				var want []view.Set[int]
				if i != j {
					for _, m := range u {
						if !view.Compatible(m, w) {
							want = append(want, m)
						}
					}
				}
				// A view above one that is taken apart is so, too.
				if want = view.Maximal(want); !equal(got, want) {
					t.Fatalf("%v: %d takes apart %v of %d, want %v", threads, j, got, i, want)
				}
			}
		}
	}
}
