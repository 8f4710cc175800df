package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A merger turns the events of a function into the accesses of its summary.
type merger struct {
	s       *fact.FuncSummary
	regions map[PassageID]int
	byKey   map[accessKey]int
}

type accessKey struct {
	op      fact.Op
	loc     accesspath.Location
	base    accesspath.Path
	key     accesspath.Key
	regions uint64
}

func newMerger(s *fact.FuncSummary) *merger {
	return &merger{s: s, regions: make(map[PassageID]int), byKey: make(map[accessKey]int)}
}

// region returns the bit of the region that a hold is a passage through.
func (m *merger) region(h Hold, pos fact.Pos) uint64 {
	key := h.Passage()
	i, ok := m.regions[key]
	if !ok && h.origin != "" {
		i = m.alike(h)
		ok = i >= 0
		if ok {
			m.regions[key] = i
		}
	}
	if !ok {
		if len(m.s.Regions) >= fact.MaxRegions {
			return 0
		}
		i = len(m.s.Regions)
		m.regions[key] = i
		g := h.Guard
		if g.Path.IsLocal() {
			g.Path = accesspath.Unknown
		}
		m.s.Regions = append(m.s.Regions, fact.Region{Guard: g, Entry: !h.Inner && len(h.Sites) == 1 && h.Sites[0] == lockset.Entry, Pos: pos})
	}
	return 1 << i
}

// alike returns the region that begins where h does, or -1. A function that calls itself
// has the passages of all its calls in one: told apart, they would grow from round to
// round.
func (m *merger) alike(h Hold) int {
	return slices.IndexFunc(m.s.Regions, func(r fact.Region) bool {
		return r.Path == h.Path && r.Mode == h.Mode && r.Pos.Text == h.origin
	})
}

// merge fills in the accesses, and returns the access of each event, -1 if it
// was left out. Of the reads only those are kept from which a result, given by
// its reads, or a write depends: nothing else of a read leaves the function.
func (m *merger) merge(events []*Event, results [][]int) []int {
	index := make([]int, len(events))
	add := func(i int, e *Event) {
		k := accessKey{op: e.Op, loc: e.Loc, base: e.Base, key: e.Key}
		if k.base.IsLocal() {
			k.base = accesspath.Unknown
		}
		k.key = k.key.Substitute(func(root accesspath.Path) accesspath.Path {
			if root.IsLocal() {
				return accesspath.Unknown
			}
			return root
		})
		for _, h := range e.Holds {
			k.regions |= m.region(h, e.Pos)
		}
		traits := e.Traits.With(fact.Looked, e.Traits.Has(fact.Looked) || e.asked)
		j, ok := m.byKey[k]
		if !ok {
			if len(m.s.Accesses) >= fact.MaxAccesses {
				index[i] = -1
				return
			}
			j = len(m.s.Accesses)
			m.byKey[k] = j
			m.s.Accesses = append(m.s.Accesses, fact.Access{
				Op: k.op, Loc: k.loc, Base: k.base, Key: k.key, Regions: k.regions,
				Traits: traits, Const: e.Const, Depth: e.passageDepth(), Pos: e.Pos,
			})
		}
		a := &m.s.Accesses[j]
		a.DataParams |= e.dataParams
		a.ControlParams |= e.ctrlParams
		a.AddedParams |= e.addedParams
		a.Traits &= traits
		a.Depth = min(a.Depth, e.passageDepth())
		if a.Const != e.Const {
			a.Const = ""
		}
		index[i] = j
	}
	// Writes first: they are what must not be left out.
	for i, e := range events {
		if e.Writes() {
			add(i, e)
		}
	}
	for i, e := range events {
		if !e.Writes() {
			index[i] = -1
		}
	}
	keep := func(reads []int) {
		for _, i := range reads {
			// What is local no caller can name.
			if e := events[i]; !e.Writes() && index[i] < 0 && !e.Base.IsLocal() {
				add(i, e)
			}
		}
	}
	for _, reads := range results {
		keep(reads)
	}
	for i, e := range events {
		if e.Writes() && index[i] >= 0 {
			keep(e.Control)
			keep(e.Data)
		}
	}
	seen := make(map[int]bool, len(m.s.Accesses))
	for i, e := range events {
		if index[i] < 0 || !e.Writes() {
			continue
		}
		a := &m.s.Accesses[index[i]]
		data, control := mapped(e.Data, index), mapped(e.Control, index)
		if seen[index[i]] {
			// Two writes that are one access: a check counts only if it
			// decides about both, a dependence if either has it.
			a.Data = Union(a.Data, data)
			a.Control = intersect(a.Control, control)
			continue
		}
		seen[index[i]] = true
		a.Data, a.Control = data, control
	}
	return index
}

func mapped(events []int, index []int) []int {
	var out []int
	for _, e := range events {
		if index[e] >= 0 {
			out = append(out, index[e])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func Union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

func intersect(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return !slices.Contains(b, x) })
}
