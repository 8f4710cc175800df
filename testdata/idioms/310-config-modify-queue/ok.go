// Package ok wraps a configuration that may change at run time.
package ok

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"maps"
	"os"
	"reflect"
	"slices"
	"sync"
)

// ErrTooMany is returned when modifications pile up.
var ErrTooMany = errors.New("too many concurrent config modifications")

// Config is the configuration.
type Config struct {
	Devices []string
	Folders map[string]string
	Options map[string]string
}

// Copy returns a deep copy.
func (c Config) Copy() Config {
	return Config{slices.Clone(c.Devices), maps.Clone(c.Folders), maps.Clone(c.Options)}
}

// Committer is told about changes. It may refuse them.
type Committer interface {
	Verify(from, to Config) error
	Commit(from, to Config)
}

type entry struct {
	modify func(*Config)
	res    chan error
}

// Wrapper holds the configuration in effect.
type Wrapper struct {
	path  string
	queue chan entry
	done  chan struct{} // closed when queue is no longer served

	mut  sync.Mutex
	cfg  Config
	subs []Committer
}

// Wrap serves cfg until ctx ends.
func Wrap(ctx context.Context, path string, cfg Config) *Wrapper {
	w := &Wrapper{path: path, cfg: cfg, queue: make(chan entry, 1000), done: make(chan struct{})}
	go w.serve(ctx)
	return w
}

// RawCopy returns the configuration in effect.
func (w *Wrapper) RawCopy() Config {
	w.mut.Lock()
	defer w.mut.Unlock()
	return w.cfg.Copy()
}

// Subscribe adds c and returns the configuration it starts with.
func (w *Wrapper) Subscribe(c Committer) Config {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.subs = append(w.subs, c)
	return w.cfg.Copy()
}

// Modify changes the configuration.
func (w *Wrapper) Modify(f func(*Config)) error {
	e := entry{modify: f, res: make(chan error, 1)}
	select {
	case w.queue <- e:
	default:
		return ErrTooMany
	}
	select {
	case err := <-e.res:
		return err
	case <-w.done:
		return context.Canceled
	}
}

// RemoveFolder removes a folder.
func (w *Wrapper) RemoveFolder(name string) error {
	return w.Modify(func(cfg *Config) { delete(cfg.Folders, name) })
}

// serve makes one modification after the other.
func (w *Wrapper) serve(ctx context.Context) {
	defer close(w.done)
	for {
		var e entry
		select {
		case e = <-w.queue:
		case <-ctx.Done():
			return
		}

		// Let the caller modify a copy, without the lock.
		to := w.RawCopy()
		e.modify(&to)

		w.mut.Lock()
		var err error
		if !reflect.DeepEqual(w.cfg, to) {
			err = w.replaceLocked(to)
		}
		w.mut.Unlock()
		e.res <- err

		if err == nil {
			if err := w.save(); err != nil {
				log.Printf("saving config: %v", err)
			}
		}
	}
}

// replaceLocked puts a configuration into effect. The caller holds w.mut.
func (w *Wrapper) replaceLocked(to Config) error {
	from := w.cfg
	for _, sub := range w.subs {
		if err := sub.Verify(from.Copy(), to.Copy()); err != nil {
			return err
		}
	}
	w.cfg = to
	for _, sub := range w.subs {
		go sub.Commit(from.Copy(), to.Copy())
	}
	return nil
}

// save writes the file. It is called by serve only.
func (w *Wrapper) save() error {
	data, err := json.Marshal(w.RawCopy())
	if err != nil {
		return err
	}
	return os.WriteFile(w.path, data, 0o600)
}

// Folders returns the names of the folders.
func (w *Wrapper) Folders() []string {
	w.mut.Lock()
	defer w.mut.Unlock()
	return slices.Sorted(maps.Keys(w.cfg.Folders))
}
