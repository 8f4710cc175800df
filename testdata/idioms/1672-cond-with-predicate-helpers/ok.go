package a

import "sync"

// Wash is a laundromat with machines of two kinds.
type Wash struct {
	mu    sync.Mutex
	moved *sync.Cond

	washers int
	dryers  int
	open    bool
	served  int
}

func NewWash(washers, dryers int) *Wash {
	w := &Wash{washers: washers, dryers: dryers, open: true}
	w.moved = sync.NewCond(&w.mu)
	return w
}

func (w *Wash) waitFor(ready func() bool) bool {
	for w.open && !ready() {
		w.moved.Wait()
	}
	return w.open
}

func (w *Wash) hasWasher() bool { return w.washers > 0 }

func (w *Wash) hasBoth() bool { return w.washers > 0 && w.dryers > 0 }

// Washer waits for a washer; the result is false when the shop has closed.
func (w *Wash) Washer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.waitFor(w.hasWasher) {
		return false
	}
	w.washers--
	w.served++
	return true
}

// Both waits for a washer and a dryer at once.
func (w *Wash) Both() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.waitFor(w.hasBoth) {
		return false
	}
	w.washers--
	w.dryers--
	w.served++
	return true
}

// Release gives machines back.
func (w *Wash) Release(washers, dryers int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.washers += washers
	w.dryers += dryers
	w.moved.Broadcast()
}

// Close sends everybody who waits home.
func (w *Wash) Close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open = false
	w.moved.Broadcast()
}

// Served counts the customers.
func (w *Wash) Served() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.served
}
