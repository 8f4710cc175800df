package a

import (
	"context"
	"errors"
	"sync"
	"time"
)

type state int

const (
	queued state = iota
	running
	done
	failed
	cancelled
)

var ErrNotQueued = errors.New("transcode: job is not queued")

type job struct {
	source   string
	state    state
	attempts int
	output   string
	updated  time.Time
}

// Transcoder converts a video; it takes minutes.
type Transcoder interface {
	Convert(ctx context.Context, source string) (output string, err error)
}

// Jobs is the table of videos to convert.
type Jobs struct {
	conv Transcoder

	mu   sync.Mutex
	jobs map[string]*job
}

func NewJobs(c Transcoder) *Jobs {
	return &Jobs{conv: c, jobs: make(map[string]*job)}
}

// Add queues a video.
func (j *Jobs) Add(id, source string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if _, dup := j.jobs[id]; dup {
		return false
	}
	j.jobs[id] = &job{source: source, updated: time.Now()}
	return true
}

// Cancel takes back a video that no worker has started on.
func (j *Jobs) Cancel(id string) error {
	j.mu.Lock()
	defer j.mu.Unlock()
	jb, ok := j.jobs[id]
	if !ok || jb.state != queued {
		return ErrNotQueued
	}
	jb.state = cancelled
	jb.updated = time.Now()
	return nil
}

func (j *Jobs) claim() (id, source string, attempts int, ok bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, jb := range j.jobs {
		if jb.state == queued {
			jb.state = running
			jb.updated = time.Now()
			return id, jb.source, jb.attempts, true
		}
	}
	return "", "", 0, false
}

func (j *Jobs) settle(id string, st state, attempts int, output string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	jb := j.jobs[id]
	jb.state = st
	jb.attempts = attempts
	jb.output = output
	jb.updated = time.Now()
}

// step converts one queued video and tells whether there was one.
func (j *Jobs) step(ctx context.Context) bool {
	id, source, attempts, ok := j.claim()
	if !ok {
		return false
	}
	output, err := j.conv.Convert(ctx, source)
	attempts++
	switch {
	case err == nil:
		j.settle(id, done, attempts, output)
	case attempts < 3:
		j.settle(id, queued, attempts, "")
	default:
		j.settle(id, failed, attempts, "")
	}
	return true
}

// Sweep forgets finished videos.
func (j *Jobs) Sweep(before time.Time) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for id, jb := range j.jobs {
		if jb.state != queued && jb.state != running && jb.updated.Before(before) {
			delete(j.jobs, id)
		}
	}
}

// Run converts videos with n workers until ctx ends.
func (j *Jobs) Run(ctx context.Context, n int) {
	var wg sync.WaitGroup
	for range n {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for ctx.Err() == nil {
				if !j.step(ctx) {
					time.Sleep(time.Second)
				}
			}
		}()
	}
	wg.Wait()
}
