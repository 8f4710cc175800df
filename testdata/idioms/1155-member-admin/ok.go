// Correct: every change of the members is made under admin, from reading the
// old list to storing the new one; mu is only for the short moments in which
// readers look, and leaving it in between lets nobody in who could change the
// list.
package ok

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Member is a node of the cluster.
type Member struct {
	ID    string
	Addr  string
	Voter bool
}

// Prober checks that a node answers.
type Prober interface {
	Probe(ctx context.Context, addr string) error
}

// ErrQuorum is returned if a change would leave too few voters.
var ErrQuorum = errors.New("too few voters")

// Cluster knows who is a member.
type Cluster struct {
	prober    Prober
	minVoters int

	admin sync.Mutex

	mu      sync.RWMutex
	term    uint64
	members []Member
}

func NewCluster(p Prober, minVoters int, ms ...Member) *Cluster {
	return &Cluster{prober: p, minVoters: minVoters, members: slices.Clone(ms)}
}

// Members returns the list and its number.
func (c *Cluster) Members() ([]Member, uint64) {
	c.mu.RLock()
	defer c.mu.RUnlock()
	return slices.Clone(c.members), c.term
}

func (c *Cluster) store(ms []Member, term uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.members = ms
	c.term = term
}

// change is for those who hold admin.
func (c *Cluster) change(f func([]Member) ([]Member, error)) error {
	ms, term := c.Members()
	next, err := f(ms)
	if err != nil {
		return err
	}
	voters := 0
	for _, m := range next {
		if m.Voter {
			voters++
		}
	}
	if voters < c.minVoters {
		return ErrQuorum
	}
	c.store(next, term+1)
	return nil
}

func byID(id string) func(Member) bool {
	return func(m Member) bool { return m.ID == id }
}

// Add takes a node in after it has answered.
func (c *Cluster) Add(ctx context.Context, m Member) error {
	c.admin.Lock()
	defer c.admin.Unlock()
	return c.change(func(ms []Member) ([]Member, error) {
		if slices.ContainsFunc(ms, byID(m.ID)) {
			return nil, fmt.Errorf("%s is a member", m.ID)
		}
		if err := c.prober.Probe(ctx, m.Addr); err != nil {
			return nil, err
		}
		return append(ms, m), nil
	})
}

// Remove takes a node out.
func (c *Cluster) Remove(id string) error {
	c.admin.Lock()
	defer c.admin.Unlock()
	return c.change(func(ms []Member) ([]Member, error) {
		return slices.DeleteFunc(ms, byID(id)), nil
	})
}

// Demote makes a voter a mere reader.
func (c *Cluster) Demote(id string) error {
	c.admin.Lock()
	defer c.admin.Unlock()
	return c.change(func(ms []Member) ([]Member, error) {
		i := slices.IndexFunc(ms, byID(id))
		if i < 0 {
			return nil, fmt.Errorf("%s is not a member", id)
		}
		ms[i].Voter = false
		return ms, nil
	})
}
