package flags

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"sync"
)

// Snapshot is a consistent copy of all flags.
type Snapshot struct {
	Version uint64          `json:"version"`
	Values  map[string]bool `json:"values"`
}

// Service holds the flags of one environment.
type Service struct {
	mu       sync.RWMutex
	version  uint64
	values   map[string]bool
	watchers map[chan struct{}]struct{}
}

func NewService() *Service {
	return &Service{
		values:   make(map[string]bool),
		watchers: make(map[chan struct{}]struct{}),
	}
}

// Set changes a flag and wakes the watchers.
func (s *Service) Set(name string, on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cur, ok := s.values[name]; ok && cur == on {
		return
	}
	s.values[name] = on
	s.version++
	for ch := range s.watchers {
		select {
		case ch <- struct{}{}:
		default: // a wake-up is already waiting there
		}
	}
}

// Snapshot returns the current flags.
func (s *Service) Snapshot() Snapshot {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return Snapshot{Version: s.version, Values: maps.Clone(s.values)}
}

// Watch registers for wake-ups. The returned function ends the registration.
func (s *Service) Watch() (<-chan struct{}, func()) {
	ch := make(chan struct{}, 1)
	s.mu.Lock()
	s.watchers[ch] = struct{}{}
	s.mu.Unlock()
	return ch, func() {
		s.mu.Lock()
		delete(s.watchers, ch)
		s.mu.Unlock()
	}
}

// NewerThan blocks until the flags have a version above seen.
func (s *Service) NewerThan(ctx context.Context, seen uint64) (Snapshot, error) {
	if snap := s.Snapshot(); snap.Version > seen {
		return snap, nil
	}
	wake, stop := s.Watch()
	defer stop()
	for {
		select {
		case <-wake:
		case <-ctx.Done():
			return Snapshot{}, ctx.Err()
		}
		if snap := s.Snapshot(); snap.Version > seen {
			return snap, nil
		}
	}
}

// Handler serves the SDKs: GET /flags?seen=N is a long poll and PUT
// /flags?name=X&on=true changes a flag.
func (s *Service) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /flags", func(w http.ResponseWriter, r *http.Request) {
		seen, err := strconv.ParseUint(r.URL.Query().Get("seen"), 10, 64)
		if err != nil {
			http.Error(w, "seen must be a version", http.StatusBadRequest)
			return
		}
		snap, err := s.NewerThan(r.Context(), seen)
		if err != nil {
			return // the client went away
		}
		_ = json.NewEncoder(w).Encode(snap)
	})
	mux.HandleFunc("PUT /flags", func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		s.Set(q.Get("name"), q.Get("on") == "true")
		w.WriteHeader(http.StatusNoContent)
	})
	return mux
}
