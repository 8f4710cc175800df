package indexer

import (
	"context"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
)

// Doc is a document with its position in the change log.
type Doc struct {
	Seq  uint64
	ID   string
	Text string
}

// segment is immutable after buildSegment.
type segment struct {
	postings map[string][]string
}

func buildSegment(docs []Doc) *segment {
	s := &segment{postings: make(map[string][]string)}
	for _, d := range docs {
		for _, term := range strings.Fields(strings.ToLower(d.Text)) {
			ids := s.postings[term]
			if len(ids) == 0 || ids[len(ids)-1] != d.ID {
				s.postings[term] = append(ids, d.ID)
			}
		}
	}
	return s
}

// progress lets searches wait for a position of the change log.
type progress struct {
	mu      sync.Mutex
	seq     uint64
	changed chan struct{}
}

func (p *progress) advance(seq uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if seq <= p.seq {
		return
	}
	p.seq = seq
	close(p.changed)
	p.changed = make(chan struct{})
}

func (p *progress) wait(ctx context.Context, seq uint64) error {
	for {
		p.mu.Lock()
		reached, changed := p.seq >= seq, p.changed
		p.mu.Unlock()
		if reached {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Index is searched by the query handlers while one writer commits batches.
type Index struct {
	writeMu  sync.Mutex // serialises commits and merges
	segments atomic.Pointer[[]*segment]
	done     progress
}

func New() *Index {
	ix := &Index{done: progress{changed: make(chan struct{})}}
	ix.segments.Store(&[]*segment{})
	return ix
}

func (ix *Index) installLocked(s *segment) {
	old := *ix.segments.Load()
	next := append(slices.Clone(old), s)
	ix.segments.Store(&next)
}

// Commit makes a batch searchable. Batches come in log order.
func (ix *Index) Commit(docs []Doc) {
	if len(docs) == 0 {
		return
	}
	ix.writeMu.Lock()
	defer ix.writeMu.Unlock()
	seg := buildSegment(docs)
	ix.installLocked(seg)
	ix.done.advance(docs[len(docs)-1].Seq)
}

// Merge joins all segments into one to keep searches fast.
func (ix *Index) Merge() {
	ix.writeMu.Lock()
	defer ix.writeMu.Unlock()
	old := *ix.segments.Load()
	if len(old) < 2 {
		return
	}
	merged := &segment{postings: make(map[string][]string)}
	for _, s := range old {
		for term, ids := range s.postings {
			merged.postings[term] = append(merged.postings[term], ids...)
		}
	}
	ix.segments.Store(&[]*segment{merged})
}

// Search returns the documents with the term. The result holds everything up
// to position after, so that users find what they just wrote.
func (ix *Index) Search(ctx context.Context, term string, after uint64) ([]string, error) {
	if err := ix.done.wait(ctx, after); err != nil {
		return nil, err
	}
	var out []string
	for _, s := range *ix.segments.Load() {
		out = append(out, s.postings[strings.ToLower(term)]...)
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Follow commits the batches of a log reader until the channel is closed.
func (ix *Index) Follow(batches <-chan []Doc) {
	go func() {
		for n := 1; ; n++ {
			docs, ok := <-batches
			if !ok {
				return
			}
			ix.Commit(docs)
			if n%16 == 0 {
				ix.Merge()
			}
		}
	}()
}
