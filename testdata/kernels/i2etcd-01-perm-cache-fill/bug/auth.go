// Package bug checks whether users may access ranges of keys.
package bug

import (
	"errors"
	"slices"
	"sync"
	"sync/atomic"
)

// Errors of the store.
var (
	ErrRoleNotFound = errors.New("auth: role not found")
	ErrOldRevision  = errors.New("auth: request is from an old revision")
	ErrDenied       = errors.New("auth: permission denied")
)

// Perm allows the keys in [Key, End).
type Perm struct {
	Key, End string
	Write    bool
}

type user struct{ roles []string }

type role struct{ perms []Perm }

// rangePerms are the permissions of all roles of a user. They do not change.
type rangePerms struct {
	read, write []Perm
}

func (p *rangePerms) allows(key string, write bool) bool {
	list := p.read
	if write {
		list = p.write
	}
	return slices.ContainsFunc(list, func(p Perm) bool { return p.Key <= key && key < p.End })
}

// backend holds the users and roles.
type backend struct {
	mu    sync.RWMutex
	users map[string]*user
	roles map[string]*role
}

// Store is safe for concurrent use.
type Store struct {
	be       backend
	revision atomic.Uint64

	cacheMu sync.RWMutex
	cache   map[string]*rangePerms // by user
}

// NewStore returns a store without users.
func NewStore() *Store {
	s := &Store{cache: make(map[string]*rangePerms)}
	s.be.users = make(map[string]*user)
	s.be.roles = make(map[string]*role)
	return s
}

// AddUser adds or replaces a user.
func (s *Store) AddUser(name string, roles ...string) {
	s.be.mu.Lock()
	defer s.be.mu.Unlock()
	s.be.users[name] = &user{roles: roles}
	s.invalidate(name)
	s.revision.Add(1)
}

// AddRole adds an empty role.
func (s *Store) AddRole(name string) {
	s.be.mu.Lock()
	defer s.be.mu.Unlock()
	s.be.roles[name] = new(role)
	s.clear()
	s.revision.Add(1)
}

// Grant adds a permission to a role.
func (s *Store) Grant(name string, p Perm) error {
	s.be.mu.Lock()
	defer s.be.mu.Unlock()
	r := s.be.roles[name]
	if r == nil {
		return ErrRoleNotFound
	}
	r.perms = append(r.perms, p)
	s.clear()
	s.revision.Add(1)
	return nil
}

// Revoke removes the permissions for key from a role.
func (s *Store) Revoke(name, key string) error {
	s.be.mu.Lock()
	defer s.be.mu.Unlock()
	r := s.be.roles[name]
	if r == nil {
		return ErrRoleNotFound
	}
	r.perms = slices.DeleteFunc(r.perms, func(p Perm) bool { return p.Key == key })
	s.clear()
	s.revision.Add(1)
	return nil
}

// Check tells if the user may access the key.
func (s *Store) Check(name string, rev uint64, key string, write bool) error {
	if rev < s.revision.Load() {
		return ErrOldRevision
	}
	if s.permitted(name, key, write) {
		return nil
	}
	return ErrDenied
}

func (s *Store) permitted(name, key string, write bool) bool {
	perms := s.cached(name)
	if perms == nil {
		perms = s.mergedPerms(name)
		if perms == nil {
			return false
		}
		s.store(name, perms)
	}
	return perms.allows(key, write)
}

// mergedPerms collects the permissions of all roles of a user.
func (s *Store) mergedPerms(name string) *rangePerms {
	s.be.mu.RLock()
	defer s.be.mu.RUnlock()
	u := s.be.users[name]
	if u == nil {
		return nil
	}
	merged := new(rangePerms)
	for _, n := range u.roles {
		r := s.be.roles[n]
		if r == nil {
			continue
		}
		for _, p := range r.perms {
			merged.read = append(merged.read, p)
			if p.Write {
				merged.write = append(merged.write, p)
			}
		}
	}
	return merged
}

func (s *Store) cached(name string) *rangePerms {
	s.cacheMu.RLock()
	defer s.cacheMu.RUnlock()
	return s.cache[name]
}

func (s *Store) store(name string, perms *rangePerms) {
	s.cacheMu.Lock()
	defer s.cacheMu.Unlock()
	s.cache[name] = perms
}

func (s *Store) invalidate(name string) {
	s.cacheMu.Lock()
	defer s.cacheMu.Unlock()
	delete(s.cache, name)
}

func (s *Store) clear() {
	s.cacheMu.Lock()
	defer s.cacheMu.Unlock()
	clear(s.cache)
}
