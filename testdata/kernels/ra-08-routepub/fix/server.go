// Package routepub publishes the routing table to edge proxies.
package routepub

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"log"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// Route maps a host and path prefix to a service.
type Route struct {
	Host    string `json:"host"`
	Prefix  string `json:"prefix"`
	Service string `json:"service"`
}

// Source delivers the desired routes.
type Source interface {
	Routes(ctx context.Context) ([]Route, error)
}

// table is an encoded routing table with its tag.
type table struct {
	body []byte
	etag string
}

// Server serves the current table. Proxies poll it with If-None-Match and
// keep what they have on 304.
type Server struct {
	src Source

	pubMu   sync.Mutex
	current atomic.Pointer[table]

	hits atomic.Int64
	sent atomic.Int64
}

// NewServer returns a server that has an empty table.
func NewServer(src Source) (*Server, error) {
	s := &Server{src: src}
	if err := s.Publish(nil); err != nil {
		return nil, err
	}
	return s, nil
}

// Publish replaces the table.
func (s *Server) Publish(routes []Route) error {
	body, err := json.Marshal(routes)
	if err != nil {
		return err
	}
	sum := sha256.Sum256(body)
	tag := `"` + hex.EncodeToString(sum[:8]) + `"`

	s.pubMu.Lock()
	defer s.pubMu.Unlock()
	if old := s.current.Load(); old != nil && old.etag == tag {
		return nil
	}
	s.current.Store(&table{body: body, etag: tag})
	return nil
}

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	cur := s.current.Load()
	body, tag := cur.body, cur.etag

	w.Header().Set("ETag", tag)
	if r.Header.Get("If-None-Match") == tag {
		s.hits.Add(1)
		w.WriteHeader(http.StatusNotModified)
		return
	}
	s.sent.Add(1)
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write(body); err != nil {
		log.Printf("routepub: write to %s: %v", r.RemoteAddr, err)
	}
}

// Follow polls the source and publishes changes until ctx ends.
func (s *Server) Follow(ctx context.Context, every time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		routes, err := s.src.Routes(ctx)
		if err != nil {
			log.Printf("routepub: source: %v", err)
			continue
		}
		if err := s.Publish(routes); err != nil {
			log.Printf("routepub: publish: %v", err)
		}
	}
}
