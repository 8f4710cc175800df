// Package a is the admin endpoint of a server's configuration.
package a

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"log"
	"maps"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrPrecondition = errors.New("admin: configuration has changed")
	ErrNoSection    = errors.New("admin: no such section")
	ErrInvalid      = errors.New("admin: invalid JSON")
)

// Config is the raw configuration, one document per section.
type Config map[string]json.RawMessage

// Loader makes a configuration effective or refuses it.
type Loader interface {
	Load(cfg Config) error
}

// Admin holds the running configuration. Sections are replaced whole;
// clients that read, edit and write use the ETag to notice each other.
type Admin struct {
	loader Loader

	mu       sync.RWMutex
	cfg      Config
	revision uint64
	loadedAt time.Time

	loads     atomic.Int64
	refused   atomic.Int64
	conflicts atomic.Int64
}

// NewAdmin starts with an initial configuration.
func NewAdmin(l Loader, cfg Config) (*Admin, error) {
	if err := l.Load(cfg); err != nil {
		return nil, err
	}
	return &Admin{loader: l, cfg: maps.Clone(cfg), loadedAt: time.Now()}, nil
}

// etag names the content of a section.
func etag(section string, doc json.RawMessage) string {
	sum := sha256.Sum256(append([]byte(section+"\x00"), doc...))
	return hex.EncodeToString(sum[:8])
}

// Get returns a section and its ETag.
func (a *Admin) Get(section string) (json.RawMessage, string, error) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	doc, ok := a.cfg[section]
	if !ok {
		return nil, "", ErrNoSection
	}
	return doc, etag(section, doc), nil
}

// checkMatch compares the If-Match header of a request with the section.
func (a *Admin) checkMatch(section, match string) error {
	if match == "" {
		return nil
	}
	a.mu.RLock()
	defer a.mu.RUnlock()
	if etag(section, a.cfg[section]) != match {
		a.conflicts.Add(1)
		return ErrPrecondition
	}
	return nil
}

// Patch replaces a section. With a non-empty match it does so only if the
// section still is the one that the client has read.
func (a *Admin) Patch(section, match string, doc json.RawMessage) (string, error) {
	if !json.Valid(doc) {
		a.refused.Add(1)
		return "", ErrInvalid
	}
	if err := a.checkMatch(section, match); err != nil {
		return "", err
	}
	if err := a.change(section, doc); err != nil {
		return "", err
	}
	log.Printf("admin: section %s replaced (%d bytes)", section, len(doc))
	return etag(section, doc), nil
}

// Delete removes a section.
func (a *Admin) Delete(section string) error {
	return a.change(section, nil)
}

// change loads the configuration with the section replaced, or removed if
// doc is nil. The running configuration stays if the loader refuses.
func (a *Admin) change(section string, doc json.RawMessage) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := maps.Clone(a.cfg)
	if next == nil {
		next = make(Config)
	}
	if doc == nil {
		if _, ok := next[section]; !ok {
			return ErrNoSection
		}
		delete(next, section)
	} else {
		next[section] = doc
	}
	if err := a.loader.Load(next); err != nil {
		a.refused.Add(1)
		return fmt.Errorf("admin: load: %w", err)
	}
	a.cfg = next
	a.revision++
	a.loadedAt = time.Now()
	a.loads.Add(1)
	return nil
}

// Revision counts the changes since the start.
func (a *Admin) Revision() (uint64, time.Time) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.revision, a.loadedAt
}

// Stats returns the counters.
func (a *Admin) Stats() (loads, refused, conflicts int64) {
	return a.loads.Load(), a.refused.Load(), a.conflicts.Load()
}
