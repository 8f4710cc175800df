package parts

import (
	"part"
	"sync"
	"time"
)

// A Leaser has leases of another package: only that knows who renews them.
type Leaser struct {
	mu  sync.Mutex
	all map[string]*part.Lease
}

func (s *Leaser) Expire(l *part.Lease) {
	time.Sleep(l.Left())
	s.mu.Lock()
	delete(s.all, l.Key)
	s.mu.Unlock()
}
