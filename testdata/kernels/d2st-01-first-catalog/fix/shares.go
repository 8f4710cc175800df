// Package fix keeps the shares of a node.
package fix

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"
)

var (
	errNoShare = errors.New("no such share")
	errExists  = errors.New("share exists")
)

// ShareConfig describes a share.
type ShareConfig struct {
	ID     string
	Path   string
	Paused bool
}

// base is the database of the node; single calls are atomic.
type base struct {
	mu sync.RWMutex
	kv map[string]string

	firstOpened chan struct{} // closed when the first catalog is opened
}

func newBase() *base {
	return &base{kv: make(map[string]string), firstOpened: make(chan struct{})}
}

func (b *base) get(key string) (string, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	v, ok := b.kv[key]
	return v, ok
}

func (b *base) put(key, val string) {
	b.mu.Lock()
	b.kv[key] = val
	b.mu.Unlock()
}

// compact waits for the first catalog, since the schema is old before.
func (b *base) compact() int {
	<-b.firstOpened
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for k, v := range b.kv {
		if v == "" {
			delete(b.kv, k)
			n++
		}
	}
	return n
}

// catalog is the list of files of one share.
type catalog struct {
	share string
	db    *base
	id    uint64

	updateMu sync.Mutex
	count    int
}

func openCatalog(share string, db *base) (*catalog, error) {
	select {
	case <-db.firstOpened:
	default:
		close(db.firstOpened)
	}
	c := &catalog{share: share, db: db}
	if s, ok := db.get("count/" + share); ok {
		n, err := strconv.Atoi(s)
		if err != nil {
			return nil, err
		}
		c.count = n
	}
	if s, ok := db.get("id/" + share); ok {
		id, err := strconv.ParseUint(s, 16, 64)
		if err != nil {
			return nil, err
		}
		c.id = id
	} else {
		// No id yet. We create one now.
		c.id = rand.Uint64()
		db.put("id/"+share, strconv.FormatUint(c.id, 16))
	}
	return c, nil
}

func (c *catalog) update(names []string) {
	c.updateMu.Lock()
	defer c.updateMu.Unlock()
	for _, n := range names {
		c.db.put("file/"+c.share+"/"+n, "x")
	}
	c.count += len(names)
	c.db.put("count/"+c.share, strconv.Itoa(c.count))
}

type node struct {
	db *base

	mut      sync.RWMutex
	cfgs     map[string]ShareConfig
	catalogs map[string]*catalog
	watchers map[string]func(ShareConfig, *catalog)
}

func newNode() *node {
	n := &node{
		db:       newBase(),
		cfgs:     make(map[string]ShareConfig),
		catalogs: make(map[string]*catalog),
		watchers: make(map[string]func(ShareConfig, *catalog)),
	}
	go n.db.compact()
	return n
}

// Subscribe registers a function that is told of each started share.
func (n *node) Subscribe(name string, f func(ShareConfig, *catalog)) {
	n.mut.Lock()
	n.watchers[name] = f
	n.mut.Unlock()
}

func (n *node) startLocked(cfg ShareConfig, c *catalog) {
	n.cfgs[cfg.ID] = cfg
	n.catalogs[cfg.ID] = c
	for _, f := range n.watchers {
		f(cfg, c)
	}
}

// newShare is called for each share that the user or a peer adds.
func (n *node) newShare(cfg ShareConfig) error {
	n.mut.Lock()
	defer n.mut.Unlock()
	if _, ok := n.cfgs[cfg.ID]; ok {
		return errExists
	}

	// Opening the catalog can take a long time.
	c, err := openCatalog(cfg.ID, n.db)
	if err != nil {
		return fmt.Errorf("adding %v: %w", cfg.ID, err)
	}

	n.startLocked(cfg, c)
	return nil
}

func (n *node) restartShare(cfg ShareConfig) error {
	n.mut.Lock()
	defer n.mut.Unlock()
	if _, ok := n.cfgs[cfg.ID]; !ok {
		return errNoShare
	}
	c := n.catalogs[cfg.ID]
	if cfg.Paused {
		n.cfgs[cfg.ID] = cfg
		return nil
	}
	if c == nil {
		var err error
		if c, err = openCatalog(cfg.ID, n.db); err != nil {
			return fmt.Errorf("restarting %v: %w", cfg.ID, err)
		}
	}
	n.startLocked(cfg, c)
	return nil
}

// Received adds files to a share.
func (n *node) Received(share string, names []string) error {
	n.mut.RLock()
	c, ok := n.catalogs[share]
	n.mut.RUnlock()
	if !ok {
		return errNoShare
	}
	c.update(names)
	return nil
}
