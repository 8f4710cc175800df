// Package consumer keeps the delivery state of the durable consumers of a
// message broker.
package consumer

import (
	"errors"
	"sort"
	"sync"
	"time"
)

var (
	// ErrExists is returned by Create for a name in use.
	ErrExists = errors.New("consumer: exists")
	// ErrUnknown is returned for a name without a consumer.
	ErrUnknown = errors.New("consumer: unknown")
)

// State is the delivery state of a consumer. A *State in the registry is never
// modified; changes replace it.
type State struct {
	Name      string
	Stream    string
	AckFloor  uint64 // every message up to here is acknowledged
	Acked     uint64 // acknowledgements received
	Delivered uint64 // highest sequence number handed out
	Paused    bool
	Active    time.Time
}

// Registry holds the consumers of all streams. It is used by every client
// connection of the broker at the same time.
type Registry struct {
	states sync.Map // name -> *State
	now    func() time.Time
}

// NewRegistry returns an empty registry.
func NewRegistry() *Registry {
	return &Registry{now: time.Now}
}

// Create adds a consumer that starts after the given sequence number.
func (r *Registry) Create(name, stream string, after uint64) error {
	s := &State{Name: name, Stream: stream, AckFloor: after, Delivered: after, Active: r.now()}
	if _, loaded := r.states.LoadOrStore(name, s); loaded {
		return ErrExists
	}
	return nil
}

// Delete removes a consumer.
func (r *Registry) Delete(name string) error {
	if _, loaded := r.states.LoadAndDelete(name); !loaded {
		return ErrUnknown
	}
	return nil
}

// Get returns the state of a consumer.
func (r *Registry) Get(name string) (State, error) {
	s, ok := r.load(name)
	if !ok {
		return State{}, ErrUnknown
	}
	return *s, nil
}

// Pause stops the deliveries to a consumer, or continues them.
func (r *Registry) Pause(name string, paused bool) error {
	_, err := r.update(name, func(s *State) bool {
		s.Paused = paused
		return true
	})
	return err
}

// Claim hands out the next sequence number of a consumer's stream, up to and
// including last. It reports false when there is nothing to deliver.
func (r *Registry) Claim(name string, last uint64) (uint64, bool, error) {
	claimed := false
	s, err := r.update(name, func(s *State) bool {
		claimed = !s.Paused && s.Delivered < last
		if claimed {
			s.Delivered++
		}
		return claimed
	})
	if err != nil {
		return 0, false, err
	}
	return s.Delivered, claimed, nil
}

// Ack acknowledges all messages up to seq.
func (r *Registry) Ack(name string, seq uint64) error {
	_, err := r.update(name, func(s *State) bool {
		s.Acked++
		s.AckFloor = max(s.AckFloor, seq)
		s.Active = r.now()
		return true
	})
	return err
}

// Idle returns the names of the consumers without an acknowledgement since t.
func (r *Registry) Idle(t time.Time) []string {
	var names []string
	r.states.Range(func(_, v any) bool {
		if s := v.(*State); s.Active.Before(t) {
			names = append(names, s.Name)
		}
		return true
	})
	sort.Strings(names)
	return names
}

// update replaces the state of a consumer by a copy that change has edited.
// change may run several times; it returns false to leave the state as it is.
func (r *Registry) update(name string, change func(*State) bool) (State, error) {
	for {
		old, ok := r.load(name)
		if !ok {
			return State{}, ErrUnknown
		}
		next := *old
		if !change(&next) {
			return *old, nil
		}
		if r.states.CompareAndSwap(name, old, &next) {
			return next, nil
		}
	}
}

func (r *Registry) load(name string) (*State, bool) {
	v, ok := r.states.Load(name)
	if !ok {
		return nil, false
	}
	return v.(*State), true
}
