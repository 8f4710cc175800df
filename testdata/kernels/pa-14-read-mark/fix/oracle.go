package mvcc

import "sync"

// waterMark knows the timestamps in use.
type waterMark struct {
	mu      sync.Mutex
	pending map[uint64]int
}

func (w *waterMark) begin(ts uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pending[ts]++
}

func (w *waterMark) done(ts uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.pending[ts]--; w.pending[ts] == 0 {
		delete(w.pending, ts)
	}
}

// lowest returns the lowest timestamp in use, or ts if none is lower.
func (w *waterMark) lowest(ts uint64) uint64 {
	w.mu.Lock()
	defer w.mu.Unlock()
	for p := range w.pending {
		ts = min(ts, p)
	}
	return ts
}

// oracle gives out timestamps.
type oracle struct {
	mu       sync.Mutex
	nextTs   uint64
	readMark waterMark
}

func newOracle() *oracle {
	return &oracle{nextTs: 1, readMark: waterMark{pending: make(map[uint64]int)}}
}

// readTs returns a timestamp at which all commits so far are visible. The
// caller gives it back with doneRead.
func (o *oracle) readTs() uint64 {
	o.mu.Lock()
	ts := o.nextTs - 1
	o.readMark.begin(ts)
	o.mu.Unlock()
	return ts
}

func (o *oracle) doneRead(ts uint64) { o.readMark.done(ts) }

// commit runs apply with the next timestamp and makes it visible.
func (o *oracle) commit(apply func(ts uint64) error) error {
	o.mu.Lock()
	defer o.mu.Unlock()
	if err := apply(o.nextTs); err != nil {
		return err
	}
	o.nextTs++
	return nil
}

// discardAtOrBelow returns the timestamp up to which superseded versions are
// of no use to any reader.
func (o *oracle) discardAtOrBelow() uint64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.readMark.lowest(o.nextTs - 1)
}
