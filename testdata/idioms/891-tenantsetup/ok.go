// Package tenants is the directory of workspaces of the SaaS platform.
package tenants

import (
	"errors"
	"sync"
)

var (
	// ErrExists is returned when the name is taken.
	ErrExists = errors.New("tenants: name taken")
	// ErrSeats is returned when a workspace has no seat left.
	ErrSeats = errors.New("tenants: no seat left")
)

// Role is what a member may do.
type Role string

// The roles.
const (
	Owner  Role = "owner"
	Member Role = "member"
)

// Workspace is one tenant. It is safe for concurrent use.
type Workspace struct {
	Name string

	mu      sync.RWMutex
	seats   int
	members map[string]Role
}

// Seats returns the number of seats.
func (w *Workspace) Seats() int {
	w.mu.RLock()
	defer w.mu.RUnlock()
	return w.seats
}

// SetSeats changes the number of seats. Members beyond it keep theirs.
func (w *Workspace) SetSeats(n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.seats = n
}

// Invite adds a member, or changes the role of one.
func (w *Workspace) Invite(user string, role Role) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.members[user]; !ok && len(w.members) >= w.seats {
		return ErrSeats
	}
	w.members[user] = role
	return nil
}

// Role returns the role of user.
func (w *Workspace) Role(user string) (Role, bool) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	r, ok := w.members[user]
	return r, ok
}

// Plan is what a customer has bought.
type Plan struct {
	Seats int
	Owner string
	Team  []string
}

// Directory holds all workspaces. The API handlers use it concurrently.
type Directory struct {
	mu     sync.RWMutex
	byName map[string]*Workspace
}

// NewDirectory returns an empty directory.
func NewDirectory() *Directory {
	return &Directory{byName: make(map[string]*Workspace)}
}

// Create sets a workspace up as the plan says and enters it.
func (d *Directory) Create(name string, plan Plan) (*Workspace, error) {
	w, err := build(name, plan)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if _, taken := d.byName[name]; taken {
		return nil, ErrExists
	}
	d.byName[name] = w
	return w, nil
}

// build makes the workspace of a plan. A team larger than the plan gets the
// seats it needs.
func build(name string, plan Plan) (*Workspace, error) {
	w := &Workspace{Name: name, members: make(map[string]Role)}
	w.SetSeats(plan.Seats)
	if need := len(plan.Team) + 1; w.Seats() < need {
		w.SetSeats(need)
	}
	if err := w.Invite(plan.Owner, Owner); err != nil {
		return nil, err
	}
	for _, user := range plan.Team {
		if _, ok := w.Role(user); ok {
			continue
		}
		if err := w.Invite(user, Member); err != nil {
			return nil, err
		}
	}
	return w, nil
}

// Find returns the workspace called name.
func (d *Directory) Find(name string) (*Workspace, bool) {
	d.mu.RLock()
	defer d.mu.RUnlock()
	w, ok := d.byName[name]
	return w, ok
}
