// Package flags serves feature flags to request handlers. Readers never
// block: they look at an immutable snapshot. A snapshot is made from the flag
// file, which is polled, and from overrides set through the admin API.
package flags

import (
	"context"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"sync/atomic"
	"time"
)

// Rule says for whom a flag is on.
type Rule struct {
	On      bool     `json:"on"`
	Tenants []string `json:"tenants,omitempty"`
}

func (r Rule) covers(tenant string) bool {
	if !r.On || len(r.Tenants) == 0 {
		return r.On
	}
	for _, t := range r.Tenants {
		if t == tenant {
			return true
		}
	}
	return false
}

// snapshot is one state of all flags. It is not changed once published.
type snapshot struct {
	revision  uint64
	fileTime  time.Time
	rules     map[string]Rule
	overrides map[string]bool
}

func (s *snapshot) clone() *snapshot {
	return &snapshot{
		revision:  s.revision,
		fileTime:  s.fileTime,
		rules:     maps.Clone(s.rules),
		overrides: maps.Clone(s.overrides),
	}
}

// Set is a live set of flags. It is safe for concurrent use.
type Set struct {
	fsys fs.FS
	path string
	cur  atomic.Pointer[snapshot]
}

// NewSet returns a set that reads path in fsys. The file is not read yet.
func NewSet(fsys fs.FS, path string) *Set {
	s := &Set{fsys: fsys, path: path}
	s.cur.Store(&snapshot{rules: map[string]Rule{}, overrides: map[string]bool{}})
	return s
}

// Enabled tells whether the flag is on for the tenant.
func (s *Set) Enabled(flag, tenant string) bool {
	snap := s.cur.Load()
	if on, ok := snap.overrides[flag]; ok {
		return on
	}
	return snap.rules[flag].covers(tenant)
}

// Override forces a flag on or off for everybody, whatever the file says.
func (s *Set) Override(flag string, on bool) {
	s.update(func(next *snapshot) {
		next.overrides[flag] = on
	})
}

// ClearOverride gives the flag back to the file.
func (s *Set) ClearOverride(flag string) {
	s.update(func(next *snapshot) {
		delete(next.overrides, flag)
	})
}

// update publishes a new snapshot, edited by edit. edit is called again if
// another snapshot was published meanwhile.
func (s *Set) update(edit func(next *snapshot)) {
	for {
		old := s.cur.Load()
		next := old.clone()
		edit(next)
		next.revision++
		if s.cur.CompareAndSwap(old, next) {
			return
		}
	}
}

// Reload reads the flag file. Rules of an older file than the one in use are
// not taken.
func (s *Set) Reload() error {
	info, err := fs.Stat(s.fsys, s.path)
	if err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	data, err := fs.ReadFile(s.fsys, s.path)
	if err != nil {
		return fmt.Errorf("flags: %w", err)
	}
	var rules map[string]Rule
	if err := json.Unmarshal(data, &rules); err != nil {
		return fmt.Errorf("flags: %s: %w", s.path, err)
	}
	s.update(func(next *snapshot) {
		if info.ModTime().Before(next.fileTime) {
			return
		}
		next.rules, next.fileTime = rules, info.ModTime()
	})
	return nil
}

// Watch polls the flag file until ctx ends.
func (s *Set) Watch(ctx context.Context, every time.Duration, report func(error)) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := s.Reload(); err != nil {
				report(err)
			}
		case <-ctx.Done():
			return
		}
	}
}

// ServeHTTP is the admin API: PUT ?flag=x&on=true sets an override, DELETE
// ?flag=x clears it, GET shows the revision and all overrides.
func (s *Set) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	flag := r.URL.Query().Get("flag")
	switch r.Method {
	case http.MethodPut:
		s.Override(flag, r.URL.Query().Get("on") == "true")
	case http.MethodDelete:
		s.ClearOverride(flag)
	case http.MethodGet:
	default:
		http.Error(w, "method not allowed", http.StatusMethodNotAllowed)
		return
	}
	snap := s.cur.Load()
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{
		"revision":  snap.revision,
		"overrides": snap.overrides,
	})
}
