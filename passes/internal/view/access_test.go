package view_test

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/view"
)

type access = view.Access[string]

func read(names string) access  { return access{Reads: vars(names)} }
func write(names string) access { return access{Writes: vars(names)} }
func both(names string) access  { return access{Reads: vars(names), Writes: vars(names)} }

func TestAccess(t *testing.T) {
	// The sets are parts of a longer one, as after an append: All must not
	// write behind their end.
	backing := vars("a,b,c,d")
	x := access{Reads: backing[:2], Writes: vars("b,e")}
	if got := x.All(); !slices.Equal(got, vars("a,b,e")) {
		t.Errorf("All() = %v", got)
	}
	if !slices.Equal(backing, vars("a,b,c,d")) {
		t.Errorf("All writes to its operands: %v", backing)
	}
	thread := []access{x, read("y"), write("z"), {}}
	if got, want := view.Reads(thread), []set{vars("a,b"), vars("y"), nil, nil}; !equal(got, want) {
		t.Errorf("reads %v, want %v", got, want)
	}
	if got, want := view.Writes(thread), []set{vars("b,e"), nil, vars("z"), nil}; !equal(got, want) {
		t.Errorf("writes %v, want %v", got, want)
	}
}

func TestAccessConflicts(t *testing.T) {
	type conflicts []view.AccessConflict[string]
	readApart := func(thread, other int, m string) view.AccessConflict[string] {
		return view.AccessConflict[string]{Conflict: conflict{thread, other, vars(m)}, SplitRead: true}
	}
	writtenApart := func(thread, other int, m string) view.AccessConflict[string] {
		return view.AccessConflict[string]{Conflict: conflict{thread, other, vars(m)}}
	}
	// The daemon and the task of the Remote Agent.
	task := []access{write("value"), write("achieved")}
	daemon := []access{read("value,achieved,state")}
	// A runner of Jigsaw: check, lookup and shutdown.
	runner := []access{read("closed"), both("entries"), write("closed,entries")}
	// A supplier of Store: isConsistent, incNumber and setSoldOut.
	supplier := []access{read("n,soldOut"), both("n"), write("soldOut")}

	for _, test := range []struct {
		name    string
		threads [][]access
		// apart lists the threads in which what is read never comes together.
		apart []int
		want  conflicts
	}{
		{name: "no threads"},
		{name: "one thread alone", threads: [][]access{{both("x,y"), both("x"), both("y")}}},
		{
			// Two that only read do not disturb each other: t4 is no
			// longer in conflict with t3.
			name: "coordinates",
			threads: [][]access{
				t1: {write("x,y")},
				t2: {read("x")},
				t3: {read("x"), read("y")},
				t4: {read("x"), read("x,y")},
			},
			want: conflicts{readApart(t1, t3, "x,y")},
		},
		{
			name:    "coordinates, each for itself",
			threads: [][]access{t1: {write("x,y")}, t2: {read("x"), read("y")}},
			apart:   []int{t2},
		},
		{
			// What counts is the relation of the thread that reads apart.
			name:    "coordinates, the writer's relation",
			threads: [][]access{t1: {write("x,y")}, t2: {read("x"), read("y")}},
			apart:   []int{t1},
			want:    conflicts{readApart(t1, t2, "x,y")},
		},
		{
			// Of two readers, only the one that combines is hit.
			name:    "coordinates, two readers",
			threads: [][]access{t1: {read("x"), read("y")}, t2: {write("x,y")}, t3: {read("y"), read("x")}},
			apart:   []int{t1},
			want:    conflicts{readApart(t2, t3, "x,y")},
		},
		{name: "readers", threads: [][]access{{read("x,y")}, {read("x"), read("y")}}},
		{
			// Of two writers the last one wins, and nobody looks.
			name:    "writers",
			threads: [][]access{{write("x,y")}, {write("x"), write("y")}},
		},
		{
			name:    "NASA",
			threads: [][]access{t1: task, t2: daemon},
			want:    conflicts{writtenApart(t2, t1, "value,achieved,state")},
		},
		{
			// Writes are not correlated: somebody else sees them together.
			name:    "NASA, each for itself",
			threads: [][]access{t1: task, t2: daemon},
			apart:   []int{t1, t2},
			want:    conflicts{writtenApart(t2, t1, "value,achieved,state")},
		},
		{
			name:    "NASA, three tasks",
			threads: [][]access{task, daemon, task, task},
			want: conflicts{
				writtenApart(1, 0, "value,achieved,state"),
				writtenApart(1, 2, "value,achieved,state"),
				writtenApart(1, 3, "value,achieved,state"),
			},
		},
		{
			// The daemon looks at the value only of what is achieved.
			name:    "NASA, short circuit",
			threads: [][]access{t1: task, t2: {read("achieved"), daemon[0]}},
			want:    conflicts{writtenApart(t2, t1, "value,achieved,state")},
		},
		{name: "NASA, written at once", threads: [][]access{t1: {write("value,achieved")}, t2: daemon}},
		{
			name:    "swap and reset",
			threads: [][]access{t1: {both("x,y")}, t2: {write("x"), write("y")}},
			want:    conflicts{writtenApart(t1, t2, "x,y")},
		},
		{
			name:    "Jigsaw",
			threads: [][]access{t1: runner, t2: runner},
			want:    conflicts{readApart(t1, t2, "closed,entries"), readApart(t2, t1, "closed,entries")},
		},
		{
			name:    "Store",
			threads: [][]access{t1: supplier, t2: supplier},
			want:    conflicts{writtenApart(t1, t2, "n,soldOut"), writtenApart(t2, t1, "n,soldOut")},
		},
		{name: "get and set", threads: [][]access{t1: {read("n"), write("n")}, t2: {read("n"), write("n")}}},
		{
			// Read apart and written apart are two conflicts.
			name:    "both",
			threads: [][]access{t1: {both("x,y")}, t2: {both("x"), both("y")}},
			want:    conflicts{readApart(t1, t2, "x,y"), writtenApart(t1, t2, "x,y")},
		},
		{
			name:    "both, each for itself",
			threads: [][]access{t1: {both("x,y")}, t2: {both("x"), both("y")}},
			apart:   []int{t2},
			want:    conflicts{writtenApart(t1, t2, "x,y")},
		},
		{
			// Written together are x and y only, and only they count.
			name:    "reads beside the writes",
			threads: [][]access{t1: {{Reads: vars("z"), Writes: vars("x,y")}}, t2: {read("x"), read("z")}},
		},
		{
			name:    "two maximal views",
			threads: [][]access{t1: {write("w,x"), write("y,z"), write("z")}, t2: {read("w"), read("x,y"), read("z")}},
			want:    conflicts{readApart(t1, t2, "w,x"), readApart(t1, t2, "y,z"), writtenApart(t2, t1, "x,y")},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := view.AccessConflicts(test.threads, func(thread int) view.Correlated[string] {
				if !slices.Contains(test.apart, thread) {
					return nil
				}
				return func(string, string) bool { return false }
			})
			same := func(x, y view.AccessConflict[string]) bool {
				return x.SplitRead == y.SplitRead && sameConflict(x.Conflict, y.Conflict)
			}
			if !slices.EqualFunc(got, test.want, same) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSplitReads(t *testing.T) {
	type split = view.Split[string]
	for _, test := range []struct {
		name     string
		m, views string
		related  []string // pairs
		want     []split
	}{
		{"correlated", "x,y", "x y", []string{"x,y"}, []split{{0, 1, vars("x"), vars("y")}}},
		{"in another order", "x,y", "y x", []string{"x,y"}, []split{{0, 1, vars("y"), vars("x")}}},
		{"not correlated", "x,y", "x y", nil, nil},
		{"correlated with something else", "x,y", "x y z", []string{"x,z", "y,z"}, nil},
		{"correlated in one view", "w,x,y,z", "w,x y,z", []string{"w,x", "y,z"}, nil},
		{"one pair", "w,x,y,z", "w,x y,z", []string{"x,y"}, []split{{0, 1, vars("x"), vars("y")}}},
		{"two with one", "w,x,y,z", "w,x y,z", []string{"x,y", "w,y"}, []split{{0, 1, vars("w,x"), vars("y")}}},
		{"one with two", "w,x,y,z", "w,x y,z", []string{"x,y", "x,z"}, []split{{0, 1, vars("x"), vars("y,z")}}},
		{"crosswise", "w,x,y,z", "w,x y,z", []string{"x,y", "w,z"}, []split{{0, 1, vars("w,x"), vars("y,z")}}},
		{"some views", "x,y,z", "x y z", []string{"x,z"}, []split{{0, 2, vars("x"), vars("z")}}},
		// Both views have the z that x and y are correlated with.
		{"in both", "x,y,z", "x,z y,z", []string{"x,z", "y,z"}, nil},
		{"not written together", "x,y", "x,w y,z", []string{"w,z"}, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			related := func(x, y string) bool {
				return slices.Contains(test.related, x+","+y) || slices.Contains(test.related, y+","+x)
			}
			got := view.SplitReads(vars(test.m), views(test.views), related)
			if !slices.EqualFunc(got, test.want, sameSplit) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestSplitWrites(t *testing.T) {
	got := view.SplitWrites(vars("value,achieved,state"), views("value achieved"))
	want := []view.Split[string]{{I: 0, J: 1, X: vars("value"), Y: vars("achieved")}}
	if !slices.EqualFunc(got, want, sameSplit) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := view.SplitWrites(vars("value,achieved,state"), views("value value,achieved")); len(got) > 0 {
		t.Errorf("a chain: got %v", got)
	}
}

// TestSplitReadsLaws checks that a relation only takes away: all of it nothing,
// none of it everything.
func TestSplitReadsLaws(t *testing.T) {
	r := rand.New(rand.NewSource(7))
	constant := func(all bool) view.Correlated[int] { return func(int, int) bool { return all } }
	for range rounds {
		m, views := randomSet(r), randomViews(r)
		splits := view.Splits(m, views)
		if got := view.SplitReads(m, views, nil); !slices.EqualFunc(got, splits, sameSplit) {
			t.Fatalf("without a relation: %v, want %v", got, splits)
		}
		if got := view.SplitReads(m, views, constant(true)); !slices.EqualFunc(got, splits, sameSplit) {
			t.Fatalf("all correlated: %v, want %v", got, splits)
		}
		if got := view.SplitReads(m, views, constant(false)); len(got) > 0 {
			t.Fatalf("none correlated: %v", got)
		}

		var relation [universe][universe]bool
		for x := range universe {
			for y := range x {
				relation[x][y] = r.Intn(4) == 0
				relation[y][x] = relation[x][y]
			}
		}
		var want []view.Split[int]
		for _, s := range splits {
			x := members(func(v int) bool {
				return s.X.Contains(v) && slices.ContainsFunc(s.Y, func(w int) bool { return relation[v][w] })
			})
			y := members(func(w int) bool {
				return s.Y.Contains(w) && slices.ContainsFunc(s.X, func(v int) bool { return relation[v][w] })
			})
			if len(x) > 0 {
				want = append(want, view.Split[int]{I: s.I, J: s.J, X: x, Y: y})
			}
		}
		got := view.SplitReads(m, views, func(x, y int) bool { return relation[x][y] })
		if !slices.EqualFunc(got, want, sameSplit) {
			t.Fatalf("%v, correlated by %v: got %v, want %v", splits, relation, got, want)
		}
	}
}

// TestAccessConflictsLaws checks that telling reads and writes apart changes
// nothing where all is read and written, and leaves nothing where all is only
// read, or only written.
func TestAccessConflictsLaws(t *testing.T) {
	r := rand.New(rand.NewSource(8))
	all := func(int) view.Correlated[int] { return nil }
	for range rounds {
		var threads [][]view.Set[int]
		var both, reads, writes [][]view.Access[int]
		for range 3 {
			views := randomViews(r)
			threads = append(threads, views)
			var rw, ro, wo []view.Access[int]
			for _, s := range views {
				rw = append(rw, view.Access[int]{Reads: s, Writes: s})
				ro = append(ro, view.Access[int]{Reads: s})
				wo = append(wo, view.Access[int]{Writes: s})
			}
			both, reads, writes = append(both, rw), append(reads, ro), append(writes, wo)
		}
		want := fmt.Sprint(view.Conflicts(threads))
		for _, splitRead := range []bool{true, false} {
			var got []view.Conflict[int]
			for _, c := range view.AccessConflicts(both, all) {
				if c.SplitRead == splitRead {
					got = append(got, c.Conflict)
				}
			}
			if got := fmt.Sprint(got); got != want {
				t.Fatalf("%v, read apart %t: %s, want %s", threads, splitRead, got, want)
			}
		}
		if got := view.AccessConflicts(reads, all); len(got) > 0 {
			t.Fatalf("nobody writes: %v", got)
		}
		if got := view.AccessConflicts(writes, all); len(got) > 0 {
			t.Fatalf("nobody reads: %v", got)
		}
	}
}
