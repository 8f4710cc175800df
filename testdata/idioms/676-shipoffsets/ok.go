// Package shipper reads log files and ships them with their offsets committed.
package shipper

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"time"
)

// Output takes lines; a nil error means that they are safe.
type Output interface {
	Ship(ctx context.Context, lines []string) error
}

// Commit writes offsets; it is an upsert.
type Commit func(offsets map[string]int64) error

type tracker struct {
	mu      sync.Mutex
	changed map[string]int64
}

func (t *tracker) advance(path string, off int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.changed[path] = max(t.changed[path], off)
}

func (t *tracker) take() map[string]int64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	c := t.changed
	t.changed = make(map[string]int64, len(c))
	return c
}

func (t *tracker) restore(old map[string]int64) {
	for path, off := range old {
		t.advance(path, off)
	}
}

// Shipper ships several files.
type Shipper struct {
	out    Output
	commit Commit
	every  time.Duration
	offs   tracker
}

// New returns a shipper that commits offsets every period.
func New(out Output, c Commit, every time.Duration) *Shipper {
	return &Shipper{out: out, commit: c, every: every, offs: tracker{changed: make(map[string]int64)}}
}

// Run ships files from the given offsets until ctx ends.
func (s *Shipper) Run(ctx context.Context, from map[string]int64) error {
	readers := make(chan struct{})
	errs := make(chan error, len(from))
	var wg sync.WaitGroup
	for path, off := range from {
		wg.Go(func() {
			if err := s.follow(ctx, path, off); err != nil {
				errs <- fmt.Errorf("%s: %w", path, err)
			}
		})
	}
	go func() {
		wg.Wait()
		close(readers)
	}()
	t := time.NewTicker(s.every)
	defer t.Stop()
	for {
		select {
		case <-t.C:
			if err := s.flush(); err != nil {
				slog.Warn("offsets not committed", "err", err)
			}
		case <-readers:
			close(errs)
			all := []error{s.flush()}
			for err := range errs {
				all = append(all, err)
			}
			return errors.Join(all...)
		}
	}
}

func (s *Shipper) flush() error {
	c := s.offs.take()
	if len(c) == 0 {
		return nil
	}
	if err := s.commit(c); err != nil {
		s.offs.restore(c)
		return err
	}
	return nil
}

func (s *Shipper) follow(ctx context.Context, path string, off int64) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	for {
		if _, err := f.Seek(off, io.SeekStart); err != nil {
			return err
		}
		lines, n, err := batch(f, 500)
		if err != nil {
			return err
		}
		if len(lines) > 0 {
			if err := s.out.Ship(ctx, lines); err != nil {
				return err
			}
			off += n
			s.offs.advance(path, off)
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(250 * time.Millisecond):
		}
	}
}

// batch reads up to limit complete lines and returns their length in bytes.
func batch(r io.Reader, limit int) (lines []string, n int64, err error) {
	br := bufio.NewReader(r)
	for len(lines) < limit {
		line, err := br.ReadString('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, 0, err
		}
		n += int64(len(line))
		lines = append(lines, line[:len(line)-1])
	}
	return lines, n, nil
}
