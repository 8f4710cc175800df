// Package fix places jobs on nodes: several evaluators propose plans, one
// applier writes them down.
package fix

import (
	"errors"
	"sync"
)

var (
	ErrNoNode    = errors.New("placement: no node has room")
	ErrDuplicate = errors.New("placement: job already placed")
	ErrStopped   = errors.New("placement: stopped")

	errStalePlan = errors.New("placement: plan is out of date")
)

type Resources struct {
	CPU   int
	MemMB int
}

func (r Resources) fits(in Resources) bool { return r.CPU <= in.CPU && r.MemMB <= in.MemMB }

func (r Resources) plus(o Resources) Resources {
	return Resources{r.CPU + o.CPU, r.MemMB + o.MemMB}
}

func (r Resources) minus(o Resources) Resources {
	return Resources{r.CPU - o.CPU, r.MemMB - o.MemMB}
}

type Job struct {
	ID   string
	Need Resources
}

type node struct {
	total Resources
	used  Resources
}

type alloc struct {
	node string
	need Resources
}

type plan struct {
	job    Job
	target string
	reply  chan error
}

type Server struct {
	mu     sync.RWMutex
	nodes  map[string]*node
	allocs map[string]alloc

	plans    chan *plan
	stop     chan struct{}
	stopOnce sync.Once
}

func NewServer() *Server {
	s := &Server{
		nodes:  make(map[string]*node),
		allocs: make(map[string]alloc),
		plans:  make(chan *plan),
		stop:   make(chan struct{}),
	}
	go s.applier()
	return s
}

func (s *Server) Stop() { s.stopOnce.Do(func() { close(s.stop) }) }

func (s *Server) AddNode(id string, total Resources) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if n, ok := s.nodes[id]; ok {
		n.total = total
		return
	}
	s.nodes[id] = &node{total: total}
}

// RemoveNode forgets a node and everything that ran on it.
func (s *Server) RemoveNode(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.nodes, id)
	for job, a := range s.allocs {
		if a.node == id {
			delete(s.allocs, job)
		}
	}
}

// Schedule is called by the evaluators, one goroutine for each evaluation.
func (s *Server) Schedule(job Job) error {
	for {
		target, ok := s.propose(job.Need)
		if !ok {
			return ErrNoNode
		}
		p := &plan{job: job, target: target, reply: make(chan error, 1)}
		select {
		case s.plans <- p:
		case <-s.stop:
			return ErrStopped
		}
		select {
		case err := <-p.reply:
			if err == errStalePlan {
				continue
			}
			return err
		case <-s.stop:
			return ErrStopped
		}
	}
}

// propose returns the node with the most free CPU that has room.
func (s *Server) propose(need Resources) (string, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	best, most := "", -1
	for id, n := range s.nodes {
		free := n.total.minus(n.used)
		if need.fits(free) && free.CPU > most {
			best, most = id, free.CPU
		}
	}
	return best, most >= 0
}

func (s *Server) applier() {
	for {
		select {
		case p := <-s.plans:
			p.reply <- s.apply(p)
		case <-s.stop:
			return
		}
	}
}

func (s *Server) apply(p *plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.allocs[p.job.ID]; ok {
		return ErrDuplicate
	}
	n, ok := s.nodes[p.target]
	if !ok {
		return errStalePlan
	}
	if !p.job.Need.fits(n.total.minus(n.used)) {
		return errStalePlan
	}
	n.used = n.used.plus(p.job.Need)
	s.allocs[p.job.ID] = alloc{node: p.target, need: p.job.Need}
	return nil
}

func (s *Server) Release(jobID string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, ok := s.allocs[jobID]
	if !ok {
		return
	}
	delete(s.allocs, jobID)
	if n, ok := s.nodes[a.node]; ok {
		n.used = n.used.minus(a.need)
	}
}
