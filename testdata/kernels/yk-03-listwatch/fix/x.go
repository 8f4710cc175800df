package fix

import (
	"strings"
	"sync"
)

type Op int

const (
	Put Op = iota
	Delete
)

type Event struct {
	Op    Op
	Key   string
	Value string
}

// Stream carries the events of one watcher. It is closed when the watcher
// stops, or when it falls too far behind and has to list again.
type Stream struct {
	C      <-chan Event
	id     int
	prefix string
	send   chan Event
}

type hub struct {
	mu      sync.Mutex
	next    int
	streams map[int]*Stream
}

func (h *hub) join(prefix string, depth int) *Stream {
	h.mu.Lock()
	defer h.mu.Unlock()
	ch := make(chan Event, depth)
	h.next++
	st := &Stream{C: ch, id: h.next, prefix: prefix, send: ch}
	h.streams[st.id] = st
	return st
}

func (h *hub) leave(st *Stream) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cut(st)
}

func (h *hub) cut(st *Stream) {
	if _, ok := h.streams[st.id]; ok {
		delete(h.streams, st.id)
		close(st.send)
	}
}

func (h *hub) publish(ev Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, st := range h.streams {
		if !strings.HasPrefix(ev.Key, st.prefix) {
			continue
		}
		select {
		case st.send <- ev:
		default:
			h.cut(st)
		}
	}
}

// Store is a small key space with watchers.
type Store struct {
	mu   sync.RWMutex
	data map[string]string
	hub  *hub
}

func NewStore() *Store {
	return &Store{
		data: make(map[string]string),
		hub:  &hub{streams: make(map[int]*Stream)},
	}
}

func (s *Store) Put(key, value string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.data[key] = value
	s.hub.publish(Event{Op: Put, Key: key, Value: value})
}

func (s *Store) Delete(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.data[key]; !ok {
		return false
	}
	delete(s.data, key)
	s.hub.publish(Event{Op: Delete, Key: key})
	return true
}

func (s *Store) collect(prefix string) map[string]string {
	out := make(map[string]string)
	for k, v := range s.data {
		if strings.HasPrefix(k, prefix) {
			out[k] = v
		}
	}
	return out
}

// List returns all pairs under a prefix.
func (s *Store) List(prefix string) map[string]string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.collect(prefix)
}

// ListWatch returns the pairs under a prefix and a stream of what happens to
// them afterwards.
func (s *Store) ListWatch(prefix string) (map[string]string, *Stream) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	items := s.collect(prefix)
	return items, s.hub.join(prefix, 64+len(items))
}

// Stop ends a stream.
func (s *Store) Stop(st *Stream) {
	s.hub.leave(st)
}
