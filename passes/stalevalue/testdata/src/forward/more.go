package forward

import (
	"sync"

	"forward/stores"
)

// memory gets out by a constructor that is put into a table of another package.
type memory struct {
	mu sync.Mutex
	m  map[string]int
}

func newMemory() stores.Store { return &memory{m: make(map[string]int)} }

func init() { stores.Factories["memory"] = newMemory }

var own = &memory{m: make(map[string]int)}

func init() { own.Incr("start") }

func (s *memory) get(k string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[k]
}

func (s *memory) put(k string, v int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[k] = v
}

func (s *memory) Incr(k string) { s.put(k, s.get(k)+1) } // want `lost-update: s\.m\[k\] was read`

// Starter keeps what it has begun in a set of its own, and adds it to the queue once.
type Starter struct {
	mu    sync.Mutex
	begun map[string]bool
	queue *queue
}

type queue struct {
	mu   sync.Mutex
	jobs map[string]int
}

func (q *queue) has(k string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	_, ok := q.jobs[k]
	return ok
}

func (q *queue) add(k string, n int) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.jobs[k] = n
}

func (s *Starter) Do(k string) {
	if !s.queue.has(k) {
		s.start(k)
	}
}

func (s *Starter) start(k string) {
	s.mu.Lock()
	if s.begun[k] {
		s.mu.Unlock()
		return
	}
	s.begun[k] = true
	s.mu.Unlock()
	s.queue.add(k, 1)
}

// Room is closed by the last one out.
type Room struct {
	mu     sync.Mutex
	in     map[*int]bool
	closed bool
}

func (r *Room) join() *int {
	r.mu.Lock()
	defer r.mu.Unlock()
	k := new(int)
	r.in[k] = true
	return k
}

func (r *Room) alone() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.in) == 1
}

func (r *Room) leave(k *int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.in, k)
}

func (r *Room) shut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// Visit may leave a room open: two that leave at once find each other.
func (r *Room) Visit() {
	k := r.join()
	if !r.alone() {
		r.leave(k) // want `check-then-act: r\.in was checked`
		return
	}
	r.shut()
}
