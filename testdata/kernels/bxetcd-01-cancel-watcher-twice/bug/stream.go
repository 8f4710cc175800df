package bug

import "sync"

// watchStream shares one channel between its watchers.
type watchStream struct {
	watchable *watchableStore
	ch        chan WatchResponse

	mu       sync.Mutex // guards fields below it
	nextID   WatchID
	closed   bool
	cancels  map[WatchID]cancelFunc
	watchers map[WatchID]*watcher
}

// Watch creates a watcher.
func (ws *watchStream) Watch(key string, startRev int64) (WatchID, error) {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed {
		return -1, ErrWatcherNotExist
	}
	id := ws.nextID
	ws.nextID++
	w, c := ws.watchable.watch(key, startRev, id, ws.ch)
	ws.cancels[id] = c
	ws.watchers[id] = w
	return id, nil
}

// Cancel removes a watcher.
func (ws *watchStream) Cancel(id WatchID) error {
	ws.mu.Lock()
	cancel, ok := ws.cancels[id]
	w := ws.watchers[id]
	ok = ok && !ws.closed
	ws.mu.Unlock()

	if !ok {
		return ErrWatcherNotExist
	}
	cancel()

	ws.mu.Lock()
	// The watch isn't removed until cancel so that if Close() is called,
	// it will wait for the cancel.
	if ww := ws.watchers[id]; ww == w {
		delete(ws.cancels, id)
		delete(ws.watchers, id)
	}
	ws.mu.Unlock()
	return nil
}

// Close cancels all watchers and closes the channel.
func (ws *watchStream) Close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, cancel := range ws.cancels {
		cancel()
	}
	ws.closed = true
	close(ws.ch)
}

// NewWatchStream opens a stream on s.
func (s *watchableStore) NewWatchStream() *watchStream {
	return &watchStream{
		watchable: s,
		ch:        make(chan WatchResponse, 128),
		cancels:   make(map[WatchID]cancelFunc),
		watchers:  make(map[WatchID]*watcher),
	}
}
