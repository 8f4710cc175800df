// Package spool sends print jobs to network printers. Printers accept few
// connections, so all jobs for a device share one.
package spool

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// ErrClosed is returned by a link that was closed.
var ErrClosed = errors.New("spool: connection closed")

// Job is a document to print.
type Job struct {
	ID       int64
	Device   string
	Document io.Reader
}

// Dialer opens the connection to a device.
type Dialer interface {
	Dial(ctx context.Context, device string) (io.WriteCloser, error)
}

// link is the shared connection of a device.
type link struct {
	device string
	refs   atomic.Int64

	mu     sync.Mutex
	w      io.WriteCloser
	closed bool
}

// send writes a document; documents of several jobs are not mixed.
func (l *link) send(r io.Reader) (int64, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return 0, ErrClosed
	}
	return io.Copy(l.w, r)
}

func (l *link) close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.w.Close()
}

// Spooler owns the links.
type Spooler struct {
	dialer Dialer
	log    *slog.Logger
	links  sync.Map // device to *link
	jobs   chan Job
	sent   atomic.Int64
}

// New returns a spooler with room for some jobs.
func New(d Dialer, backlog int, log *slog.Logger) *Spooler {
	return &Spooler{dialer: d, log: log, jobs: make(chan Job, backlog)}
}

// open returns the link of a device; each open needs a release.
func (s *Spooler) open(ctx context.Context, device string) (*link, error) {
	for {
		if l := s.share(device); l != nil {
			return l, nil
		}
		w, err := s.dialer.Dial(ctx, device)
		if err != nil {
			return nil, fmt.Errorf("dial %s: %w", device, err)
		}
		l := &link{device: device, w: w}
		l.refs.Store(1)
		if _, loaded := s.links.LoadOrStore(device, l); !loaded {
			return l, nil
		}
		_ = l.close()
	}
}

// share takes a reference to a link that is open.
func (s *Spooler) share(device string) *link {
	v, ok := s.links.Load(device)
	if !ok {
		return nil
	}
	l := v.(*link)
	l.refs.Add(1)
	return l
}

// release gives a reference back; the last one closes the link.
func (s *Spooler) release(l *link) {
	if l.refs.Add(-1) > 0 {
		return
	}
	s.links.CompareAndDelete(l.device, l)
	if err := l.close(); err != nil {
		s.log.Warn("close", "device", l.device, "err", err)
	}
}

// Submit queues a job.
func (s *Spooler) Submit(ctx context.Context, j Job) error {
	select {
	case s.jobs <- j:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Run prints with some workers until ctx is done.
func (s *Spooler) Run(ctx context.Context, workers int) {
	var wg sync.WaitGroup
	for range workers {
		wg.Go(func() {
			for {
				select {
				case <-ctx.Done():
					return
				case j := <-s.jobs:
					if err := s.print(ctx, j); err != nil {
						s.log.Error("job failed", "job", j.ID, "device", j.Device, "err", err)
					}
				}
			}
		})
	}
	wg.Wait()
}

func (s *Spooler) print(ctx context.Context, j Job) error {
	start := time.Now()
	l, err := s.open(ctx, j.Device)
	if err != nil {
		return err
	}
	defer s.release(l)
	n, err := l.send(j.Document)
	if err != nil {
		return fmt.Errorf("after %d bytes: %w", n, err)
	}
	s.sent.Add(n)
	s.log.Info("printed", "job", j.ID, "bytes", n, "took", time.Since(start))
	return nil
}
