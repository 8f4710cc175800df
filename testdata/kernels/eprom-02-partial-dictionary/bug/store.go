// Package bug keeps labelled lines in memory and exports them as blocks.
package bug

import (
	"fmt"
	"sort"
	"sync"
	"sync/atomic"
)

type pair struct{ name, value string }

type line struct {
	id    uint64
	pairs []pair
}

// invIndex maps pairs to the ids of the lines that have them.
type invIndex struct {
	mtx sync.RWMutex
	m   map[pair][]uint64
	all []uint64
}

func (x *invIndex) add(id uint64, ps []pair) {
	x.mtx.Lock()
	defer x.mtx.Unlock()
	for _, p := range ps {
		x.m[p] = append(x.m[p], id)
	}
	x.all = append(x.all, id)
}

func (x *invIndex) get(p pair) []uint64 {
	x.mtx.RLock()
	defer x.mtx.RUnlock()
	return append([]uint64(nil), x.m[p]...)
}

func (x *invIndex) everything() []uint64 {
	x.mtx.RLock()
	defer x.mtx.RUnlock()
	return append([]uint64(nil), x.all...)
}

type store struct {
	lineMtx sync.RWMutex
	lines   map[uint64]*line
	byKey   map[string]*line
	lastID  uint64

	dictMtx sync.RWMutex
	dict    map[string]struct{}
	values  map[string]map[string]struct{}

	index   *invIndex
	created atomic.Uint64
}

func newStore() *store {
	return &store{
		lines:  make(map[uint64]*line),
		byKey:  make(map[string]*line),
		dict:   make(map[string]struct{}),
		values: make(map[string]map[string]struct{}),
		index:  &invIndex{m: make(map[pair][]uint64)},
	}
}

func keyOf(ps []pair) string {
	k := ""
	for _, p := range ps {
		k += fmt.Sprintf("%q=%q,", p.name, p.value)
	}
	return k
}

func (s *store) lookup(id uint64) *line {
	s.lineMtx.RLock()
	defer s.lineMtx.RUnlock()
	return s.lines[id]
}

// getOrCreate is called for each sample by all writers.
func (s *store) getOrCreate(ps []pair) (*line, bool) {
	key := keyOf(ps)
	s.lineMtx.RLock()
	l := s.byKey[key]
	s.lineMtx.RUnlock()
	if l != nil {
		return l, false
	}

	s.lineMtx.Lock()
	if l := s.byKey[key]; l != nil {
		s.lineMtx.Unlock()
		return l, false
	}
	s.lastID++
	l = &line{id: s.lastID, pairs: append([]pair(nil), ps...)}
	s.lines[l.id] = l
	s.byKey[key] = l
	s.lineMtx.Unlock()
	s.created.Add(1)

	s.index.add(l.id, l.pairs)

	s.dictMtx.Lock()
	defer s.dictMtx.Unlock()
	for _, p := range l.pairs {
		vs := s.values[p.name]
		if vs == nil {
			vs = make(map[string]struct{})
			s.values[p.name] = vs
		}
		vs[p.value] = struct{}{}
		s.dict[p.name] = struct{}{}
		s.dict[p.value] = struct{}{}
	}
	return l, true
}

// idsOf returns the lines with a pair.
func (s *store) idsOf(p pair) []uint64 { return s.index.get(p) }

// valuesOf lists the values of a name.
func (s *store) valuesOf(name string) []string {
	s.dictMtx.RLock()
	defer s.dictMtx.RUnlock()
	var out []string
	for v := range s.values[name] {
		out = append(out, v)
	}
	sort.Strings(out)
	return out
}

// dictionary returns all strings that are used, sorted.
func (s *store) dictionary() []string {
	s.dictMtx.RLock()
	defer s.dictMtx.RUnlock()
	out := make([]string, 0, len(s.dict))
	for w := range s.dict {
		out = append(out, w)
	}
	sort.Strings(out)
	return out
}

// block is an exported file: lines refer to words by number.
type block struct {
	words []string
	lines [][]int
}

type exporter struct {
	s    *store
	runs atomic.Int64
}

// export writes all lines into a block.
func (e *exporter) export() (*block, error) {
	e.runs.Add(1)
	ids := e.s.index.everything()
	b := &block{words: e.s.dictionary()}
	num := make(map[string]int, len(b.words))
	for i, w := range b.words {
		num[w] = i
	}
	for _, id := range ids {
		l := e.s.lookup(id)
		if l == nil {
			continue
		}
		var refs []int
		for _, p := range l.pairs {
			n, ok := num[p.name]
			v, ok2 := num[p.value]
			if !ok || !ok2 {
				return nil, fmt.Errorf("unknown word in line %d", id)
			}
			refs = append(refs, n, v)
		}
		b.lines = append(b.lines, refs)
	}
	return b, nil
}
