package feed

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"sync"
)

type Item struct {
	ID    int
	Title string
}

// Server serves the latest items. Compression can be switched off when the
// machine is short of CPU.
type Server struct {
	mu    sync.RWMutex
	items []Item
	zip   bool
	keep  int
}

func New(keep int) *Server { return &Server{keep: keep, zip: true} }

// SetCompression is called by the load monitor.
func (s *Server) SetCompression(on bool) {
	s.mu.Lock()
	s.zip = on
	s.mu.Unlock()
}

// Post adds an item and forgets the oldest ones.
func (s *Server) Post(it Item) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items = append(s.items, it)
	if n := len(s.items) - s.keep; n > 0 {
		s.items = append([]Item(nil), s.items[n:]...)
	}
}

func (s *Server) compress(r *http.Request) bool {
	if !strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		return false
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.zip
}

func (s *Server) latest() []Item {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return append([]Item(nil), s.items...)
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch r.Method {
	case http.MethodGet:
	case http.MethodHead:
		return
	default:
		http.Error(w, "read only", http.StatusMethodNotAllowed)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Add("Vary", "Accept-Encoding")
	if s.compress(r) {
		w.Header().Set("Content-Encoding", "gzip")
	}
	var out io.Writer = w
	if s.compress(r) {
		zw := gzip.NewWriter(w)
		defer zw.Close()
		out = zw
	}
	json.NewEncoder(out).Encode(s.latest())
}
