// Package bug gives accounts of a server persistent storage.
package bug

import (
	"errors"
	"path/filepath"
	"sync"
	"time"
)

var (
	ErrEnabled  = errors.New("streams already enabled for account")
	ErrDisabled = errors.New("streams not enabled for account")
	ErrLimits   = errors.New("insufficient storage available")
)

const usageTick = 1500 * time.Millisecond

// Account is one tenant.
type Account struct {
	Name string

	mu    sync.RWMutex
	limit int64
	state *state
}

// Enabled reports whether the account has storage.
func (a *Account) Enabled() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.state != nil
}

// state is the storage of one account.
type state struct {
	account *Account
	dir     string
	reserve int64

	usageMu sync.Mutex
	used    int64
	timer   *time.Timer
	publish func(account string, used int64)
}

func (st *state) add(n int64) error {
	st.usageMu.Lock()
	defer st.usageMu.Unlock()
	if st.used+n > st.reserve {
		return ErrLimits
	}
	st.used += n
	return nil
}

func (st *state) sendUsage() {
	st.usageMu.Lock()
	defer st.usageMu.Unlock()
	st.publish(st.account.Name, st.used)
	st.timer.Reset(usageTick)
}

// Streams is the storage of a server.
type Streams struct {
	dir     string
	max     int64
	publish func(account string, used int64)

	mu       sync.RWMutex
	accounts map[string]*state
	reserved int64
}

// New returns storage below dir for max bytes.
func New(dir string, max int64, publish func(account string, used int64)) *Streams {
	return &Streams{dir: dir, max: max, publish: publish, accounts: make(map[string]*state)}
}

// Enable gives an account storage. Each client that connects may cause it.
func (s *Streams) Enable(a *Account, limit int64) error {
	a.mu.Lock()
	a.limit = limit
	a.mu.Unlock()

	s.mu.Lock()
	if _, ok := s.accounts[a.Name]; ok && a.Enabled() {
		s.mu.Unlock()
		return ErrEnabled
	}
	if s.reserved+limit > s.max {
		s.mu.Unlock()
		return ErrLimits
	}

	st := &state{account: a, dir: filepath.Join(s.dir, a.Name), reserve: limit, publish: s.publish}
	st.usageMu.Lock()
	st.timer = time.AfterFunc(usageTick, st.sendUsage)
	st.usageMu.Unlock()

	s.reserved += limit
	s.accounts[a.Name] = st
	s.mu.Unlock()

	// Stamp it inside the account as well.
	a.mu.Lock()
	a.state = st
	a.mu.Unlock()
	return nil
}

// Write stores a message of an account.
func (s *Streams) Write(a *Account, msg []byte) error {
	a.mu.RLock()
	st := a.state
	a.mu.RUnlock()
	if st == nil {
		return ErrDisabled
	}
	return st.add(int64(len(msg)))
}

// Usage returns what an account uses, by name.
func (s *Streams) Usage(name string) (int64, error) {
	s.mu.RLock()
	st := s.accounts[name]
	s.mu.RUnlock()
	if st == nil {
		return 0, ErrDisabled
	}
	st.usageMu.Lock()
	defer st.usageMu.Unlock()
	return st.used, nil
}
