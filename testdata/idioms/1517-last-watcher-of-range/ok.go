package ok

import (
	"sync"
	"time"
)

type watchRange struct {
	key, end string
}

type watcher struct {
	wr watchRange
	ch chan int64
}

// watchBroadcast sends the events of one server watcher to many receivers.
type watchBroadcast struct {
	mu        sync.RWMutex
	receivers map[*watcher]struct{}
	nextrev   int64
}

func (wb *watchBroadcast) add(w *watcher) {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	wb.receivers[w] = struct{}{}
}

func (wb *watchBroadcast) delete(w *watcher) int {
	wb.mu.Lock()
	defer wb.mu.Unlock()
	delete(wb.receivers, w)
	return len(wb.receivers)
}

// watchBroadcasts are the broadcasts of one range.
type watchBroadcasts struct {
	mu       sync.Mutex
	bcasts   map[*watchBroadcast]struct{}
	watchers map[*watcher]*watchBroadcast
	stopc    chan struct{}
	donec    chan struct{}
}

func newWatchBroadcasts() *watchBroadcasts {
	wbs := &watchBroadcasts{
		bcasts:   make(map[*watchBroadcast]struct{}),
		watchers: make(map[*watcher]*watchBroadcast),
		stopc:    make(chan struct{}),
		donec:    make(chan struct{}),
	}
	go wbs.coalesceLoop()
	return wbs
}

func (wbs *watchBroadcasts) coalesceLoop() {
	defer close(wbs.donec)
	for {
		select {
		case <-time.After(100 * time.Millisecond):
			wbs.coalesce()
		case <-wbs.stopc:
			return
		}
	}
}

// coalesce merges the broadcasts into one; at least one stays.
func (wbs *watchBroadcasts) coalesce() {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()
	var target *watchBroadcast
	for wb := range wbs.bcasts {
		if target == nil {
			target = wb
			continue
		}
		for w, cur := range wbs.watchers {
			if cur == wb {
				target.add(w)
				wbs.watchers[w] = target
			}
		}
		delete(wbs.bcasts, wb)
	}
}

func (wbs *watchBroadcasts) add(w *watcher) {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()
	wb := &watchBroadcast{receivers: map[*watcher]struct{}{w: {}}}
	wbs.watchers[w] = wb
	wbs.bcasts[wb] = struct{}{}
}

func (wbs *watchBroadcasts) delete(w *watcher) {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()
	wb, ok := wbs.watchers[w]
	if !ok {
		panic("deleting missing watcher from broadcasts")
	}
	delete(wbs.watchers, w)
	if wb.delete(w) == 0 {
		delete(wbs.bcasts, wb)
	}
}

func (wbs *watchBroadcasts) empty() bool {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()
	return len(wbs.bcasts) == 0
}

func (wbs *watchBroadcasts) stop() {
	close(wbs.stopc)
	<-wbs.donec
}

// watchRanges tracks all open watches for the proxy. Watchers come and go
// through it only.
type watchRanges struct {
	mu     sync.Mutex
	bcasts map[watchRange]*watchBroadcasts
}

func (wrs *watchRanges) add(w *watcher) {
	wrs.mu.Lock()
	defer wrs.mu.Unlock()
	wbs := wrs.bcasts[w.wr]
	if wbs == nil {
		wbs = newWatchBroadcasts()
		wrs.bcasts[w.wr] = wbs
	}
	wbs.add(w)
}

func (wrs *watchRanges) delete(w *watcher) {
	wrs.mu.Lock()
	defer wrs.mu.Unlock()
	wbs, ok := wrs.bcasts[w.wr]
	if !ok {
		panic("deleting missing range")
	}
	wbs.delete(w)
	if wbs.empty() {
		wbs.stop()
		delete(wrs.bcasts, w.wr)
	}
}
