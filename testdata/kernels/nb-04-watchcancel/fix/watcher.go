// Package mvcc delivers the events of a store to watch streams.
package mvcc

import (
	"errors"
	"sync"
	"time"
)

var ErrWatcherNotExist = errors.New("mvcc: watcher does not exist")

type WatchID int64

type Event struct {
	Key   string
	Value string
	Rev   int64
}

type WatchResponse struct {
	WatchID  WatchID
	Events   []Event
	Revision int64
}

type cancelFunc func()

type watcher struct {
	key    string
	id     WatchID
	minRev int64
	victim bool
	ch     chan<- WatchResponse
}

func (w *watcher) send(wr WatchResponse) bool {
	select {
	case w.ch <- wr:
		return true
	default:
		return false
	}
}

type watcherSet map[*watcher]struct{}

type watcherGroup struct {
	watchers watcherSet
	byKey    map[string]watcherSet
}

func newWatcherGroup() watcherGroup {
	return watcherGroup{watchers: make(watcherSet), byKey: make(map[string]watcherSet)}
}

func (wg *watcherGroup) add(wa *watcher) {
	wg.watchers[wa] = struct{}{}
	if wg.byKey[wa.key] == nil {
		wg.byKey[wa.key] = make(watcherSet)
	}
	wg.byKey[wa.key][wa] = struct{}{}
}

func (wg *watcherGroup) delete(wa *watcher) bool {
	if _, ok := wg.watchers[wa]; !ok {
		return false
	}
	delete(wg.watchers, wa)
	delete(wg.byKey[wa.key], wa)
	return true
}

type watchableStore struct {
	mu         sync.RWMutex
	currentRev int64
	synced     watcherGroup
	victims    map[*watcher]Event
}

func newWatchableStore() *watchableStore {
	return &watchableStore{synced: newWatcherGroup(), victims: make(map[*watcher]Event)}
}

func (s *watchableStore) watch(key string, id WatchID, ch chan<- WatchResponse) (*watcher, cancelFunc) {
	wa := &watcher{key: key, id: id, ch: ch}
	s.mu.Lock()
	wa.minRev = s.currentRev + 1
	s.synced.add(wa)
	s.mu.Unlock()
	return wa, func() { s.cancelWatcher(wa) }
}

// cancelWatcher removes references of the watcher from the watchableStore
func (s *watchableStore) cancelWatcher(wa *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.synced.delete(wa) {
		return
	}
	if wa.victim {
		delete(s.victims, wa)
	}
}

// Put applies a write and notifies the watchers of the key.
func (s *watchableStore) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentRev++
	s.notify(s.currentRev, Event{Key: key, Value: value, Rev: s.currentRev})
	return s.currentRev
}

// notify is called with the store locked.
func (s *watchableStore) notify(rev int64, ev Event) {
	for w := range s.synced.byKey[ev.Key] {
		if rev < w.minRev {
			continue
		}
		if w.send(WatchResponse{WatchID: w.id, Events: []Event{ev}, Revision: rev}) {
			w.minRev = rev + 1
			continue
		}
		// move slow watcher to victims
		w.victim = true
		s.victims[w] = ev
		s.synced.delete(w)
	}
}

func (s *watchableStore) syncVictimsLoop(stopc <-chan struct{}) {
	t := time.NewTicker(10 * time.Millisecond)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			s.moveVictims()
		case <-stopc:
			return
		}
	}
}

func (s *watchableStore) moveVictims() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w, ev := range s.victims {
		if !w.send(WatchResponse{WatchID: w.id, Events: []Event{ev}, Revision: ev.Rev}) {
			continue
		}
		delete(s.victims, w)
		w.victim = false
		w.minRev = s.currentRev + 1
		s.synced.add(w)
	}
}

// watchStream contains a collection of watchers that share
// one streaming chan to send out watched events and other control events.
type watchStream struct {
	watchable *watchableStore
	ch        chan WatchResponse

	mu sync.Mutex // guards fields below it
	// nextID is the ID pre-allocated for next new watcher in this stream
	nextID   WatchID
	closed   bool
	cancels  map[WatchID]cancelFunc
	watchers map[WatchID]*watcher
}

func (s *watchableStore) NewWatchStream() *watchStream {
	return &watchStream{
		watchable: s,
		ch:        make(chan WatchResponse, 128),
		cancels:   make(map[WatchID]cancelFunc),
		watchers:  make(map[WatchID]*watcher),
	}
}

// Watch creates a new watcher in the stream and returns its WatchID.
func (ws *watchStream) Watch(key string) WatchID {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	if ws.closed {
		return -1
	}
	id := ws.nextID
	ws.nextID++
	w, c := ws.watchable.watch(key, id, ws.ch)
	ws.cancels[id] = c
	ws.watchers[id] = w
	return id
}

func (ws *watchStream) Chan() <-chan WatchResponse { return ws.ch }

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
	if ww := ws.watchers[id]; ww == w {
		delete(ws.cancels, id)
		delete(ws.watchers, id)
	}
	ws.mu.Unlock()
	return nil
}

func (ws *watchStream) Close() {
	ws.mu.Lock()
	defer ws.mu.Unlock()
	for _, cancel := range ws.cancels {
		cancel()
	}
	ws.closed = true
	close(ws.ch)
}

// serveStream handles the control requests of one client connection.
func serveStream(ws *watchStream, ctrl <-chan WatchID, closec <-chan struct{}) {
	go func() {
		for id := range ctrl {
			if err := ws.Cancel(id); err != nil {
				return
			}
		}
	}()
	go func() {
		<-closec
		ws.Close()
	}()
}
