package assets

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"sync"
)

// Source is where the handler takes the published asset from.
type Source interface {
	ETag() string
	Body() []byte
	Both() (string, []byte)
}

type published struct {
	mu   sync.RWMutex
	body []byte
	etag string
}

func (p *published) ETag() string {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.etag
}

func (p *published) Body() []byte {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.body
}

func (p *published) Both() (string, []byte) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.etag, p.body
}

func (p *published) publish(b []byte) {
	sum := sha256.Sum256(b)
	p.mu.Lock()
	defer p.mu.Unlock()
	p.body, p.etag = b, hex.EncodeToString(sum[:8])
}

// Site serves one asset and lets operators replace it.
type Site struct {
	pub *published
	src Source
}

func NewSite(initial []byte) *Site {
	p := &published{}
	p.publish(initial)
	return &Site{pub: p, src: p}
}

func (s *Site) Mux() *http.ServeMux {
	m := http.NewServeMux()
	m.HandleFunc("GET /asset", s.get)
	m.HandleFunc("HEAD /asset", s.head)
	return m
}

func (s *Site) Publish(b []byte) { s.pub.publish(b) }

func (s *Site) head(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("ETag", s.src.ETag())
}

func (s *Site) get(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Cache-Control", "public, max-age=31536000, immutable")
	switch tag, body := s.src.Both(); r.Header.Get("If-None-Match") {
	case tag:
		w.WriteHeader(http.StatusNotModified)
	default:
		h.Set("ETag", tag)
		_, _ = w.Write(body)
	}
}
