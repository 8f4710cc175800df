// Package fleet takes replicas of a service out of rotation and back in.
package fleet

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrUnknownReplica = errors.New("fleet: unknown replica")
	ErrTooFew         = errors.New("fleet: too few replicas would be serving")
	ErrNotServing     = errors.New("fleet: replica is not in rotation")
)

// State of a replica.
type State int

const (
	Serving State = iota
	Cordoned
	Failed
)

func (s State) String() string {
	switch s {
	case Serving:
		return "serving"
	case Cordoned:
		return "cordoned"
	default:
		return "failed"
	}
}

type replica struct {
	name string

	mu     sync.Mutex
	state  State
	reason string
	since  time.Time
}

func (r *replica) status() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state
}

func (r *replica) set(s State, reason string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state, r.reason, r.since = s, reason, time.Now()
}

// Fleet is the replicas of one service.
type Fleet struct {
	MinServing int

	rotation sync.Mutex
	replicas []*replica
}

// New returns a fleet in which all replicas serve.
func New(minServing int, names ...string) *Fleet {
	f := &Fleet{MinServing: minServing}
	for _, n := range names {
		f.replicas = append(f.replicas, &replica{name: n, since: time.Now()})
	}
	return f
}

func (f *Fleet) get(name string) (*replica, error) {
	for _, r := range f.replicas {
		if r.name == name {
			return r, nil
		}
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownReplica, name)
}

func (f *Fleet) serving(except *replica) int {
	n := 0
	for _, r := range f.replicas {
		if r != except && r.status() == Serving {
			n++
		}
	}
	return n
}

// Cordon takes a replica out of rotation for maintenance.
func (f *Fleet) Cordon(name, reason string) error {
	r, err := f.get(name)
	if err != nil {
		return err
	}
	f.rotation.Lock()
	defer f.rotation.Unlock()
	if r.status() != Serving {
		return fmt.Errorf("%w: %s", ErrNotServing, name)
	}
	if left := f.serving(r); left < f.MinServing {
		return fmt.Errorf("%w: %d of %d without %s", ErrTooFew, left, f.MinServing, name)
	}
	r.set(Cordoned, reason)
	return nil
}

// Uncordon puts a replica back in rotation.
func (f *Fleet) Uncordon(name string) error {
	r, err := f.get(name)
	if err != nil {
		return err
	}
	r.set(Serving, "")
	return nil
}

// Upgrade cordons a replica, runs step on it and puts it back.
func (f *Fleet) Upgrade(ctx context.Context, name string, step func(context.Context, string) error) error {
	if err := f.Cordon(name, "upgrade"); err != nil {
		return err
	}
	if err := step(ctx, name); err != nil {
		r, _ := f.get(name)
		r.set(Failed, err.Error())
		return fmt.Errorf("fleet: upgrade %s: %w", name, err)
	}
	return f.Uncordon(name)
}

// ServeHTTP handles POST /replicas/{name}/cordon and /uncordon.
func (f *Fleet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	mux := http.NewServeMux()
	answer := func(w http.ResponseWriter, err error) {
		switch {
		case err == nil:
			w.WriteHeader(http.StatusNoContent)
		case errors.Is(err, ErrTooFew), errors.Is(err, ErrNotServing):
			http.Error(w, err.Error(), http.StatusConflict)
		default:
			http.Error(w, err.Error(), http.StatusNotFound)
		}
	}
	mux.HandleFunc("POST /replicas/{name}/cordon", func(w http.ResponseWriter, r *http.Request) {
		answer(w, f.Cordon(r.PathValue("name"), r.FormValue("reason")))
	})
	mux.HandleFunc("POST /replicas/{name}/uncordon", func(w http.ResponseWriter, r *http.Request) {
		answer(w, f.Uncordon(r.PathValue("name")))
	})
	mux.ServeHTTP(w, r)
}
