// Package index is an inverted index made of immutable segments.
package index

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// Doc is one indexed document.
type Doc struct {
	ID   string
	Body string
}

type segment struct {
	id    uint64
	docs  []Doc
	terms map[string][]int

	// deleted holds the positions of dead documents. Guarded by Index.mu,
	// everything else never changes once the segment was built.
	deleted map[int]bool
}

func newSegment(id uint64, docs []Doc) *segment {
	s := &segment{id: id, docs: docs, terms: make(map[string][]int), deleted: make(map[int]bool)}
	for i, d := range docs {
		seen := make(map[string]bool)
		for _, t := range strings.Fields(strings.ToLower(d.Body)) {
			if !seen[t] {
				seen[t] = true
				s.terms[t] = append(s.terms[t], i)
			}
		}
	}
	return s
}

func (s *segment) live() int { return len(s.docs) - len(s.deleted) }

// Index is safe for concurrent use.
type Index struct {
	maxMerge int

	mu       sync.RWMutex
	segments []*segment
	nextID   uint64

	stop chan struct{}
	done chan struct{}
}

// Open returns an index that merges segments of less than maxMerge documents.
func Open(maxMerge int, every time.Duration) *Index {
	x := &Index{maxMerge: maxMerge, stop: make(chan struct{}), done: make(chan struct{})}
	go x.mergeLoop(every)
	return x
}

// Update adds documents and replaces older versions of them. Identifiers must
// be unique in a batch.
func (x *Index) Update(docs []Doc) {
	docs = slices.Clone(docs)
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range docs {
		x.markDeleted(d.ID)
	}
	x.nextID++
	x.segments = append(x.segments, newSegment(x.nextID, docs))
}

// Delete removes a document.
func (x *Index) Delete(id string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.markDeleted(id)
}

func (x *Index) markDeleted(id string) {
	for _, s := range x.segments {
		for i, d := range s.docs {
			if d.ID == id {
				s.deleted[i] = true
			}
		}
	}
}

// Search returns the identifiers of the documents with the term.
func (x *Index) Search(term string) []string {
	term = strings.ToLower(term)
	x.mu.RLock()
	defer x.mu.RUnlock()
	var ids []string
	for _, s := range x.segments {
		for _, i := range s.terms[term] {
			if !s.deleted[i] {
				ids = append(ids, s.docs[i].ID)
			}
		}
	}
	return ids
}

type mergeSource struct {
	seg     *segment
	deleted map[int]bool
}

type mergePlan struct {
	id      uint64
	sources []mergeSource
}

func (x *Index) planMerge() *mergePlan {
	x.mu.Lock()
	defer x.mu.Unlock()
	var p mergePlan
	for _, s := range x.segments {
		if s.live() < x.maxMerge {
			p.sources = append(p.sources, mergeSource{seg: s, deleted: maps.Clone(s.deleted)})
		}
	}
	if len(p.sources) < 2 {
		return nil
	}
	x.nextID++
	p.id = x.nextID
	return &p
}

func (p *mergePlan) execute() *segment {
	var docs []Doc
	for _, src := range p.sources {
		for i, d := range src.seg.docs {
			if !src.deleted[i] {
				docs = append(docs, d)
			}
		}
	}
	return newSegment(p.id, docs)
}

func (x *Index) introduce(p *mergePlan, merged *segment) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, src := range p.sources {
		x.segments = slices.DeleteFunc(x.segments, func(s *segment) bool { return s == src.seg })
	}
	x.segments = append(x.segments, merged)
}

func (x *Index) mergeLoop(every time.Duration) {
	defer close(x.done)
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			x.mergeOnce()
		case <-x.stop:
			return
		}
	}
}

func (x *Index) mergeOnce() {
	plan := x.planMerge()
	if plan == nil {
		return
	}
	x.introduce(plan, plan.execute())
}

// Close stops merging. It must be called once.
func (x *Index) Close() {
	close(x.stop)
	<-x.done
}
