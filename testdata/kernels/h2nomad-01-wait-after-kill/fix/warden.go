// Package warden keeps one job running on a host.
package warden

import (
	"context"
	"errors"
	"fmt"
	"log"
	"sync"
	"time"
)

var (
	// ErrUnknownJob is returned for jobs the host does not have (any more).
	ErrUnknownJob = errors.New("unknown job")
	// ErrNotRunning is returned when there is nothing to act on.
	ErrNotRunning = errors.New("job is not running")
)

// Exit says how a job ended.
type Exit struct {
	Code int
	Err  error
}

type job struct {
	id     string
	cancel context.CancelFunc
	done   chan struct{}
	exit   Exit // valid once done is closed
}

// Host runs jobs. Every start has an id of its own.
type Host struct {
	mu   sync.Mutex
	jobs map[string]*job
}

// NewHost returns a host without jobs.
func NewHost() *Host { return &Host{jobs: make(map[string]*job)} }

// Start runs body as a new job.
func (h *Host) Start(id string, body func(context.Context) int) error {
	ctx, cancel := context.WithCancel(context.Background())
	j := &job{id: id, cancel: cancel, done: make(chan struct{})}
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, ok := h.jobs[id]; ok {
		cancel()
		return fmt.Errorf("job %s exists", id)
	}
	h.jobs[id] = j
	go func() {
		j.exit.Code = body(ctx)
		close(j.done)
	}()
	return nil
}

func (h *Host) get(id string) (*job, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	j, ok := h.jobs[id]
	if !ok {
		return nil, ErrUnknownJob
	}
	return j, nil
}

// Wait returns a channel that gets the exit of the job, once.
func (h *Host) Wait(ctx context.Context, id string) (<-chan Exit, error) {
	j, err := h.get(id)
	if err != nil {
		return nil, err
	}
	c := make(chan Exit, 1)
	go func() {
		select {
		case <-j.done:
			c <- j.exit
		case <-ctx.Done():
			c <- Exit{Err: ctx.Err()}
		}
	}()
	return c, nil
}

// Stop asks the job to end and waits for it, up to the timeout.
func (h *Host) Stop(id string, timeout time.Duration) error {
	j, err := h.get(id)
	if err != nil {
		return err
	}
	j.cancel()
	select {
	case <-j.done:
		return nil
	case <-time.After(timeout):
		return fmt.Errorf("job %s does not stop", id)
	}
}

// Discard removes an ended job from the host.
func (h *Host) Discard(id string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	j, ok := h.jobs[id]
	if !ok {
		return ErrUnknownJob
	}
	select {
	case <-j.done:
	default:
		return fmt.Errorf("job %s is running", id)
	}
	delete(h.jobs, id)
	return nil
}

// handle refers to one start of the job.
type handle struct {
	host *Host
	id   string
}

func (hd *handle) waitCh(ctx context.Context) (<-chan Exit, error) {
	return hd.host.Wait(ctx, hd.id)
}

func (hd *handle) kill() error { return hd.host.Stop(hd.id, 5*time.Second) }

// tracker decides whether the job is started again after it has ended.
type tracker struct {
	mu        sync.Mutex
	requested string // id of the start a restart was asked for
	judged    string // id of the start next was last asked about
	failures  int
	max       int
}

// request asks for a new start after the given one. It is too late for that if
// next has been asked before.
func (t *tracker) request(id string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.judged == id {
		return false
	}
	t.requested = id
	return true
}

// next reports whether to start again and how long to wait before.
func (t *tracker) next(id string, e Exit) (bool, time.Duration) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.judged = id
	if t.requested == id {
		t.requested = ""
		return true, 0
	}
	if e.Code == 0 {
		return false, 0
	}
	t.failures++
	return t.failures <= t.max, time.Duration(t.failures) * time.Second
}

// Warden starts a job again until it ends well or fails too often.
type Warden struct {
	name  string
	host  *Host
	body  func(context.Context) int
	track *tracker

	handleMu sync.Mutex
	cur      *handle
}

// New returns a warden for body. Run makes it work.
func New(name string, h *Host, body func(context.Context) int) *Warden {
	return &Warden{name: name, host: h, body: body, track: &tracker{max: 3}}
}

func (w *Warden) setHandle(h *handle) {
	w.handleMu.Lock()
	defer w.handleMu.Unlock()
	w.cur = h
}

func (w *Warden) getHandle() *handle {
	w.handleMu.Lock()
	defer w.handleMu.Unlock()
	return w.cur
}

// Run keeps the job going. It returns when the job is not to run any more.
func (w *Warden) Run(ctx context.Context) error {
	for n := 1; ; n++ {
		h := &handle{host: w.host, id: fmt.Sprintf("%s#%d", w.name, n)}
		if err := w.host.Start(h.id, w.body); err != nil {
			return err
		}
		w.setHandle(h)
		c, err := h.waitCh(ctx)
		if err != nil {
			return err
		}
		exit := <-c
		if exit.Err != nil {
			exit.Err = errors.Join(exit.Err, h.kill())
		}

		// The job has ended: nothing is left to act on.
		w.setHandle(nil)
		if err := w.host.Discard(h.id); err != nil {
			log.Printf("discard %s: %v", h.id, err)
		}
		if exit.Err != nil {
			return exit.Err
		}

		again, delay := w.track.next(h.id, exit)
		if !again {
			return nil
		}
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Restart ends the job, which Run then starts again at once. It returns when
// the old start has ended.
func (w *Warden) Restart(ctx context.Context) error {
	h := w.getHandle()
	if h == nil {
		return ErrNotRunning
	}
	// The channel is needed before the kill: Run discards the job when it has
	// ended.
	c, err := h.waitCh(ctx)
	if err != nil {
		return err
	}
	if !w.track.request(h.id) {
		return ErrNotRunning
	}
	if err := h.kill(); err != nil {
		log.Printf("restart %s: %v", h.id, err)
	}
	return (<-c).Err
}
