package a

import (
	"sync"
	"time"
)

type clock struct {
	gen   uint64
	timer *time.Timer
	late  bool
}

// Watch raises an alarm for tickets which are not answered in time.
type Watch struct {
	alarm func(ticket string)

	mu      sync.Mutex
	gen     uint64
	tickets map[string]*clock
}

func NewWatch(alarm func(ticket string)) *Watch {
	return &Watch{alarm: alarm, tickets: make(map[string]*clock)}
}

// arm is called with w.mu held.
func (w *Watch) arm(id string, c *clock, d time.Duration) {
	w.gen++
	gen := w.gen
	c.gen = gen
	if c.timer != nil {
		c.timer.Stop()
	}
	c.timer = time.AfterFunc(d, func() { w.fire(id, gen) })
}

// Start begins or restarts the time of a ticket.
func (w *Watch) Start(id string, d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.tickets[id]
	if c == nil {
		c = new(clock)
		w.tickets[id] = c
	}
	c.late = false
	w.arm(id, c, d)
}

// Extend gives more time to a ticket which is not late yet.
func (w *Watch) Extend(id string, d time.Duration) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.tickets[id]
	if c == nil || c.late {
		return false
	}
	w.arm(id, c, d)
	return true
}

// Answered ends the time of a ticket and reports whether it was in time.
func (w *Watch) Answered(id string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.tickets[id]
	if c == nil {
		return false
	}
	c.timer.Stop()
	delete(w.tickets, id)
	return !c.late
}

func (w *Watch) fire(id string, gen uint64) {
	w.mu.Lock()
	c := w.tickets[id]
	if c == nil || c.gen != gen {
		w.mu.Unlock()
		return
	}
	c.late = true
	w.mu.Unlock()
	w.alarm(id)
}
