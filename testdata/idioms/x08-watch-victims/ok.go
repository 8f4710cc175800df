// Package ok delivers events to watchers of a store.
package ok

import "sync"

type event struct{ rev int64 }

type watcher struct {
	minRev int64
	victim bool
	ch     chan []event
}

func (w *watcher) send(evs []event) bool {
	select {
	case w.ch <- evs:
		return true
	default:
		return false
	}
}

type watcherBatch map[*watcher][]event

// Store is safe for concurrent use.
type Store struct {
	mu       sync.RWMutex
	rev      int64
	synced   map[*watcher]struct{}
	unsynced map[*watcher]struct{}
	victims  []watcherBatch

	victimc chan struct{}
	stopc   chan struct{}
}

func (s *Store) addVictim(victim watcherBatch) {
	if len(victim) == 0 {
		return
	}
	s.victims = append(s.victims, victim)
	select {
	case s.victimc <- struct{}{}:
	default:
	}
}

// Put makes a change and tells the watchers.
func (s *Store) Put() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rev++
	victim := make(watcherBatch)
	for w := range s.synced {
		evs := []event{{rev: s.rev}}
		if w.send(evs) {
			continue
		}
		// move slow watcher to victims
		w.victim = true
		victim[w] = evs
		delete(s.synced, w)
	}
	s.addVictim(victim)
}

func (s *Store) syncVictimsLoop() {
	for {
		for s.moveVictims() != 0 {
			// try to update all victim watchers
		}
		select {
		case <-s.victimc:
		case <-s.stopc:
			return
		}
	}
}

// moveVictims tries to update watches with already pending event data.
func (s *Store) moveVictims() (moved int) {
	s.mu.Lock()
	victims := s.victims
	s.victims = nil
	s.mu.Unlock()

	var newVictim watcherBatch
	for _, wb := range victims {
		// try to send responses again
		for w, evs := range wb {
			if w.send(evs) {
				continue
			}
			if newVictim == nil {
				newVictim = make(watcherBatch)
			}
			newVictim[w] = evs
		}
		// assign completed victim watchers to unsync/sync
		s.mu.Lock()
		curRev := s.rev
		for w, evs := range wb {
			if newVictim != nil && newVictim[w] != nil {
				// couldn't send watch response; stays victim
				continue
			}
			w.victim = false
			w.minRev = evs[len(evs)-1].rev + 1
			if w.minRev <= curRev {
				s.unsynced[w] = struct{}{}
			} else {
				s.synced[w] = struct{}{}
			}
			moved++
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
