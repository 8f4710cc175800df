package loops

import "sync"

type link struct {
	mu    sync.Mutex
	state string
}

// Close is final.
func (l *link) Close() {
	l.mu.Lock()
	l.state = "closed"
	l.mu.Unlock()
}

// Dial is wrong: the last round has found the link open, and it may have been closed since.
func (l *link) Dial(addrs []string, dial func(string) error) bool {
	for _, addr := range addrs {
		err := dial(addr)
		l.mu.Lock()
		if l.state == "closed" {
			l.mu.Unlock()
			return false
		}
		if err != nil {
			l.mu.Unlock()
			continue
		}
		l.state = "ready"
		l.mu.Unlock()
		return true
	}
	l.mu.Lock()
	l.state = "failed" // want `l\.state was checked at line \d+, but l\.mu was released`
	l.mu.Unlock()
	return false
}

// DialAgain looks again.
func (l *link) DialAgain(addrs []string, dial func(string) error) bool {
	for _, addr := range addrs {
		err := dial(addr)
		l.mu.Lock()
		if l.state == "closed" {
			l.mu.Unlock()
			return false
		}
		if err == nil {
			l.state = "ready"
			l.mu.Unlock()
			return true
		}
		l.mu.Unlock()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.state != "closed" {
		l.state = "failed"
	}
	return false
}

// NewLink returns a link, which users share.
func NewLink() *link { return &link{} }
