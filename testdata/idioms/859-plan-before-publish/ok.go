// Package plan turns the pipeline file of a commit into jobs and lets runners
// take them.
package plan

import (
	"errors"
	"fmt"
	"sync"
)

// Errors returned by this package.
var (
	ErrNoPlan = errors.New("plan: no such plan")
	ErrNoJob  = errors.New("plan: nothing to do")
)

// JobSpec is a job in the pipeline file.
type JobSpec struct {
	Name  string
	Needs []string
	Run   string
}

// job is a job of a plan. missing counts the jobs it still waits for.
type job struct {
	spec    JobSpec
	missing int
	taken   bool
	next    []*job
}

// Plan is the jobs of one commit. It is safe for concurrent use: runners take
// and finish jobs while the web page reads the progress.
type Plan struct {
	Commit string

	mu   sync.Mutex
	jobs map[string]*job
	done int
}

func newPlan(commit string) *Plan {
	return &Plan{Commit: commit, jobs: make(map[string]*job)}
}

// Has reports whether the plan has a job of that name.
func (p *Plan) Has(name string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	_, ok := p.jobs[name]
	return ok
}

func (p *Plan) add(spec JobSpec) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.jobs[spec.Name] = &job{spec: spec}
}

// link makes job name wait for job need.
func (p *Plan) link(name, need string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	j := p.jobs[name]
	j.missing++
	p.jobs[need].next = append(p.jobs[need].next, j)
}

// Take gives a job that can run to the caller.
func (p *Plan) Take() (JobSpec, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, j := range p.jobs {
		if !j.taken && j.missing == 0 {
			j.taken = true
			return j.spec, nil
		}
	}
	return JobSpec{}, ErrNoJob
}

// Finish is called by the runner that took the job, once.
func (p *Plan) Finish(name string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	for _, j := range p.jobs[name].next {
		j.missing--
	}
}

// Progress returns how many jobs are finished, and of how many.
func (p *Plan) Progress() (done, all int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.done, len(p.jobs)
}

// Board holds the plans by number. It is safe for concurrent use.
type Board struct {
	mu    sync.RWMutex
	plans []*Plan
}

// compile makes a plan of the jobs in a pipeline file.
func compile(commit string, specs []JobSpec) (*Plan, error) {
	p := newPlan(commit)
	for _, s := range specs {
		if p.Has(s.Name) {
			return nil, fmt.Errorf("plan: job %q is there twice", s.Name)
		}
		p.add(s)
	}
	for _, s := range specs {
		for _, need := range s.Needs {
			if need == s.Name || !p.Has(need) {
				return nil, fmt.Errorf("plan: job %q needs %q", s.Name, need)
			}
			p.link(s.Name, need)
		}
	}
	return p, nil
}

// Submit plans a commit and returns the number of the plan. It is called by
// the webhook handlers.
func (b *Board) Submit(commit string, specs []JobSpec) (int, error) {
	p, err := compile(commit, specs)
	if err != nil {
		return 0, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.plans = append(b.plans, p)
	return len(b.plans) - 1, nil
}

// Plan returns the plan with that number.
func (b *Board) Plan(n int) (*Plan, error) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	if n < 0 || n >= len(b.plans) {
		return nil, ErrNoPlan
	}
	return b.plans[n], nil
}
