// Package ballot takes votes; each voter has one.
package ballot

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"net/http"
	"sync"
)

var (
	ErrTwice      = errors.New("ballot: already voted")
	ErrIneligible = errors.New("ballot: not eligible")
)

const stripes = 64

// keyed is a set of mutexes addressed by a key.
type keyed struct {
	seed maphash.Seed
	mu   [stripes]sync.Mutex
}

func (k *keyed) lock(key string) (unlock func()) {
	m := &k.mu[maphash.String(k.seed, key)%stripes]
	m.Lock()
	return m.Unlock
}

// roll is the list of votes.
type roll struct {
	mu    sync.RWMutex
	votes map[string]string
	count map[string]int
}

func (r *roll) voted(voter string) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, ok := r.votes[voter]
	return ok
}

func (r *roll) record(voter, choice string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.votes[voter] = choice
	r.count[choice]++
}

func (r *roll) tally() map[string]int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	out := make(map[string]int, len(r.count))
	for c, n := range r.count {
		out[c] = n
	}
	return out
}

// Register is the remote register of voters.
type Register interface {
	Eligible(ctx context.Context, voter string) (bool, error)
}

type Box struct {
	register Register
	voters   keyed
	roll     roll
}

func NewBox(r Register) *Box {
	return &Box{
		register: r,
		voters:   keyed{seed: maphash.MakeSeed()},
		roll:     roll{votes: make(map[string]string), count: make(map[string]int)},
	}
}

// Cast records the vote unless there is one of this voter.
func (b *Box) Cast(ctx context.Context, voter, choice string) error {
	defer b.voters.lock(voter)()
	if b.roll.voted(voter) {
		return ErrTwice
	}
	ok, err := b.register.Eligible(ctx, voter)
	if err != nil {
		return fmt.Errorf("register: %w", err)
	}
	if !ok {
		return ErrIneligible
	}
	b.roll.record(voter, choice)
	return nil
}

func (b *Box) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		for c, n := range b.roll.tally() {
			fmt.Fprintf(w, "%s %d\n", c, n)
		}
		return
	}
	if err := b.Cast(r.Context(), r.FormValue("voter"), r.FormValue("choice")); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusCreated)
}
