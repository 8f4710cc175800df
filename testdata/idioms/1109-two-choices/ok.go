// Correct: the lengths are read only to guess which shard is the better one. The
// guess may be out of date; whether an item fits is decided by push, under the
// shard's lock, and a full shard just sends the item on to the others.

// Package ok is a bounded queue in shards, without an order among them.
package ok

import (
	"errors"
	"math/rand/v2"
	"sync"
)

var ErrFull = errors.New("all shards full")

type shard[T any] struct {
	mu    sync.Mutex
	limit int
	items []T
}

func (s *shard[T]) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.items)
}

func (s *shard[T]) push(v T) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) >= s.limit {
		return false
	}
	s.items = append(s.items, v)
	return true
}

func (s *shard[T]) pop() (v T, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.items) == 0 {
		return v, false
	}
	var zero T
	v, s.items[0] = s.items[0], zero
	s.items = s.items[1:]
	return v, true
}

// Queue spreads items over shards.
type Queue[T any] struct {
	shards []*shard[T]
}

func NewQueue[T any](shards, perShard int) *Queue[T] {
	q := new(Queue[T])
	for range shards {
		q.shards = append(q.shards, &shard[T]{limit: perShard})
	}
	return q
}

// choose returns the less loaded of two shards.
func (q *Queue[T]) choose() int {
	a, b := rand.IntN(len(q.shards)), rand.IntN(len(q.shards))
	if q.shards[b].size() < q.shards[a].size() {
		return b
	}
	return a
}

// Push adds v; it fails after every shard has refused it.
func (q *Queue[T]) Push(v T) error {
	first := q.choose()
	for i := range q.shards {
		if q.shards[(first+i)%len(q.shards)].push(v) {
			return nil
		}
	}
	return ErrFull
}

// Pop takes an item from any shard. It may miss one that is being added.
func (q *Queue[T]) Pop() (v T, ok bool) {
	first := rand.IntN(len(q.shards))
	for i := range q.shards {
		s := q.shards[(first+i)%len(q.shards)]
		if s.size() == 0 {
			continue
		}
		if v, ok = s.pop(); ok {
			return v, true
		}
	}
	return v, false
}

// Len is an estimate for dashboards.
func (q *Queue[T]) Len() int {
	n := 0
	for _, s := range q.shards {
		n += s.size()
	}
	return n
}
