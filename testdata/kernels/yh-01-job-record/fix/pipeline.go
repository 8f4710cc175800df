// Package pipeline runs the jobs of a CI pipeline and answers whether the
// change under test may be merged.
package pipeline

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Phase is how far a job has come.
type Phase int

const (
	PhaseQueued Phase = iota
	PhaseRunning
	PhaseDone
)

// Verdict is the answer for a whole pipeline.
type Verdict int

const (
	Pending Verdict = iota
	Passed
	Failed
)

// Job is one job of a pipeline.
type Job struct {
	ID     string
	Script string
}

// Record is what the board knows about one job.
type Record struct {
	Phase     Phase
	Started   time.Time
	Finished  time.Time
	ExitCode  int
	Reason    string
	Artifacts []string
}

// Board keeps one record per job. It is safe for concurrent use.
type Board struct {
	mu   sync.Mutex
	jobs map[string]*Record
}

func (b *Board) register(jobs []Job) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, j := range jobs {
		b.jobs[j.ID] = &Record{}
	}
}

func (b *Board) update(id string, fn func(*Record)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if rec, ok := b.jobs[id]; ok {
		fn(rec)
	}
}

// Record returns a copy of the record of one job.
func (b *Board) Record(id string) (Record, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	rec, ok := b.jobs[id]
	if !ok {
		return Record{}, false
	}
	out := *rec
	out.Artifacts = slices.Clone(rec.Artifacts)
	return out, true
}

// Verdict is polled by the merge queue.
func (b *Board) Verdict() Verdict {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.jobs) == 0 {
		return Pending
	}
	v := Passed
	for _, rec := range b.jobs {
		if rec.Phase != PhaseDone {
			v = Pending
			continue
		}
		if rec.ExitCode != 0 || rec.Reason != "" {
			return Failed
		}
	}
	return v
}

// Executor runs a job's script and gathers the files it left behind.
type Executor interface {
	Run(ctx context.Context, job Job) (exitCode int, err error)
	Collect(ctx context.Context, job Job) ([]string, error)
}

// Runner executes the jobs of one pipeline.
type Runner struct {
	exec  Executor
	board *Board
	slots chan struct{}
	wg    sync.WaitGroup
}

// NewRunner returns a runner that executes at most parallel jobs at a time.
func NewRunner(exec Executor, parallel int) *Runner {
	return &Runner{
		exec:  exec,
		board: &Board{jobs: make(map[string]*Record)},
		slots: make(chan struct{}, max(parallel, 1)),
	}
}

// Start registers the jobs and runs them in the background.
func (r *Runner) Start(ctx context.Context, jobs []Job) *Board {
	r.board.register(jobs)
	for _, j := range jobs {
		r.wg.Go(func() {
			r.slots <- struct{}{}
			defer func() { <-r.slots }()
			r.runJob(ctx, j)
		})
	}
	return r.board
}

// Wait blocks until every started job has been recorded.
func (r *Runner) Wait() { r.wg.Wait() }

func (r *Runner) runJob(ctx context.Context, job Job) {
	r.board.update(job.ID, func(rec *Record) {
		rec.Phase = PhaseRunning
		rec.Started = time.Now()
	})

	code, err := r.exec.Run(ctx, job)
	finished := time.Now()

	// Artifacts are wanted from failed jobs too, test reports above all.
	files, cerr := r.exec.Collect(ctx, job)
	r.board.update(job.ID, func(rec *Record) {
		rec.Phase = PhaseDone
		rec.Finished = finished
		rec.ExitCode = code
		rec.Reason = reason(err, cerr)
		rec.Artifacts = files
	})
}

func reason(runErr, collectErr error) string {
	switch {
	case runErr != nil:
		return fmt.Sprintf("run: %v", runErr)
	case collectErr != nil:
		return fmt.Sprintf("artifacts: %v", collectErr)
	}
	return ""
}
