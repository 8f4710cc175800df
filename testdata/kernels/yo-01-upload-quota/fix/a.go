// Package upload keeps user objects in memory within a per-user quota.
package upload

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
)

var (
	ErrQuota    = errors.New("upload: quota exceeded")
	ErrNotFound = errors.New("upload: no such object")
)

type object struct {
	id   string
	data []byte
}

// account is everything we hold for one user.
type account struct {
	sync.Mutex
	limit   int64
	used    int64
	objects map[string]*object
}

type Manager struct {
	mu       sync.RWMutex
	accounts map[string]*account
	limit    int64
	seq      atomic.Uint64
}

func NewManager(limit int64) *Manager {
	return &Manager{accounts: make(map[string]*account), limit: limit}
}

func (m *Manager) account(user string) *account {
	m.mu.RLock()
	a, ok := m.accounts[user]
	m.mu.RUnlock()
	if ok {
		return a
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if a, ok := m.accounts[user]; ok {
		return a
	}
	a = &account{limit: m.limit, objects: make(map[string]*object)}
	m.accounts[user] = a
	return a
}

// fits tells whether size more bytes stay within the quota.
func (a *account) fits(size int64) bool {
	a.Lock()
	defer a.Unlock()
	return a.used+size <= a.limit
}

func (a *account) add(o *object) error {
	a.Lock()
	defer a.Unlock()
	if _, dup := a.objects[o.id]; dup {
		return fmt.Errorf("upload: duplicate id %s", o.id)
	}
	if a.used+int64(len(o.data)) > a.limit {
		return ErrQuota
	}
	a.used += int64(len(o.data))
	a.objects[o.id] = o
	return nil
}

func (a *account) remove(id string) error {
	a.Lock()
	defer a.Unlock()
	o, ok := a.objects[id]
	if !ok {
		return ErrNotFound
	}
	delete(a.objects, id)
	a.used -= int64(len(o.data))
	return nil
}

// Put reads size bytes from r and stores them for user.
func (m *Manager) Put(user string, r io.Reader, size int64) (string, error) {
	a := m.account(user)
	if !a.fits(size) {
		return "", ErrQuota
	}
	buf := make([]byte, size)
	if _, err := io.ReadFull(r, buf); err != nil {
		return "", fmt.Errorf("upload: body: %w", err)
	}
	o := &object{id: fmt.Sprintf("%s-%d", user, m.seq.Add(1)), data: buf}
	if err := a.add(o); err != nil {
		return "", err
	}
	return o.id, nil
}

func (m *Manager) Delete(user, id string) error {
	return m.account(user).remove(id)
}

// Usage reports the bytes held for user.
func (m *Manager) Usage(user string) int64 {
	a := m.account(user)
	a.Lock()
	defer a.Unlock()
	return a.used
}
