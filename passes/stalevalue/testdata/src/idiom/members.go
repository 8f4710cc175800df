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
	names  map[string]int
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

// Forget removes all names that are bad, which a name is by itself.
func (l *Lobby) Forget(bad func(string) bool) {
	var list []string
	l.mu.RLock()
	for name := range l.names {
		list = append(list, name)
	}
	l.mu.RUnlock()
	for _, name := range list {
		if bad(name) {
			l.mu.Lock()
			delete(l.names, name)
			l.mu.Unlock()
		}
	}
}
