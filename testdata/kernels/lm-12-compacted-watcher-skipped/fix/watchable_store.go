package mvcc

import (
	"sync"
	"time"
)

var (
	chanBufLen = 128

	maxWatchersPerSync = 512
)

type Event struct {
	Key string
	Rev int64
}

type WatchResponse struct {
	Events          []Event
	Revision        int64
	CompactRevision int64
}

type watcher struct {
	key       string
	victim    bool
	compacted bool
	minRev    int64
	ch        chan<- WatchResponse
}

func (w *watcher) send(wr WatchResponse) bool {
	if len(wr.Events) == 0 && wr.CompactRevision == 0 {
		return true
	}
	select {
	case w.ch <- wr:
		return true
	default:
		return false
	}
}

type watcherSet map[*watcher]struct{}

func (w watcherSet) add(wa *watcher) { w[wa] = struct{}{} }

func (w watcherSet) delete(wa *watcher) bool {
	if _, ok := w[wa]; !ok {
		return false
	}
	delete(w, wa)
	return true
}

func (w watcherSet) choose(maxWatchers int, curRev, compactRev int64) (watcherSet, int64) {
	if len(w) < maxWatchers {
		return w, w.chooseAll(curRev, compactRev)
	}
	ret := make(watcherSet)
	for wa := range w {
		if maxWatchers <= 0 {
			break
		}
		maxWatchers--
		ret.add(wa)
	}
	return ret, ret.chooseAll(curRev, compactRev)
}

func (w watcherSet) chooseAll(curRev, compactRev int64) int64 {
	minRev := int64(1<<63 - 1)
	for wa := range w {
		if wa.minRev > curRev {
			panic("watcher minimum revision should not exceed current revision")
		}
		if wa.minRev < compactRev {
			select {
			case wa.ch <- WatchResponse{CompactRevision: compactRev}:
				wa.compacted = true
				w.delete(wa)
			default:
			}
			continue
		}
		if minRev > wa.minRev {
			minRev = wa.minRev
		}
	}
	return minRev
}

type watcherBatch map[*watcher][]Event

func newWatcherBatch(ws watcherSet, evs []Event) watcherBatch {
	wb := make(watcherBatch)
	for _, ev := range evs {
		for w := range ws {
			if w.key == ev.Key && ev.Rev >= w.minRev {
				wb[w] = append(wb[w], ev)
			}
		}
	}
	return wb
}

type store struct {
	revMu          sync.RWMutex
	currentRev     int64
	compactMainRev int64
	log            []Event
}

func (s *store) rangeEvents(minRev, curRev int64) []Event {
	var evs []Event
	for _, ev := range s.log {
		if ev.Rev >= minRev && ev.Rev <= curRev {
			evs = append(evs, ev)
		}
	}
	return evs
}

func (s *store) Compact(rev int64) {
	s.revMu.Lock()
	defer s.revMu.Unlock()
	if rev <= s.compactMainRev || rev > s.currentRev {
		return
	}
	s.compactMainRev = rev
	i := 0
	for i < len(s.log) && s.log[i].Rev < rev {
		i++
	}
	s.log = append([]Event(nil), s.log[i:]...)
}

type watchableStore struct {
	*store

	mu sync.RWMutex

	unsynced watcherSet

	synced watcherSet

	stopc chan struct{}
	wg    sync.WaitGroup
}

func newWatchableStore() *watchableStore {
	s := &watchableStore{
		store:    &store{currentRev: 1, compactMainRev: -1},
		unsynced: make(watcherSet),
		synced:   make(watcherSet),
		stopc:    make(chan struct{}),
	}
	s.wg.Add(1)
	go s.syncWatchersLoop()
	return s
}

func (s *watchableStore) Close() {
	close(s.stopc)
	s.wg.Wait()
}

func (s *watchableStore) Put(key string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.revMu.Lock()
	s.currentRev++
	ev := Event{Key: key, Rev: s.currentRev}
	s.log = append(s.log, ev)
	s.revMu.Unlock()
	s.notify(ev.Rev, []Event{ev})
	return ev.Rev
}

func (s *watchableStore) notify(rev int64, evs []Event) {
	for w, eb := range newWatcherBatch(s.synced, evs) {
		if w.send(WatchResponse{Events: eb, Revision: rev}) {
			w.minRev = rev + 1
		} else {
			w.minRev = rev
			s.synced.delete(w)
			s.unsynced.add(w)
		}
	}
}

func (s *watchableStore) watch(key string, startRev int64) (*watcher, <-chan WatchResponse) {
	ch := make(chan WatchResponse, chanBufLen)
	wa := &watcher{key: key, minRev: startRev, ch: ch}

	s.mu.Lock()
	defer s.mu.Unlock()
	s.revMu.RLock()
	synced := startRev > s.currentRev || startRev == 0
	if synced {
		wa.minRev = max(s.currentRev+1, startRev)
		s.synced.add(wa)
	} else {
		s.unsynced.add(wa)
	}
	s.revMu.RUnlock()
	return wa, ch
}

func (s *watchableStore) syncWatchersLoop() {
	defer s.wg.Done()
	for {
		s.mu.RLock()
		unsyncedWatchers := len(s.unsynced)
		s.mu.RUnlock()
		if unsyncedWatchers > 0 {
			s.syncWatchers()
		}
		select {
		case <-time.After(100 * time.Millisecond):
		case <-s.stopc:
			return
		}
	}
}

func (s *watchableStore) syncWatchers() int {
	s.mu.Lock()
	defer s.mu.Unlock()

	if len(s.unsynced) == 0 {
		return 0
	}

	s.store.revMu.RLock()
	defer s.store.revMu.RUnlock()

	curRev := s.store.currentRev
	compactionRev := s.store.compactMainRev

	ws, minRev := s.unsynced.choose(maxWatchersPerSync, curRev, compactionRev)
	evs := s.store.rangeEvents(minRev, curRev)
	wb := newWatcherBatch(ws, evs)
	for w := range ws {
		if w.minRev < compactionRev {
			// Skip the watcher that failed to send compacted watch response due to w.ch is full.
			// Next retry of syncWatchers would try to resend the compacted watch response to w.ch
			continue
		}
		w.victim = false
		oldRev := w.minRev
		w.minRev = curRev + 1

		if eb, ok := wb[w]; ok && !w.send(WatchResponse{Events: eb, Revision: curRev}) {
			w.minRev = oldRev
			w.victim = true
			continue
		}
		s.synced.add(w)
		s.unsynced.delete(w)
	}
	for w := range s.unsynced {
		if w.compacted {
			s.unsynced.delete(w)
		}
	}
	return len(s.unsynced)
}
