package gpupool

import (
	"errors"
	"sort"
	"sync"
)

var ErrNoCapacity = errors.New("gpupool: no capacity")

type node struct {
	sync.Mutex
	idle []int
}

type Cluster struct {
	layout sync.RWMutex
	nodes  map[string]*node
}

// Grant names the devices given to a job.
type Grant struct {
	Node    string
	Devices []int
	home    *node
}

func NewCluster() *Cluster { return &Cluster{nodes: map[string]*node{}} }

func (c *Cluster) AddNode(name string, devices int) {
	n := &node{}
	for d := range devices {
		n.idle = append(n.idle, d)
	}
	c.layout.Lock()
	defer c.layout.Unlock()
	c.nodes[name] = n
}

func (n *node) cut(want int) []int {
	rest := len(n.idle) - want
	got := append([]int(nil), n.idle[rest:]...)
	n.idle = n.idle[:rest]
	return got
}

// Place finds the fullest node that can still take the job.
func (c *Cluster) Place(want int) (*Grant, error) {
	c.layout.RLock()
	defer c.layout.RUnlock()
	best, left := "", -1
	for name, n := range c.nodes {
		n.Lock()
		over := len(n.idle) - want
		n.Unlock()
		if over >= 0 && (left < 0 || over < left) {
			best, left = name, over
		}
	}
	if left < 0 {
		return nil, ErrNoCapacity
	}
	n := c.nodes[best]
	n.Lock()
	defer n.Unlock()
	if len(n.idle) < want {
		return nil, ErrNoCapacity
	}
	return &Grant{Node: best, Devices: n.cut(want), home: n}, nil
}

// Grow adds one more device of the same node to the grant.
func (g *Grant) Grow() bool {
	g.home.Lock()
	defer g.home.Unlock()
	if len(g.home.idle) == 0 {
		return false
	}
	g.Devices = append(g.Devices, g.home.cut(1)...)
	return true
}

// Release gives the devices back.
func (g *Grant) Release() {
	g.home.Lock()
	defer g.home.Unlock()
	g.home.idle = append(g.home.idle, g.Devices...)
	sort.Ints(g.home.idle)
	g.Devices = nil
}
