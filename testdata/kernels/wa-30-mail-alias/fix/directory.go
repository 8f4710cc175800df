package directory

import (
	"errors"
	"fmt"
	"strings"
	"sync"
)

var ErrTaken = errors.New("address is taken")

// User is somebody with a mailbox.
type User struct {
	Name    string
	Mailbox string
}

// Directory resolves the local parts of mail addresses. An address belongs to
// a user or is an alias of one, never both.
type Directory struct {
	add     sync.Mutex
	users   sync.Map // local part -> *User
	aliases sync.Map // local part -> local part of a user
}

func fold(addr string) string { return strings.ToLower(strings.TrimSpace(addr)) }

// AddUser registers a user under addr.
func (d *Directory) AddUser(addr string, u User) error {
	addr = fold(addr)
	d.add.Lock()
	defer d.add.Unlock()
	if _, ok := d.aliases.Load(addr); ok {
		return fmt.Errorf("user %s: %w", addr, ErrTaken)
	}
	if _, dup := d.users.LoadOrStore(addr, &u); dup {
		return fmt.Errorf("user %s: %w", addr, ErrTaken)
	}
	return nil
}

// AddAlias makes addr another name for the user at target. The user may be
// registered later.
func (d *Directory) AddAlias(addr, target string) error {
	addr, target = fold(addr), fold(target)
	d.add.Lock()
	defer d.add.Unlock()
	if _, ok := d.users.Load(addr); ok {
		return fmt.Errorf("alias %s: %w", addr, ErrTaken)
	}
	if _, dup := d.aliases.LoadOrStore(addr, target); dup {
		return fmt.Errorf("alias %s: %w", addr, ErrTaken)
	}
	return nil
}

// DropAlias removes an alias.
func (d *Directory) DropAlias(addr string) {
	d.aliases.Delete(fold(addr))
}

// Resolve finds the user mail for addr goes to.
func (d *Directory) Resolve(addr string) (*User, bool) {
	addr = fold(addr)
	if to, ok := d.aliases.Load(addr); ok {
		addr = to.(string)
	}
	u, ok := d.users.Load(addr)
	if !ok {
		return nil, false
	}
	return u.(*User), true
}
