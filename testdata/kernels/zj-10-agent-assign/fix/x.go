// Package pool gives build jobs to CI agents.
package pool

import (
	"errors"
	"slices"
	"sync"
)

// ErrNoAgent is returned when no suitable agent is free.
var ErrNoAgent = errors.New("pool: no free agent")

// Job is a build waiting for an agent.
type Job struct {
	ID     string
	Labels []string // the agent must have all of them
}

// Conn is the stream to the machine of an agent.
type Conn interface {
	Start(job Job) error
}

// Agent is a connected build machine.
type Agent struct {
	Name   string
	labels []string
	conn   Conn

	mu       sync.Mutex
	job      string // "" when free
	draining bool
	builds   int
}

func (a *Agent) hasLabels(want []string) bool {
	for _, l := range want {
		if !slices.Contains(a.labels, l) {
			return false
		}
	}
	return true
}

func (a *Agent) free() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job == "" && !a.draining
}

// assign takes the agent for the job; it fails if the agent is not free.
func (a *Agent) assign(job string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.job != "" || a.draining {
		return false
	}
	a.job = job
	a.builds++
	return true
}

// Drain keeps the agent from getting further jobs.
func (a *Agent) Drain() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.draining = true
}

// Finished is called by the connection when a job has ended.
func (a *Agent) Finished(job string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.job != job {
		return false // late report of a job we gave up
	}
	a.job = ""
	return true
}

// Current returns the job on the agent.
func (a *Agent) Current() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.job
}

// Pool knows the agents. Dispatch is called from the webhook handlers.
type Pool struct {
	mu     sync.RWMutex
	agents []*Agent
}

// Register adds an agent to the pool.
func (p *Pool) Register(name string, labels []string, conn Conn) *Agent {
	a := &Agent{Name: name, labels: slices.Clone(labels), conn: conn}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.agents = append(p.agents, a)
	return a
}

// pick returns a free agent with the labels, nil if there is none.
func (p *Pool) pick(labels []string) *Agent {
	p.mu.RLock()
	defer p.mu.RUnlock()
	for _, a := range p.agents {
		if a.hasLabels(labels) && a.free() {
			return a
		}
	}
	return nil
}

// Dispatch starts the job on a free agent.
func (p *Pool) Dispatch(job Job) (*Agent, error) {
	a := p.pick(job.Labels)
	for a != nil && !a.assign(job.ID) {
		a = p.pick(job.Labels)
	}
	if a == nil {
		return nil, ErrNoAgent
	}
	if err := a.conn.Start(job); err != nil {
		a.Finished(job.ID)
		return nil, err
	}
	return a, nil
}

// Free counts the agents that could take a job.
func (p *Pool) Free() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	n := 0
	for _, a := range p.agents {
		if a.free() {
			n++
		}
	}
	return n
}
