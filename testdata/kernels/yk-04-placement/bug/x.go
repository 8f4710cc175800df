package bug

import (
	"context"
	"errors"
	"sort"
	"sync"
)

var (
	ErrNoFit    = errors.New("no node fits")
	ErrAssumed  = errors.New("pod is already placed")
	errUnusable = errors.New("node cannot take the pod")
)

type Resources struct {
	MilliCPU int64
	Memory   int64
}

type Pod struct {
	UID string
	Req Resources
}

type nodeInfo struct {
	name     string
	cordoned bool
	total    Resources
	used     Resources
	pods     map[string]Resources
}

func (n *nodeInfo) fits(r Resources) bool {
	return n.used.MilliCPU+r.MilliCPU <= n.total.MilliCPU &&
		n.used.Memory+r.Memory <= n.total.Memory
}

type candidate struct {
	node  string
	score int64
}

// Cache is the scheduler's picture of the cluster.
type Cache struct {
	mu      sync.RWMutex
	nodes   map[string]*nodeInfo
	assumed map[string]string
}

func NewCache() *Cache {
	return &Cache{nodes: map[string]*nodeInfo{}, assumed: map[string]string{}}
}

func (c *Cache) AddNode(name string, total Resources) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.nodes[name]; ok {
		n.total = total
		return
	}
	c.nodes[name] = &nodeInfo{name: name, total: total, pods: map[string]Resources{}}
}

// Cordon keeps new pods off a node, or lets them on again.
func (c *Cache) Cordon(name string, on bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if n, ok := c.nodes[name]; ok {
		n.cordoned = on
	}
}

// rank lists the nodes a request fits on, emptiest first.
func (c *Cache) rank(req Resources) []candidate {
	c.mu.RLock()
	defer c.mu.RUnlock()
	var out []candidate
	for _, n := range c.nodes {
		if n.cordoned || !n.fits(req) {
			continue
		}
		free := n.total.MilliCPU - n.used.MilliCPU - req.MilliCPU
		out = append(out, candidate{node: n.name, score: free})
	}
	sort.Slice(out, func(i, j int) bool { return out[i].score > out[j].score })
	return out
}

// assume books a pod on a node ahead of the binding.
func (c *Cache) assume(p Pod, on candidate) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, ok := c.assumed[p.UID]; ok {
		return ErrAssumed
	}
	n, ok := c.nodes[on.node]
	if !ok || n.cordoned {
		return errUnusable
	}
	n.used.MilliCPU += p.Req.MilliCPU
	n.used.Memory += p.Req.Memory
	n.pods[p.UID] = p.Req
	c.assumed[p.UID] = n.name
	return nil
}

// Forget gives back what a pod has booked, when it has ended or could not be
// bound. An ended pod is not scheduled again.
func (c *Cache) Forget(uid string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n, ok := c.nodes[c.assumed[uid]]
	if !ok {
		return
	}
	r := n.pods[uid]
	n.used.MilliCPU -= r.MilliCPU
	n.used.Memory -= r.Memory
	delete(n.pods, uid)
	delete(c.assumed, uid)
}

type Binder interface {
	Bind(ctx context.Context, podUID, node string) error
}

// Scheduler places pods; several workers call Schedule.
type Scheduler struct {
	Cache  *Cache
	Binder Binder
}

// Schedule finds a node for a pod, books it there and binds it.
func (s *Scheduler) Schedule(ctx context.Context, p Pod) (string, error) {
	for _, cand := range s.Cache.rank(p.Req) {
		err := s.Cache.assume(p, cand)
		if errors.Is(err, ErrAssumed) {
			return "", err
		}
		if err != nil {
			continue
		}
		if err := s.Binder.Bind(ctx, p.UID, cand.node); err != nil {
			s.Cache.Forget(p.UID)
			return "", err
		}
		return cand.node, nil
	}
	return "", ErrNoFit
}
