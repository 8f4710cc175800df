// Package config keeps the configuration and tells the others when it changes.
package config

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
	"time"
)

const (
	maxModifications = 1000
	minSaveInterval  = 5 * time.Second
)

var (
	errTooManyModifications = errors.New("too many concurrent config modifications")
	errStopped              = errors.New("config is not served any more")
)

// FolderConfiguration is one shared folder.
type FolderConfiguration struct {
	ID     string `json:"id"`
	Path   string `json:"path"`
	Paused bool   `json:"paused"`
}

// Configuration is replaced as a whole and never changed in place.
type Configuration struct {
	Folders []FolderConfiguration `json:"folders"`
	Options map[string]string     `json:"options"`
}

func (cfg Configuration) Copy() Configuration {
	return Configuration{Folders: slices.Clone(cfg.Folders), Options: maps.Clone(cfg.Options)}
}

// Committer is told about new configurations.
type Committer interface {
	VerifyConfiguration(from, to Configuration) error
	CommitConfiguration(from, to Configuration)
}

// ModifyFunction gets a copy of the current configuration as argument to modify.
type ModifyFunction func(*Configuration)

type modifyEntry struct {
	modifyFunc ModifyFunction
	res        chan error
}

// Wrapper handles a Configuration, i.e. it provides methods to access, change
// and save the config, and notifies registered subscribers of changes.
type Wrapper struct {
	path  string
	queue chan modifyEntry
	done  chan struct{}

	mut  sync.Mutex
	cfg  Configuration
	subs []Committer
}

func Wrap(path string, cfg Configuration) *Wrapper {
	return &Wrapper{path: path, cfg: cfg.Copy(), queue: make(chan modifyEntry, maxModifications), done: make(chan struct{})}
}

// Subscribe registers the given handler to be called on any future
// configuration changes. It returns the config that is in effect.
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

// Modify is used to change the configuration.
func (w *Wrapper) Modify(fn ModifyFunction) error {
	e := modifyEntry{modifyFunc: fn, res: make(chan error, 1)}
	select {
	case w.queue <- e:
	default:
		return errTooManyModifications
	}
	select {
	case err := <-e.res:
		return err
	case <-w.done:
	}
	select {
	case err := <-e.res:
		return err
	default:
		return errStopped
	}
}

// SetFolder adds a new folder to the configuration, or overwrites an existing
// folder with the same ID.
func (w *Wrapper) SetFolder(fld FolderConfiguration) error {
	return w.Modify(func(cfg *Configuration) {
		for i := range cfg.Folders {
			if cfg.Folders[i].ID == fld.ID {
				cfg.Folders[i] = fld
				return
			}
		}
		cfg.Folders = append(cfg.Folders, fld)
	})
}

// Serve handles the modifications one after the other.
func (w *Wrapper) Serve(ctx context.Context) error {
	defer w.serveSave()
	defer close(w.done)

	saveTimer := time.NewTimer(0)
	<-saveTimer.C
	saveTimerRunning := false
	for {
		var e modifyEntry
		select {
		case e = <-w.queue:
		case <-saveTimer.C:
			w.serveSave()
			saveTimerRunning = false
			continue
		case <-ctx.Done():
			return ctx.Err()
		}

		// Let the caller modify the config.
		from := w.RawCopy()
		to := from.Copy()
		e.modifyFunc(&to)

		// Check if the config was actually changed at all.
		if reflect.DeepEqual(from, to) {
			e.res <- nil
			continue
		}
		err := w.replace(from, to)
		if err == nil && !saveTimerRunning {
			saveTimer.Reset(minSaveInterval)
			saveTimerRunning = true
		}
		e.res <- err
	}
}

// replace asks the subscribers, stores the configuration and tells them.
func (w *Wrapper) replace(from, to Configuration) error {
	w.mut.Lock()
	subs := slices.Clone(w.subs)
	w.mut.Unlock()
	for _, sub := range subs {
		if err := sub.VerifyConfiguration(from.Copy(), to.Copy()); err != nil {
			return err
		}
	}

	w.mut.Lock()
	w.cfg = to.Copy()
	subs = slices.Clone(w.subs)
	w.mut.Unlock()
	for _, sub := range subs {
		sub.CommitConfiguration(from.Copy(), to.Copy())
	}
	return nil
}

func (w *Wrapper) serveSave() {
	if w.path == "" {
		return
	}
	bs, err := json.MarshalIndent(w.RawCopy(), "", "  ")
	if err == nil {
		err = os.WriteFile(w.path, bs, 0o600)
	}
	if err != nil {
		log.Println("Failed to save config:", err)
	}
}
