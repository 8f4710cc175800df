package a

import (
	"maps"
	"slices"
	"sync"
	"sync/atomic"
)

type Posting struct {
	Doc  uint32
	Freq uint32
}

type segment struct {
	terms map[string][]Posting
	docs  int
}

type view struct {
	gen  uint64
	segs []*segment
	dead map[uint32]struct{}
}

// Index has lock-free readers; everything that changes it goes through edit.
type Index struct {
	writers sync.Mutex
	cur     atomic.Pointer[view]
}

func New() *Index {
	ix := &Index{}
	ix.cur.Store(&view{})
	return ix
}

func (ix *Index) edit(fn func(*view)) {
	ix.writers.Lock()
	defer ix.writers.Unlock()
	old := ix.cur.Load()
	v := &view{gen: old.gen + 1, segs: slices.Clone(old.segs), dead: maps.Clone(old.dead)}
	if v.dead == nil {
		v.dead = make(map[uint32]struct{})
	}
	fn(v)
	ix.cur.Store(v)
}

func (ix *Index) Flush(terms map[string][]Posting, docs int) {
	s := &segment{terms: terms, docs: docs}
	ix.edit(func(v *view) { v.segs = append(v.segs, s) })
}

// Delete marks a document; document numbers are never used again.
func (ix *Index) Delete(doc uint32) {
	if _, gone := ix.cur.Load().dead[doc]; gone {
		return
	}
	ix.edit(func(v *view) { v.dead[doc] = struct{}{} })
}

// Compact joins all segments and drops the postings of dead documents.
func (ix *Index) Compact() {
	if len(ix.cur.Load().segs) < 2 {
		return
	}
	ix.edit(func(v *view) {
		out := &segment{terms: make(map[string][]Posting)}
		for _, s := range v.segs {
			out.docs += s.docs
			for t, ps := range s.terms {
				for _, p := range ps {
					if _, gone := v.dead[p.Doc]; !gone {
						out.terms[t] = append(out.terms[t], p)
					}
				}
			}
		}
		v.segs = []*segment{out}
	})
}

func (ix *Index) Lookup(term string, limit int) (hits []Posting, gen uint64) {
	v := ix.cur.Load()
	for _, s := range v.segs {
		for _, p := range s.terms[term] {
			if _, gone := v.dead[p.Doc]; !gone {
				hits = append(hits, p)
			}
		}
	}
	slices.SortFunc(hits, func(a, b Posting) int { return int(b.Freq) - int(a.Freq) })
	return hits[:min(limit, len(hits))], v.gen
}

func (ix *Index) Generation() uint64 { return ix.cur.Load().gen }
