package a

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"
)

// ErrPending is returned while a transcode is under way.
var ErrPending = errors.New("transcode: pending")

// Encode turns a source file into an output file.
type Encode func(ctx context.Context, src string) (out string, err error)

// Job is one transcode of a video.
type Job struct {
	src   string
	begun time.Time

	mu       sync.Mutex
	finished bool
	out      string
	err      error
	took     time.Duration
}

// Submit starts a transcode in the background.
func Submit(ctx context.Context, src string, enc Encode) *Job {
	j := &Job{src: src, begun: time.Now()}
	go func() {
		out, err := enc(ctx, src)
		j.finish(out, err)
	}()
	context.AfterFunc(ctx, func() { j.finish("", context.Cause(ctx)) })
	return j
}

// finish settles the job; the first outcome stays.
func (j *Job) finish(out string, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.finished {
		return
	}
	j.finished = true
	j.out, j.err = out, err
	j.took = time.Since(j.begun)
}

// Finished tells whether the outcome is known.
func (j *Job) Finished() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.finished
}

// Took returns the duration of a finished job.
func (j *Job) Took() time.Duration {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.took
}

// Output returns the path of the encoded file.
func (j *Job) Output() (string, error) {
	if !j.Finished() {
		return "", ErrPending
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil {
		return "", fmt.Errorf("transcode %s: %w", j.src, j.err)
	}
	return j.out, nil
}

// Describe returns a line for the job list.
func (j *Job) Describe() string {
	if !j.Finished() {
		return j.src + ": encoding"
	}
	out, err := j.Output()
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s: %s in %s", j.src, out, j.Took().Round(time.Second))
}
