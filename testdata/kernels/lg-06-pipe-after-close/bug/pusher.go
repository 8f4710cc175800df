package docker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"
)

var (
	ErrReset    = errors.New("writer has been reset")
	ErrNotFound = errors.New("not found")
)

// Status of an upload.
type Status struct {
	Ref       string
	Offset    int64
	Total     int64
	Expected  string
	StartedAt time.Time
	UpdatedAt time.Time
	Committed bool
}

// StatusTracker to track status of operations
type StatusTracker interface {
	GetStatus(ref string) (Status, error)
	SetStatus(ref string, status Status)
}

type memoryStatusTracker struct {
	statuses map[string]Status
	m        sync.Mutex
}

// NewInMemoryTracker returns a StatusTracker that tracks content status in-memory
func NewInMemoryTracker() StatusTracker {
	return &memoryStatusTracker{statuses: map[string]Status{}}
}

func (t *memoryStatusTracker) GetStatus(ref string) (Status, error) {
	t.m.Lock()
	defer t.m.Unlock()
	status, ok := t.statuses[ref]
	if !ok {
		return Status{}, fmt.Errorf("status for ref %v: %w", ref, ErrNotFound)
	}
	return status, nil
}

func (t *memoryStatusTracker) SetStatus(ref string, status Status) {
	t.m.Lock()
	t.statuses[ref] = status
	t.m.Unlock()
}

type request struct {
	size int64
	body func() (io.ReadCloser, error)
}

// dockerPusher pushes blobs to a registry.
type dockerPusher struct {
	// doWithRetries calls body once for each attempt
	doWithRetries func(ctx context.Context, req *request) (*http.Response, error)
	tracker       StatusTracker
}

// Push starts the upload of a blob and returns a writer for its content.
func (p dockerPusher) Push(ctx context.Context, ref string, size int64, expected string) (*pushWriter, error) {
	p.tracker.SetStatus(ref, Status{
		Ref:       ref,
		Total:     size,
		Expected:  expected,
		StartedAt: time.Now(),
	})

	// TODO: Support chunked upload

	pushw := newPushWriter(ref, expected, p.tracker)

	req := &request{size: size}
	req.body = func() (io.ReadCloser, error) {
		pr, pw := io.Pipe()
		pushw.setPipe(pw)
		return io.NopCloser(pr), nil
	}

	go func() {
		resp, err := p.doWithRetries(ctx, req)
		if err != nil {
			pushw.setError(err)
			pushw.Close()
			return
		}

		switch resp.StatusCode {
		case http.StatusOK, http.StatusCreated, http.StatusNoContent:
		default:
			pushw.setError(fmt.Errorf("unexpected status: %s", resp.Status))
			pushw.Close()
		}
		pushw.setResponse(resp)
	}()

	return pushw, nil
}

type pushWriter struct {
	ref string

	pipeMu sync.Mutex
	pipe   *io.PipeWriter

	pipeC     chan *io.PipeWriter
	respC     chan *http.Response
	closeOnce sync.Once
	errC      chan error

	expected string
	tracker  StatusTracker
}

func newPushWriter(ref string, expected string, tracker StatusTracker) *pushWriter {
	// Initialize and create response
	return &pushWriter{
		ref:      ref,
		expected: expected,
		tracker:  tracker,
		pipeC:    make(chan *io.PipeWriter, 1),
		respC:    make(chan *http.Response, 1),
		errC:     make(chan error, 1),
	}
}

func (pw *pushWriter) setPipe(p *io.PipeWriter) {
	pw.pipeC <- p
}

func (pw *pushWriter) setError(err error) {
	pw.errC <- err
}

func (pw *pushWriter) setResponse(resp *http.Response) {
	pw.respC <- resp
}

// current returns the pipe of the attempt that is under way.
func (pw *pushWriter) current() *io.PipeWriter {
	pw.pipeMu.Lock()
	defer pw.pipeMu.Unlock()
	return pw.pipe
}

// swap makes p the pipe of the attempt that is under way.
func (pw *pushWriter) swap(p *io.PipeWriter) *io.PipeWriter {
	pw.pipeMu.Lock()
	defer pw.pipeMu.Unlock()
	old := pw.pipe
	pw.pipe = p
	return old
}

// reset goes over to the pipe of a new attempt.
func (pw *pushWriter) reset(p *io.PipeWriter) error {
	pw.swap(p).CloseWithError(ErrReset)

	// If content has already been written, the bytes
	// cannot be written again and the caller must reset
	status, err := pw.tracker.GetStatus(pw.ref)
	if err != nil {
		return err
	}
	status.Offset = 0
	status.UpdatedAt = time.Now()
	pw.tracker.SetStatus(pw.ref, status)
	return ErrReset
}

func (pw *pushWriter) Write(p []byte) (n int, err error) {
	if pw.current() == nil {
		p, ok := <-pw.pipeC
		if !ok {
			return 0, io.ErrClosedPipe
		}
		pw.swap(p)
	} else {
		select {
		case p, ok := <-pw.pipeC:
			if !ok {
				return 0, io.ErrClosedPipe
			}
			return 0, pw.reset(p)
		default:
		}
	}

	n, err = pw.current().Write(p)
	status, serr := pw.tracker.GetStatus(pw.ref)
	if serr != nil {
		return n, serr
	}
	status.Offset += int64(n)
	status.UpdatedAt = time.Now()
	pw.tracker.SetStatus(pw.ref, status)
	return
}

func (pw *pushWriter) Close() error {
	// Ensure pipeC is closed but handle `Close()` being
	// called multiple times without panicking
	pw.closeOnce.Do(func() {
		close(pw.pipeC)
	})
	if pipe := pw.current(); pipe != nil {
		return pipe.Close()
	}
	return nil
}

func (pw *pushWriter) Status() (Status, error) {
	return pw.tracker.GetStatus(pw.ref)
}

// Digest returns the digest that is expected of the content.
func (pw *pushWriter) Digest() string {
	// TODO: Get rid of this function?
	return pw.expected
}

func (pw *pushWriter) Commit(ctx context.Context, size int64) error {
	pipe := pw.current()
	if pipe == nil {
		return io.ErrClosedPipe
	}
	if err := pipe.Close(); err != nil {
		return err
	}
	// TODO: timeout waiting for response
	var resp *http.Response
	select {
	case err := <-pw.errC:
		return err
	case resp = <-pw.respC:
	case p, ok := <-pw.pipeC:
		// check whether the pipe has changed in the commit, because sometimes Write
		// can complete successfully, but the pipe may have changed. In that case, the
		// content needs to be reset.
		if !ok {
			return io.ErrClosedPipe
		}
		return pw.reset(p)
	}
	defer resp.Body.Close()

	// 201 is specified return status, some registries return
	// 200, 202 or 204.
	switch resp.StatusCode {
	case http.StatusOK, http.StatusCreated, http.StatusNoContent, http.StatusAccepted:
	default:
		return fmt.Errorf("unexpected status: %s", resp.Status)
	}

	status, err := pw.tracker.GetStatus(pw.ref)
	if err != nil {
		return fmt.Errorf("failed to get status: %w", err)
	}
	if size > 0 && size != status.Offset {
		return fmt.Errorf("unexpected size %d, expected %d", status.Offset, size)
	}
	status.Committed = true
	status.UpdatedAt = time.Now()
	pw.tracker.SetStatus(pw.ref, status)
	return nil
}
