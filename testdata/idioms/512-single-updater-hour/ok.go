// Package ok remembers which ids were seen in this hour and in the last one.
package ok

import (
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

// hourSet is never changed after it was stored.
type hourSet struct {
	hour int64
	ids  map[uint64]struct{}
}

func (h *hourSet) has(id uint64) bool {
	_, ok := h.ids[id]
	return ok
}

// Tracker is told about every id that is written.
type Tracker struct {
	curr atomic.Pointer[hourSet]
	prev atomic.Pointer[hourSet]

	pendingMu sync.Mutex
	pending   map[uint64]struct{}

	slow atomic.Uint64
	stop chan struct{}
	wg   sync.WaitGroup
}

// NewTracker returns a tracker and starts its updater.
func NewTracker() *Tracker {
	t := &Tracker{pending: make(map[uint64]struct{}), stop: make(chan struct{})}
	t.curr.Store(&hourSet{hour: hourNow()})
	t.prev.Store(&hourSet{})
	t.wg.Add(1)
	go t.updater()
	return t
}

func hourNow() int64 { return time.Now().Unix() / 3600 }

// Touch notes that ids were written in an hour. An id of the last seconds of
// an hour may be counted in the next one.
func (t *Tracker) Touch(hour int64, ids []uint64) {
	hs := t.curr.Load()
	var fresh []uint64
	for _, id := range ids {
		if hs.hour == hour && hs.has(id) {
			continue
		}
		fresh = append(fresh, id)
	}
	if len(fresh) == 0 {
		return
	}
	t.slow.Add(uint64(len(fresh)))
	t.pendingMu.Lock()
	for _, id := range fresh {
		t.pending[id] = struct{}{}
	}
	t.pendingMu.Unlock()
}

// Recent returns the number of ids known for this hour, a few seconds late.
func (t *Tracker) Recent() int { return len(t.curr.Load().ids) }

// Seen reports whether an id was written lately.
func (t *Tracker) Seen(id uint64) bool {
	return t.curr.Load().has(id) || t.prev.Load().has(id)
}

func (t *Tracker) updater() {
	defer t.wg.Done()
	tick := time.NewTicker(10 * time.Second)
	defer tick.Stop()
	for {
		select {
		case <-t.stop:
			t.update(hourNow())
			return
		case <-tick.C:
			t.update(hourNow())
		}
	}
}

// update is only called by the updater.
func (t *Tracker) update(hour int64) {
	hs := t.curr.Load()

	t.pendingMu.Lock()
	added := t.pending
	if len(added) > 0 {
		t.pending = make(map[uint64]struct{}, len(added))
	} else {
		added = nil
	}
	t.pendingMu.Unlock()

	if added == nil && hs.hour == hour {
		return
	}
	next := &hourSet{hour: hour, ids: make(map[uint64]struct{}, len(added))}
	if hs.hour == hour {
		maps.Copy(next.ids, hs.ids)
	}
	maps.Copy(next.ids, added)
	if hs.hour != hour {
		t.prev.Store(hs)
	}
	t.curr.Store(next)
}

// Stop makes a last update.
func (t *Tracker) Stop() {
	close(t.stop)
	t.wg.Wait()
}
