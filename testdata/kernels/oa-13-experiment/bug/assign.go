// Package experiment shows variants to users and remembers which.
package experiment

import (
	"errors"
	"math/rand/v2"
	"sync"
	"sync/atomic"
)

// ErrNoExperiment is returned for experiments which are not running.
var ErrNoExperiment = errors.New("experiment: not running")

// Arm is one variant.
type Arm struct {
	Name   string
	Weight int
}

type running struct {
	name  string
	arms  []Arm
	total int
	users []atomic.Int64
}

type subject struct {
	experiment string
	user       string
}

// Assigner assigns users to arms.
type Assigner struct {
	draws *sticky[subject, int]

	mu   sync.RWMutex
	live map[string]*running
}

// New returns an assigner without experiments.
func New() *Assigner {
	return &Assigner{draws: newSticky[subject, int](), live: make(map[string]*running)}
}

// Start begins an experiment; arms never change while it is running.
func (a *Assigner) Start(name string, arms []Arm) error {
	r := &running{name: name, arms: append([]Arm(nil), arms...), users: make([]atomic.Int64, len(arms))}
	for _, arm := range arms {
		if arm.Weight < 0 {
			return errors.New("experiment: negative weight")
		}
		r.total += arm.Weight
	}
	if r.total == 0 {
		return errors.New("experiment: no weight")
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if _, ok := a.live[name]; ok {
		return errors.New("experiment: already running: " + name)
	}
	a.live[name] = r
	return nil
}

func (a *Assigner) find(name string) *running {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.live[name]
}

func (r *running) draw() int {
	n := rand.IntN(r.total)
	for i, arm := range r.arms {
		if n < arm.Weight {
			return i
		}
		n -= arm.Weight
	}
	return len(r.arms) - 1
}

// Variant returns the arm of a user.
func (a *Assigner) Variant(name, user string) (string, error) {
	r := a.find(name)
	if r == nil {
		return "", ErrNoExperiment
	}
	i := a.draws.GetOrDecide(subject{name, user}, func() int {
		i := r.draw()
		r.users[i].Add(1)
		return i
	})
	return r.arms[i].Name, nil
}

// Seen reports whether a user takes part already.
func (a *Assigner) Seen(name, user string) bool {
	_, ok := a.draws.Peek(subject{name, user})
	return ok
}

// Exposure returns how many users each arm has.
func (a *Assigner) Exposure(name string) (map[string]int64, error) {
	r := a.find(name)
	if r == nil {
		return nil, ErrNoExperiment
	}
	out := make(map[string]int64, len(r.arms))
	for i, arm := range r.arms {
		out[arm.Name] = r.users[i].Load()
	}
	return out, nil
}

// Names lists the running experiments.
func (a *Assigner) Names() []string {
	a.mu.RLock()
	defer a.mu.RUnlock()
	out := make([]string, 0, len(a.live))
	for name := range a.live {
		out = append(out, name)
	}
	return out
}

// Erase removes what is known about a user, for privacy requests.
func (a *Assigner) Erase(user string) int {
	return a.draws.Forget(func(s subject) bool { return s.user == user })
}
