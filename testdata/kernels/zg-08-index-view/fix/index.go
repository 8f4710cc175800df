// Package fulltext is a small in-memory inverted index. Documents are indexed
// in batches, each of which becomes a segment; a background goroutine merges
// segments. Documents are deleted by marking them in a tombstone table.
package fulltext

import (
	"maps"
	"sort"
	"sync"
)

// Doc is a document to be indexed.
type Doc struct {
	ID    string
	Terms []string
}

// segment is immutable. Postings are positions in docs.
type segment struct {
	id       int
	docs     []Doc
	postings map[string][]int
}

func buildSegment(id int, docs []Doc) *segment {
	s := &segment{id: id, docs: docs, postings: make(map[string][]int)}
	for i, d := range docs {
		for _, t := range d.Terms {
			s.postings[t] = append(s.postings[t], i)
		}
	}
	return s
}

// mark names a document by its segment and its position there.
type mark struct {
	segment, pos int
}

// tombstones is the table of deleted documents.
type tombstones struct {
	mu   sync.RWMutex
	dead map[mark]bool
}

func (t *tombstones) add(ms []mark) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, m := range ms {
		t.dead[m] = true
	}
}

// forget removes the marks of segments that are no longer in use.
func (t *tombstones) forget(segs []*segment) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range segs {
		for i := range s.docs {
			delete(t.dead, mark{s.id, i})
		}
	}
}

// snapshot returns a copy of the table.
func (t *tombstones) snapshot() map[mark]bool {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return maps.Clone(t.dead)
}

// Index can be searched and changed concurrently.
type Index struct {
	maxSegments int
	deleted     tombstones
	mergeC      chan struct{}
	stop        chan struct{}
	wg          sync.WaitGroup

	mu     sync.RWMutex
	segs   []*segment // replaced as a whole, never changed in place
	nextID int
}

// New returns an empty index that merges once it has more than maxSegments.
func New(maxSegments int) *Index {
	x := &Index{
		maxSegments: maxSegments,
		deleted:     tombstones{dead: make(map[mark]bool)},
		mergeC:      make(chan struct{}, 1),
		stop:        make(chan struct{}),
	}
	x.wg.Add(1)
	go x.merger()
	return x
}

// Add indexes a batch of documents.
func (x *Index) Add(docs []Doc) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.nextID++
	seg := buildSegment(x.nextID, append([]Doc(nil), docs...))
	x.segs = append(x.segs[:len(x.segs):len(x.segs)], seg)
	if len(x.segs) > x.maxSegments {
		select {
		case x.mergeC <- struct{}{}:
		default:
		}
	}
}

// Delete removes all documents that have the term.
func (x *Index) Delete(term string) {
	// Segments must not be merged away while their documents are marked.
	x.mu.Lock()
	defer x.mu.Unlock()
	var ms []mark
	for _, s := range x.segs {
		for _, pos := range s.postings[term] {
			ms = append(ms, mark{s.id, pos})
		}
	}
	x.deleted.add(ms)
}

// view returns the segments and the tombstones that go with them.
func (x *Index) view() ([]*segment, map[mark]bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.segs, x.deleted.snapshot()
}

// Search returns the ids of the documents that have the term, sorted.
func (x *Index) Search(term string) []string {
	segs, dead := x.view()
	var ids []string
	for _, s := range segs {
		for _, pos := range s.postings[term] {
			if !dead[mark{s.id, pos}] {
				ids = append(ids, s.docs[pos].ID)
			}
		}
	}
	sort.Strings(ids)
	return ids
}

func (x *Index) merger() {
	defer x.wg.Done()
	for {
		select {
		case <-x.stop:
			return
		case <-x.mergeC:
			x.merge()
		}
	}
}

// merge rewrites all segments into one, without the deleted documents.
func (x *Index) merge() {
	x.mu.Lock()
	defer x.mu.Unlock()
	dead := x.deleted.snapshot()
	var live []Doc
	for _, s := range x.segs {
		for i, d := range s.docs {
			if !dead[mark{s.id, i}] {
				live = append(live, d)
			}
		}
	}
	old := x.segs
	x.nextID++
	x.segs = []*segment{buildSegment(x.nextID, live)}
	x.deleted.forget(old)
}

// Close stops the merging; it is to be called once.
func (x *Index) Close() {
	close(x.stop)
	x.wg.Wait()
}
