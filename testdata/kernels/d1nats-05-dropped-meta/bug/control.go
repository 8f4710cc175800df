// Package bug changes the placement of replicated tables.
package bug

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

var (
	// ErrNotActive is returned while the cluster does not run here.
	ErrNotActive = errors.New("cluster is not active")
	// ErrNotFound is returned for an unknown table.
	ErrNotFound = errors.New("no such table")
	// ErrConflict is returned if a table changed during the request.
	ErrConflict = errors.New("table was changed by another request")
	// ErrQuota is returned if an owner wants more than it may have.
	ErrQuota = errors.New("quota exceeded")
)

// Config is the configuration of a table. It is not changed once stored.
type Config struct {
	Name     string
	Topics   []string
	Replicas int
	MaxBytes int64
}

// Placement says where a table lives. It is not changed once stored.
type Placement struct {
	Config Config
	Rev    uint64
	Nodes  []string
}

// Quorum is the consensus group that agrees on placements.
type Quorum struct {
	mu      sync.Mutex
	log     [][]byte
	stopped bool
}

// Propose appends to the log.
func (q *Quorum) Propose(b []byte) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.stopped {
		return ErrNotActive
	}
	q.log = append(q.log, b)
	return nil
}

func (q *Quorum) stop() {
	q.mu.Lock()
	q.stopped = true
	q.mu.Unlock()
}

// Owner has tables and limits.
type Owner struct {
	Name string

	mu       sync.Mutex
	limit    int64
	validate func(Config) error
}

// SetLimit changes what a single table may hold.
func (o *Owner) SetLimit(n int64) {
	o.mu.Lock()
	o.limit = n
	o.mu.Unlock()
}

// checkUpdate tells whether the owner may change a table from one
// configuration to the other and fills defaults in.
func (o *Owner) checkUpdate(from, to Config) (Config, error) {
	if to.Replicas == 0 {
		to.Replicas = from.Replicas
	}
	if to.Replicas < 1 || to.Replicas > 5 {
		return to, fmt.Errorf("invalid number of replicas: %d", to.Replicas)
	}
	if len(to.Topics) == 0 {
		to.Topics = from.Topics
	}
	if err := o.validate(to); err != nil {
		return to, err
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if to.MaxBytes > o.limit {
		return to, ErrQuota
	}
	return to, nil
}

type tableKey struct {
	owner, table string
}

// Control is the control plane of one node.
type Control struct {
	node string

	mu     sync.RWMutex
	meta   *Quorum
	owners map[string]*Owner
	tables map[tableKey]*Placement
	nodes  []string
}

// NewControl returns the control plane of an active node.
func NewControl(node string, nodes []string) *Control {
	return &Control{
		node:   node,
		meta:   &Quorum{},
		owners: make(map[string]*Owner),
		tables: make(map[tableKey]*Placement),
		nodes:  nodes,
	}
}

// Place is called when a placement has been agreed on.
func (c *Control) Place(owner string, p *Placement) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := tableKey{owner, p.Config.Name}
	if old := c.tables[key]; old == nil || old.Rev < p.Rev {
		c.tables[key] = p
	}
}

// AddOwner makes an owner known.
func (c *Control) AddOwner(o *Owner) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.owners[o.Name] = o
}

// Shutdown leaves the cluster.
func (c *Control) Shutdown() {
	c.mu.Lock()
	meta := c.meta
	c.meta = nil
	clear(c.owners)
	c.mu.Unlock()
	if meta != nil {
		meta.stop()
	}
}

// Update changes the configuration of a table.
func (c *Control) Update(owner string, cfg Config) error {
	key := tableKey{owner, cfg.Name}

	c.mu.Lock()
	defer c.mu.Unlock()
	if c.meta == nil {
		return ErrNotActive
	}
	old := c.tables[key]
	if old == nil {
		return ErrNotFound
	}
	o := c.owners[owner]
	if o == nil {
		return ErrNotFound
	}

	// The check may ask other nodes, which can be slow.
	c.mu.Unlock()
	ncfg, err := o.checkUpdate(old.Config, cfg)
	c.mu.Lock()
	if err != nil {
		return err
	}

	cur := c.tables[key]
	if cur == nil {
		return ErrNotFound
	}
	if cur.Rev != old.Rev {
		return ErrConflict
	}

	nodes := slices.Clone(cur.Nodes)
	for _, n := range c.nodes {
		if len(nodes) >= ncfg.Replicas {
			break
		}
		if !slices.Contains(nodes, n) {
			nodes = append(nodes, n)
		}
	}
	return c.meta.Propose(fmt.Appendf(nil, "update %s/%s rev %d %v on %v", owner, cfg.Name, cur.Rev+1, ncfg, nodes))
}
