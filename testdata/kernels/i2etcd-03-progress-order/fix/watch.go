// Package fix delivers the changes of a store to watch streams.
package fix

import "sync"

// AllWatchers is the id in responses that concern all watchers of a stream.
const AllWatchers = -1

// Event is a change of a key.
type Event struct {
	Key, Value string
	Rev        int64
}

// Response holds the events of a watcher. One without events tells that all
// events up to Rev have been delivered.
type Response struct {
	ID     int
	Rev    int64
	Events []Event
}

type watcher struct {
	id     int
	key    string
	minRev int64 // of the next event
	ch     chan<- Response
}

func (w *watcher) send(r Response) bool {
	select {
	case w.ch <- r:
		return true
	default:
		return false
	}
}

// Store keeps all events.
type Store struct {
	mu       sync.RWMutex
	log      []Event
	synced   map[*watcher]struct{}
	unsynced map[*watcher]struct{}
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{
		synced:   make(map[*watcher]struct{}),
		unsynced: make(map[*watcher]struct{}),
	}
}

// Put adds an event and sends it to the watchers that have all older ones.
func (s *Store) Put(key, value string) int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	ev := Event{Key: key, Value: value, Rev: int64(len(s.log)) + 1}
	s.log = append(s.log, ev)
	for w := range s.synced {
		if w.key != key {
			continue
		}
		if w.send(Response{ID: w.id, Rev: ev.Rev, Events: []Event{ev}}) {
			w.minRev = ev.Rev + 1
			continue
		}
		w.minRev = ev.Rev
		delete(s.synced, w)
		s.unsynced[w] = struct{}{}
	}
	return ev.Rev
}

// Rev returns the current revision.
func (s *Store) Rev() int64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return int64(len(s.log))
}

// Sync sends past events to the watchers that lack some. It is called
// periodically.
func (s *Store) Sync() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for w := range s.unsynced {
		var evs []Event
		for _, ev := range s.log {
			if ev.Rev >= w.minRev && ev.Key == w.key {
				evs = append(evs, ev)
			}
		}
		if len(evs) != 0 && !w.send(Response{ID: w.id, Rev: int64(len(s.log)), Events: evs}) {
			continue
		}
		w.minRev = int64(len(s.log)) + 1
		delete(s.unsynced, w)
		s.synced[w] = struct{}{}
	}
}

func (s *Store) watch(w *watcher) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.minRev > int64(len(s.log)) {
		s.synced[w] = struct{}{}
	} else {
		s.unsynced[w] = struct{}{}
	}
}

// progressAll sends the revision to the stream of the watchers if none of them
// lacks events.
func (s *Store) progressAll(watchers map[int]*watcher, r Response) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for _, w := range watchers {
		if _, ok := s.synced[w]; !ok {
			return false
		}
	}
	r.Rev = int64(len(s.log))
	for _, w := range watchers {
		return w.send(r)
	}
	return true
}

// Stream is a set of watchers with a common channel.
type Stream struct {
	store *Store
	ch    chan Response

	mu       sync.Mutex
	watchers map[int]*watcher
	deferred bool // a progress response has yet to be sent
}

// NewStream returns a stream without watchers.
func (s *Store) NewStream() *Stream {
	return &Stream{store: s, ch: make(chan Response, 128), watchers: make(map[int]*watcher)}
}

// Watch adds a watcher for events of the key from rev on.
func (st *Stream) Watch(key string, rev int64) int {
	st.mu.Lock()
	defer st.mu.Unlock()
	w := &watcher{id: len(st.watchers), key: key, minRev: rev, ch: st.ch}
	st.watchers[w.id] = w
	st.store.watch(w)
	return w.id
}

// RequestProgress asks for a response that tells how far all watchers are. If
// one lacks events, it is sent later with other responses.
func (st *Stream) RequestProgress() {
	st.mu.Lock()
	defer st.mu.Unlock()
	st.deferred = true
	st.flush()
}

// flush sends the deferred response if it can. st.mu is held.
func (st *Stream) flush() {
	if st.deferred && st.store.progressAll(st.watchers, Response{ID: AllWatchers}) {
		st.deferred = false
	}
}

// Recv returns the next response.
func (st *Stream) Recv() Response {
	r := <-st.ch
	st.mu.Lock()
	st.flush()
	st.mu.Unlock()
	return r
}
