// Package fenced lets the leader of a job group write checkpoints.
package fenced

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"
)

var (
	// ErrNotLeader is returned by a worker without the lease.
	ErrNotLeader = errors.New("fenced: not leader")
	// ErrFenced is returned for writes of a former leader.
	ErrFenced = errors.New("fenced: stale token")
)

// Checkpoint of a job.
type Checkpoint struct {
	Job    string
	Cursor int64
	Token  uint64
}

// Checkpoints stores the newest checkpoint of each job.
type Checkpoints struct {
	mu    sync.Mutex
	token uint64
	byJob map[string]Checkpoint
}

// NewCheckpoints returns an empty store.
func NewCheckpoints() *Checkpoints {
	return &Checkpoints{byJob: make(map[string]Checkpoint)}
}

// Save writes a checkpoint unless a newer leader has written or fenced the store.
func (c *Checkpoints) Save(cp Checkpoint) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if cp.Token < c.token {
		return fmt.Errorf("%w: %d, now %d", ErrFenced, cp.Token, c.token)
	}
	c.token = cp.Token
	c.byJob[cp.Job] = cp
	return nil
}

// Load returns the cursor of a job to the holder of a token, and fences all older ones.
func (c *Checkpoints) Load(job string, token uint64) (int64, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if token < c.token {
		return 0, fmt.Errorf("%w: %d, now %d", ErrFenced, token, c.token)
	}
	c.token = token
	return c.byJob[job].Cursor, nil
}

// session is the lease as the worker knows it.
type session struct {
	mu    sync.RWMutex
	token uint64 // zero without the lease
	until time.Time
}

func (s *session) granted(token uint64, until time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.token, s.until = token, until
}

func (s *session) lost() { s.granted(0, time.Time{}) }

func (s *session) current() (uint64, bool) {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.token, s.token != 0 && time.Now().Before(s.until)
}

// Grant is an event of the lease service; a zero token means that the lease is lost.
type Grant struct {
	Token uint64
	Until time.Time
}

// Worker processes one job while it is leader.
type Worker struct {
	job   string
	store *Checkpoints
	sess  session
	step  func(ctx context.Context, cursor int64) (next int64, err error)
}

// NewWorker returns a worker; step must be safe to repeat from the same cursor.
func NewWorker(job string, store *Checkpoints, step func(context.Context, int64) (int64, error)) *Worker {
	return &Worker{job: job, store: store, step: step}
}

// Follow keeps the session up to date from the lease service.
func (w *Worker) Follow(ctx context.Context, grants <-chan Grant) {
	defer w.sess.lost()
	for {
		select {
		case <-ctx.Done():
			return
		case g := <-grants:
			w.sess.granted(g.Token, g.Until)
		}
	}
}

func (w *Worker) once(ctx context.Context) error {
	token, ok := w.sess.current()
	if !ok {
		return ErrNotLeader
	}
	cursor, err := w.store.Load(w.job, token)
	if err != nil {
		return err
	}
	next, err := w.step(ctx, cursor)
	if err != nil {
		return err
	}
	return w.store.Save(Checkpoint{Job: w.job, Cursor: next, Token: token})
}

// Run works whenever the worker is leader; a worker has one Run.
func (w *Worker) Run(ctx context.Context, every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if err := w.once(ctx); err != nil && !errors.Is(err, ErrNotLeader) {
				slog.Warn("job step", "job", w.job, "err", err)
			}
		}
	}
}
