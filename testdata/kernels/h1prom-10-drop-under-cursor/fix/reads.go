package meter

import "sync"

// readTracker knows the open cursors by the piece above which they read.
type readTracker struct {
	mu    sync.Mutex
	ended *sync.Cond // of mu; a cursor was closed
	open  map[pieceRef]int
}

func newReadTracker() *readTracker {
	t := &readTracker{open: make(map[pieceRef]int)}
	t.ended = sync.NewCond(&t.mu)
	return t
}

func (t *readTracker) begin(low pieceRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.open[low]++
}

func (t *readTracker) end(low pieceRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.open[low]--; t.open[low] == 0 {
		delete(t.open, low)
		t.ended.Broadcast()
	}
}

// waitBelow waits until there is no cursor that may read the piece ref or one
// before.
func (t *readTracker) waitBelow(ref pieceRef) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for t.anyBelow(ref) {
		t.ended.Wait()
	}
}

func (t *readTracker) anyBelow(ref pieceRef) bool {
	for low := range t.open {
		if low < ref {
			return true
		}
	}
	return false
}
