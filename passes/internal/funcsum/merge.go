package funcsum

import (
	"slices"

	"github.com/atomvet/atomvet/passes/internal/accesspath"
	"github.com/atomvet/atomvet/passes/internal/fact"
	"github.com/atomvet/atomvet/passes/internal/limit"
	"github.com/atomvet/atomvet/passes/internal/lockset"
)

// A merger converts the accesses of a function to those of its summary.
type merger struct {
	f       *Body
	s       *fact.FuncSummary
	limits  *limit.Record
	regions map[sectionKey]int
	byKey   map[accessKey]int
	// makesOneCall says that the function has no conditions and makes one call.
	makesOneCall bool
}

// depth returns the Depth of an access for the callers of the function.
func (m *merger) depth(e *Event) uint8 {
	if e.Callee != nil && m.makesOneCall {
		return e.Callee.Accesses[e.Index].Depth
	}
	return e.passageDepth()
}

// A sectionKey identifies a critical section of the summary. If the function releases a lock of its
// caller and acquires it again, accesses after the last release are in another section than those
// before it.
type sectionKey struct {
	PassageID
	lasts bool
}

// An accessKey is what merged accesses have in common.
type accessKey struct {
	op      fact.Op
	loc     accesspath.Location
	base    accesspath.Path
	key     accesspath.Key
	regions uint64
	// with and without are those of the Event.
	with, without uint32
}

func newMerger(f *Body, s *fact.FuncSummary, limits *limit.Record) *merger {
	return &merger{f: f, s: s, limits: limits, regions: make(map[sectionKey]int), byKey: make(map[accessKey]int), makesOneCall: makesOneCall(f.Fn)}
}

// lasts reports whether an access lies in a section of the caller's that the function ends and
// begins anew, but not after the access.
func (m *merger) lasts(e *Event, h Hold) bool {
	return !h.Inner && slices.ContainsFunc(m.s.Effects, func(op lockset.Op) bool {
		return op.Kind == lockset.Split && op.Guard.Path == h.Path
	}) && m.f.Order().Lasts(e, h.Path)
}

// region returns the bit of the critical section of a hold in the summary, which it adds if
// it is new.
func (m *merger) region(h Hold, lasts bool, pos fact.Pos) uint64 {
	key := sectionKey{h.Passage(), lasts}
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
			m.limits.Add(m.s.Name, "Regions")
			return 0
		}
		i = len(m.s.Regions)
		m.regions[key] = i
		g := h.Guard
		if g.Path.IsLocal() {
			g.Path = accesspath.Unknown
		}
		m.s.Regions = append(m.s.Regions, fact.Region{
			Guard: g, Entry: !h.Inner && len(h.Sites) == 1 && h.Sites[0] == lockset.Entry, Open: lasts, Pos: pos,
		})
	}
	return 1 << i
}

// alike returns the index of the critical section with the path, mode and origin of h, or
// -1. In a recursive function, one call contains the critical sections of all nested calls:
// as separate ones, their number would grow with each round.
func (m *merger) alike(h Hold) int {
	return slices.IndexFunc(m.s.Regions, func(r fact.Region) bool {
		return r.Path == h.Path && r.Mode == h.Mode && r.Pos.Text == h.origin
	})
}

// merge sets the accesses of the summary, and returns the index there of each element of
// events, -1 if it was left out. A read is left out unless a result or a write depends on
// it, or the function awaits it: other reads have no influence on a caller. results has, for
// each result, the reads that it depends on.
func (m *merger) merge(events []*Event, results [][]int) []int {
	index := make([]int, len(events))
	// Writes have priority within the bound.
	for i, e := range events {
		index[i] = -1
		if e.Writes() {
			index[i] = m.add(e)
		}
	}
	keep := func(reads []int) {
		for _, i := range reads {
			// Callers have no path for a local object.
			if e := events[i]; !e.Writes() && index[i] < 0 && !e.Base.IsLocal() {
				index[i] = m.add(e)
			}
		}
	}
	for _, reads := range results {
		keep(reads)
	}
	for i, e := range events {
		if e.Awaited() {
			keep([]int{i})
		}
	}
	for i, e := range events {
		if e.Writes() && index[i] >= 0 {
			keep(e.Control)
			keep(e.Data)
		}
	}
	m.link(events, index)
	return index
}

// add adds an access to the summary, or merges it with one of the same key. It returns the index there, -1 if it was left
// out.
func (m *merger) add(e *Event) int {
	k := m.keyOf(e)
	traits := e.Traits.With(fact.Looked, e.Traits.Has(fact.Looked) || e.resultTested)
	j, ok := m.byKey[k]
	if !ok {
		if len(m.s.Accesses) >= fact.MaxAccesses {
			m.limits.Add(m.s.Name, "Accesses")
			return -1
		}
		j = len(m.s.Accesses)
		m.byKey[k] = j
		m.s.Accesses = append(m.s.Accesses, fact.Access{
			Op: k.op, Loc: k.loc, Base: k.base, Key: k.key, Regions: k.regions,
			TrueParams: k.with, FalseParams: k.without, Traits: traits, Const: e.Const, RuledOut: e.ruledOut, Depth: m.depth(e), Calls: e.Calls(), Pos: e.Pos,
		})
	}
	a := &m.s.Accesses[j]
	a.DataParams |= e.dataParams
	a.ControlParams |= e.ctrlParams
	a.AddedParams |= e.addedParams
	a.Traits = a.Traits&traits | (a.Traits|traits)&fact.MergedAny
	a.Depth = min(a.Depth, m.depth(e))
	a.Calls = min(a.Calls, e.Calls())
	if a.Const != e.Const {
		a.Const = ""
	}
	if !slices.Equal(a.RuledOut, e.ruledOut) {
		a.RuledOut = nil
	}
	return j
}

// keyOf returns what an access has in common with those that it is merged with. Callers have no path for what is local, except for a key
// that is a result and the variable of a loop over the elements: an element under a key that f has made is confined to the caller.
//
//	for v := first; v <= last; v++ { if !s.used[v] { return v } }
func (m *merger) keyOf(e *Event) accessKey {
	k := accessKey{op: e.Op, loc: e.Loc, base: e.Base, with: e.with, without: e.without}
	if k.base.IsLocal() {
		k.base = accesspath.Unknown
	}
	k.key = e.Key.Substitute(func(root accesspath.Path) accesspath.Path {
		if root.IsLocal() && !m.isReturned(root) {
			return accesspath.Unknown
		}
		return root
	})
	for _, h := range e.Holds {
		k.regions |= m.region(h, m.lasts(e, h), e.Pos)
	}
	return k
}

// isReturned reports whether the variable of a loop that goes through keys is a result.
func (m *merger) isReturned(root accesspath.Path) bool {
	return slices.ContainsFunc(m.s.Results, func(r fact.Result) bool { return r.Key == root }) && isIterated(m.f.Res.Definition(root))
}

// outwardControl returns the accesses that a write is control dependent on as far as that revalidates it for callers.
func (e *Event) outwardControl() []int {
	if len(e.upserts) == 0 {
		return e.Control
	}
	return slices.DeleteFunc(slices.Clone(e.Control), func(i int) bool { return slices.Contains(e.upserts, i) })
}

// link sets the dependences of the writes of the summary. Merged writes have the data dependences of either and the control
// dependences of both: a test must decide about both to be a revalidation.
func (m *merger) link(events []*Event, index []int) {
	seen := make(map[int]bool, len(m.s.Accesses))
	for i, e := range events {
		if index[i] < 0 || !e.Writes() {
			continue
		}
		a := &m.s.Accesses[index[i]]
		data, control := mapped(e.Data, index), mapped(e.outwardControl(), index)
		if seen[index[i]] {
			data, control = Union(a.Data, data), intersect(a.Control, control)
		}
		seen[index[i]] = true
		a.Data, a.Control = data, control
	}
}

// mapped returns the sorted indexes in the summary of a list of indexes into Body.Events.
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

// Union returns the sorted union of a and b.
func Union(a, b []int) []int {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

func intersect(a, b []int) []int {
	return slices.DeleteFunc(slices.Clone(a), func(x int) bool { return !slices.Contains(b, x) })
}
