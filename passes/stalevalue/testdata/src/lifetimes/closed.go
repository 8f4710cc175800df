// Package lifetimes has objects that are found in shared variables, and ended by whoever takes
// them out.
package lifetimes

import (
	"sync"
	"sync/atomic"
)

type Worker struct {
	id   string
	quit chan struct{}
	once sync.Once
	gone atomic.Bool
}

func (w *Worker) Done() <-chan struct{} { return w.quit }

func (w *Worker) stop() { close(w.quit) }

func (w *Worker) stopOnce() { w.once.Do(w.stop) }

// Agency has workers by name.
type Agency struct {
	mu      sync.RWMutex
	workers map[string]*Worker
}

func (a *Agency) Hire(id string) *Worker {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := &Worker{id: id, quit: make(chan struct{})}
	a.workers[id] = w
	return w
}

// Fire finds the worker, and takes it out later.
func (a *Agency) Fire(id string) {
	a.mu.RLock()
	w := a.workers[id]
	a.mu.RUnlock()
	if w == nil {
		return
	}
	w.stop() // want `check-then-act: a.workers\[id\] was found at line \d+, but a.mu was released at line \d+; \(\*Agency\).Fire \(.*\) may take it out and close Worker.quit in between, and this close panics`
	a.mu.Lock()
	delete(a.workers, id)
	a.mu.Unlock()
}

// FireAll takes the workers out, but not those that it has listed.
func (a *Agency) FireAll() {
	var all []*Worker
	a.mu.RLock()
	for _, w := range a.workers {
		all = append(all, w)
	}
	a.mu.RUnlock()
	for _, w := range all {
		defer close(w.quit) // want `check-then-act: a.workers\[…\] was found`
	}
	a.mu.Lock()
	clear(a.workers)
	a.mu.Unlock()
}

// Dismiss takes the worker out in the section in which it finds it.
func (a *Agency) Dismiss(id string) {
	a.mu.Lock()
	w := a.workers[id]
	delete(a.workers, id)
	a.mu.Unlock()
	if w != nil {
		close(w.quit)
	}
}

// Club has members that are stopped once, by different means.
type Club struct {
	mu      sync.Mutex
	members map[string]*Worker
}

func (c *Club) Enter(w *Worker) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members[w.id] = w
}

func (c *Club) find(id string) *Worker {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.members[id]
}

func (c *Club) forget(id string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.members, id)
}

func (c *Club) LeaveOnce(id string) {
	w := c.find(id)
	c.forget(id)
	if w != nil {
		w.stopOnce()
	}
}

func (c *Club) LeaveBySwap(id string) {
	w := c.find(id)
	c.forget(id)
	if w == nil || w.gone.Swap(true) {
		return
	}
	close(w.quit)
}

// A Hall shuts its rooms by a flag under the lock of the room.
type Hall struct {
	mu    sync.Mutex
	rooms map[string]*Room
}

type Room struct {
	mu     sync.Mutex
	closed bool
	end    chan struct{}
}

func (r *Room) End() <-chan struct{} { return r.end }

func (r *Room) shut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return
	}
	r.closed = true
	close(r.end)
}

func (h *Hall) Open(id string) *Room {
	h.mu.Lock()
	defer h.mu.Unlock()
	r := &Room{end: make(chan struct{})}
	h.rooms[id] = r
	return r
}

func (h *Hall) Shut(id string) {
	h.mu.Lock()
	r := h.rooms[id]
	h.mu.Unlock()
	h.mu.Lock()
	delete(h.rooms, id)
	h.mu.Unlock()
	if r != nil {
		r.shut()
	}
}

// A Desk looks again before it takes out.
type Desk struct {
	mu    sync.Mutex
	slips map[int]*Slip
}

type Slip struct{ done chan struct{} }

func (s *Slip) Done() <-chan struct{} { return s.done }

func (d *Desk) Add(n int) *Slip {
	d.mu.Lock()
	defer d.mu.Unlock()
	s := &Slip{done: make(chan struct{})}
	d.slips[n] = s
	return s
}

func (d *Desk) Finish(n int) {
	d.mu.Lock()
	s := d.slips[n]
	d.mu.Unlock()
	if s == nil {
		return
	}
	d.mu.Lock()
	same := d.slips[n] == s
	if same {
		delete(d.slips, n)
	}
	d.mu.Unlock()
	if same {
		close(s.done)
	}
}

// A Fleet replaces its boats: what it loads it may have to share with another Replace.
type Fleet struct {
	boats atomic.Pointer[[]*Slip]
}

func (f *Fleet) Replace(n int) {
	old := f.boats.Load()
	next := make([]*Slip, n)
	for i := range next {
		next[i] = &Slip{done: make(chan struct{})}
	}
	f.boats.Store(&next)
	for _, b := range *old {
		close(b.done) // want `check-then-act: f.boats was found at line \d+; \(\*Fleet\).Replace \(.*\) may take it out and close Slip.done in between, and this close panics`
	}
}

// A Convoy takes the old ones out by one step.
type Convoy struct {
	boats atomic.Pointer[[]*Slip]
}

func (f *Convoy) Replace(n int) {
	next := make([]*Slip, n)
	for i := range next {
		next[i] = &Slip{done: make(chan struct{})}
	}
	old := f.boats.Swap(&next)
	for _, b := range *old {
		close(b.done)
	}
}

// A Harbour has one pilot, who takes the boats out.
type Harbour struct {
	leaving chan int
	mu      sync.Mutex
	boats   map[int]*Slip
}

func NewHarbour() *Harbour {
	h := &Harbour{leaving: make(chan int), boats: make(map[int]*Slip)}
	go h.pilot()
	return h
}

func (h *Harbour) Enter(n int) *Slip {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Slip{done: make(chan struct{})}
	h.boats[n] = s
	return s
}

func (h *Harbour) pilot() {
	for n := range h.leaving {
		h.mu.Lock()
		s := h.boats[n]
		h.mu.Unlock()
		h.mu.Lock()
		delete(h.boats, n)
		h.mu.Unlock()
		if s != nil {
			close(s.done)
		}
	}
}

// A Choir sings each song once at a time: who has put it there ends it.
type Choir struct {
	mu    sync.Mutex
	songs map[string]*Slip
}

func (c *Choir) Sing(name string) {
	c.mu.Lock()
	s, sung := c.songs[name]
	if !sung {
		s = &Slip{done: make(chan struct{})}
		c.songs[name] = s
	}
	c.mu.Unlock()
	if sung {
		<-s.done
		return
	}
	close(s.done)
	c.mu.Lock()
	delete(c.songs, name)
	c.mu.Unlock()
}
