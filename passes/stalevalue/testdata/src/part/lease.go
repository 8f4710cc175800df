package part

import (
	"sync"
	"time"
)

// A Lease ends at a time, which its users put off.
type Lease struct {
	Key  string
	mu   sync.Mutex
	Ends time.Time
}

func (l *Lease) Renew() {
	l.mu.Lock()
	l.Ends = time.Now().Add(time.Minute)
	l.mu.Unlock()
}

func (l *Lease) Left() time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Until(l.Ends)
}
