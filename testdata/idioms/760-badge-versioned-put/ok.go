// Package badge keeps the access badges of a hospital.
package badge

import (
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"
)

// Errors of the package.
var (
	ErrNoBadge  = errors.New("badge: no such badge")
	ErrRevoked  = errors.New("badge: revoked")
	ErrConflict = errors.New("badge: changed meanwhile")
	ErrNoAccess = errors.New("badge: no access")
)

// Badge is a card with its rights. Slices in it are not changed in place.
type Badge struct {
	Number   string
	Holder   string
	Doors    []string
	Revoked  bool
	LastDoor string
	LastSeen time.Time
	Version  uint64
}

// Repository stores badges.
type Repository interface {
	Get(number string) (Badge, error)
	// Put stores a badge if the stored one has the same version, zero for
	// a badge that is not stored yet.
	Put(Badge) error
}

// table is a Repository in memory.
type table struct {
	mu sync.RWMutex
	m  map[string]Badge
}

// NewTable returns an empty repository.
func NewTable() Repository { return &table{m: make(map[string]Badge)} }

func (t *table) Get(number string) (Badge, error) {
	t.mu.RLock()
	defer t.mu.RUnlock()
	b, ok := t.m[number]
	if !ok {
		return Badge{}, fmt.Errorf("%w: %s", ErrNoBadge, number)
	}
	return b, nil
}

func (t *table) Put(b Badge) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.m[b.Number].Version != b.Version {
		return ErrConflict
	}
	b.Version++
	t.m[b.Number] = b
	return nil
}

// Office manages badges and answers the doors.
type Office struct {
	repo Repository
	now  func() time.Time
	log  *slog.Logger
}

// NewOffice returns an office on a repository.
func NewOffice(r Repository, log *slog.Logger) *Office {
	return &Office{repo: r, now: time.Now, log: log}
}

// edit reads a badge, changes it and stores it.
func (o *Office) edit(number string, change func(*Badge) error) error {
	for {
		b, err := o.repo.Get(number)
		if err != nil {
			return err
		}
		if err := change(&b); err != nil {
			return err
		}
		err = o.repo.Put(b)
		if !errors.Is(err, ErrConflict) {
			return err
		}
	}
}

// Issue makes a badge.
func (o *Office) Issue(number, holder string, doors ...string) error {
	return o.repo.Put(Badge{Number: number, Holder: holder, Doors: slices.Clone(doors)})
}

// Revoke blocks a badge.
func (o *Office) Revoke(number string) error {
	return o.edit(number, func(b *Badge) error {
		b.Revoked = true
		return nil
	})
}

// Grant adds a door.
func (o *Office) Grant(number, door string) error {
	return o.edit(number, func(b *Badge) error {
		if b.Revoked {
			return ErrRevoked
		}
		if !slices.Contains(b.Doors, door) {
			b.Doors = append(slices.Clip(b.Doors), door)
		}
		return nil
	})
}

// Swipe is called by the controller of a door.
func (o *Office) Swipe(number, door string) error {
	err := o.edit(number, func(b *Badge) error {
		switch {
		case b.Revoked:
			return ErrRevoked
		case !slices.Contains(b.Doors, door):
			return ErrNoAccess
		}
		b.LastDoor, b.LastSeen = door, o.now()
		return nil
	})
	if err != nil {
		o.log.Warn("door stays shut", "badge", number, "door", door, "err", err)
		return fmt.Errorf("door %s: %w", door, err)
	}
	return nil
}
