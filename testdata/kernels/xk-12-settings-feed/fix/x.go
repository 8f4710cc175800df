// Package fix publishes runtime settings to the parts of a server.
package fix

import (
	"maps"
	"sync"
)

// Settings are not changed once published.
type Settings struct {
	Generation uint64
	LogLevel   string
	MaxConns   int
	Flags      map[string]bool
}

// Holder owns the settings in force.
type Holder struct {
	mu   sync.Mutex
	cur  Settings
	subs map[*Sub]struct{}
}

// Sub is the view of one part of the server.
type Sub struct {
	C chan struct{} // has an element when Latest may have changed

	mu   sync.Mutex
	last Settings
}

func NewHolder(initial Settings) *Holder {
	return &Holder{cur: initial, subs: make(map[*Sub]struct{})}
}

// Current returns the settings in force.
func (h *Holder) Current() Settings {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.cur
}

// Subscribe returns a view that follows all updates.
func (h *Holder) Subscribe() *Sub {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := &Sub{C: make(chan struct{}, 1), last: h.cur}
	h.subs[s] = struct{}{}
	return s
}

// Unsubscribe ends the updates of s.
func (h *Holder) Unsubscribe(s *Sub) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.subs, s)
}

// Update edits the settings and tells the subscribers.
func (h *Holder) Update(edit func(*Settings)) Settings {
	h.mu.Lock()
	defer h.mu.Unlock()
	next := h.cur
	next.Flags = maps.Clone(h.cur.Flags)
	edit(&next)
	next.Generation = h.cur.Generation + 1
	h.cur = next
	for s := range h.subs {
		s.push(next)
	}
	return next
}

// SetFlag switches one feature.
func (h *Holder) SetFlag(name string, on bool) {
	h.Update(func(s *Settings) {
		if s.Flags == nil {
			s.Flags = make(map[string]bool)
		}
		s.Flags[name] = on
	})
}

// SetLogLevel changes the verbosity.
func (h *Holder) SetLogLevel(level string) {
	h.Update(func(s *Settings) { s.LogLevel = level })
}

func (s *Sub) push(v Settings) {
	s.mu.Lock()
	s.last = v
	s.mu.Unlock()
	select {
	case s.C <- struct{}{}:
	default:
	}
}

// Latest returns the settings the subscriber should apply.
func (s *Sub) Latest() Settings {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}
