// Package ok sends changes to watchers that may be slow.
package ok

import (
	"sync"
	"time"
)

// Event is one change.
type Event struct {
	Rev int
	Key string
}

type watcher struct {
	ch        chan []Event
	next      int // index of the first event that was not sent
	cancelled bool
}

func (w *watcher) send(evs []Event) bool {
	select {
	case w.ch <- evs:
		return true
	default:
		return false
	}
}

type group map[*watcher]struct{}

// Store keeps all changes and the watchers.
type Store struct {
	mu      sync.RWMutex
	log     []Event // only appended to
	synced  group
	victims group // watchers whose channel was full

	victimc chan struct{}
	stopc   chan struct{}
	wg      sync.WaitGroup
}

// NewStore starts the loop that serves slow watchers.
func NewStore() *Store {
	s := &Store{
		synced:  make(group),
		victims: make(group),
		victimc: make(chan struct{}, 1),
		stopc:   make(chan struct{}),
	}
	s.wg.Add(1)
	go s.victimLoop()
	return s
}

// Watch returns the changes from now on and a function that ends the watch.
func (s *Store) Watch() (<-chan []Event, func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &watcher{ch: make(chan []Event, 16), next: len(s.log)}
	s.synced[w] = struct{}{}
	return w.ch, func() { s.cancel(w) }
}

// cancel takes w out of the group it is in.
func (s *Store) cancel(w *watcher) {
	for {
		s.mu.Lock()
		_, synced := s.synced[w]
		_, victim := s.victims[w]
		if w.cancelled || synced || victim {
			break
		}
		// The loop is working on it; try again.
		s.mu.Unlock()
		time.Sleep(time.Millisecond)
	}
	delete(s.synced, w)
	delete(s.victims, w)
	w.cancelled = true
	s.mu.Unlock()
}

// Put makes a change and tells the watchers.
func (s *Store) Put(key string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, Event{Rev: len(s.log) + 1, Key: key})
	for w := range s.synced {
		if w.send(s.log[w.next:]) {
			w.next = len(s.log)
			continue
		}
		delete(s.synced, w)
		s.victims[w] = struct{}{}
		select {
		case s.victimc <- struct{}{}:
		default:
		}
	}
}

func (s *Store) victimLoop() {
	defer s.wg.Done()
	for {
		for s.moveVictims() != 0 {
		}
		s.mu.RLock()
		empty := len(s.victims) == 0
		s.mu.RUnlock()
		var tick <-chan time.Time
		if !empty {
			tick = time.After(10 * time.Millisecond)
		}
		select {
		case <-tick:
		case <-s.victimc:
		case <-s.stopc:
			return
		}
	}
}

// moveVictims tries once more to send to the victims. They are taken out of
// the store first and belong to this goroutine until they are put back.
func (s *Store) moveVictims() (moved int) {
	s.mu.Lock()
	victims := s.victims
	s.victims = make(group)
	log := s.log
	s.mu.Unlock()

	for w := range victims {
		if w.send(log[w.next:]) {
			w.next = len(log)
			moved++
		}
	}

	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range victims {
		// There may be new changes by now.
		if w.next < len(s.log) {
			s.victims[w] = struct{}{}
		} else {
			s.synced[w] = struct{}{}
		}
	}
	return moved
}

// Stop ends the loop.
func (s *Store) Stop() {
	close(s.stopc)
	s.wg.Wait()
}
