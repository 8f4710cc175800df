// Package pipeline runs the stages of a CI pipeline. The steps of a stage run
// in parallel; when the last one is over, the stage is closed and the next
// one starts.
package pipeline

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

// Step is a unit of work on a runner.
type Step struct {
	Name string
	Run  func(ctx context.Context) error
}

// Stage is a group of independent steps.
type Stage struct {
	Name  string
	Steps []Step
}

// Result is how a step ended.
type Result struct {
	Step string
	Took time.Duration
	Err  error
}

// Notifier is told about the progress, e.g. to set the status of the commit
// or to hand the artifacts to the deployer.
type Notifier interface {
	StageDone(stage string, results []Result)
	PipelineDone(ok bool)
}

// Run is one execution of a pipeline.
type Run struct {
	stages []Stage
	notify Notifier
	done   chan struct{}
}

// Start begins to execute stages and returns at once.
func Start(ctx context.Context, stages []Stage, n Notifier) *Run {
	r := &Run{stages: stages, notify: n, done: make(chan struct{})}
	r.enter(ctx, 0)
	return r
}

// Wait blocks until the run is over.
func (r *Run) Wait() { <-r.done }

// enter starts stage number i, or ends the run after the last one.
func (r *Run) enter(ctx context.Context, i int) {
	for i < len(r.stages) && len(r.stages[i].Steps) == 0 {
		i++
	}
	if i == len(r.stages) {
		r.finish(true)
		return
	}
	st := &stageRun{run: r, index: i, stage: r.stages[i]}
	st.left.Store(int64(len(st.stage.Steps)))
	for _, step := range st.stage.Steps {
		go st.execute(ctx, step)
	}
}

func (r *Run) finish(ok bool) {
	r.notify.PipelineDone(ok)
	close(r.done)
}

// stageRun is the state of a stage that is being executed. Its methods are
// called by the goroutines of the steps.
type stageRun struct {
	run   *Run
	index int
	stage Stage

	left atomic.Int64

	mu      sync.Mutex
	results []Result
	failed  bool
}

// execute runs one step and reports how it went.
func (s *stageRun) execute(ctx context.Context, step Step) {
	began := time.Now()
	err := runStep(ctx, step)
	s.record(Result{Step: step.Name, Took: time.Since(began), Err: err})
	if s.left.Add(-1) == 0 {
		s.close(ctx)
	}
}

// runStep turns a panic of the step into an error.
func runStep(ctx context.Context, step Step) (err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("pipeline: step %s panicked: %v", step.Name, v)
		}
	}()
	return step.Run(ctx)
}

func (s *stageRun) record(res Result) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.results = append(s.results, res)
	if res.Err != nil {
		s.failed = true
	}
}

// close announces the results and starts the next stage.
func (s *stageRun) close(ctx context.Context) {
	s.mu.Lock()
	results := append([]Result(nil), s.results...)
	failed := s.failed
	s.mu.Unlock()
	s.run.notify.StageDone(s.stage.Name, results)
	if failed || ctx.Err() != nil {
		s.run.finish(false)
		return
	}
	s.run.enter(ctx, s.index+1)
}
