// Package index is the full-text index behind code search. Documents are
// written into small immutable segments which are merged in the background.
package index

import (
	"maps"
	"slices"
	"strings"
	"sync"
)

// Doc is one indexed document.
type Doc struct {
	ID   string
	Text string
}

// segment is an immutable run of documents with their postings. Only the set
// of dead documents changes; it is guarded by Index.mu.
type segment struct {
	docs     []Doc
	byID     map[string]int
	postings map[string][]int
	dead     map[int]bool
}

func newSegment(docs []Doc) *segment {
	s := &segment{
		docs:     docs,
		byID:     make(map[string]int, len(docs)),
		postings: make(map[string][]int),
		dead:     make(map[int]bool),
	}
	for i, d := range docs {
		if old, ok := s.byID[d.ID]; ok {
			s.dead[old] = true
		}
		s.byID[d.ID] = i
		for _, w := range words(d.Text) {
			s.postings[w] = append(s.postings[w], i)
		}
	}
	return s
}

func words(text string) []string {
	ws := strings.Fields(strings.ToLower(text))
	slices.Sort(ws)
	return slices.Compact(ws)
}

// remove marks a document as dead. The caller holds Index.mu.
func (s *segment) remove(id string) bool {
	i, ok := s.byID[id]
	if !ok || s.dead[i] {
		return false
	}
	s.dead[i] = true
	return true
}

// Index is safe for concurrent use.
type Index struct {
	fanIn int
	kick  chan struct{}
	wg    sync.WaitGroup

	mu       sync.RWMutex
	segments []*segment
}

// New returns an empty index that merges fanIn segments at a time.
func New(fanIn int) *Index {
	return &Index{fanIn: max(fanIn, 2), kick: make(chan struct{}, 1)}
}

// Serve merges segments until stop is closed. It is started once per index.
func (ix *Index) Serve(stop <-chan struct{}) {
	ix.wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-ix.kick:
				for ix.mergeOnce() {
				}
			}
		}
	})
}

// Wait blocks until the merger has ended.
func (ix *Index) Wait() { ix.wg.Wait() }

// Put adds documents, replacing those that have the same ID.
func (ix *Index) Put(docs ...Doc) {
	seg := newSegment(slices.Clone(docs))
	ix.mu.Lock()
	for _, old := range ix.segments {
		for id := range seg.byID {
			old.remove(id)
		}
	}
	ix.segments = append(ix.segments, seg)
	ix.mu.Unlock()
	select {
	case ix.kick <- struct{}{}:
	default:
	}
}

// Delete removes a document and reports whether it was there.
func (ix *Index) Delete(id string) bool {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	found := false
	for _, s := range ix.segments {
		found = s.remove(id) || found
	}
	return found
}

// Search returns the IDs of the documents that contain a word.
func (ix *Index) Search(word string) []string {
	word = strings.ToLower(word)
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	var ids []string
	for _, s := range ix.segments {
		for _, i := range s.postings[word] {
			if !s.dead[i] {
				ids = append(ids, s.docs[i].ID)
			}
		}
	}
	return ids
}

// mergeOnce merges the oldest segments into one. It is only called by the
// merger and reports whether there was enough to do.
func (ix *Index) mergeOnce() bool {
	ix.mu.RLock()
	if len(ix.segments) < ix.fanIn {
		ix.mu.RUnlock()
		return false
	}
	picked := slices.Clone(ix.segments[:ix.fanIn])
	dead := make([]map[int]bool, len(picked))
	for n, s := range picked {
		dead[n] = maps.Clone(s.dead)
	}
	ix.mu.RUnlock()

	// Tokenising takes long and is done outside the lock.
	var live []Doc
	for n, s := range picked {
		for i, d := range s.docs {
			if !dead[n][i] {
				live = append(live, d)
			}
		}
	}
	merged := newSegment(live)

	ix.mu.Lock()
	defer ix.mu.Unlock()
	// Carry over what was removed while the merge was running.
	for n, s := range picked {
		for i := range s.dead {
			if !dead[n][i] {
				merged.remove(s.docs[i].ID)
			}
		}
	}
	rest := slices.DeleteFunc(slices.Clone(ix.segments), func(s *segment) bool {
		return slices.Contains(picked, s)
	})
	ix.segments = append([]*segment{merged}, rest...)
	return true
}
