package reach

import "sync"

// Write skew: who opens looks at the quota and adds to the active ones, who sets a limit
// looks at the active ones and makes a quota.

type quota struct{ left int }

func (q *quota) take() { q.left-- }

type session struct {
	mu     sync.Mutex
	active map[int]bool
	quota  *quota
	closed bool
}

func (s *session) SetLimit(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quota == nil {
		s.quota = &quota{n - len(s.active)}
	}
}

func (s *session) Open(id int) {
	s.mu.Lock()
	q := s.quota
	s.mu.Unlock()
	if q != nil {
		q.take()
	}
	s.mu.Lock()
	s.active[id] = true // want `check-then-act: s\.quota was checked at line \d+, but s\.mu was released at line \d+ and another goroutine may compute it anew from s\.active\[id\] before this write of that`
	s.mu.Unlock()
}

// OpenAgain looks again.
func (s *session) OpenAgain(id int) {
	s.mu.Lock()
	q := s.quota
	s.mu.Unlock()
	if q != nil {
		q.take()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.quota != q {
		return
	}
	s.active[id] = true
}

// Note does nothing by what it reads.
func (s *session) Note(id int) bool {
	s.mu.Lock()
	limited := s.quota != nil
	s.mu.Unlock()
	s.mu.Lock()
	s.active[id] = true
	s.mu.Unlock()
	return limited
}
