// Package flags distributes feature flags to SDK clients. Clients poll the
// hub over HTTP and send the entity tag of the set they have.
package flags

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"maps"
	"net/http"
	"strconv"
	"sync"
)

// ErrNoFlag is returned for an unknown flag.
var ErrNoFlag = errors.New("flags: no such flag")

// Flag is one feature flag.
type Flag struct {
	Name    string `json:"name"`
	Enabled bool   `json:"enabled"`
	Percent uint32 `json:"percent"`
}

// On reports whether the flag is on for user.
func (f Flag) On(user string) bool {
	if !f.Enabled {
		return false
	}
	h := fnv.New32a()
	h.Write([]byte(f.Name))
	h.Write([]byte{0})
	h.Write([]byte(user))
	return h.Sum32()%100 < f.Percent
}

// Hub holds the current flag set. It is safe for concurrent use.
type Hub struct {
	mu       sync.RWMutex
	flags    map[string]Flag // replaced as a whole, never modified
	revision int64
}

// NewHub returns a hub with no flags.
func NewHub() *Hub {
	return &Hub{flags: map[string]Flag{}}
}

// Publish replaces the flag set.
func (h *Hub) Publish(set []Flag) {
	next := make(map[string]Flag, len(set))
	for _, f := range set {
		next[f.Name] = f
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.flags = next
	h.revision++
}

// Toggle turns one flag on or off.
func (h *Hub) Toggle(name string, on bool) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, ok := h.flags[name]
	if !ok {
		return ErrNoFlag
	}
	if f.Enabled == on {
		return nil
	}
	f.Enabled = on
	next := maps.Clone(h.flags)
	next[name] = f
	h.flags = next
	h.revision++
	return nil
}

// On evaluates a flag for user; unknown flags are off.
func (h *Hub) On(name, user string) bool {
	h.mu.RLock()
	f := h.flags[name]
	h.mu.RUnlock()
	return f.On(user)
}

// set returns the current flags; the caller must not modify them.
func (h *Hub) set() map[string]Flag {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return h.flags
}

// tag returns the entity tag of the current flag set.
func (h *Hub) tag() string {
	h.mu.RLock()
	defer h.mu.RUnlock()
	return `"r` + strconv.FormatInt(h.revision, 10) + `"`
}

// ServeHTTP sends the flag set to a polling client, or 304 if the client has
// it already.
func (h *Hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet {
		http.Error(w, "GET only", http.StatusMethodNotAllowed)
		return
	}
	if r.Header.Get("If-None-Match") == h.tag() {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	body, err := json.Marshal(h.set())
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("ETag", h.tag())
	w.Write(body)
}
