// Package ok spreads news among nodes.
package ok

import (
	"math"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"time"
)

type state int

const (
	alive state = iota
	dead
)

type node struct {
	name    string
	addr    string
	state   state
	changed time.Time
}

type item struct {
	name string
	msg  []byte
	sent int
}

// queue holds news that have to be sent a number of times that grows with the
// logarithm of the number of nodes.
type queue struct {
	size func() int
	mult int

	mu    sync.Mutex
	items []*item
}

// push adds news; it replaces older news with the same name.
func (q *queue) push(name string, msg []byte) {
	q.mu.Lock()
	defer q.mu.Unlock()
	keep := q.items[:0]
	for _, it := range q.items {
		if it.name != name {
			keep = append(keep, it)
		}
	}
	q.items = append(keep, &item{name: name, msg: msg})
}

// take returns what should go into the next packet.
func (q *queue) take(limit int) [][]byte {
	most := q.mult * int(math.Ceil(math.Log10(float64(q.size()+1))))

	q.mu.Lock()
	defer q.mu.Unlock()
	var out [][]byte
	keep := q.items[:0]
	for _, it := range q.items {
		if len(it.msg) <= limit {
			limit -= len(it.msg)
			out = append(out, it.msg)
			it.sent++
		}
		if it.sent < most {
			keep = append(keep, it)
		}
	}
	clear(q.items[len(keep):])
	q.items = keep
	return out
}

// Gossip is one member.
type Gossip struct {
	count atomic.Int32
	send  func(addr string, msg []byte)
	queue *queue
	stop  chan struct{}

	nodeLock sync.RWMutex
	nodes    []*node
	byName   map[string]*node
}

// New returns a member that knows nobody.
func New(send func(string, []byte)) *Gossip {
	g := &Gossip{send: send, stop: make(chan struct{}), byName: make(map[string]*node)}
	g.queue = &queue{size: g.estimate, mult: 4}
	return g
}

// estimate returns about how many nodes there are. It takes no lock, as it is
// called by the queue.
func (g *Gossip) estimate() int { return int(g.count.Load()) }

// Alive notes that a node is there.
func (g *Gossip) Alive(name, addr string) {
	g.nodeLock.Lock()
	defer g.nodeLock.Unlock()
	n := g.byName[name]
	if n == nil {
		n = &node{name: name}
		g.byName[name] = n
		g.nodes = append(g.nodes, n)
		g.count.Add(1)
	} else if n.state == alive && n.addr == addr {
		return
	}
	n.addr, n.state, n.changed = addr, alive, time.Now()
	g.queue.push(name, []byte("alive "+name+" "+addr))
}

// Dead notes that a node is gone.
func (g *Gossip) Dead(name string) {
	g.nodeLock.Lock()
	defer g.nodeLock.Unlock()
	n := g.byName[name]
	if n == nil || n.state == dead {
		return
	}
	n.state, n.changed = dead, time.Now()
	g.queue.push(name, []byte("dead "+name))
}

// trim drops nodes that have been dead for long.
func (g *Gossip) trim() {
	g.nodeLock.Lock()
	defer g.nodeLock.Unlock()
	keep := make([]*node, 0, len(g.nodes))
	for _, n := range g.nodes {
		if n.state == dead && time.Since(n.changed) > time.Minute {
			delete(g.byName, n.name)
			continue
		}
		keep = append(keep, n)
	}
	g.nodes = keep
	g.count.Store(int32(len(keep)))
}

// Run spreads news until Stop; the more nodes there are, the slower it trims.
func (g *Gossip) Run(interval time.Duration) {
	go func() {
		for {
			scale := math.Ceil(math.Log2(float64(g.estimate() + 2)))
			select {
			case <-time.After(interval * time.Duration(scale)):
				g.trim()
			case <-g.stop:
				return
			}
		}
	}()
	tick := time.NewTicker(interval)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			g.round()
		case <-g.stop:
			return
		}
	}
}

func (g *Gossip) round() {
	g.nodeLock.RLock()
	var addrs []string
	for range 3 {
		if len(g.nodes) == 0 {
			break
		}
		if n := g.nodes[rand.IntN(len(g.nodes))]; n.state == alive {
			addrs = append(addrs, n.addr)
		}
	}
	g.nodeLock.RUnlock()
	for _, addr := range addrs {
		for _, msg := range g.queue.take(1400) {
			g.send(addr, msg)
		}
	}
}

// Stop ends Run. It is called once.
func (g *Gossip) Stop() { close(g.stop) }
