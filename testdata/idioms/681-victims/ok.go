// Package mvcc delivers events to watchers, slow ones are served later.
package mvcc

import (
	"sync"
	"time"
)

type Event struct {
	Key   string
	Value []byte
	Rev   int64
}

type WatchResponse struct {
	WatchID  int64
	Events   []Event
	Revision int64
}

type watcher struct {
	key    string
	id     int64
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

// watcherBatch maps a watcher to the events it has not got yet.
type watcherBatch map[*watcher][]Event

type watcherGroup map[*watcher]struct{}

func (wg watcherGroup) add(w *watcher) { wg[w] = struct{}{} }

func (wg watcherGroup) delete(w *watcher) bool {
	_, ok := wg[w]
	delete(wg, w)
	return ok
}

type watchableStore struct {
	mu         sync.RWMutex
	currentRev int64
	history    []Event
	synced     watcherGroup
	unsynced   watcherGroup
	victims    []watcherBatch
	victimc    chan struct{}
	stopc      chan struct{}
	wg         sync.WaitGroup
}

func newWatchableStore() *watchableStore {
	s := &watchableStore{
		synced:   make(watcherGroup),
		unsynced: make(watcherGroup),
		victimc:  make(chan struct{}, 1),
		stopc:    make(chan struct{}),
	}
	s.wg.Add(1)
	go s.syncVictimsLoop()
	return s
}

func (s *watchableStore) watch(key string, id int64, ch chan<- WatchResponse) (*watcher, func()) {
	wa := &watcher{key: key, id: id, ch: ch}
	s.mu.Lock()
	wa.minRev = s.currentRev + 1
	s.synced.add(wa)
	s.mu.Unlock()
	return wa, func() { s.cancelWatcher(wa) }
}

// cancelWatcher removes references of the watcher from the watchableStore
func (s *watchableStore) cancelWatcher(wa *watcher) {
	for {
		s.mu.Lock()
		if s.unsynced.delete(wa) || s.synced.delete(wa) {
			break
		}
		if !wa.victim {
			break
		}
		found := false
		for _, wb := range s.victims {
			if _, ok := wb[wa]; ok {
				delete(wb, wa)
				wa.victim = false
				found = true
			}
		}
		if found {
			break
		}
		// victim being processed so not accessible; retry
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	s.mu.Unlock()
}

// Put stores a value and notifies the synced watchers.
func (s *watchableStore) Put(key string, value []byte) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.currentRev++
	ev := Event{Key: key, Value: value, Rev: s.currentRev}
	s.history = append(s.history, ev)
	victims := make(watcherBatch)
	for w := range s.synced {
		if w.key != key || ev.Rev < w.minRev {
			continue
		}
		w.minRev = ev.Rev + 1
		if !w.send(WatchResponse{WatchID: w.id, Events: []Event{ev}, Revision: ev.Rev}) {
			w.victim = true
			victims[w] = []Event{ev}
			s.synced.delete(w)
		}
	}
	if len(victims) > 0 {
		s.victims = append(s.victims, victims)
		select {
		case s.victimc <- struct{}{}:
		default:
		}
	}
	return s.currentRev
}

func (s *watchableStore) syncVictimsLoop() {
	defer s.wg.Done()
	for {
		for s.moveVictims() != 0 {
			// try to update all victim watchers
		}
		s.syncWatchers()
		s.mu.RLock()
		isEmpty := len(s.victims) == 0 && len(s.unsynced) == 0
		s.mu.RUnlock()

		var tickc <-chan time.Time
		if !isEmpty {
			tickc = time.After(10 * time.Millisecond)
		}
		select {
		case <-tickc:
		case <-s.victimc:
		case <-s.stopc:
			return
		}
	}
}

// moveVictims tries to update watches with already pending event data
func (s *watchableStore) moveVictims() (moved int) {
	s.mu.Lock()
	victims := s.victims
	s.victims = nil
	s.mu.Unlock()

	newVictim := make(watcherBatch)
	for _, wb := range victims {
		// try to send responses again
		for w, evs := range wb {
			// watcher has observed the store up to, but not including, w.minRev
			if !w.send(WatchResponse{WatchID: w.id, Events: evs, Revision: w.minRev - 1}) {
				newVictim[w] = evs
				continue
			}
			moved++
		}

		// assign completed victim watchers to unsync/sync
		s.mu.Lock()
		for w := range wb {
			if newVictim[w] != nil {
				continue
			}
			w.victim = false
			if w.minRev <= s.currentRev {
				s.unsynced.add(w)
			} else {
				s.synced.add(w)
			}
		}
		s.mu.Unlock()
	}

	if len(newVictim) > 0 {
		s.mu.Lock()
		s.victims = append(s.victims, newVictim)
		s.mu.Unlock()
	}
	return moved
}

// syncWatchers brings the watchers up to date that have missed something.
func (s *watchableStore) syncWatchers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.unsynced {
		var evs []Event
		for _, ev := range s.history {
			if ev.Rev >= w.minRev && ev.Key == w.key {
				evs = append(evs, ev)
			}
		}
		if len(evs) > 0 && !w.send(WatchResponse{WatchID: w.id, Events: evs, Revision: s.currentRev}) {
			continue
		}
		w.minRev = s.currentRev + 1
		s.unsynced.delete(w)
		s.synced.add(w)
	}
}

func (s *watchableStore) Close() {
	close(s.stopc)
	s.wg.Wait()
}
