// Package bug tracks the proposals that a consensus leader has sent out and
// that have not been committed yet.
package bug

import (
	"context"
	"errors"
	"sync"
)

var (
	// ErrBusy is returned when too many proposals are open.
	ErrBusy = errors.New("too many proposals")
	// ErrLost is the result of proposals that were open at a leader change.
	ErrLost = errors.New("leadership lost")
)

// slots is a small unordered table with a key for every row.
type slots[K comparable, V any] struct {
	sync.RWMutex
	rows []row[K, V]
}

type row[K comparable, V any] struct {
	key K
	val V
}

func (s *slots[K, V]) add(k K, v V, limit int) bool {
	s.Lock()
	defer s.Unlock()
	if len(s.rows) >= limit {
		return false
	}
	s.rows = append(s.rows, row[K, V]{k, v})
	return true
}

func (s *slots[K, V]) index(k K) int {
	s.RLock()
	defer s.RUnlock()
	for i := range s.rows {
		if s.rows[i].key == k {
			return i
		}
	}
	return -1
}

func (s *slots[K, V]) cut(i int) V {
	s.Lock()
	defer s.Unlock()
	v := s.rows[i].val
	last := len(s.rows) - 1
	s.rows[i] = s.rows[last]
	s.rows[last] = row[K, V]{}
	s.rows = s.rows[:last]
	return v
}

func (s *slots[K, V]) remove(k K) (v V, ok bool) {
	i := s.index(k)
	if i < 0 {
		return v, false
	}
	return s.cut(i), true
}

func (s *slots[K, V]) drain() []row[K, V] {
	s.Lock()
	defer s.Unlock()
	rows := s.rows
	s.rows = nil
	return rows
}

type outcome struct {
	value []byte
	err   error
}

// Sender replicates a proposal.
type Sender interface {
	Send(id uint64, data []byte) error
}

// Pipeline matches committed entries with the callers that wait for them.
type Pipeline struct {
	sender Sender
	limit  int
	open   slots[uint64, chan outcome]

	mu   sync.Mutex
	last uint64
}

// NewPipeline returns a pipeline with at most limit open proposals.
func NewPipeline(sender Sender, limit int) *Pipeline {
	return &Pipeline{sender: sender, limit: limit}
}

func (p *Pipeline) nextID() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last++
	return p.last
}

// Propose sends data and waits for the result of applying it.
func (p *Pipeline) Propose(ctx context.Context, data []byte) ([]byte, error) {
	id := p.nextID()
	ch := make(chan outcome, 1)
	if !p.open.add(id, ch, p.limit) {
		return nil, ErrBusy
	}
	if err := p.sender.Send(id, data); err != nil {
		p.open.remove(id)
		return nil, err
	}
	select {
	case out := <-ch:
		return out.value, out.err
	case <-ctx.Done():
		p.open.remove(id)
		return nil, ctx.Err()
	}
}

// Applied is called by the state machine for every committed entry.
func (p *Pipeline) Applied(id uint64, value []byte, err error) {
	if ch, ok := p.open.remove(id); ok {
		ch <- outcome{value, err}
	}
}

// Reset fails everything that is open.
func (p *Pipeline) Reset() {
	for _, r := range p.open.drain() {
		r.val <- outcome{err: ErrLost}
	}
}
