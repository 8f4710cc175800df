// Package bug keeps watchers of a versioned store.
package bug

import (
	"errors"
	"sync"
	"sync/atomic"
)

// ErrWatcherNotExist is returned for unknown or closed watchers.
var ErrWatcherNotExist = errors.New("mvcc: watcher does not exist")

var watcherGauge, slowWatcherGauge atomic.Int64

// WatchID names a watcher within its stream.
type WatchID int64

// WatchResponse is sent to the channel of a stream.
type WatchResponse struct {
	WatchID         WatchID
	Revision        int64
	CompactRevision int64
}

type watcher struct {
	id        WatchID
	key       string
	minRev    int64
	compacted bool
	ch        chan<- WatchResponse
}

type watcherGroup map[*watcher]struct{}

func (wg watcherGroup) add(wa *watcher) { wg[wa] = struct{}{} }

func (wg watcherGroup) delete(wa *watcher) bool {
	if _, ok := wg[wa]; !ok {
		return false
	}
	delete(wg, wa)
	return true
}

type cancelFunc func()

type watchableStore struct {
	mu         sync.RWMutex
	rev        int64
	compactRev int64
	unsynced   watcherGroup
	synced     watcherGroup
}

func (s *watchableStore) watch(key string, startRev int64, id WatchID, ch chan<- WatchResponse) (*watcher, cancelFunc) {
	wa := &watcher{id: id, key: key, minRev: startRev, ch: ch}
	s.mu.Lock()
	if startRev > s.rev || startRev == 0 {
		s.synced.add(wa)
	} else {
		slowWatcherGauge.Add(1)
		s.unsynced.add(wa)
	}
	s.mu.Unlock()
	watcherGauge.Add(1)
	return wa, func() { s.cancelWatcher(wa) }
}

// cancelWatcher removes references of the watcher from the store.
func (s *watchableStore) cancelWatcher(wa *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.unsynced.delete(wa) {
		slowWatcherGauge.Add(-1)
		watcherGauge.Add(-1)
	} else if s.synced.delete(wa) {
		watcherGauge.Add(-1)
	} else if wa.compacted {
		watcherGauge.Add(-1)
	} else if wa.ch == nil {
		// already canceled (e.g., cancel/close race)
		return
	}
	wa.ch = nil
}

// syncWatchers brings unsynced watchers up to date.
func (s *watchableStore) syncWatchers() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for wa := range s.unsynced {
		if wa.minRev < s.compactRev {
			select {
			case wa.ch <- WatchResponse{WatchID: wa.id, CompactRevision: s.compactRev}:
				wa.compacted = true
				s.unsynced.delete(wa)
				slowWatcherGauge.Add(-1)
			default: // retry next time
			}
			continue
		}
		select {
		case wa.ch <- WatchResponse{WatchID: wa.id, Revision: s.rev}:
			wa.minRev = s.rev + 1
			s.unsynced.delete(wa)
			s.synced.add(wa)
			slowWatcherGauge.Add(-1)
		default:
		}
	}
}
