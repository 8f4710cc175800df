package a

import (
	"context"
	"slices"
	"sync"
	"time"
)

type Player struct {
	ID     string
	Rating int
	Since  time.Time
}

type Match struct {
	A, B Player
}

// Matchmaker pairs waiting players; one goroutine does all the pairing.
type Matchmaker struct {
	in      chan Player
	out     chan Match
	stopped chan struct{}

	mu      sync.RWMutex
	waiting []Player
}

func Start(ctx context.Context) *Matchmaker {
	m := &Matchmaker{
		in:      make(chan Player),
		out:     make(chan Match),
		stopped: make(chan struct{}),
	}
	go m.run(ctx)
	return m
}

func (m *Matchmaker) Matches() <-chan Match { return m.out }

// Enqueue reports false when the matchmaker has stopped.
func (m *Matchmaker) Enqueue(p Player) bool {
	p.Since = time.Now()
	select {
	case m.in <- p:
		return true
	case <-m.stopped:
		return false
	}
}

// Waiting may be called from anywhere (lobby page).
func (m *Matchmaker) Waiting() []Player {
	m.mu.RLock()
	defer m.mu.RUnlock()
	return slices.Clone(m.waiting)
}

func (m *Matchmaker) setWaiting(ps []Player) {
	m.mu.Lock()
	m.waiting = ps
	m.mu.Unlock()
}

func (m *Matchmaker) run(ctx context.Context) {
	defer close(m.stopped)
	defer close(m.out)
	tick := time.NewTicker(500 * time.Millisecond)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case p := <-m.in:
			m.setWaiting(append(m.Waiting(), p))
		case now := <-tick.C:
			if !m.pair(ctx, now) {
				return
			}
		}
	}
}

func (m *Matchmaker) pair(ctx context.Context, now time.Time) bool {
	ps := m.Waiting()
	if len(ps) < 2 {
		return true
	}
	slices.SortFunc(ps, func(a, b Player) int { return a.Rating - b.Rating })
	var rest []Player
	for len(ps) > 1 {
		a, b := ps[0], ps[1]
		slack := 50 + int(now.Sub(a.Since).Seconds())*10
		if b.Rating-a.Rating > slack {
			rest = append(rest, a)
			ps = ps[1:]
			continue
		}
		select {
		case m.out <- Match{A: a, B: b}:
		case <-ctx.Done():
			return false
		}
		ps = ps[2:]
	}
	m.setWaiting(append(rest, ps...))
	return true
}
