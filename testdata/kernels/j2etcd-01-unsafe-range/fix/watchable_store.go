package storage

import (
	"encoding/json"
	"log"
	"sync"
	"time"
)

type watcher struct {
	key string
	cur int64 // the next revision to send
	ch  chan<- KeyValue
}

// WatchableStore is a store that can be watched.
type WatchableStore struct {
	store

	wmu      sync.Mutex // taken before mu
	unsynced map[*watcher]struct{}
}

// New returns an empty store.
func New() *WatchableStore {
	s := &WatchableStore{
		store:    store{kvindex: make(map[string]int64), tx: &batchTx{}},
		unsynced: make(map[*watcher]struct{}),
	}
	go s.syncWatchersLoop()
	return s
}

// Watch sends the versions of a key from startRev on to ch, with a delay. It
// closes ch when the versions are compacted before they could be sent.
func (s *WatchableStore) Watch(key string, startRev int64, ch chan<- KeyValue) {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	s.unsynced[&watcher{key: key, cur: startRev, ch: ch}] = struct{}{}
}

func (s *WatchableStore) syncWatchersLoop() {
	for range time.Tick(100 * time.Millisecond) {
		s.syncWatchers()
	}
}

// syncWatchers sends the watchers what they miss.
func (s *WatchableStore) syncWatchers() {
	s.wmu.Lock()
	defer s.wmu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()

	minRev := s.currentRev + 1
	for w := range s.unsynced {
		if w.cur <= s.compactMainRev {
			delete(s.unsynced, w)
			close(w.ch)
		}
		minRev = min(minRev, max(w.cur, s.compactMainRev+1))
	}

	s.tx.Lock()
	// The values are valid only while the tx is locked.
	vs := s.tx.UnsafeRange(revToBytes(minRev))
	var evs []KeyValue
	for _, v := range vs {
		var kv KeyValue
		if err := json.Unmarshal(v, &kv); err != nil {
			log.Panicf("storage: cannot unmarshal event: %v", err)
		}
		evs = append(evs, kv)
	}
	s.tx.Unlock()

	for w := range s.unsynced {
		w.send(evs)
	}
}

// send is called with wmu held. The watcher stays behind if it is slow.
func (w *watcher) send(evs []KeyValue) {
	for _, kv := range evs {
		if kv.Key != w.key || kv.ModRevision < w.cur {
			continue
		}
		select {
		case w.ch <- kv:
			w.cur = kv.ModRevision + 1
		default:
			return
		}
	}
}
