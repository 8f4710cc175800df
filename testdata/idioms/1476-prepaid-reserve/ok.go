// Package prepaid sells SMS from prepaid accounts.
package prepaid

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"sync"
)

var (
	ErrNoCredit  = errors.New("prepaid: not enough credit")
	ErrNoAccount = errors.New("prepaid: unknown account")
)

// Carrier delivers messages. It returns the number of parts sent.
type Carrier interface {
	Send(ctx context.Context, to, text string, maxParts int64) (parts int64, err error)
}

// Account keeps credit in message parts. Reserved parts are already taken out
// of credit, so nobody else can spend them.
type Account struct {
	mu       sync.Mutex
	credit   int64
	reserved int64
}

// Credit returns what can be spent now.
func (a *Account) Credit() int64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.credit
}

// TopUp adds bought parts.
func (a *Account) TopUp(parts int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.credit += parts
}

func (a *Account) reserve(parts int64) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.credit < parts {
		return false
	}
	a.credit -= parts
	a.reserved += parts
	return true
}

// settle ends a reservation; what was not used goes back.
func (a *Account) settle(reserved, used int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reserved -= reserved
	a.credit += reserved - used
}

// Service is the HTTP API.
type Service struct {
	carrier Carrier

	mu       sync.RWMutex
	accounts map[string]*Account
}

func NewService(c Carrier, ids []string) *Service {
	s := &Service{carrier: c, accounts: make(map[string]*Account)}
	for _, id := range ids {
		s.accounts[id] = &Account{}
	}
	return s
}

func (s *Service) account(id string) *Account {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accounts[id]
}

// Send delivers a message at the account's cost.
func (s *Service) Send(ctx context.Context, id, to, text string) (int64, error) {
	a := s.account(id)
	if a == nil {
		return 0, ErrNoAccount
	}
	worst := int64(len(text)/67 + 1)
	if a.Credit() < worst {
		return 0, ErrNoCredit // saves the reservation in the common case
	}
	if !a.reserve(worst) {
		return 0, ErrNoCredit
	}
	used, err := s.carrier.Send(ctx, to, text, worst)
	if err != nil {
		used = 0
	}
	a.settle(worst, used)
	return used, err
}

// ServeHTTP handles POST /accounts/{id}/messages.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var msg struct{ To, Text string }
	if err := json.NewDecoder(r.Body).Decode(&msg); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	parts, err := s.Send(r.Context(), r.PathValue("id"), msg.To, msg.Text)
	if err != nil {
		http.Error(w, err.Error(), http.StatusPaymentRequired)
		return
	}
	_ = json.NewEncoder(w).Encode(map[string]int64{"parts": parts})
}
