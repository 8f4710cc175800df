// Package fix is the follower side of a replicated log.
package fix

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

var ErrGap = errors.New("follower: gap in the log")

// Record is one entry of the log; indexes start at 1.
type Record struct {
	Index uint64
	Data  []byte
}

// Batch is a message from the leader. It carries one or more records, all of
// them committed; Commit is the index of the last.
type Batch struct {
	Term    uint64
	Commit  uint64
	Records []Record
}

// store is the local copy of the log. Records are only ever added.
type store struct {
	mu   sync.RWMutex
	recs []Record
}

func (s *store) append(recs []Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range recs {
		last := uint64(len(s.recs))
		if r.Index <= last {
			continue
		}
		if r.Index != last+1 {
			return fmt.Errorf("%w: have %d, got %d", ErrGap, last, r.Index)
		}
		s.recs = append(s.recs, r)
	}
	return nil
}

// slice returns the records from from up to and including to.
func (s *store) slice(from, to uint64) []Record {
	s.mu.RLock()
	defer s.mu.RUnlock()
	to = min(to, uint64(len(s.recs)))
	if from > to {
		return nil
	}
	return append([]Record(nil), s.recs[from-1:to]...)
}

// progress is what the follower knows about the leader.
type progress struct {
	term    atomic.Uint64
	commit  atomic.Uint64
	contact atomic.Int64
}

func (p *progress) observe(b Batch) {
	p.term.Store(b.Term)
	p.contact.Store(time.Now().UnixNano())
}

func (p *progress) advance(commit uint64) {
	if commit > p.commit.Load() {
		p.commit.Store(commit)
	}
}

// Follower applies batches one after another and serves readers.
type Follower struct {
	log      store
	progress progress
	inbox    chan Batch
	failures atomic.Int64
}

func NewFollower(ctx context.Context) *Follower {
	f := &Follower{inbox: make(chan Batch, 64)}
	go f.run(ctx)
	return f
}

func (f *Follower) run(ctx context.Context) {
	for {
		select {
		case b := <-f.inbox:
			if err := f.apply(b); err != nil {
				f.failures.Add(1)
			}
		case <-ctx.Done():
			return
		}
	}
}

// Receive hands a batch to the follower.
func (f *Follower) Receive(ctx context.Context, b Batch) error {
	select {
	case f.inbox <- b:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (f *Follower) apply(b Batch) error {
	if b.Term < f.progress.term.Load() {
		return fmt.Errorf("follower: batch of old term %d", b.Term)
	}
	f.progress.observe(b)
	if err := f.log.append(b.Records); err != nil {
		return err
	}
	f.progress.advance(b.Commit)
	return nil
}

// Tail returns the committed records from next on, and the index from which
// the reader goes on.
func (f *Follower) Tail(next uint64) ([]Record, uint64) {
	next = max(next, 1)
	commit := f.progress.commit.Load()
	if next > commit {
		return nil, next
	}
	return f.log.slice(next, commit), commit + 1
}

// Silence tells how long ago the leader was last heard of.
func (f *Follower) Silence() time.Duration {
	return time.Since(time.Unix(0, f.progress.contact.Load()))
}

// Failures counts the batches that could not be applied.
func (f *Follower) Failures() int64 { return f.failures.Load() }
