package summary

import (
	"fmt"
	"go/types"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/callgraph"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/funcsum"
	"github.com/atomvet/atomvet/passes/internal/guards"
	"github.com/atomvet/atomvet/passes/internal/lockset"
	"github.com/atomvet/atomvet/passes/internal/process"
	"github.com/atomvet/atomvet/passes/internal/views"
)

// someSummary returns a summary with as many accesses and regions as there may be.
func someSummary(r *rand.Rand) *fact.FuncSummary {
	s := &fact.FuncSummary{Name: "f"}
	for i := range r.Intn(fact.MaxRegions) + 1 {
		path := accesspath.Path(fmt.Sprintf("p0.mu%d", i))
		s.Regions = append(s.Regions, fact.Region{Guard: lockset.Guard{Path: path, Class: "p#S.mu"}})
	}
	n := r.Intn(fact.MaxAccesses) + 1
	for i := range n {
		a := fact.Access{Op: fact.Write, Base: "p0", Loc: accesspath.Location(fmt.Sprintf("p#S.x%d", i))}
		if r.Intn(4) > 0 {
			one, other := r.Intn(len(s.Regions)), r.Intn(len(s.Regions))
			a.Regions = 1<<one | 1<<other
		}
		for j := range n {
			if r.Intn(8) == 0 {
				a.Data = append(a.Data, j)
			}
		}
		s.Accesses = append(s.Accesses, a)
	}
	s.Results = []fact.Result{{Reads: []int{0, n - 1}}}
	return s
}

// TestBounded: what a package exports of one function is bounded, and consists
// when the rest has been left out.
func TestBounded(t *testing.T) {
	r := rand.New(rand.NewSource(5))
	for range 100 {
		f := &process.Func{Body: &funcsum.Body{Sum: someSummary(r)}}
		graph := &callgraph.Graph{Pkg: types.NewPackage("p", "p")}
		all := &views.Views{
			Guards: &guards.Guards{Processes: &process.Processes{Summaries: &funcsum.Summaries{Graph: graph}}},
			Locs:   make(map[accesspath.Location]*fact.LocInfo),
		}
		for i, a := range f.Sum.Accesses {
			// A third of them are constant.
			all.Locs[a.Loc] = &fact.LocInfo{Writers: make([]fact.Writer, i%3)}
		}
		checkBounded(t, &Package{views: all}, f)
	}
}

func checkBounded(t *testing.T, p *Package, f *process.Func) {
	t.Helper()
	before := fact.EncodeOne(f.Sum)
	out := exporter{p.views}.outward(f)
	if fact.EncodeOne(f.Sum) != before {
		t.Fatal("what is exported changes what is known")
	}
	if n := len(out.Accesses); n > len(f.Sum.Accesses) || n > fact.MaxAccesses/2 {
		t.Errorf("%d accesses are exported", n)
	}
	if n := len(fact.EncodeOne(out)); n > 4096 {
		t.Errorf("a summary takes %d bytes", n)
	}
	// Whatever is left has its old meaning.
	for _, a := range out.Accesses {
		i := slices.IndexFunc(f.Sum.Accesses, func(b fact.Access) bool { return b.Loc == a.Loc })
		if i < 0 || p.Location(a.Loc).Constant() || a.Regions == 0 {
			t.Fatalf("%s is exported", a.Loc)
		}
		old := f.Sum.Accesses[i]
		if !reflect.DeepEqual(guardsIn(out, a.Regions), guardsIn(f.Sum, old.Regions)) {
			t.Errorf("%s is in regions %v, was in %v", a.Loc, guardsIn(out, a.Regions), guardsIn(f.Sum, old.Regions))
		}
		for _, j := range a.Data {
			k := slices.IndexFunc(f.Sum.Accesses, func(b fact.Access) bool { return b.Loc == out.Accesses[j].Loc })
			if !slices.Contains(old.Data, k) {
				t.Errorf("%s depends on %s, did not before", a.Loc, out.Accesses[j].Loc)
			}
		}
	}
	for _, i := range out.Results[0].Reads {
		if i >= len(out.Accesses) {
			t.Errorf("a result comes from access %d of %d", i, len(out.Accesses))
		}
	}
}

// guardsIn lists the guards of a set of regions.
func guardsIn(f *fact.FuncSummary, set uint64) []lockset.Guard {
	var list []lockset.Guard
	for i, r := range f.Regions {
		if set&(1<<i) != 0 {
			list = append(list, r.Guard)
		}
	}
	return list
}

// TestBoundedLocation: so is what it exports of one location.
func TestBoundedLocation(t *testing.T) {
	known := make(map[accesspath.Location]*fact.LocInfo)
	info := &fact.LocInfo{Loc: "p#S.x"}
	for i := range 100 {
		l := accesspath.Location(fmt.Sprintf("p#S.x%d", i))
		if i < 50 {
			known[l] = new(fact.LocInfo)
		}
		info.Writers = append(info.Writers, fact.Writer{Func: fmt.Sprint("f", i), Guards: []accesspath.Location{"p#S.mu"}})
		info.Joint = append(info.Joint, l)
		info.Together = append(info.Together, fact.TogetherWrite{Loc: l, Func: "f"})
	}
	info.Writers[77].Guards = nil
	out := outwardLocation(info, known)
	if len(out.Writers) > 8 || len(out.Together) > 8 || len(info.Writers) != 100 || len(info.Joint) != 100 || len(info.Together) != 100 {
		t.Errorf("%d writers and %d locations are exported", len(out.Writers), len(out.Together))
	}
	if !slices.ContainsFunc(out.Writers, func(w fact.Writer) bool { return len(w.Guards) == 0 }) {
		t.Error("the writer without a lock is left out")
	}
	for _, l := range out.Joint {
		if known[l] == nil {
			t.Errorf("%s is exported as joint, and is not known", l)
		}
	}
}
