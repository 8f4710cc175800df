// Package flags serves feature flag values to SDK clients.
package flags

import (
	"encoding/json"
	"hash/fnv"
	"net/http"
	"strconv"
	"sync"
)

// Rule describes who gets a flag.
type Rule struct {
	Enabled bool            `json:"enabled"`
	Percent uint32          `json:"percent"`
	Allow   map[string]bool `json:"allow,omitempty"`
}

func (r Rule) on(flag, user string) bool {
	if !r.Enabled {
		return false
	}
	if r.Allow[user] {
		return true
	}
	h := fnv.New32a()
	h.Write([]byte(flag))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum32()%100 < r.Percent
}

// Service holds the current rule set. Every change gets a new revision,
// which clients see as the ETag of their values.
type Service struct {
	mu       sync.RWMutex
	revision uint64
	rules    map[string]Rule
}

// NewService returns a service without rules.
func NewService() *Service {
	return &Service{rules: make(map[string]Rule)}
}

// Set adds or replaces the rule for one flag.
func (s *Service) Set(flag string, r Rule) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rules[flag] = r
	s.revision++
}

// Remove drops a flag.
func (s *Service) Remove(flag string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.rules[flag]; !ok {
		return
	}
	delete(s.rules, flag)
	s.revision++
}

// ETag identifies the current revision.
func (s *Service) ETag() string {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return etag(s.revision)
}

func etag(rev uint64) string {
	return strconv.Quote(strconv.FormatUint(rev, 10))
}

// Evaluate returns the value of every flag for user and the ETag of the
// revision they come from.
func (s *Service) Evaluate(user string) (map[string]bool, string) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.evaluateLocked(user), etag(s.revision)
}

func (s *Service) evaluateLocked(user string) map[string]bool {
	values := make(map[string]bool, len(s.rules))
	for flag, r := range s.rules {
		values[flag] = r.on(flag, user)
	}
	return values
}

// ServeHTTP returns the values for ?user=, or 304 when the client has them.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user := r.URL.Query().Get("user")
	if user == "" {
		http.Error(w, "user missing", http.StatusBadRequest)
		return
	}
	if match := r.Header.Get("If-None-Match"); match != "" && match == s.ETag() {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	values, tag := s.Evaluate(user)
	body, err := json.Marshal(values)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("ETag", tag)
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(body)
}
