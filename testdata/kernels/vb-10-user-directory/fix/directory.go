package directory

import (
	"errors"
	"sync"
)

var (
	ErrTaken   = errors.New("directory: name taken")
	ErrUnknown = errors.New("directory: unknown user")
)

type UserID int64

type Profile struct {
	Name string
	Mail string
}

// Directory finds profiles by id and ids by name.
type Directory struct {
	sync.RWMutex
	next   UserID
	byName map[string]UserID
	byID   map[UserID]*Profile
}

func New() *Directory {
	return &Directory{byName: map[string]UserID{}, byID: map[UserID]*Profile{}}
}

func (d *Directory) claimLocked(name string) (UserID, error) {
	if _, dup := d.byName[name]; dup {
		return 0, ErrTaken
	}
	d.next++
	d.byName[name] = d.next
	return d.next, nil
}

// Register adds a user under an unused name.
func (d *Directory) Register(name, mail string) (UserID, error) {
	d.Lock()
	defer d.Unlock()
	id, err := d.claimLocked(name)
	if err != nil {
		return 0, err
	}
	p := &Profile{Name: name, Mail: mail}
	d.byID[id] = p
	return id, nil
}

// MailOf returns the address of the named user.
func (d *Directory) MailOf(name string) (string, error) {
	d.RLock()
	defer d.RUnlock()
	id, ok := d.byName[name]
	if !ok {
		return "", ErrUnknown
	}
	return d.byID[id].Mail, nil
}

// Remove deletes the named user from both indexes.
func (d *Directory) Remove(name string) {
	d.Lock()
	defer d.Unlock()
	if id, ok := d.byName[name]; ok {
		delete(d.byName, name)
		delete(d.byID, id)
	}
}
