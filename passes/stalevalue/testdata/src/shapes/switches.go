package shapes

import "sync"

// A Turn has a method that does one of two things.
type Turn struct {
	mu    sync.Mutex
	queue []int
}

// end drops what is left, or leaves it.
func (t *Turn) end(drop bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if drop {
		t.queue = t.queue[:3]
	}
}

// finish hands the choice on.
func (t *Turn) finish(drop bool) { t.end(drop) }

func (t *Turn) Put(i int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = append(t.queue, i)
}

func (t *Turn) Clear() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.queue = nil
}

func (t *Turn) size() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queue)
}

// Close leaves the queue as it is.
func (t *Turn) Close() {
	if t.size() > 3 {
		t.end(false)
	}
}

// Drop cuts off what may have been cleared.
func (t *Turn) Drop() {
	if t.size() > 3 {
		t.end(true) // want `check-then-act: t.queue was checked at line \d+`
	}
}

// Finish leaves the queue as it is.
func (t *Turn) Finish() {
	if t.size() > 3 {
		t.finish(false)
	}
}
