// Package matchmaking pairs players for duels.
package matchmaking

import (
	"cmp"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// ErrBusy is returned for players who wait or play already.
var ErrBusy = errors.New("matchmaking: player is busy")

type mood int

const (
	away mood = iota
	waiting
	playing
)

// Player is somebody who is online.
type Player struct {
	ID     int64
	Rating int

	mu    sync.Mutex
	mood  mood
	since time.Time
	duel  *Duel
}

// Duel is a game of two.
type Duel struct {
	ID   int64
	A, B *Player
}

// Server makes duels.
type Server struct {
	maxGap int

	mu    sync.RWMutex
	queue []*Player

	seq      atomic.Int64
	waited   atomic.Int64
	finished atomic.Int64
}

// NewServer returns a server which pairs players at most maxGap apart.
func NewServer(maxGap int) *Server {
	return &Server{maxGap: maxGap}
}

func (p *Player) current() (mood, time.Time) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.mood, p.since
}

// Wait puts a player into the queue.
func (s *Server) Wait(p *Player) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mood != away {
		return ErrBusy
	}
	p.mood = waiting
	p.since = time.Now()

	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Contains(s.queue, p) {
		s.queue = append(slices.Clone(s.queue), p)
	}
	return nil
}

// Leave ends the waiting; false means that a duel was made before.
func (s *Server) Leave(p *Player) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mood == playing {
		return false
	}
	p.mood = away
	return true
}

func (s *Server) candidates() []*Player {
	s.mu.RLock()
	q := s.queue
	s.mu.RUnlock()
	out := make([]*Player, 0, len(q))
	for _, p := range q {
		if m, _ := p.current(); m == waiting {
			out = append(out, p)
		}
	}
	slices.SortStableFunc(out, func(a, b *Player) int { return cmp.Compare(a.Rating, b.Rating) })
	return out
}

// pair makes a duel when both still wait.
func (s *Server) pair(a, b *Player) *Duel {
	first, second := a, b
	if second.ID < first.ID {
		first, second = second, first
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	second.mu.Lock()
	defer second.mu.Unlock()
	if a.mood != waiting || b.mood != waiting {
		return nil
	}
	d := &Duel{ID: s.seq.Add(1), A: a, B: b}
	for _, p := range [...]*Player{a, b} {
		p.mood = playing
		p.duel = d
		s.waited.Add(int64(time.Since(p.since)))
	}
	return d
}

// Round makes as many duels as possible; several rounds may run at a time.
func (s *Server) Round() []*Duel {
	ps := s.candidates()
	var duels []*Duel
	for i := 0; i+1 < len(ps); {
		a, b := ps[i], ps[i+1]
		if b.Rating-a.Rating > s.maxGap {
			i++
			continue
		}
		if d := s.pair(a, b); d != nil {
			duels = append(duels, d)
			i += 2
			continue
		}
		i++
	}
	s.compact()
	return duels
}

// compact drops players who do not wait any more.
func (s *Server) compact() {
	stale := map[*Player]bool{}
	s.mu.RLock()
	q := s.queue
	s.mu.RUnlock()
	for _, p := range q {
		if m, _ := p.current(); m != waiting {
			stale[p] = true
		}
	}
	for p := range stale {
		s.unqueue(p)
	}
}

// unqueue removes a player unless he waits again.
func (s *Server) unqueue(p *Player) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.mood == waiting {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if i := slices.Index(s.queue, p); i >= 0 {
		s.queue = slices.Delete(slices.Clone(s.queue), i, i+1)
	}
}

func (p *Player) release(d *Duel) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.duel != d {
		return false
	}
	p.duel = nil
	p.mood = away
	return true
}

// Finish ends a duel; players are free one after the other.
func (s *Server) Finish(d *Duel) {
	a := d.A.release(d)
	b := d.B.release(d)
	if a && b {
		s.finished.Add(1)
	}
}

// AverageWait is for the status page.
func (s *Server) AverageWait() time.Duration {
	n := 2 * s.seq.Load()
	if n == 0 {
		return 0
	}
	return time.Duration(s.waited.Load() / n)
}
