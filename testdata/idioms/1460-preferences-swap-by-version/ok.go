package a

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"sync"
	"time"
)

// ErrContended is returned when too many edits happen at a time.
var ErrContended = errors.New("preferences: contended, try again")

// versioned is a value with a number that grows with every change.
type versioned[T any] struct {
	mu  sync.Mutex
	v   T
	num uint64
}

func (x *versioned[T]) read() (T, uint64) {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.v, x.num
}

// swap installs v if the value is still the one with number num.
func (x *versioned[T]) swap(num uint64, v T) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.num != num {
		return false
	}
	x.v = v
	x.num++
	return true
}

// prefs tells by channel whether a user wants to hear from us. A map is not
// changed any more once it is in a versioned.
type prefs map[string]bool

// Policy says which channels are allowed where the user lives.
type Policy interface {
	Check(ctx context.Context, user string, p map[string]bool) error
}

// Preferences holds the preferences of all users.
type Preferences struct {
	policy Policy
	tries  int

	mu    sync.Mutex
	users map[string]*versioned[prefs]
}

func New(p Policy) *Preferences {
	return &Preferences{policy: p, tries: 5, users: make(map[string]*versioned[prefs])}
}

func (p *Preferences) user(id string) *versioned[prefs] {
	p.mu.Lock()
	defer p.mu.Unlock()
	x, ok := p.users[id]
	if !ok {
		x = &versioned[prefs]{v: prefs{"mail": true}}
		p.users[id] = x
	}
	return x
}

// Edit changes the preferences of a user after the policy has agreed.
func (p *Preferences) Edit(ctx context.Context, id string, change map[string]bool) error {
	x := p.user(id)
	for i := range p.tries {
		old, num := x.read()
		next := maps.Clone(old)
		maps.Copy(next, change)
		if err := p.policy.Check(ctx, id, next); err != nil {
			return fmt.Errorf("preferences of %s: %w", id, err)
		}
		if x.swap(num, next) {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(time.Duration(i) * 20 * time.Millisecond):
		}
	}
	return ErrContended
}

// Wants tells whether the user wants to hear from us on the channel.
func (p *Preferences) Wants(id, channel string) bool {
	v, _ := p.user(id).read()
	return v[channel]
}

// ServeHTTP switches one channel on or off.
func (p *Preferences) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	change := map[string]bool{r.FormValue("channel"): r.FormValue("on") == "1"}
	err := p.Edit(r.Context(), r.PathValue("user"), change)
	switch {
	case errors.Is(err, ErrContended):
		http.Error(w, err.Error(), http.StatusConflict)
	case err != nil:
		http.Error(w, err.Error(), http.StatusForbidden)
	}
}
