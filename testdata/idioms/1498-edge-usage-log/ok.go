package edge

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// store is a size-limited map of response bodies.
type store struct {
	mu    sync.Mutex
	limit int
	bytes int
	data  map[string][]byte
	order []string
}

func (s *store) get(key string) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	b, ok := s.data[key]
	return b, ok
}

// put adds a body and drops the oldest ones above the limit.
func (s *store) put(key string, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, dup := s.data[key]; dup {
		return
	}
	s.data[key] = body
	s.order = append(s.order, key)
	s.bytes += len(body)
	for s.bytes > s.limit && len(s.order) > 1 {
		oldest := s.order[0]
		s.order = s.order[1:]
		s.bytes -= len(s.data[oldest])
		delete(s.data, oldest)
	}
}

func (s *store) size() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bytes
}

func (s *store) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.data)
}

// Edge serves content that never changes below a key.
type Edge struct {
	store    store
	load     func(ctx context.Context, key string) ([]byte, error)
	log      *slog.Logger
	hits     atomic.Int64
	requests atomic.Int64
}

func New(limit int, load func(context.Context, string) ([]byte, error), log *slog.Logger) *Edge {
	return &Edge{store: store{limit: limit, data: make(map[string][]byte)}, load: load, log: log}
}

// ServeHTTP serves one object.
func (e *Edge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	e.requests.Add(1)
	body, ok := e.store.get(r.URL.Path)
	if ok {
		e.hits.Add(1)
	} else {
		var err error
		if body, err = e.load(r.Context(), r.URL.Path); err != nil {
			http.Error(w, "origin failed", http.StatusBadGateway)
			return
		}
		e.store.put(r.URL.Path, body)
	}
	_, _ = w.Write(body)
}

// Report logs the fill level and the hit ratio every interval. The figures
// are rough.
func (e *Edge) Report(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			e.logUsage()
		}
	}
}

func (e *Edge) logUsage() {
	n, size := e.store.len(), e.store.size()
	avg := 0
	if n > 0 {
		avg = size / n
	}
	ratio := 0.0
	if req := e.requests.Load(); req > 0 {
		ratio = float64(e.hits.Load()) / float64(req)
	}
	e.log.Info("cache usage", "objects", n, "bytes", size, "avg", avg, "hit_ratio", ratio)
}
