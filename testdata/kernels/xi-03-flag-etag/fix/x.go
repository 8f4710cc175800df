// Package flagapi serves the feature flags of an environment to SDKs, which
// poll with If-None-Match.
package flagapi

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"sort"
	"sync"
)

// Flag is one feature flag.
type Flag struct {
	Key     string `json:"key"`
	On      bool   `json:"on"`
	Percent int    `json:"percent,omitempty"`
}

// Server holds the current flags of one environment.
type Server struct {
	env string

	mu    sync.RWMutex
	flags []Flag
	etag  string
}

// NewServer returns a server without flags.
func NewServer(env string) *Server {
	s := &Server{env: env}
	s.Replace(nil)
	return s
}

// Replace installs a new set of flags. The slice is copied.
func (s *Server) Replace(flags []Flag) {
	own := append([]Flag(nil), flags...)
	sort.Slice(own, func(i, j int) bool { return own[i].Key < own[j].Key })
	tag := digest(own)

	s.mu.Lock()
	defer s.mu.Unlock()
	s.flags = own
	s.etag = tag
}

func digest(flags []Flag) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(flags)
	return `"` + hex.EncodeToString(h.Sum(nil)[:12]) + `"`
}

// ETag identifies the current set of flags.
func (s *Server) ETag() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.etag
}

// Flag returns a single flag.
func (s *Server) Flag(key string) (Flag, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	i := sort.Search(len(s.flags), func(i int) bool { return s.flags[i].Key >= key })
	if i == len(s.flags) || s.flags[i].Key != key {
		return Flag{}, false
	}
	return s.flags[i], true
}

// encode renders the flags for the wire and returns their tag.
func (s *Server) encode() (body []byte, tag string, err error) {
	s.mu.RLock()
	flags := s.flags // never modified in place
	tag = s.etag
	s.mu.RUnlock()

	body, err = json.Marshal(struct {
		Env   string `json:"env"`
		Flags []Flag `json:"flags"`
	}{s.env, flags})
	return body, tag, err
}

// ServeHTTP answers a poll.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	if match := r.Header.Get("If-None-Match"); match != "" && match == s.ETag() {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, tag, err := s.encode()
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", tag)
	_, _ = w.Write(body)
}
