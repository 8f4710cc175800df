package takeover

import (
	"sync"
	"time"
)

// A Lounge keeps the seat of a guest who is away for a while.
type Lounge struct {
	mu    sync.Mutex
	seats map[string]*Guest
}

type Guest struct {
	name  string
	grace *time.Timer
}

// Arrive gives the seat to the guest who comes last.
func (l *Lounge) Arrive(name string) *Guest {
	g := &Guest{name: name}
	l.mu.Lock()
	defer l.mu.Unlock()
	old := l.seats[name]
	l.seats[name] = g
	if old != nil && old.grace != nil {
		old.grace.Stop()
	}
	return g
}

// Away has found that it is the guest who has the seat, which says nothing of the time at which the timer runs.
func (l *Lounge) Away(g *Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seats[g.name] != g {
		return
	}
	g.grace = time.AfterFunc(time.Minute, func() { l.expire(g) })
}

func (l *Lounge) expire(g *Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.seats, g.name) // want `check-then-act: l.seats\[g.name\] is removed here, whatever is there by now: it was found at line \d+`
}

// Leave looks again.
func (l *Lounge) Leave(g *Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seats[g.name] != g {
		return
	}
	g.grace = time.AfterFunc(time.Minute, func() { l.expireOwn(g) })
}

func (l *Lounge) expireOwn(g *Guest) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.seats[g.name] == g {
		delete(l.seats, g.name)
	}
}
