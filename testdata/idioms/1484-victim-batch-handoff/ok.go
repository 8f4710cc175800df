package slowwatch

import (
	"sync"
	"time"
)

type event struct {
	key string
	rev int64
}

type batch struct {
	rev int64
	evs []event
}

// watch is one watcher. next and slow are guarded by WatchHub.mu; while slow
// is set, next belongs to whoever holds the batch of the watch.
type watch struct {
	key  string
	ch   chan batch
	next int64
	slow bool
}

func (w *watch) trySend(b batch) bool {
	select {
	case w.ch <- b:
		return true
	default:
		return false
	}
}

type slowBatch map[*watch][]event

type watchSet map[*watch]struct{}

// WatchHub distributes the events of a store.
type WatchHub struct {
	mu      sync.Mutex
	rev     int64
	log     []event
	synced  watchSet
	behind  watchSet
	victims []slowBatch
	stop    chan struct{}
}

// NewWatchHub starts the background loop.
func NewWatchHub() *WatchHub {
	h := &WatchHub{synced: make(watchSet), behind: make(watchSet), stop: make(chan struct{})}
	go h.loop()
	return h
}

// Watch registers a watcher for a key from revision rev on.
func (h *WatchHub) Watch(key string, rev int64) (<-chan batch, func()) {
	w := &watch{key: key, ch: make(chan batch, 8), next: rev}
	h.mu.Lock()
	if w.next > h.rev {
		h.synced[w] = struct{}{}
	} else {
		h.behind[w] = struct{}{}
	}
	h.mu.Unlock()
	return w.ch, func() { h.cancel(w) }
}

// Put records a change and notifies.
func (h *WatchHub) Put(key string) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.rev++
	ev := event{key: key, rev: h.rev}
	h.log = append(h.log, ev)
	late := make(slowBatch)
	for w := range h.synced {
		if w.key != key || w.next > h.rev {
			continue
		}
		w.next = h.rev + 1
		if !w.trySend(batch{rev: h.rev, evs: []event{ev}}) {
			w.slow = true
			late[w] = []event{ev}
			delete(h.synced, w)
		}
	}
	if len(late) > 0 {
		h.victims = append(h.victims, late)
	}
	return h.rev
}

func (h *WatchHub) loop() {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			h.retryVictims()
			h.catchUp()
		case <-h.stop:
			return
		}
	}
}

func (h *WatchHub) retryVictims() {
	h.mu.Lock()
	victims := h.victims
	h.victims = nil
	h.mu.Unlock()

	still := make(slowBatch)
	for _, vb := range victims {
		for w, evs := range vb {
			if !w.trySend(batch{rev: w.next - 1, evs: evs}) {
				still[w] = evs
			}
		}
		h.mu.Lock()
		for w := range vb {
			if _, ok := still[w]; ok {
				continue
			}
			w.slow = false
			if w.next <= h.rev {
				h.behind[w] = struct{}{}
			} else {
				h.synced[w] = struct{}{}
			}
		}
		h.mu.Unlock()
	}

	if len(still) > 0 {
		h.mu.Lock()
		h.victims = append(h.victims, still)
		h.mu.Unlock()
	}
}

// catchUp sends what the watchers behind have missed.
func (h *WatchHub) catchUp() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for w := range h.behind {
		var evs []event
		for _, ev := range h.log {
			if ev.key == w.key && ev.rev >= w.next {
				evs = append(evs, ev)
			}
		}
		if len(evs) > 0 && !w.trySend(batch{rev: h.rev, evs: evs}) {
			continue
		}
		w.next = h.rev + 1
		delete(h.behind, w)
		h.synced[w] = struct{}{}
	}
}

func (h *WatchHub) cancel(w *watch) {
	for !h.tryCancel(w) {
		time.Sleep(time.Millisecond)
	}
}

// tryCancel fails while the batch of w is being retried.
func (h *WatchHub) tryCancel(w *watch) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !w.slow {
		delete(h.synced, w)
		delete(h.behind, w)
		return true
	}
	for _, vb := range h.victims {
		if _, ok := vb[w]; ok {
			delete(vb, w)
			return true
		}
	}
	return false
}

// Close stops the background loop.
func (h *WatchHub) Close() { close(h.stop) }
