package jobs

import (
	"context"
	"errors"
	"net/http"
	"sync"
)

var errNoID = errors.New("jobs: id is missing")

// Job is immutable. Its id is never used again.
type Job struct {
	ID   string
	Kind string
	Body []byte
}

// shelf is one concurrent set of jobs.
type shelf struct {
	mu   sync.RWMutex
	jobs map[string]Job
}

func newShelf() *shelf { return &shelf{jobs: make(map[string]Job)} }

func (s *shelf) add(j Job) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.jobs[j.ID] = j
}

func (s *shelf) remove(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, id)
}

func (s *shelf) get(id string) (Job, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	j, ok := s.jobs[id]
	return j, ok
}

// Processor runs jobs. Jobs that fail for good go to the dead letters, which
// are kept; no job ever comes back from there.
type Processor struct {
	active *shelf
	dead   *shelf
	tries  int
	do     func(context.Context, Job) error
	queue  chan Job
}

// NewProcessor starts the workers, which end with ctx.
func NewProcessor(ctx context.Context, workers, tries int, do func(context.Context, Job) error) *Processor {
	p := &Processor{active: newShelf(), dead: newShelf(), tries: tries, do: do, queue: make(chan Job, 100)}
	for range workers {
		go p.work(ctx)
	}
	return p
}

// Submit queues a job.
func (p *Processor) Submit(ctx context.Context, j Job) error {
	p.active.add(j)
	select {
	case p.queue <- j:
		return nil
	case <-ctx.Done():
		p.active.remove(j.ID)
		return ctx.Err()
	}
}

func (p *Processor) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case j := <-p.queue:
			if !p.attempt(ctx, j) {
				p.dead.add(j)
			}
			p.active.remove(j.ID)
		}
	}
}

func (p *Processor) attempt(ctx context.Context, j Job) bool {
	for range p.tries {
		if p.do(ctx, j) == nil {
			return true
		}
	}
	return false
}

// State tells what became of a job that was submitted.
func (p *Processor) State(id string) string {
	if _, ok := p.active.get(id); ok {
		return "active"
	}
	if _, ok := p.dead.get(id); ok {
		return "dead"
	}
	return "done"
}

// ServeHTTP handles GET /jobs/{id}.
func (p *Processor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	if id == "" {
		http.Error(w, errNoID.Error(), http.StatusBadRequest)
		return
	}
	_, _ = w.Write([]byte(p.State(id)))
}
