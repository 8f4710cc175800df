// Package coordinator hands the builds of a CI server to executors.
package coordinator

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// ErrUnknownBuild is returned when a build is neither queued nor running.
var ErrUnknownBuild = errors.New("coordinator: unknown build")

// Build is a unit of work; a rebuild has an ID of its own.
type Build struct {
	ID       string
	Repo     string
	Priority int
	Timeout  time.Duration
}

// Executor runs a build until it ends or ctx is done.
type Executor interface {
	Execute(ctx context.Context, b Build) error
}

// backlog is the list of builds that wait, highest priority first.
type backlog struct {
	mu     sync.Mutex
	builds []Build
}

func (q *backlog) push(b Build) {
	q.mu.Lock()
	defer q.mu.Unlock()
	i := slices.IndexFunc(q.builds, func(o Build) bool { return o.Priority < b.Priority })
	if i < 0 {
		i = len(q.builds)
	}
	q.builds = slices.Insert(q.builds, i, b)
}

func (q *backlog) pop() (Build, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.builds) == 0 {
		return Build{}, false
	}
	b := q.builds[0]
	q.builds = slices.Delete(q.builds, 0, 1)
	return b, true
}

func (q *backlog) remove(id string) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := len(q.builds)
	q.builds = slices.DeleteFunc(q.builds, func(b Build) bool { return b.ID == id })
	return len(q.builds) < n
}

// active are the builds that run.
type active struct {
	mu      sync.Mutex
	cancels map[string]context.CancelFunc
}

func (a *active) add(id string, cancel context.CancelFunc) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.cancels[id] = cancel
}

func (a *active) cancel(id string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	cancel, ok := a.cancels[id]
	if ok {
		cancel()
	}
	return ok
}

func (a *active) remove(id string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.cancels, id)
}

// Coordinator is the scheduler of the server.
type Coordinator struct {
	exec    Executor
	log     *slog.Logger
	mu      sync.Mutex
	waiting backlog
	running active
	slots   chan struct{}
	kick    chan struct{}
}

// New returns a coordinator that runs at most n builds at a time.
func New(exec Executor, n int, log *slog.Logger) *Coordinator {
	return &Coordinator{
		exec:    exec,
		log:     log,
		running: active{cancels: make(map[string]context.CancelFunc)},
		slots:   make(chan struct{}, n),
		kick:    make(chan struct{}, 1),
	}
}

// Enqueue adds a build.
func (c *Coordinator) Enqueue(b Build) {
	c.waiting.push(b)
	select {
	case c.kick <- struct{}{}:
	default:
	}
}

// Cancel stops a build, or keeps it from being started.
func (c *Coordinator) Cancel(id string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.waiting.remove(id) {
		c.log.Info("build taken off the queue", "build", id)
		return nil
	}
	if c.running.cancel(id) {
		c.log.Info("build interrupted", "build", id)
		return nil
	}
	return fmt.Errorf("%w: %s", ErrUnknownBuild, id)
}

// Run starts builds until ctx is done.
func (c *Coordinator) Run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case c.slots <- struct{}{}:
		}
		b, bctx, ok := c.take(ctx)
		for !ok {
			select {
			case <-ctx.Done():
				return
			case <-c.kick:
			}
			b, bctx, ok = c.take(ctx)
		}
		wg.Go(func() {
			defer func() { <-c.slots }()
			c.execute(bctx, b)
		})
	}
}

// take gets the next build ready to run.
func (c *Coordinator) take(ctx context.Context) (Build, context.Context, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	b, ok := c.waiting.pop()
	if !ok {
		return Build{}, nil, false
	}
	bctx, cancel := context.WithCancel(ctx)
	c.running.add(b.ID, cancel)
	return b, bctx, true
}

func (c *Coordinator) execute(ctx context.Context, b Build) {
	defer c.running.remove(b.ID)
	defer c.running.cancel(b.ID)
	ctx, stop := context.WithTimeout(ctx, b.Timeout)
	defer stop()
	if err := c.exec.Execute(ctx, b); err != nil {
		c.log.Warn("build failed", "build", b.ID, "repo", b.Repo, "err", err)
	}
}
