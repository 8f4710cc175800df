package mechanisms

import (
	"maps"
	"sync/atomic"
)

// A quota is replaced as a whole: its fields are only written before it is published.
type quota struct {
	burst int
	users map[string]int
}

func (q *quota) clone() *quota {
	return &quota{burst: q.burst, users: maps.Clone(q.users)}
}

type quotas struct{ cur atomic.Pointer[quota] }

// Raise stores a copy of what it has loaded, in which what others store meanwhile is missing.
func (s *quotas) Raise(n int) {
	q := s.cur.Load().clone()
	q.burst += n
	s.cur.Store(q) // want `lost-update: s\.cur was read at line \d+`
}

// Grant tries again until nobody has stored in between.
func (s *quotas) Grant(user string, n int) {
	for {
		old := s.cur.Load()
		q := old.clone()
		q.users[user] += n
		if s.cur.CompareAndSwap(old, q) {
			return
		}
	}
}

func fresh() *quota { return &quota{users: make(map[string]int)} }

// Reset depends on nothing that was loaded.
func (s *quotas) Reset(n int) {
	q := fresh()
	q.burst = n
	s.cur.Store(q)
}
