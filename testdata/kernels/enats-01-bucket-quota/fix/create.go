// Package fix places buckets in a cluster. The leader proposes a placement to a
// replicated log and all servers apply what the log hands out.
package fix

import (
	"errors"
	"fmt"
	"math/rand"
	"sync"
	"time"
)

var (
	errQuota    = errors.New("maximum number of buckets reached")
	errNotLead  = errors.New("not the leader")
	errOverlap  = errors.New("subjects overlap with an existing bucket")
	errBadName  = errors.New("bucket name required")
	errDiffers  = errors.New("bucket exists with another configuration")
	errNoPeers  = errors.New("insufficient peers")
	errStopping = errors.New("shutting down")
	errBusy     = errors.New("too many proposals")
)

type bucketConfig struct {
	Name     string
	Subject  string
	Replicas int
	MaxBytes int64
}

type placement struct {
	Account string
	Config  bucketConfig
	Peers   []string
	Created time.Time
}

type tenant struct {
	name       string
	maxBuckets int
	maxBytes   int64
}

type replog struct {
	in   chan *placement
	quit chan struct{}
}

func (l *replog) propose(p *placement) error {
	select {
	case l.in <- p:
		return nil
	case <-l.quit:
		return errStopping
	default:
		return errBusy
	}
}

// director knows where all buckets are.
type director struct {
	mu      sync.RWMutex
	leader  bool
	peers   []string
	buckets map[string]map[string]*placement // tenant -> bucket
	// Proposals that are not applied yet, they count against the quota.
	inflight map[string]map[string]*placement
	log      *replog
}

type server struct {
	name string
	dir  *director

	mu     sync.Mutex
	counts map[string]int
}

func newServer(name string, peers []string) *server {
	d := &director{
		leader:  true,
		peers:   peers,
		buckets: make(map[string]map[string]*placement),

		inflight: make(map[string]map[string]*placement),
		log:      &replog{in: make(chan *placement, 256), quit: make(chan struct{})},
	}
	s := &server{name: name, dir: d, counts: make(map[string]int)}
	go s.monitor()
	return s
}

// monitor applies what the log has committed.
func (s *server) monitor() {
	for {
		select {
		case p := <-s.dir.log.in:
			s.dir.applyPlacement(p)
		case <-s.dir.log.quit:
			return
		}
	}
}

func (d *director) applyPlacement(p *placement) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if fl := d.inflight[p.Account]; fl != nil {
		delete(fl, p.Config.Name)
		if len(fl) == 0 {
			delete(d.inflight, p.Account)
		}
	}
	m := d.buckets[p.Account]
	if m == nil {
		m = make(map[string]*placement)
		d.buckets[p.Account] = m
	}
	m[p.Config.Name] = p
}

// checkQuota reports whether the tenant may have one more bucket.
// Lock should be held.
func (d *director) checkQuota(t *tenant, cfg *bucketConfig) error {
	n, reserved := 0, int64(0)
	for name, p := range d.buckets[t.name] {
		if name == cfg.Name {
			continue
		}
		n++
		reserved += p.Config.MaxBytes
	}
	for name, p := range d.inflight[t.name] {
		if name == cfg.Name {
			continue
		}
		n++
		reserved += p.Config.MaxBytes
	}
	if t.maxBuckets > 0 && n >= t.maxBuckets {
		return errQuota
	}
	if t.maxBytes > 0 && reserved+cfg.MaxBytes > t.maxBytes {
		return errQuota
	}
	return nil
}

// Lock should be held.
func (d *director) selectPeers(n int) ([]string, error) {
	if n <= 0 {
		n = 1
	}
	if len(d.peers) < n {
		return nil, errNoPeers
	}
	var out []string
	for _, i := range rand.Perm(len(d.peers))[:n] {
		out = append(out, d.peers[i])
	}
	return out, nil
}

func (s *server) count(what string) {
	s.mu.Lock()
	s.counts[what]++
	s.mu.Unlock()
}

// handleCreate is called for each create request, from many connections.
func (s *server) handleCreate(t *tenant, cfg bucketConfig) error {
	d := s.dir
	if cfg.Name == "" {
		return errBadName
	}
	s.count("create")

	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.leader {
		return errNotLead
	}
	existing := d.buckets[t.name]
	if p := existing[cfg.Name]; p != nil {
		if p.Config != cfg {
			return errDiffers
		}
		return nil
	}
	if p := d.inflight[t.name][cfg.Name]; p != nil {
		if p.Config != cfg {
			return errDiffers
		}
		return nil
	}
	for _, p := range existing {
		if p.Config.Subject == cfg.Subject {
			return errOverlap
		}
	}
	for _, p := range d.inflight[t.name] {
		if p.Config.Subject == cfg.Subject {
			return errOverlap
		}
	}
	if err := d.checkQuota(t, &cfg); err != nil {
		s.count("refused")
		return fmt.Errorf("tenant %q: %w", t.name, err)
	}
	peers, err := d.selectPeers(cfg.Replicas)
	if err != nil {
		return err
	}
	p := &placement{Account: t.name, Config: cfg, Peers: peers, Created: time.Now()}
	if err := d.log.propose(p); err != nil {
		return err
	}
	if d.inflight[t.name] == nil {
		d.inflight[t.name] = make(map[string]*placement)
	}
	d.inflight[t.name][cfg.Name] = p
	return nil
}

func (s *server) list(t *tenant) []string {
	s.dir.mu.RLock()
	defer s.dir.mu.RUnlock()
	var out []string
	for name := range s.dir.buckets[t.name] {
		out = append(out, name)
	}
	return out
}

func (s *server) shutdown() { close(s.dir.log.quit) }
