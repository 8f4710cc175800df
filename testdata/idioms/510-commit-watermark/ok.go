// Package ok follows the progress of a replicated log.
package ok

import (
	"sync"
	"sync/atomic"
)

type entry struct {
	index uint64
	data  string
}

type ready struct {
	entries   []entry
	committed uint64
	lead      uint64
}

type waitList struct {
	mu      sync.Mutex
	last    uint64
	waiters map[uint64][]chan struct{}
}

func (w *waitList) wait(index uint64) <-chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	ch := make(chan struct{})
	if w.last >= index {
		close(ch)
		return ch
	}
	w.waiters[index] = append(w.waiters[index], ch)
	return ch
}

func (w *waitList) trigger(index uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.last = index
	for i, chs := range w.waiters {
		if i <= index {
			for _, ch := range chs {
				close(ch)
			}
			delete(w.waiters, i)
		}
	}
}

// Follower applies the log. The committed index is written by the ready loop
// only, the applied index by the apply loop only.
type Follower struct {
	committed atomic.Uint64
	applied   atomic.Uint64
	lead      atomic.Uint64

	readyc chan ready
	applyc chan []entry
	wl     waitList

	mu    sync.RWMutex
	state []string

	stop chan struct{}
	wg   sync.WaitGroup
}

// New starts both loops.
func New() *Follower {
	f := &Follower{
		readyc: make(chan ready),
		applyc: make(chan []entry, 64),
		wl:     waitList{waiters: make(map[uint64][]chan struct{})},
		stop:   make(chan struct{}),
	}
	f.wg.Add(2)
	go f.intake()
	go f.consume()
	return f
}

// Advance hands entries and the commit index over; false after Stop.
func (f *Follower) Advance(es []string, first, committed, lead uint64) bool {
	rd := ready{committed: committed, lead: lead}
	for i, e := range es {
		rd.entries = append(rd.entries, entry{first + uint64(i), e})
	}
	select {
	case f.readyc <- rd:
		return true
	case <-f.stop:
		return false
	}
}

func (f *Follower) intake() {
	defer f.wg.Done()
	for {
		select {
		case rd := <-f.readyc:
			if rd.lead != f.lead.Load() {
				f.lead.Store(rd.lead)
			}
			f.raiseCommitted(rd.committed)
			select {
			case f.applyc <- rd.entries:
			case <-f.stop:
				return
			}
		case <-f.stop:
			return
		}
	}
}

func (f *Follower) raiseCommitted(ci uint64) {
	if cci := f.committed.Load(); ci > cci {
		f.committed.Store(ci)
	}
}

func (f *Follower) consume() {
	defer f.wg.Done()
	for {
		select {
		case es := <-f.applyc:
			for _, e := range es {
				f.apply(e)
			}
		case <-f.stop:
			return
		}
	}
}

func (f *Follower) apply(e entry) {
	if e.index <= f.applied.Load() {
		return
	}
	f.mu.Lock()
	f.state = append(f.state, e.data)
	f.mu.Unlock()
	f.applied.Store(e.index)
	f.wl.trigger(e.index)
}

// ReadAll returns the state, at least as new as what is committed now.
func (f *Follower) ReadAll() ([]string, bool) {
	ci := f.committed.Load()
	if f.applied.Load() < ci {
		select {
		case <-f.wl.wait(ci):
		case <-f.stop:
			return nil, false
		}
	}
	f.mu.RLock()
	defer f.mu.RUnlock()
	return append([]string(nil), f.state...), true
}

// Lag returns how far the state is behind; for display.
func (f *Follower) Lag() uint64 {
	a := f.applied.Load()
	c := f.committed.Load()
	if c < a {
		return 0
	}
	return c - a
}

// Stop ends the loops; it is called once.
func (f *Follower) Stop() {
	close(f.stop)
	f.wg.Wait()
}
