package server

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
)

var (
	errNotEnabled        = errors.New("jetstream not enabled")
	errResourcesExceeded = errors.New("insufficient resources")
)

// JetStreamConfig determines this server's configuration.
type JetStreamConfig struct {
	MaxStore int64
	StoreDir string
}

// JetStreamAccountLimits has the limits of an account.
type JetStreamAccountLimits struct {
	MaxStore int64
}

// This is for internal accounting for JetStream for this server.
type jetStream struct {
	mu            sync.RWMutex
	srv           *Server
	config        JetStreamConfig
	accounts      map[string]*jsAccount
	storeReserved int64
}

// This represents a jetstream enabled account.
type jsAccount struct {
	js       *jetStream
	account  *Account
	limits   JetStreamAccountLimits
	storeDir string
}

// EnableJetStream will enable JetStream support on this server.
func (s *Server) EnableJetStream(config JetStreamConfig) {
	s.Noticef("Starting JetStream")
	js := &jetStream{srv: s, config: config, accounts: make(map[string]*jsAccount)}
	s.js.Store(js)
}

// JetStreamNumAccounts returns the number of enabled accounts.
func (s *Server) JetStreamNumAccounts() int {
	js := s.getJetStream()
	if js == nil {
		return 0
	}
	js.mu.RLock()
	defer js.mu.RUnlock()
	return len(js.accounts)
}

// Shutdown jetstream for this server.
func (s *Server) shutdownJetStream() {
	js := s.js.Swap(nil)
	if js == nil {
		return
	}
	s.Noticef("Initiating JetStream Shutdown...")
	defer s.Noticef("JetStream Shutdown")

	// Collect accounts.
	js.mu.Lock()
	accounts := js.accounts
	js.accounts = nil
	js.storeReserved = 0
	js.mu.Unlock()

	for _, jsa := range accounts {
		jsa.account.removeJetStream(jsa)
	}
}

func (s *Server) getJetStream() *jetStream { return s.js.Load() }

// EnableJetStream will enable JetStream on this account with the defined limits.
func (a *Account) EnableJetStream(limits JetStreamAccountLimits) error {
	a.mu.RLock()
	s := a.srv
	a.mu.RUnlock()
	if s == nil {
		return fmt.Errorf("jetstream account not registered")
	}
	if s.SystemAccount() == a {
		return fmt.Errorf("jetstream can not be enabled on the system account")
	}

	js := s.getJetStream()
	if js == nil {
		return errNotEnabled
	}

	js.mu.Lock()
	// Accounts get reset to nil on shutdown, since we re-acquire the locks here, we need to check again.
	if js.accounts == nil {
		js.mu.Unlock()
		return errNotEnabled
	}

	if jsa, ok := js.accounts[a.Name]; ok {
		a.mu.Lock()
		a.js = jsa
		a.mu.Unlock()
		js.mu.Unlock()
		return nil
	}

	// Check the limits against existing reservations.
	if err := js.sufficientResources(limits); err != nil {
		js.mu.Unlock()
		return err
	}
	js.storeReserved += limits.MaxStore

	jsa := &jsAccount{js: js, account: a, limits: limits}
	jsa.storeDir = filepath.Join(js.config.StoreDir, a.Name)
	js.accounts[a.Name] = jsa
	// Stamp inside account as well. Needs to be done under js's lock.
	a.mu.Lock()
	a.js = jsa
	a.mu.Unlock()
	js.mu.Unlock()

	s.Noticef("Enabled JetStream for account %q", a.Name)
	return nil
}

// Lock should be held.
func (js *jetStream) sufficientResources(limits JetStreamAccountLimits) error {
	if js.storeReserved+limits.MaxStore > js.config.MaxStore {
		return errResourcesExceeded
	}
	return nil
}

// JetStreamEnabled is a helper to determine if jetstream is enabled for an account.
func (a *Account) JetStreamEnabled() bool {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.js != nil
}

func (a *Account) removeJetStream(jsa *jsAccount) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.js == jsa {
		a.js = nil
	}
}
