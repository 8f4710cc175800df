// Package backup runs the backups of volumes, by timer and on demand.
package backup

import (
	"context"
	"errors"
	"fmt"
	"log"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"
)

var (
	ErrStopped = errors.New("backup: scheduler is stopped")
	ErrRunning = errors.New("backup: volume is being backed up")
)

type Snapshot interface {
	Release()
}

// Volumes freezes volumes.
type Volumes interface {
	Freeze(ctx context.Context, volume string) (Snapshot, error)
}

// Repository stores backups. It must not be used after Close.
type Repository interface {
	Write(ctx context.Context, volume string, s Snapshot) error
	Close() error
}

// lifecycle is embedded by everything that can be stopped once.
type lifecycle struct {
	mu      sync.Mutex
	stopped bool
}

func (l *lifecycle) alive() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return ErrStopped
	}
	return nil
}

// shut reports whether this call was the one that stopped it.
func (l *lifecycle) shut() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	first := !l.stopped
	l.stopped = true
	return first
}

// run is one backup on its way.
type run struct {
	volume string
	cancel context.CancelFunc
	done   chan struct{}
	err    error // valid after done
}

type Scheduler struct {
	lifecycle
	vols Volumes
	repo Repository

	runs map[string]*run // by volume, guarded by mu
	last map[string]time.Time
}

func New(v Volumes, r Repository) *Scheduler {
	return &Scheduler{vols: v, repo: r, runs: make(map[string]*run), last: make(map[string]time.Time)}
}

// register makes the run visible to Stop.
func (s *Scheduler) register(r *run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		return ErrStopped
	}
	if s.runs[r.volume] != nil {
		return fmt.Errorf("%w: %s", ErrRunning, r.volume)
	}
	s.runs[r.volume] = r
	return nil
}

func (s *Scheduler) finish(r *run, err error) {
	s.mu.Lock()
	delete(s.runs, r.volume)
	if err == nil {
		s.last[r.volume] = time.Now()
	}
	s.mu.Unlock()
	r.cancel()
	r.err = err
	close(r.done)
}

// Trigger starts a backup of the volume.
func (s *Scheduler) Trigger(ctx context.Context, volume string) (*run, error) {
	if err := s.alive(); err != nil {
		return nil, err
	}
	snap, err := s.vols.Freeze(ctx, volume)
	if err != nil {
		return nil, fmt.Errorf("freeze %s: %w", volume, err)
	}
	runCtx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	r := &run{volume: volume, cancel: cancel, done: make(chan struct{})}
	if err := s.register(r); err != nil {
		cancel()
		snap.Release()
		return nil, err
	}
	go func() {
		defer snap.Release()
		s.finish(r, s.repo.Write(runCtx, volume, snap))
	}()
	return r, nil
}

// Stop cancels what is running, waits for it and closes the repository.
func (s *Scheduler) Stop() error {
	if !s.shut() {
		return ErrStopped
	}
	s.mu.Lock()
	running := slices.Collect(maps.Values(s.runs))
	s.mu.Unlock()
	for _, r := range running {
		r.cancel()
	}
	for _, r := range running {
		<-r.done
	}
	return s.repo.Close()
}

// Every triggers the volume in intervals.
func (s *Scheduler) Every(ctx context.Context, d time.Duration, volume string) {
	t := time.NewTicker(d)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if _, err := s.Trigger(ctx, volume); errors.Is(err, ErrStopped) {
			return
		} else if err != nil {
			log.Printf("backup: %v", err)
		}
	}
}

func (s *Scheduler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if _, err := s.Trigger(r.Context(), r.FormValue("volume")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusAccepted)
}
