// Package bug rolls a new version of a job out, group by group.
package bug

import (
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrNoRollout is returned for an unknown rollout.
	ErrNoRollout = errors.New("no such rollout")
	// ErrRejected is returned for a plan that the store does not take.
	ErrRejected = errors.New("plan rejected")
)

// GroupState is the state of one group in a rollout.
type GroupState struct {
	Want      int
	Placed    int
	Canaries  int
	Healthy   int
	Unhealthy int
	Promoted  bool
}

// Rollout is one rollout. What is in the store is never changed in place.
type Rollout struct {
	ID     string
	Index  uint64
	Status string
	Groups map[string]*GroupState
}

func (r *Rollout) clone() *Rollout {
	c := *r
	c.Groups = make(map[string]*GroupState, len(r.Groups))
	for name, g := range r.Groups {
		gc := *g
		c.Groups[name] = &gc
	}
	return &c
}

func (r *Rollout) complete() bool {
	for _, g := range r.Groups {
		if g.Healthy < g.Want || g.Canaries > 0 && !g.Promoted {
			return false
		}
	}
	return true
}

// Plan is the result of one evaluation.
type Plan struct {
	Rollout *Rollout
	Place   map[string]int
	Done    chan error
}

// Store keeps the rollouts.
type Store struct {
	mu       sync.RWMutex
	index    uint64
	rollouts map[string]*Rollout
	placed   map[string]int
}

// NewStore returns an empty store.
func NewStore() *Store {
	return &Store{rollouts: make(map[string]*Rollout), placed: make(map[string]int)}
}

// Get returns a copy of a rollout.
func (s *Store) Get(id string) (*Rollout, error) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	r, ok := s.rollouts[id]
	if !ok {
		return nil, ErrNoRollout
	}
	return r.clone(), nil
}

// Start adds a rollout.
func (s *Store) Start(r *Rollout) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.upsert(r.clone())
}

func (s *Store) upsert(r *Rollout) {
	s.index++
	r.Index = s.index
	if r.complete() {
		r.Status = "successful"
	}
	s.rollouts[r.ID] = r
}

// update changes a rollout.
func (s *Store) update(id, group string, fn func(*GroupState)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.rollouts[id]
	if !ok || r.Groups[group] == nil {
		return ErrNoRollout
	}
	c := r.clone()
	fn(c.Groups[group])
	s.upsert(c)
	return nil
}

// ReportHealth is called by a machine, once for each instance.
func (s *Store) ReportHealth(id, group string, healthy bool) error {
	return s.update(id, group, func(g *GroupState) {
		if healthy {
			g.Healthy++
		} else {
			g.Unhealthy++
		}
	})
}

// Promote is called by the operator.
func (s *Store) Promote(id, group string) error {
	return s.update(id, group, func(g *GroupState) { g.Promoted = true })
}

// ApplyPlan stores the outcome of an evaluation.
func (s *Store) ApplyPlan(p *Plan) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for group, n := range p.Place {
		if n < 0 {
			return fmt.Errorf("%w: group %s", ErrRejected, group)
		}
	}
	if p.Rollout != nil {
		s.upsert(p.Rollout.clone())
	}
	for group, n := range p.Place {
		s.placed[group] += n
	}
	return nil
}

// Applier applies the plans of all workers, one at a time.
type Applier struct {
	store *Store
	queue chan *Plan
}

// NewApplier starts an applier.
func NewApplier(s *Store) *Applier {
	a := &Applier{store: s, queue: make(chan *Plan, 16)}
	go func() {
		for p := range a.queue {
			p.Done <- a.store.ApplyPlan(p)
		}
	}()
	return a
}

// Worker evaluates rollouts.
type Worker struct {
	store   *Store
	applier *Applier
	step    int
}

// evaluate decides what to place next.
func (w *Worker) evaluate(r *Rollout) *Plan {
	p := &Plan{Rollout: r, Place: make(map[string]int), Done: make(chan error, 1)}
	for name, g := range r.Groups {
		limit := g.Want
		if g.Canaries > 0 && !g.Promoted {
			limit = g.Canaries
		}
		n := min(limit-g.Placed, w.step-(g.Placed-g.Healthy))
		if n > 0 {
			g.Placed += n
			p.Place[name] = n
		}
	}
	return p
}

// Process evaluates a rollout; a rejected plan is made anew from fresh state.
// No rollout is given to two workers at a time.
func (w *Worker) Process(id string) error {
	var err error
	for range 3 {
		var r *Rollout
		if r, err = w.store.Get(id); err != nil {
			return err
		}
		p := w.evaluate(r)
		if len(p.Place) == 0 {
			return nil
		}
		w.applier.queue <- p
		if err = <-p.Done; !errors.Is(err, ErrRejected) {
			return err
		}
	}
	return err
}
