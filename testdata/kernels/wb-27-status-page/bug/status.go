// Package status counts responses and shows the counts on a page.
package status

import (
	"encoding/json"
	"net/http"
	"sync"
	"time"
)

// Stats is what the page shows.
type Stats struct {
	Since   time.Time      `json:"since"`
	Total   int            `json:"total"`
	Slowest time.Duration  `json:"slowest"`
	ByRoute map[string]int `json:"by_route"`
}

// Recorder counts responses. It is the handler of the page, too.
type Recorder struct {
	mu    sync.Mutex
	stats Stats
}

// NewRecorder begins to count.
func NewRecorder() *Recorder {
	return &Recorder{stats: Stats{Since: time.Now(), ByRoute: make(map[string]int)}}
}

// Observe counts one response.
func (r *Recorder) Observe(route string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.stats.Total++
	r.stats.Slowest = max(r.stats.Slowest, took)
	r.stats.ByRoute[route]++
}

// Middleware observes the responses of a handler.
func (r *Recorder) Middleware(route string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		start := time.Now()
		defer func() { r.Observe(route, time.Since(start)) }()
		next.ServeHTTP(w, req)
	})
}

func (r *Recorder) snapshot() Stats {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.stats
}

// ServeHTTP shows the counts.
func (r *Recorder) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet {
		http.Error(w, "bad method", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(r.snapshot()); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
