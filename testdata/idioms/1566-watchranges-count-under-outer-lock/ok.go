package a

import "sync"

type watchRange struct {
	key, end string
}

type watcher struct {
	wr watchRange
	ch chan string
}

// watchBroadcasts is the set of watchers that share one range.
type watchBroadcasts struct {
	// mu protects watchers and done
	mu       sync.Mutex
	watchers map[*watcher]struct{}
	done     bool
	donec    chan struct{}
}

func newWatchBroadcasts(updates <-chan string) *watchBroadcasts {
	wbs := &watchBroadcasts{
		watchers: make(map[*watcher]struct{}),
		donec:    make(chan struct{}),
	}
	go wbs.run(updates)
	return wbs
}

func (wbs *watchBroadcasts) run(updates <-chan string) {
	for {
		select {
		case <-wbs.donec:
			return
		case u := <-updates:
			wbs.mu.Lock()
			for w := range wbs.watchers {
				select {
				case w.ch <- u:
				default:
				}
			}
			wbs.mu.Unlock()
		}
	}
}

func (wbs *watchBroadcasts) add(w *watcher) {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()
	wbs.watchers[w] = struct{}{}
}

// delete removes a watcher and returns the number of remaining watchers.
func (wbs *watchBroadcasts) delete(w *watcher) int {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()

	delete(wbs.watchers, w)
	return len(wbs.watchers)
}

func (wbs *watchBroadcasts) stop() {
	wbs.mu.Lock()
	defer wbs.mu.Unlock()
	if !wbs.done {
		wbs.done = true
		close(wbs.donec)
	}
}

// watchRanges tracks all open watches for the proxy.
type watchRanges struct {
	open func(wr watchRange) <-chan string

	mu     sync.Mutex
	bcasts map[watchRange]*watchBroadcasts
}

func (wrs *watchRanges) add(w *watcher) {
	wrs.mu.Lock()
	defer wrs.mu.Unlock()

	if wbs := wrs.bcasts[w.wr]; wbs != nil {
		wbs.add(w)
		return
	}
	wbs := newWatchBroadcasts(wrs.open(w.wr))
	wrs.bcasts[w.wr] = wbs
	wbs.add(w)
}

func (wrs *watchRanges) delete(w *watcher) {
	wrs.mu.Lock()
	defer wrs.mu.Unlock()
	wbs, ok := wrs.bcasts[w.wr]
	if !ok {
		return
	}
	if wbs.delete(w) == 0 {
		wbs.stop()
		delete(wrs.bcasts, w.wr)
	}
}

func (wrs *watchRanges) stop() {
	wrs.mu.Lock()
	defer wrs.mu.Unlock()
	for _, wb := range wrs.bcasts {
		wb.stop()
	}
	wrs.bcasts = make(map[watchRange]*watchBroadcasts)
}
