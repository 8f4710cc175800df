// Package revocation knows the token ids that are not accepted any more.
package revocation

import (
	"bufio"
	"io"
	"strings"
	"sync"
)

// Set is a set of token ids. Ids are never taken out: the process is restarted
// more often than the signing keys change, and with them all ids.
type Set struct {
	mu  sync.RWMutex
	ids map[string]struct{}
}

func NewSet() *Set {
	return &Set{ids: make(map[string]struct{})}
}

// Contains reports whether the id is revoked.
func (s *Set) Contains(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, ok := s.ids[id]
	return ok
}

func (s *Set) insert(id string) {
	s.mu.Lock()
	s.ids[id] = struct{}{}
	s.mu.Unlock()
}

// Len is the number of revoked ids.
func (s *Set) Len() int {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return len(s.ids)
}

// Revoke adds an id. Most calls come from peers that repeat what is known
// here already, so they shall not contend with the checks.
func (s *Set) Revoke(id string) {
	id = strings.ToLower(strings.TrimSpace(id))
	if id == "" || s.Contains(id) {
		return
	}
	s.insert(id)
}

// Replay reads ids, one a line, as a peer sends them.
func (s *Set) Replay(r io.Reader) error {
	sc := bufio.NewScanner(r)
	for sc.Scan() {
		s.Revoke(sc.Text())
	}
	return sc.Err()
}

// Claims is the part of a token that matters here.
type Claims struct {
	ID     string
	Parent string // id of the token it was derived from
}

// Check reports whether the token may be used: neither it nor the one that it
// was derived from is revoked.
func (s *Set) Check(c Claims) bool {
	if s.Contains(strings.ToLower(c.ID)) {
		return false
	}
	return c.Parent == "" || !s.Contains(strings.ToLower(c.Parent))
}
