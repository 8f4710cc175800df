// Package maintenance runs the background jobs of the store (compaction, index
// merges, scrubbing) and keeps them apart from backups: while a backup copies
// the data directory, no job may change a file.
package maintenance

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Job changes files of the data directory.
type Job interface {
	Name() string
	Run(ctx context.Context, dir string) error
}

// gate counts running jobs and can be shut.
type gate struct {
	mu      sync.Mutex
	changed *sync.Cond
	shut    int // number of those who keep it shut
	running map[string]int
	total   int
}

func newGate() *gate {
	g := &gate{running: make(map[string]int)}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// awaitOpen returns when nobody keeps the gate shut.
func (g *gate) awaitOpen() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut > 0 {
		g.changed.Wait()
	}
}

// enter counts a job as running.
func (g *gate) enter(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running[name]++
	g.total++
}

// leave counts it as done.
func (g *gate) leave(name string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.running[name]--; g.running[name] == 0 {
		delete(g.running, name)
	}
	g.total--
	g.changed.Broadcast()
}

// close shuts the gate and returns when no job is running.
func (g *gate) close() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut++
	for g.total > 0 {
		g.changed.Wait()
	}
}

// open takes back one close.
func (g *gate) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut--
	g.changed.Broadcast()
}

// names returns the running jobs.
func (g *gate) names() []string {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]string, 0, len(g.running))
	for n := range g.running {
		out = append(out, n)
	}
	return out
}

// Runner owns the data directory. It is safe for concurrent use.
type Runner struct {
	dir  string
	log  *slog.Logger
	gate *gate
	wg   sync.WaitGroup
}

// NewRunner returns a runner for the data directory.
func NewRunner(dir string, log *slog.Logger) *Runner {
	return &Runner{dir: dir, log: log, gate: newGate()}
}

// Schedule starts a goroutine that runs the job periodically until ctx ends.
func (r *Runner) Schedule(ctx context.Context, job Job, every time.Duration) {
	r.wg.Go(func() {
		t := time.NewTicker(every)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				if err := r.RunNow(ctx, job); err != nil {
					r.log.Error("job failed", "job", job.Name(), "err", err)
				}
			case <-ctx.Done():
				return
			}
		}
	})
}

// RunNow runs the job once, after any backup in progress.
func (r *Runner) RunNow(ctx context.Context, job Job) error {
	r.gate.awaitOpen()
	if err := ctx.Err(); err != nil {
		return err
	}
	r.gate.enter(job.Name())
	defer r.gate.leave(job.Name())
	start := time.Now()
	err := job.Run(ctx, r.dir)
	r.log.Info("job done", "job", job.Name(), "took", time.Since(start))
	return err
}

// Running names the jobs that run at the moment, for the status page.
func (r *Runner) Running() []string { return r.gate.names() }

// Wait returns when all scheduled goroutines have ended.
func (r *Runner) Wait() { r.wg.Wait() }

// Backup copies the data directory to dst, which must not exist. Jobs are held
// off meanwhile.
func (r *Runner) Backup(ctx context.Context, dst string) error {
	if err := os.Mkdir(dst, 0o750); err != nil {
		return err
	}
	r.gate.close()
	defer r.gate.open()
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	var errs []error
	for _, e := range entries {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if !e.Type().IsRegular() {
			continue
		}
		if err := copyFile(filepath.Join(r.dir, e.Name()), filepath.Join(dst, e.Name())); err != nil {
			errs = append(errs, fmt.Errorf("backup %s: %w", e.Name(), err))
		}
	}
	return errors.Join(errs...)
}

func copyFile(from, to string) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, data, 0o640)
}
