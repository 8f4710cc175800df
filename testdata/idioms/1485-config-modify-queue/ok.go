package cfgserver

import (
	"context"
	"errors"
	"maps"
	"reflect"
	"sync"
)

var (
	errTooManyEdits = errors.New("too many concurrent config edits")
	errNotRunning   = errors.New("config service is not running")
)

// Settings is the configuration of the program.
type Settings struct {
	Version int
	Folders map[string]string
	Limit   int
}

func (s Settings) clone() Settings {
	s.Folders = maps.Clone(s.Folders)
	return s
}

func (s *Settings) validate() error {
	if s.Limit < 0 {
		return errors.New("limit must not be negative")
	}
	return nil
}

// Listener is told about accepted changes; it must not call the keeper.
type Listener interface {
	SettingsChanged(from, to Settings)
}

type edit struct {
	fn  func(*Settings)
	res chan error
}

// Keeper holds the current settings.
type Keeper struct {
	queue chan edit
	done  chan struct{}

	mut       sync.RWMutex
	cur       Settings
	listeners []Listener
}

// NewKeeper returns a keeper; Serve must be started to accept edits.
func NewKeeper(s Settings) *Keeper {
	return &Keeper{queue: make(chan edit, 50), done: make(chan struct{}), cur: s.clone()}
}

// Copy returns a copy of the current settings.
func (k *Keeper) Copy() Settings {
	k.mut.RLock()
	defer k.mut.RUnlock()
	return k.cur.clone()
}

// Folder returns the path of a folder.
func (k *Keeper) Folder(id string) (string, bool) {
	k.mut.RLock()
	defer k.mut.RUnlock()
	p, ok := k.cur.Folders[id]
	return p, ok
}

// Subscribe adds a listener and returns the settings it starts from.
func (k *Keeper) Subscribe(l Listener) Settings {
	k.mut.Lock()
	defer k.mut.Unlock()
	k.listeners = append(k.listeners, l)
	return k.cur.clone()
}

// Modify runs fn on a copy of the settings and makes the result current.
func (k *Keeper) Modify(fn func(*Settings)) error {
	e := edit{fn: fn, res: make(chan error, 1)}
	select {
	case k.queue <- e:
	default:
		return errTooManyEdits
	}
	select {
	case err := <-e.res:
		return err
	case <-k.done:
	}
	select {
	case err := <-e.res:
		return err
	default:
		return errNotRunning
	}
}

// SetFolder adds or changes a folder.
func (k *Keeper) SetFolder(id, path string) error {
	return k.Modify(func(s *Settings) {
		if s.Folders == nil {
			s.Folders = make(map[string]string)
		}
		s.Folders[id] = path
	})
}

// Serve applies the edits one after the other. It is started once.
func (k *Keeper) Serve(ctx context.Context) error {
	defer close(k.done)
	for {
		var e edit
		select {
		case e = <-k.queue:
		case <-ctx.Done():
			return ctx.Err()
		}

		to := k.Copy()
		e.fn(&to)

		var err error
		k.mut.Lock()
		if !reflect.DeepEqual(k.cur, to) {
			err = k.replaceLocked(to)
		}
		k.mut.Unlock()
		e.res <- err
	}
}

func (k *Keeper) replaceLocked(to Settings) error {
	if err := to.validate(); err != nil {
		return err
	}
	from := k.cur
	to.Version = from.Version + 1
	k.cur = to
	for _, l := range k.listeners {
		l.SettingsChanged(from.clone(), to.clone())
	}
	return nil
}
