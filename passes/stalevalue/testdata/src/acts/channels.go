package acts

import "sync"

// A Feed has a channel that Close closes.
type Feed struct {
	mu     sync.Mutex
	closed bool
	ch     chan int
}

// Close closes the channel under the lock.
func (f *Feed) Close() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	f.closed = true
	close(f.ch)
}

// Publish sends after it has given the lock up.
func (f *Feed) Publish(n int) bool {
	f.mu.Lock()
	closed := f.closed
	f.mu.Unlock()
	if closed {
		return false
	}
	f.ch <- n // want `f.closed was checked .* another goroutine may close f.ch before this send, which panics then`
	return true
}

func (f *Feed) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// Offer asks a getter, and does not wait.
func (f *Feed) Offer(n int) bool {
	if f.isClosed() {
		return false
	}
	select { // want `f.closed was checked .* another goroutine may close f.ch before this send`
	case f.ch <- n:
		return true
	default:
		return false
	}
}

// OfferLocked sends under the lock.
func (f *Feed) OfferLocked(n int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	select {
	case f.ch <- n:
		return true
	default:
		return false
	}
}

// OfferAgain looks again under the lock.
func (f *Feed) OfferAgain(n int) bool {
	if f.isClosed() {
		return false
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.closed {
		f.ch <- n
	}
	return true
}

// A Bus is closed after its senders have signed off.
type Bus struct {
	mu     sync.Mutex
	closed bool
	wg     sync.WaitGroup
	ch     chan int
}

// Send signs on in the section of the check.
func (b *Bus) Send(n int) {
	b.mu.Lock()
	if b.closed {
		b.mu.Unlock()
		return
	}
	b.wg.Add(1)
	b.mu.Unlock()
	defer b.wg.Done()
	b.ch <- n
}

// Close waits for the senders.
func (b *Bus) Close() {
	b.mu.Lock()
	b.closed = true
	b.mu.Unlock()
	b.wg.Wait()
	close(b.ch)
}

// A Line is closed under the write lock, and sent to under the read lock.
type Line struct {
	mu     sync.RWMutex
	closed bool
	ch     chan int
}

// Close closes.
func (l *Line) Close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		l.closed = true
		close(l.ch)
	}
}

// Send holds the read lock.
func (l *Line) Send(n int) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	if !l.closed {
		l.ch <- n
	}
}

// A Wire is closed when its flag is set, and its senders recover.
type Wire struct {
	mu     sync.Mutex
	closed bool
	ch     chan int
}

// Close closes the channel under another lock than that of the flag.
func (w *Wire) Close() {
	w.mu.Lock()
	w.closed = true
	w.mu.Unlock()
	close(w.ch)
}

// TrySend knows that the send may panic.
func (w *Wire) TrySend(n int) (ok bool) {
	defer func() {
		if recover() != nil {
			ok = false
		}
	}()
	w.mu.Lock()
	closed := w.closed
	w.mu.Unlock()
	if !closed {
		w.ch <- n
	}
	return !closed
}

// SendHolding holds the lock that Close needs before it closes.
func (w *Wire) SendHolding(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.closed {
		w.ch <- n
	}
}

// A Relay has a goroutine of its own, which may end the relay by itself. The first function that closes the channel is
// only called by that goroutine, and the second one comes in between: each of them is asked.
type Relay struct {
	mu     sync.Mutex
	closed bool
	out    chan int
	in     chan int
}

// NewRelay starts the goroutine.
func NewRelay() *Relay {
	r := &Relay{out: make(chan int), in: make(chan int)}
	go r.run()
	return r
}

func (r *Relay) abort() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.out)
}

// Close ends the relay.
func (r *Relay) Close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	close(r.out)
}

func (r *Relay) run() {
	for n := range r.in {
		if n < 0 {
			r.abort()
			return
		}
		r.mu.Lock()
		closed := r.closed
		r.mu.Unlock()
		if !closed {
			r.out <- n // want `r.closed was checked .* another goroutine may close r.out before this send`
		}
	}
}
