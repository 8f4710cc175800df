// Package backup runs at most one backup for each volume.
package backup

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrStopping = errors.New("backup: shutting down")
	ErrBusy     = errors.New("backup: already running")
)

// Engine copies volumes.
type Engine interface {
	Freeze(ctx context.Context, volume string) (id string, err error)
	Copy(ctx context.Context, id string) (bytes int64, err error)
	Thaw(id string)
}

// job is a placeholder until snapshot is set.
type job struct {
	volume   string
	started  time.Time
	snapshot string
}

type Scheduler struct {
	engine Engine
	ctx    context.Context
	cancel context.CancelFunc

	mu       sync.Mutex
	idle     *sync.Cond // jobs became empty
	stopping bool
	jobs     map[string]*job
	total    map[string]int64
}

func New(e Engine) *Scheduler {
	s := &Scheduler{engine: e, jobs: make(map[string]*job), total: make(map[string]int64)}
	s.idle = sync.NewCond(&s.mu)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// begin reserves the volume.
func (s *Scheduler) begin(volume string) (*job, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopping {
		return nil, ErrStopping
	}
	if _, busy := s.jobs[volume]; busy {
		return nil, fmt.Errorf("%w: %s", ErrBusy, volume)
	}
	j := &job{volume: volume, started: time.Now()}
	s.jobs[volume] = j
	return j, nil
}

func (s *Scheduler) frozen(j *job, id string) {
	s.mu.Lock()
	j.snapshot = id
	s.mu.Unlock()
}

func (s *Scheduler) end(j *job, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.jobs, j.volume)
	s.total[j.volume] += bytes
	if len(s.jobs) == 0 {
		s.idle.Broadcast()
	}
}

// Start freezes the volume and copies it in the background.
func (s *Scheduler) Start(ctx context.Context, volume string) error {
	j, err := s.begin(volume)
	if err != nil {
		return err
	}
	id, err := s.engine.Freeze(ctx, volume)
	if err != nil {
		s.end(j, 0)
		return fmt.Errorf("freeze %s: %w", volume, err)
	}
	s.frozen(j, id)
	go func() {
		n, err := s.engine.Copy(s.ctx, id)
		s.engine.Thaw(id)
		if err != nil {
			n = 0
		}
		s.end(j, n)
	}()
	return nil
}

// Stop refuses new backups, cancels the running ones and waits for them.
func (s *Scheduler) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopping = true
	s.cancel()
	for len(s.jobs) > 0 {
		s.idle.Wait()
	}
}

// Running lists the snapshots that are being copied.
func (s *Scheduler) Running() map[string]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make(map[string]string, len(s.jobs))
	for v, j := range s.jobs {
		if j.snapshot != "" {
			out[v] = j.snapshot
		}
	}
	return out
}

func (s *Scheduler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	err := s.Start(r.Context(), r.PathValue("volume"))
	switch {
	case errors.Is(err, ErrBusy), errors.Is(err, ErrStopping):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
	default:
		w.WriteHeader(http.StatusAccepted)
	}
}
