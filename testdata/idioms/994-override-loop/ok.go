// Package overrides lets operators force the value of feature flags during an
// incident. The overrides survive a restart in a small JSON file.
package overrides

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync/atomic"
)

// ErrStopped is returned when the set is no longer running.
var ErrStopped = errors.New("overrides: stopped")

type values map[string]string

// edit is one request to the loop. A nil value removes the flag's override.
type edit struct {
	flag  string
	value *string
	reply chan error
}

// Set is the set of overrides. Lookup is on the path of every flag evaluation
// and takes no lock. All methods may be called from any goroutine.
type Set struct {
	path    string
	current atomic.Pointer[values]
	version atomic.Int64
	edits   chan edit
	stop    context.CancelFunc
	done    chan struct{}
}

// Load reads the file, if it exists, and starts the set.
func Load(path string) (*Set, error) {
	vals := values{}
	data, err := os.ReadFile(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
	case err != nil:
		return nil, err
	default:
		if err := json.Unmarshal(data, &vals); err != nil {
			return nil, err
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	s := &Set{path: path, edits: make(chan edit), stop: cancel, done: make(chan struct{})}
	s.current.Store(&vals)
	go s.loop(ctx)
	return s, nil
}

func (s *Set) loop(ctx context.Context) {
	defer close(s.done)
	for {
		select {
		case <-ctx.Done():
			return
		case e := <-s.edits:
			e.reply <- s.apply(e)
		}
	}
}

func (s *Set) apply(e edit) error {
	next := maps.Clone(*s.current.Load())
	if next == nil {
		next = values{}
	}
	if e.value == nil {
		delete(next, e.flag)
	} else {
		next[e.flag] = *e.value
	}
	if err := s.save(next); err != nil {
		return err
	}
	s.current.Store(&next)
	s.version.Store(s.version.Load() + 1)
	return nil
}

func (s *Set) save(v values) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	tmp := filepath.Join(filepath.Dir(s.path), "."+filepath.Base(s.path)+".tmp")
	if err := os.WriteFile(tmp, data, 0o600); err != nil {
		return err
	}
	return os.Rename(tmp, s.path)
}

// Lookup returns the forced value of a flag.
func (s *Set) Lookup(flag string) (string, bool) {
	v, ok := (*s.current.Load())[flag]
	return v, ok
}

// Edits returns how many edits have been made since the start.
func (s *Set) Edits() int64 { return s.version.Load() }

// Force overrides a flag.
func (s *Set) Force(ctx context.Context, flag, value string) error {
	return s.submit(ctx, edit{flag: flag, value: &value})
}

// Release removes the override of a flag.
func (s *Set) Release(ctx context.Context, flag string) error {
	return s.submit(ctx, edit{flag: flag})
}

func (s *Set) submit(ctx context.Context, e edit) error {
	e.reply = make(chan error, 1)
	select {
	case s.edits <- e:
		return <-e.reply
	case <-s.done:
		return ErrStopped
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Close stops the set; lookups go on working.
func (s *Set) Close() {
	s.stop()
	<-s.done
}
