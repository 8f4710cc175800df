package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"
)

var (
	ErrNoUnit = errors.New("bloodbank: no unit of that group")
	ErrLapsed = errors.New("bloodbank: reservation has lapsed")
	ErrMatch  = errors.New("bloodbank: cross-match failed")
)

type unit struct {
	id      string
	group   string
	ticket  uint64 // reservation, 0 when free
	patient string
	until   time.Time
	issued  bool
}

// Lab does the cross-match, which takes minutes.
type Lab interface {
	CrossMatch(ctx context.Context, unit, patient string) (bool, error)
}

// Bank keeps the units of a hospital.
type Bank struct {
	lab Lab
	ttl time.Duration

	mu     sync.Mutex
	units  map[string]*unit
	free   map[string]int // by group
	ticket uint64
}

func NewBank(lab Lab, ttl time.Duration) *Bank {
	return &Bank{lab: lab, ttl: ttl, units: make(map[string]*unit), free: make(map[string]int)}
}

func (b *Bank) Donate(id, group string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.units[id]; ok {
		return
	}
	b.units[id] = &unit{id: id, group: group}
	b.free[group]++
}

func (b *Bank) reserve(group, patient string) (id string, ticket uint64, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.units {
		if u.group != group || u.ticket != 0 || u.issued {
			continue
		}
		b.ticket++
		u.ticket, u.patient, u.until = b.ticket, patient, time.Now().Add(b.ttl)
		b.free[group]--
		return u.id, u.ticket, nil
	}
	return "", 0, ErrNoUnit
}

func (b *Bank) freeLocked(u *unit) {
	u.ticket, u.patient = 0, ""
	b.free[u.group]++
}

// finish ends a reservation, with the unit issued or back on the shelf.
func (b *Bank) finish(id string, ticket uint64, issue bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	u, ok := b.units[id]
	if !ok || u.issued || u.ticket != ticket {
		return ErrLapsed
	}
	if !issue {
		b.freeLocked(u)
		return nil
	}
	u.issued = true
	return nil
}

// Issue finds a matching unit for a patient and hands it out.
func (b *Bank) Issue(ctx context.Context, group, patient string) (string, error) {
	id, ticket, err := b.reserve(group, patient)
	if err != nil {
		return "", err
	}
	ok, err := b.lab.CrossMatch(ctx, id, patient)
	if err != nil || !ok {
		_ = b.finish(id, ticket, false)
		return "", errors.Join(ErrMatch, err)
	}
	if err := b.finish(id, ticket, true); err != nil {
		return "", err
	}
	return id, nil
}

// Free is the number of units of a group that can be reserved.
func (b *Bank) Free(group string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.free[group]
}

// Expire frees the reservations the lab never answered.
func (b *Bank) Expire(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, u := range b.units {
		if u.ticket != 0 && !u.issued && now.After(u.until) {
			b.freeLocked(u)
		}
	}
}

func (b *Bank) HandleIssue(w http.ResponseWriter, r *http.Request) {
	id, err := b.Issue(r.Context(), r.FormValue("group"), r.FormValue("patient"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	fmt.Fprintln(w, id)
}
