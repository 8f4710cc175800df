// Package bug runs the delivery loops of a replicated feed.
package bug

import (
	"sync"
	"time"
)

type store interface {
	Load(seq uint64) ([]byte, bool)
}

type item struct {
	seq  uint64
	data []byte
}

// Feed delivers the entries of a store while this node leads it.
type Feed struct {
	mu      sync.RWMutex
	name    string
	st      store
	sub     string
	outq    chan item
	wakeup  chan struct{}
	quit    chan struct{}
	next    uint64
	leader  bool
	sent    uint64
	deliver func([]byte)
}

// NewFeed returns a feed that is not led by this node.
func NewFeed(name string, st store, deliver func([]byte)) *Feed {
	return &Feed{name: name, st: st, next: 1, deliver: deliver, wakeup: make(chan struct{}, 1)}
}

func (f *Feed) isLeader() bool {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.leader
}

// SetLead is called by the election when this node gains or loses the feed.
func (f *Feed) SetLead(lead bool) {
	if lead {
		f.mu.Lock()
		if f.leader {
			f.mu.Unlock()
			return
		}
		f.leader = true
		f.sub = "acks." + f.name
		f.next = f.sent + 1
		f.outq = make(chan item, 32)
		f.quit = make(chan struct{})
		f.mu.Unlock()

		go f.gather()
		go f.pump()
	} else {
		f.mu.Lock()
		defer f.mu.Unlock()
		if !f.leader {
			return
		}
		f.leader = false
		f.sub = ""
		if f.quit != nil {
			close(f.quit)
			f.quit = nil
		}
	}
}

// Signal tells that there may be new entries.
func (f *Feed) Signal() {
	select {
	case f.wakeup <- struct{}{}:
	default:
	}
}

func (f *Feed) fetch(quit chan struct{}) (item, bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.quit != quit {
		return item{}, false
	}
	b, ok := f.st.Load(f.next)
	it := item{f.next, b}
	if ok {
		f.next++
	}
	return it, ok
}

func (f *Feed) gather() {
	f.mu.RLock()
	quit, outq := f.quit, f.outq
	f.mu.RUnlock()

	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		if it, ok := f.fetch(quit); ok {
			select {
			case outq <- it:
				continue
			case <-quit:
				return
			}
		}
		select {
		case <-f.wakeup:
		case <-tick.C:
		case <-quit:
			return
		}
	}
}

func (f *Feed) pump() {
	f.mu.RLock()
	quit, outq, deliver := f.quit, f.outq, f.deliver
	f.mu.RUnlock()

	for {
		select {
		case it := <-outq:
			deliver(it.data)
			f.mu.Lock()
			f.sent = max(f.sent, it.seq)
			f.mu.Unlock()
		case <-quit:
			return
		}
	}
}

// Info returns the position of the feed.
func (f *Feed) Info() (next, sent uint64, lead bool) {
	lead = f.isLeader()
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.next, f.sent, lead
}
