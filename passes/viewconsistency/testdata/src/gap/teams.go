package gap

import "sync"

// A Lobby places players in teams.
type Lobby struct {
	mu      sync.Mutex
	queue   []string
	waiting map[string]bool
	playing map[string]int
}

func (l *Lobby) Enter(p string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.waiting[p] {
		return false
	}
	if _, ok := l.playing[p]; ok {
		return false
	}
	l.waiting[p] = true
	l.queue = append(l.queue, p)
	return true
}

// Place leaves the players in neither table while a game is made.
func (l *Lobby) Place(n int, make func([]string) int) {
	l.mu.Lock()
	team := append([]string(nil), l.queue[:n]...)
	l.queue = l.queue[n:]
	for _, p := range team {
		delete(l.waiting, p)
	}
	l.mu.Unlock()
	id := make(team)
	l.mu.Lock()
	for _, p := range team {
		l.playing[p] = id // want `split-write: l.playing\[.*\] is written here for what was taken out of l.waiting\[.*\] at line 33, in an earlier critical section`
	}
	l.mu.Unlock()
}

// PlaceMarked leaves them in the first table until they are in the second.
func (l *Lobby) PlaceMarked(n int, make func([]string) int) {
	l.mu.Lock()
	team := append([]string(nil), l.queue[:n]...)
	l.queue = l.queue[n:]
	l.mu.Unlock()
	id := make(team)
	l.mu.Lock()
	for _, p := range team {
		delete(l.waiting, p)
		l.playing[p] = id
	}
	l.mu.Unlock()
}
