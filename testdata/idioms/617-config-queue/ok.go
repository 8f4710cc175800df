// Package ok keeps a configuration that many want to change.
package ok

import (
	"context"
	"errors"
	"log"
	"reflect"
	"sync"
	"time"
)

const (
	maxModifications = 1000
	minSaveInterval  = 5 * time.Second
)

var (
	errTooManyModifications = errors.New("too many concurrent config modifications")
	errStopped              = errors.New("config wrapper is stopped")
)

// Configuration is the configuration.
type Configuration struct {
	Folders map[string]string
	Devices []string
}

// Copy returns a deep copy.
func (cfg Configuration) Copy() Configuration {
	c := Configuration{Folders: make(map[string]string, len(cfg.Folders))}
	for k, v := range cfg.Folders {
		c.Folders[k] = v
	}
	c.Devices = append(c.Devices, cfg.Devices...)
	return c
}

// Committer is told about changes; it may refuse one.
type Committer interface {
	VerifyConfiguration(from, to Configuration) error
	CommitConfiguration(from, to Configuration)
}

// Wrapper wraps a Configuration and manages its loading and saving.
type Wrapper struct {
	save    func(Configuration) error
	queue   chan modifyEntry
	stopped chan struct{}

	mut  sync.Mutex // Protects the below
	cfg  Configuration
	subs []Committer
}

type modifyEntry struct {
	modifyFunc func(*Configuration)
	res        chan error
}

// Wrap wraps an existing Configuration.
func Wrap(cfg Configuration, save func(Configuration) error) *Wrapper {
	return &Wrapper{
		save:    save,
		queue:   make(chan modifyEntry, maxModifications),
		stopped: make(chan struct{}),
		cfg:     cfg.Copy(),
	}
}

// Subscribe registers the given handler to be called on any future
// configuration changes. It returns the configuration that is in effect while
// subscribing.
func (w *Wrapper) Subscribe(c Committer) Configuration {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.subs = append(w.subs, c)
	return w.cfg.Copy()
}

// RawCopy returns a copy of the currently wrapped Configuration object.
func (w *Wrapper) RawCopy() Configuration {
	w.mut.Lock()
	defer w.mut.Unlock()
	return w.cfg.Copy()
}

// Modify applies the function to the configuration.
func (w *Wrapper) Modify(fn func(*Configuration)) error {
	e := modifyEntry{
		modifyFunc: fn,
		res:        make(chan error, 1),
	}
	select {
	case w.queue <- e:
	default:
		return errTooManyModifications
	}
	select {
	case err := <-e.res:
		return err
	case <-w.stopped:
	}
	select {
	case err := <-e.res:
		return err
	default:
		return errStopped
	}
}

// Serve handles the modifications; it is run once.
func (w *Wrapper) Serve(ctx context.Context) error {
	defer close(w.stopped)
	defer w.serveSave()

	var e modifyEntry
	saveTimer := time.NewTimer(0)
	<-saveTimer.C
	saveTimerRunning := false
	for {
		select {
		case e = <-w.queue:
		case <-saveTimer.C:
			w.serveSave()
			saveTimerRunning = false
			continue
		case <-ctx.Done():
			return ctx.Err()
		}

		var done <-chan struct{}
		var err error

		// Let the caller modify the config.
		to := w.RawCopy()
		e.modifyFunc(&to)

		// Check if the config was actually changed at all.
		w.mut.Lock()
		if !reflect.DeepEqual(w.cfg, to) {
			done, err = w.replaceLocked(to)
			if !saveTimerRunning {
				saveTimer.Reset(minSaveInterval)
				saveTimerRunning = true
			}
		}
		w.mut.Unlock()

		e.res <- err

		// Wait for all subscriber to handle the config change before continuing
		// to process the next change.
		if done == nil {
			continue
		}
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *Wrapper) serveSave() {
	if err := w.save(w.RawCopy()); err != nil {
		log.Println("Failed to save config:", err)
	}
}

func (w *Wrapper) replaceLocked(to Configuration) (<-chan struct{}, error) {
	from := w.cfg
	for _, sub := range w.subs {
		if err := sub.VerifyConfiguration(from.Copy(), to.Copy()); err != nil {
			return nil, err
		}
	}

	w.cfg = to

	var wg sync.WaitGroup
	for _, sub := range w.subs {
		wg.Add(1)
		go func() {
			defer wg.Done()
			sub.CommitConfiguration(from.Copy(), to.Copy())
		}()
	}
	done := make(chan struct{})
	go func() {
		wg.Wait()
		close(done)
	}()
	return done, nil
}
