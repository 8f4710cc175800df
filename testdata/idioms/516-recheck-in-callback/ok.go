// Package ok tells subscribers the newest message, one after the other.
package ok

import "sync"

// Subscriber receives messages. Receive is not called after the function
// returned by Subscribe has been called from within Receive.
type Subscriber interface {
	Receive(msg any)
}

// runner runs functions in order on one goroutine.
type runner struct {
	mu    sync.Mutex
	cond  *sync.Cond
	queue []func()
	ended bool
	done  chan struct{}
}

func newRunner() *runner {
	r := &runner{done: make(chan struct{})}
	r.cond = sync.NewCond(&r.mu)
	go r.run()
	return r
}

func (r *runner) schedule(f func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.ended {
		return false
	}
	r.queue = append(r.queue, f)
	r.cond.Signal()
	return true
}

func (r *runner) run() {
	defer close(r.done)
	for {
		r.mu.Lock()
		for len(r.queue) == 0 && !r.ended {
			r.cond.Wait()
		}
		if len(r.queue) == 0 {
			r.mu.Unlock()
			return
		}
		f := r.queue[0]
		r.queue = r.queue[1:]
		r.mu.Unlock()
		f()
	}
}

func (r *runner) end() {
	r.mu.Lock()
	r.ended = true
	r.cond.Signal()
	r.mu.Unlock()
	<-r.done
}

type subscription struct{ to Subscriber }

// Board keeps the newest message.
type Board struct {
	run *runner

	mu   sync.Mutex
	msg  any
	subs map[*subscription]bool
}

// NewBoard returns a board without a message.
func NewBoard() *Board {
	return &Board{run: newRunner(), subs: make(map[*subscription]bool)}
}

// Subscribe adds a subscriber, which gets the newest message first.
func (b *Board) Subscribe(to Subscriber) (cancel func()) {
	s := &subscription{to}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.subs[s] = true
	if b.msg != nil {
		b.deliverLocked(s, b.msg)
	}
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.subs, s)
	}
}

// Publish sends msg to all subscribers.
func (b *Board) Publish(msg any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.msg = msg
	for s := range b.subs {
		b.deliverLocked(s, msg)
	}
}

func (b *Board) deliverLocked(s *subscription, msg any) {
	b.run.schedule(func() {
		b.mu.Lock()
		ok := b.subs[s]
		b.mu.Unlock()
		if !ok {
			return
		}
		s.to.Receive(msg)
	})
}

// Close delivers what was published and stops.
func (b *Board) Close() { b.run.end() }
