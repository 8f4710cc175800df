// Package ci triggers builds. Builds come from repository webhooks and from
// the nightly schedule.
package ci

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"path"
	"sync"
	"time"
)

// ErrNoPipeline is returned for a pipeline that is not configured.
var ErrNoPipeline = errors.New("ci: no such pipeline")

// Status is the state of a build.
type Status string

const (
	Queued  Status = "queued"
	Running Status = "running"
	Passed  Status = "passed"
	Failed  Status = "failed"
	Dropped Status = "dropped"
)

// Build is one run of a pipeline.
type Build struct {
	Pipeline  string
	Number    int
	Commit    string
	Workspace string
	Status    Status
	Created   time.Time
}

// Pipeline is the history of one configured pipeline.
type Pipeline struct {
	Name   string
	Branch string

	mu     sync.Mutex
	last   int
	builds map[int]Build
}

// setStatus updates a build of the history.
func (p *Pipeline) setStatus(number int, s Status) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if b, ok := p.builds[number]; ok {
		b.Status = s
		p.builds[number] = b
	}
}

// Workspaces checks out a commit into a directory.
type Workspaces interface {
	Prepare(ctx context.Context, dir, commit string) error
}

// Server accepts triggers and hands builds to the agents.
type Server struct {
	ws        Workspaces
	root      string
	log       *slog.Logger
	pipelines map[string]*Pipeline // fixed at start
	queue     chan Build
}

// NewServer returns a server for the given pipelines.
func NewServer(ws Workspaces, root string, log *slog.Logger, pipelines ...*Pipeline) *Server {
	s := &Server{ws: ws, root: root, log: log, pipelines: make(map[string]*Pipeline), queue: make(chan Build, 64)}
	for _, p := range pipelines {
		p.builds = make(map[int]Build)
		s.pipelines[p.Name] = p
	}
	return s
}

// Trigger checks out commit and queues a build of it.
func (s *Server) Trigger(ctx context.Context, name, commit string) (Build, error) {
	p, ok := s.pipelines[name]
	if !ok {
		return Build{}, ErrNoPipeline
	}
	p.mu.Lock()
	number := p.last + 1
	p.mu.Unlock()

	dir := path.Join(s.root, p.Name, fmt.Sprint(number))
	if err := s.ws.Prepare(ctx, dir, commit); err != nil {
		return Build{}, fmt.Errorf("ci: %s #%d: %w", p.Name, number, err)
	}
	b := Build{
		Pipeline:  p.Name,
		Number:    number,
		Commit:    commit,
		Workspace: dir,
		Status:    Queued,
		Created:   time.Now(),
	}

	p.mu.Lock()
	p.builds[number] = b
	p.last = number
	p.mu.Unlock()

	select {
	case s.queue <- b:
		return b, nil
	case <-ctx.Done():
		p.setStatus(number, Dropped)
		return Build{}, ctx.Err()
	}
}

// Agent runs queued builds until ctx ends.
func (s *Server) Agent(ctx context.Context, run func(context.Context, Build) error) {
	for {
		select {
		case <-ctx.Done():
			return
		case b := <-s.queue:
			p := s.pipelines[b.Pipeline]
			p.setStatus(b.Number, Running)
			if err := run(ctx, b); err != nil {
				s.log.Warn("build failed", "pipeline", b.Pipeline, "number", b.Number, "err", err)
				p.setStatus(b.Number, Failed)
				continue
			}
			p.setStatus(b.Number, Passed)
		}
	}
}

// ServeHTTP handles the push webhook of the repository.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b, err := s.Trigger(r.Context(), r.FormValue("pipeline"), r.FormValue("commit"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusUnprocessableEntity)
		return
	}
	fmt.Fprintf(w, "%s #%d\n", b.Pipeline, b.Number)
}

// Nightly builds the tip of every pipeline's branch each period.
func (s *Server) Nightly(ctx context.Context, period time.Duration) {
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			for name, p := range s.pipelines {
				if _, err := s.Trigger(ctx, name, p.Branch); err != nil {
					s.log.Warn("nightly trigger", "pipeline", name, "err", err)
				}
			}
		}
	}
}
