package idiom

import "sync"

type guest struct {
	mu   sync.Mutex
	left bool
	sent int
}

func (g *guest) push(n int) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.left {
		return false
	}
	g.sent += n
	return true
}

func (g *guest) leave() {
	g.mu.Lock()
	g.left = true
	g.mu.Unlock()
}

// A Lobby has guests, who come and go.
type Lobby struct {
	mu     sync.RWMutex
	guests map[*guest]struct{}
}

func (l *Lobby) Enter() *guest {
	g := new(guest)
	l.mu.Lock()
	l.guests[g] = struct{}{}
	l.mu.Unlock()
	return g
}

func (l *Lobby) Remove(g *guest) {
	l.mu.Lock()
	delete(l.guests, g)
	l.mu.Unlock()
	g.leave()
}

func (l *Lobby) all() []*guest {
	l.mu.RLock()
	defer l.mu.RUnlock()
	out := make([]*guest, 0, len(l.guests))
	for g := range l.guests {
		out = append(out, g)
	}
	return out
}

// Broadcast removes those of all guests who are gone: whoever has removed one before has done the same.
func (l *Lobby) Broadcast(n int) {
	for _, g := range l.all() {
		if !g.push(n) {
			l.Remove(g)
		}
	}
}
