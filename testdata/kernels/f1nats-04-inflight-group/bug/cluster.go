// Package bug places streams on the nodes of a cluster.
package bug

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"
)

var (
	errNoPeers = errors.New("not enough peers")
	errLimit   = errors.New("maximum number of streams reached")
	errConfig  = errors.New("stream exists with another configuration")
)

// Config is the wanted configuration of a stream.
type Config struct {
	Name     string
	Replicas int
}

// group is a replication group.
type group struct {
	Name  string
	Peers []string
}

type assignment struct {
	account string
	cfg     Config
	group   *group
}

// proposals is a replicated log, reduced to one node.
type proposals struct {
	mu      sync.Mutex
	entries []*assignment
	ready   chan struct{}
}

func (p *proposals) propose(a *assignment) {
	p.mu.Lock()
	p.entries = append(p.entries, a)
	p.mu.Unlock()
	select {
	case p.ready <- struct{}{}:
	default:
	}
}

func (p *proposals) take() []*assignment {
	p.mu.Lock()
	defer p.mu.Unlock()
	es := p.entries
	p.entries = nil
	return es
}

// Placer is the leader of the placement.
type Placer struct {
	mu      sync.RWMutex
	peers   []string
	max     int
	streams map[string]map[string]*assignment
	open    map[string]map[string]struct{}
	running map[string]*group
	meta    *proposals
	quit    chan struct{}
}

// NewPlacer starts the apply loop.
func NewPlacer(peers []string, max int) *Placer {
	p := &Placer{
		peers:   peers,
		max:     max,
		streams: make(map[string]map[string]*assignment),
		open:    make(map[string]map[string]struct{}),
		running: make(map[string]*group),
		meta:    &proposals{ready: make(chan struct{}, 1)},
		quit:    make(chan struct{}),
	}
	go p.applyLoop()
	return p
}

// Stop ends the apply loop.
func (p *Placer) Stop() { close(p.quit) }

func (p *Placer) applyLoop() {
	for {
		select {
		case <-p.meta.ready:
			for _, a := range p.meta.take() {
				p.apply(a)
			}
		case <-p.quit:
			return
		}
	}
}

func (p *Placer) apply(a *assignment) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.forget(a.account, a.cfg.Name)
	accStreams := p.streams[a.account]
	if accStreams == nil {
		accStreams = make(map[string]*assignment)
		p.streams[a.account] = accStreams
	}
	accStreams[a.cfg.Name] = a
	if _, ok := p.running[a.group.Name]; !ok {
		p.running[a.group.Name] = a.group
	}
}

func (p *Placer) forget(account, name string) {
	streams, ok := p.open[account]
	if !ok {
		return
	}
	delete(streams, name)
	if len(streams) == 0 {
		delete(p.open, account)
	}
}

// Lock held.
func (p *Placer) pickPeers(r int) []string {
	if r > len(p.peers) {
		return nil
	}
	ps := append([]string(nil), p.peers...)
	rand.Shuffle(len(ps), func(i, j int) { ps[i], ps[j] = ps[j], ps[i] })
	return ps[:r]
}

// Lock held.
func (p *Placer) makeGroup(cfg Config) (*group, error) {
	peers := p.pickPeers(cfg.Replicas)
	if len(peers) == 0 {
		return nil, errNoPeers
	}
	return &group{Name: fmt.Sprintf("S-R%dF-%08x", cfg.Replicas, rand.Uint32()), Peers: peers}, nil
}

// Lookup returns the peers of a stream.
func (p *Placer) Lookup(account, name string) ([]string, bool) {
	p.mu.RLock()
	defer p.mu.RUnlock()
	a := p.streams[account][name]
	if a == nil {
		return nil, false
	}
	return a.group.Peers, true
}

// Create handles a request for a new stream; requests come on many goroutines.
func (p *Placer) Create(account string, cfg Config) error {
	p.mu.Lock()
	defer p.mu.Unlock()

	if a := p.streams[account][cfg.Name]; a != nil {
		if a.cfg != cfg {
			return errConfig
		}
		return nil
	}

	streams, ok := p.open[account]
	if !ok {
		streams = make(map[string]struct{})
		p.open[account] = streams
	}
	n := len(p.streams[account])
	for s := range streams {
		if s != cfg.Name {
			n++
		}
	}
	if n >= p.max {
		return errLimit
	}

	rg, err := p.makeGroup(cfg)
	if err != nil {
		return err
	}
	p.meta.propose(&assignment{account: account, cfg: cfg, group: rg})
	streams[cfg.Name] = struct{}{}
	return nil
}
