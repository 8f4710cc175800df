// Package server has the accounts of a server and what they may store.
package server

import (
	"log"
	"sync"
	"sync/atomic"
)

// Server is one server.
type Server struct {
	js  atomic.Pointer[jetStream]
	sys *Account

	mu       sync.RWMutex
	accounts map[string]*Account
}

// Account has its own subjects and streams.
type Account struct {
	Name string

	mu  sync.RWMutex
	srv *Server
	js  *jsAccount
}

// New returns a server with a system account.
func New() *Server {
	s := &Server{accounts: make(map[string]*Account)}
	s.sys = s.LookupOrRegisterAccount("$SYS")
	return s
}

// Noticef logs a notice.
func (s *Server) Noticef(format string, v ...any) { log.Printf("[INF] "+format, v...) }

// SystemAccount returns the account of the server itself.
func (s *Server) SystemAccount() *Account { return s.sys }

// LookupOrRegisterAccount returns an account; it is registered if needed.
func (s *Server) LookupOrRegisterAccount(name string) *Account {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.accounts[name]
	if a == nil {
		a = &Account{Name: name, srv: s}
		s.accounts[name] = a
	}
	return a
}

// Reload enables the accounts of a new configuration, in the background since
// their streams are recovered.
func (s *Server) Reload(limits map[string]JetStreamAccountLimits) {
	for name, l := range limits {
		a := s.LookupOrRegisterAccount(name)
		go func() {
			if err := a.EnableJetStream(l); err != nil {
				s.Noticef("JetStream account %q: %v", name, err)
			}
		}()
	}
}

// Shutdown stops the server.
func (s *Server) Shutdown() { s.shutdownJetStream() }
