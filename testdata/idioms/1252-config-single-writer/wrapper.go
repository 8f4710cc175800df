package config

import (
	"context"
	"encoding/json"
	"errors"
	"log"
	"os"
	"reflect"
	"sync"
	"time"
)

const (
	maxModifications = 1000
	minSaveInterval  = 5 * time.Second
)

var errTooManyModifications = errors.New("too many concurrent config modifications")

type FolderConfiguration struct {
	ID     string
	Path   string
	Paused bool
}

type Configuration struct {
	Version int
	Folders []FolderConfiguration
}

func (cfg Configuration) Copy() Configuration {
	newCfg := cfg
	newCfg.Folders = append([]FolderConfiguration(nil), cfg.Folders...)
	return newCfg
}

// The Committer and Verifier interfaces are implemented by objects
// that need to know about or have a say in configuration changes.
type Committer interface {
	CommitConfiguration(from, to Configuration) (handled bool)
}

// Waiter allows to wait for the given config operation to complete.
type Waiter interface {
	Wait()
}

type noopWaiter struct{}

func (noopWaiter) Wait() {}

// ModifyFunction gets a pointer to a copy of the currently active configuration
// for modification.
type ModifyFunction func(*Configuration)

type modifyEntry struct {
	modifyFunc ModifyFunction
	res        chan modifyResult
}

type modifyResult struct {
	w   Waiter
	err error
}

type wrapper struct {
	cfg   Configuration
	path  string
	queue chan modifyEntry

	subs []Committer
	mut  sync.Mutex
}

// Wrap wraps an existing Configuration structure and ties it to a file on
// disk.
// The returned Wrapper is a service that needs to be run (once), otherwise
// modifying the config will not work.
func Wrap(path string, cfg Configuration) *wrapper {
	return &wrapper{cfg: cfg, path: path, queue: make(chan modifyEntry, maxModifications)}
}

// Subscribe registers the given handler to be called on any future
// configuration changes. It returns the config that is in effect while
// subscribing, that can be used for initial setup.
func (w *wrapper) Subscribe(c Committer) Configuration {
	w.mut.Lock()
	defer w.mut.Unlock()
	w.subs = append(w.subs, c)
	return w.cfg.Copy()
}

// RawCopy returns a copy of the currently wrapped Configuration object.
func (w *wrapper) RawCopy() Configuration {
	w.mut.Lock()
	defer w.mut.Unlock()
	return w.cfg.Copy()
}

// Modify applies fn to the configuration and returns when it has been replaced.
func (w *wrapper) Modify(fn ModifyFunction) (Waiter, error) {
	e := modifyEntry{
		modifyFunc: fn,
		res:        make(chan modifyResult, 1),
	}
	select {
	case w.queue <- e:
	default:
		return noopWaiter{}, errTooManyModifications
	}
	res := <-e.res
	return res.w, res.err
}

// RemoveFolder removes the folder from the configuration
func (w *wrapper) RemoveFolder(id string) (Waiter, error) {
	return w.Modify(func(cfg *Configuration) {
		for i := range cfg.Folders {
			if cfg.Folders[i].ID == id {
				cfg.Folders = append(cfg.Folders[:i], cfg.Folders[i+1:]...)
				return
			}
		}
	})
}

func (w *wrapper) Serve(ctx context.Context) error {
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

		var waiter Waiter = noopWaiter{}
		var err error

		// Let the caller modify the config.
		to := w.RawCopy()
		e.modifyFunc(&to)

		// Check if the config was actually changed at all.
		w.mut.Lock()
		if !reflect.DeepEqual(w.cfg, to) {
			waiter, err = w.replaceLocked(to)
			if !saveTimerRunning {
				saveTimer.Reset(minSaveInterval)
				saveTimerRunning = true
			}
		}
		w.mut.Unlock()

		e.res <- modifyResult{
			w:   waiter,
			err: err,
		}

		// Wait for all subscriber to handle the config change before continuing
		// to process the next change.
		done := make(chan struct{})
		go func() {
			waiter.Wait()
			close(done)
		}()
		select {
		case <-done:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (w *wrapper) serveSave() {
	if err := w.Save(); err != nil {
		log.Println("Failed to save config:", err)
	}
}

func (w *wrapper) replaceLocked(to Configuration) (Waiter, error) {
	from := w.cfg
	for _, f := range to.Folders {
		if f.ID == "" {
			return noopWaiter{}, errors.New("folder without ID")
		}
	}
	w.cfg = to
	return w.notifyListeners(from.Copy(), to.Copy()), nil
}

func (w *wrapper) notifyListeners(from, to Configuration) Waiter {
	wg := new(sync.WaitGroup)
	wg.Add(len(w.subs))
	for _, sub := range w.subs {
		go func(committer Committer) {
			committer.CommitConfiguration(from, to)
			wg.Done()
		}(sub)
	}
	return wg
}

// Save writes the configuration to disk, and generates a ConfigSaved event.
func (w *wrapper) Save() error {
	w.mut.Lock()
	defer w.mut.Unlock()
	bs, err := json.Marshal(w.cfg)
	if err != nil {
		return err
	}
	return os.WriteFile(w.path, bs, 0o600)
}
