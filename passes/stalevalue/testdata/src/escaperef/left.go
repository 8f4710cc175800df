package escaperef

import "sync"

type seats struct {
	mu   sync.Mutex
	byID map[int]string
}

// A Theater has its seats to itself. They are given back by literals, which others call.
type Theater struct {
	mu    sync.Mutex
	seats *seats
}

func NewTheater() *Theater { return &Theater{seats: &seats{byID: make(map[int]string)}} }

func (s *seats) leave(id int) func() {
	return func() {
		s.mu.Lock()
		delete(s.byID, id)
		s.mu.Unlock()
	}
}

// Enter returns how to leave.
func (t *Theater) Enter(id int, name string) (leave func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.seats.mu.Lock()
	t.seats.byID[id] = name
	t.seats.mu.Unlock()
	return t.seats.leave(id)
}

func (s *seats) drop(ids []int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range ids {
		delete(s.byID, id)
	}
}

// Evict takes the lock that Enter needs, but not that under which somebody leaves.
func (t *Theater) Evict(isGone func(string) bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var gone []int
	for id, name := range t.seats.byID { // want `escape-ref: t.seats.byID was read at line \d+ without a lock, while \(\*seats\).leave\$1 changes elements of it in place \(left.go:\d+\)`
		if isGone(name) {
			gone = append(gone, id)
		}
	}
	t.seats.drop(gone)
}
