// Package alarm calls functions at given times.
package alarm

import (
	"container/heap"
	"sync"
	"time"
)

type alarm struct {
	at   time.Time
	ring func()
}

type alarms []*alarm

func (a alarms) Len() int           { return len(a) }
func (a alarms) Less(i, j int) bool { return a[i].at.Before(a[j].at) }
func (a alarms) Swap(i, j int)      { a[i], a[j] = a[j], a[i] }
func (a *alarms) Push(x any)        { *a = append(*a, x.(*alarm)) }
func (a *alarms) Pop() any {
	old := *a
	x := old[len(old)-1]
	old[len(old)-1] = nil
	*a = old[:len(old)-1]
	return x
}

// Clock rings alarms, one after the other.
type Clock struct {
	changed chan struct{} // has room for one
	quit    chan struct{}

	mu  sync.Mutex
	due alarms
}

// NewClock starts a clock.
func NewClock() *Clock {
	c := &Clock{changed: make(chan struct{}, 1), quit: make(chan struct{})}
	go c.loop()
	return c
}

// Set arranges that ring is called at a time. Anybody may call it.
func (c *Clock) Set(at time.Time, ring func()) {
	c.mu.Lock()
	heap.Push(&c.due, &alarm{at: at, ring: ring})
	c.mu.Unlock()
	select {
	case c.changed <- struct{}{}:
	default:
	}
}

// Stop ends the clock. It must be called once.
func (c *Clock) Stop() { close(c.quit) }

func (c *Clock) loop() {
	for {
		c.mu.Lock()
		if len(c.due) == 0 {
			c.mu.Unlock()
			select {
			case <-c.changed:
				continue
			case <-c.quit:
				return
			}
		}
		next := c.due[0]
		c.mu.Unlock()

		timer := time.NewTimer(time.Until(next.at))
		select {
		case <-timer.C:
		case <-c.changed:
			timer.Stop()
			continue
		case <-c.quit:
			timer.Stop()
			return
		}

		c.mu.Lock()
		heap.Pop(&c.due)
		c.mu.Unlock()
		next.ring()
	}
}
