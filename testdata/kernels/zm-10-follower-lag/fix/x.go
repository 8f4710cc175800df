package fix

import (
	"errors"
	"fmt"
	"sync"
)

// ErrEvicted is returned to a follower that is no longer served.
var ErrEvicted = errors.New("follower evicted")

type journal struct {
	mu      sync.RWMutex
	entries [][]byte
}

func (j *journal) add(p []byte) uint64 {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.entries = append(j.entries, p)
	return uint64(len(j.entries))
}

// end is the offset of the next entry.
func (j *journal) end() uint64 {
	j.mu.RLock()
	defer j.mu.RUnlock()
	return uint64(len(j.entries))
}

func (j *journal) read(from uint64, n int) ([][]byte, error) {
	j.mu.RLock()
	defer j.mu.RUnlock()
	if from > uint64(len(j.entries)) {
		return nil, fmt.Errorf("offset %d is beyond the end", from)
	}
	part := j.entries[from:]
	if len(part) > n {
		part = part[:n]
	}
	return append([][]byte(nil), part...), nil
}

type follower struct {
	offset uint64
	reads  int
}

// Partition is the leader's side of a replicated journal. Followers pull; by
// asking for an offset they confirm all entries before it.
type Partition struct {
	log    *journal
	maxLag uint64

	mu        sync.Mutex
	followers map[string]*follower
	evicted   []string
}

func NewPartition(maxLag uint64) *Partition {
	return &Partition{log: &journal{}, maxLag: maxLag, followers: make(map[string]*follower)}
}

// Produce adds an entry.
func (p *Partition) Produce(b []byte) uint64 { return p.log.add(b) }

// Join makes a follower known and returns the offset to fetch from. What is
// before it comes with a snapshot.
func (p *Partition) Join(id string) uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.followers[id]
	if f == nil {
		f = &follower{offset: p.log.end()}
		p.followers[id] = f
	}
	return f.offset
}

// Fetch serves a follower.
func (p *Partition) Fetch(id string, from uint64, n int) ([][]byte, error) {
	out, err := p.log.read(from, n)
	if err != nil {
		return nil, err
	}
	if !p.confirm(id, from) {
		return nil, ErrEvicted
	}
	return out, nil
}

func (p *Partition) confirm(id string, off uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := p.followers[id]
	if f == nil {
		return false
	}
	f.reads++
	f.offset = max(f.offset, off)
	return true
}

// EvictSlow drops the followers that are too far behind, so that they need
// not be waited for. A timer calls it.
func (p *Partition) EvictSlow() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	end := p.log.end()
	n := 0
	for id, f := range p.followers {
		if end-f.offset > p.maxLag {
			delete(p.followers, id)
			p.evicted = append(p.evicted, id)
			n++
		}
	}
	return n
}

// Evicted returns the followers that have been dropped.
func (p *Partition) Evicted() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]string(nil), p.evicted...)
}
