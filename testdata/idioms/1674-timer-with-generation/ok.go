package a

import (
	"sync"
	"time"
)

type lamp struct {
	on    bool
	gen   uint64
	timer *time.Timer
}

// Stairs switches the lights of a staircase, one lamp for each floor.
type Stairs struct {
	hold time.Duration

	mu    sync.Mutex
	lamps map[int]*lamp
	offs  int
}

func NewStairs(hold time.Duration) *Stairs {
	return &Stairs{hold: hold, lamps: make(map[int]*lamp)}
}

func (s *Stairs) arm(floor int, l *lamp) {
	l.gen++
	gen := l.gen
	if l.timer != nil {
		l.timer.Stop()
	}
	l.timer = time.AfterFunc(s.hold, func() { s.expire(floor, gen) })
}

// Press turns the lamp of a floor on, or lets it burn longer.
func (s *Stairs) Press(floor int) (already bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lamps[floor]
	if l == nil {
		l = &lamp{}
		s.lamps[floor] = l
	}
	already = l.on
	l.on = true
	s.arm(floor, l)
	return already
}

func (s *Stairs) expire(floor int, gen uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lamps[floor]
	if l.gen != gen {
		return
	}
	l.on = false
	l.timer = nil
	s.offs++
}

// Off turns a lamp off at once.
func (s *Stairs) Off(floor int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.lamps[floor]
	if l == nil || !l.on {
		return
	}
	l.gen++
	l.timer.Stop()
	l.timer = nil
	l.on = false
	s.offs++
}

// Burning counts the lamps that are on.
func (s *Stairs) Burning() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.lamps {
		if l.on {
			n++
		}
	}
	return n
}
