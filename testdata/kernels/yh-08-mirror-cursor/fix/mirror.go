// Package mirror replicates the tags of an artifact registry to a read-only
// copy close to the build machines.
package mirror

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Change is one entry of the change log. An empty digest means the tag is gone.
type Change struct {
	Seq    uint64
	Tag    string
	Digest string
}

// Source is a registry that can be replicated.
type Source interface {
	// Snapshot returns all tags with their digests and the number of the newest
	// change that they contain.
	Snapshot() (map[string]string, uint64)
	// Since returns the changes after seq, or false if they are no longer known.
	Since(seq uint64) ([]Change, bool)
}

// Catalog is the primary registry's list of tags. It is safe for concurrent use.
type Catalog struct {
	keep int

	mu   sync.RWMutex
	tags map[string]string
	head uint64
	log  []Change
}

// NewCatalog returns a catalog that remembers its last keep changes.
func NewCatalog(keep int) *Catalog {
	return &Catalog{keep: keep, tags: make(map[string]string)}
}

// Set points a tag to a digest; an empty digest removes the tag.
func (c *Catalog) Set(tag, digest string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if digest == "" {
		delete(c.tags, tag)
	} else {
		c.tags[tag] = digest
	}
	c.head++
	c.log = append(c.log, Change{Seq: c.head, Tag: tag, Digest: digest})
	if extra := len(c.log) - c.keep; extra > 0 {
		c.log = slices.Delete(c.log, 0, extra)
	}
}

func (c *Catalog) Snapshot() (map[string]string, uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return maps.Clone(c.tags), c.head
}

func (c *Catalog) Since(seq uint64) ([]Change, bool) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	missing := c.head - seq
	if missing > uint64(len(c.log)) {
		return nil, false
	}
	return slices.Clone(c.log[uint64(len(c.log))-missing:]), true
}

// Mirror is a copy of a source. Resolve may be called from any goroutine.
type Mirror struct {
	source Source
	stop   chan struct{}
	done   chan struct{}
	cursor uint64 // last applied change, owned by the loop

	mu   sync.RWMutex
	tags map[string]string
}

// New copies the source and then follows its changes.
func New(source Source, every time.Duration) *Mirror {
	m := &Mirror{source: source, stop: make(chan struct{}), done: make(chan struct{})}
	m.bootstrap()
	go m.follow(every)
	return m
}

func (m *Mirror) bootstrap() {
	tags, head := m.source.Snapshot()
	m.cursor = head

	m.mu.Lock()
	m.tags = tags
	m.mu.Unlock()
}

func (m *Mirror) follow(every time.Duration) {
	defer close(m.done)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-m.stop:
			return
		case <-tick.C:
			changes, ok := m.source.Since(m.cursor)
			if !ok {
				m.bootstrap()
				continue
			}
			m.apply(changes)
		}
	}
}

func (m *Mirror) apply(changes []Change) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, c := range changes {
		if c.Digest == "" {
			delete(m.tags, c.Tag)
		} else {
			m.tags[c.Tag] = c.Digest
		}
		m.cursor = c.Seq
	}
}

// Resolve returns the digest of a tag.
func (m *Mirror) Resolve(tag string) (string, bool) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	d, ok := m.tags[tag]
	return d, ok
}

// Close stops following. It is called once.
func (m *Mirror) Close() {
	close(m.stop)
	<-m.done
}
