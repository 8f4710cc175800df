// Package directory gives accounts unique handles.
package directory

import (
	"errors"
	"sync"
)

var (
	ErrNoAccount = errors.New("directory: no such account")
	ErrTaken     = errors.New("directory: handle is taken")
)

// Policy decides which handles are allowed. It may ask a remote service.
type Policy interface {
	Allow(handle string) error
}

// Directory maps accounts to handles and back.
type Directory struct {
	policy Policy

	sync.RWMutex
	handle map[int64]string
	owner  map[string]int64
	lastID int64
}

func New(p Policy) *Directory {
	return &Directory{
		policy: p,
		handle: make(map[int64]string),
		owner:  make(map[string]int64),
	}
}

// Register creates an account.
func (d *Directory) Register(handle string) (id int64, err error) {
	if err := d.policy.Allow(handle); err != nil {
		return 0, err
	}
	d.Lock()
	defer d.Unlock()
	if _, taken := d.owner[handle]; taken {
		return 0, ErrTaken
	}
	d.lastID++
	d.handle[d.lastID] = handle
	d.owner[handle] = d.lastID
	return d.lastID, nil
}

// Rename changes the handle of an account and returns the one it had.
func (d *Directory) Rename(id int64, handle string) (prev string, err error) {
	if err = d.policy.Allow(handle); err != nil {
		return "", err
	}
	d.Lock()
	defer d.Unlock()
	_, known := d.handle[id]
	_, taken := d.owner[handle]
	switch {
	case !known:
		return "", ErrNoAccount
	case taken:
		return "", ErrTaken
	}
	prev = d.handle[id]
	delete(d.owner, prev)
	d.handle[id] = handle
	d.owner[handle] = id
	return prev, nil
}

// Resolve finds the account that has a handle.
func (d *Directory) Resolve(handle string) (id int64, ok bool) {
	d.RLock()
	defer d.RUnlock()
	id, ok = d.owner[handle]
	return
}
