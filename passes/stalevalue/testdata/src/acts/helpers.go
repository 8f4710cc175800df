package acts

import (
	"sync"
	"sync/atomic"
)

// A Watch has helpers that start and send.
type Watch struct {
	mu      sync.Mutex
	running bool
	closed  atomic.Bool
	events  chan string
	wg      sync.WaitGroup
}

// Start asks, and a helper starts the goroutine.
func (w *Watch) Start() {
	w.mu.Lock()
	running := w.running
	w.mu.Unlock()
	if !running {
		w.spawn() // want `w.running was checked .* start a second one`
	}
}

func (w *Watch) spawn() {
	go w.run()
}

func (w *Watch) run() {
	w.mu.Lock()
	w.running = true
	w.mu.Unlock()
}

// StartAsking has a helper that asks again.
func (w *Watch) StartAsking() {
	w.mu.Lock()
	running := w.running
	w.mu.Unlock()
	if !running {
		w.spawnOnce()
	}
}

func (w *Watch) spawnOnce() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.running {
		w.running = true
		go w.rest()
	}
}

func (w *Watch) rest() {
	w.mu.Lock()
	w.running = false
	w.mu.Unlock()
}

// Tell asks, and a helper sends.
func (w *Watch) Tell(s string) {
	if w.closed.Load() {
		return
	}
	w.send(s) // want `w.closed was checked .* another goroutine may close w.events before the send by \(\*Watch\).send, which panics then`
}

func (w *Watch) send(s string) {
	w.events <- s
}

// Close closes.
func (w *Watch) Close() {
	if w.closed.CompareAndSwap(false, true) {
		close(w.events)
	}
}

// A Yard is stopped for good; a helper adds to its group.
type Yard struct {
	done chan struct{}
	wg   sync.WaitGroup
}

// Do asks, and a helper adds.
func (y *Yard) Do(f func()) {
	select {
	case <-y.done:
		return
	default:
	}
	y.add(f) // want `y.done.closed was checked .* another goroutine may have waited for y.wg`
}

func (y *Yard) add(f func()) {
	y.wg.Add(1)
	go func() {
		defer y.wg.Done()
		f()
	}()
}

// Stop waits.
func (y *Yard) Stop() {
	close(y.done)
	y.wg.Wait()
}
