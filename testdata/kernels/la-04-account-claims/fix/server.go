package server

import (
	"encoding/json"
	"errors"
	"log"
	"sync"
)

var (
	ErrMissingAccount    = errors.New("account missing")
	ErrAccountValidation = errors.New("account validation failed")
	ErrAccountExpired    = errors.New("account expired")
	ErrNoAccountResolver = errors.New("account resolver missing")
)

// AccountResolver interface. This is to fetch Account JWTs by public nkeys
type AccountResolver interface {
	Fetch(name string) (string, error)
}

type Server struct {
	mu          sync.RWMutex
	accounts    sync.Map
	accResolver AccountResolver
	trusted     map[string]struct{}
	debug       bool
}

func (s *Server) Debugf(format string, v ...interface{}) {
	if s.debug {
		log.Printf(format, v...)
	}
}

func (s *Server) AccountResolver() AccountResolver {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.accResolver
}

// lookupAccount is a function to return the account structure
// associated with an account name.
// Lock MUST NOT be held upon entry.
func (s *Server) lookupAccount(name string) (*Account, error) {
	if v, ok := s.accounts.Load(name); ok {
		acc := v.(*Account)
		// If we are expired and we have a resolver, then
		// return the latest information from the resolver.
		if acc.IsExpired() {
			s.Debugf("Requested account [%s] has expired", name)
			if err := s.updateAccount(acc); err != nil {
				// This error could mask expired, so just return expired here.
				return nil, ErrAccountExpired
			}
		}
		return acc, nil
	}
	return s.fetchAccount(name)
}

// updateAccount will fetch new claims and if found update the account with new claims.
// Lock MUST NOT be held upon entry.
func (s *Server) updateAccount(acc *Account) error {
	claimJWT, err := s.fetchRawAccountClaims(acc.Name)
	if err != nil {
		return err
	}
	return s.updateAccountWithClaimJWT(acc, claimJWT)
}

// updateAccountWithClaimJWT will check and apply the claim update.
// Lock MUST NOT be held upon entry.
func (s *Server) updateAccountWithClaimJWT(acc *Account, claimJWT string) error {
	if acc == nil {
		return ErrMissingAccount
	}
	acc.mu.RLock()
	sameClaim := acc.claimJWT != "" && acc.claimJWT == claimJWT && !acc.incomplete
	acc.mu.RUnlock()
	if sameClaim {
		s.Debugf("Requested account update for [%s], same claims detected", acc.Name)
		return nil
	}
	accClaims, err := s.verifyAccountClaims(claimJWT)
	if err == nil && accClaims != nil {
		acc.updateMu.Lock()
		defer acc.updateMu.Unlock()
		acc.mu.Lock()
		if acc.Issuer == "" {
			acc.Issuer = accClaims.Issuer
		}
		if acc.Name != accClaims.Subject {
			acc.mu.Unlock()
			return ErrAccountValidation
		}
		acc.mu.Unlock()
		s.UpdateAccountClaims(acc, accClaims)
		acc.mu.Lock()
		// needs to be set after update completed.
		// This causes concurrent calls to return with sameClaim=true if the change is effective.
		acc.claimJWT = claimJWT
		acc.mu.Unlock()
		return nil
	}
	return err
}

// fetchRawAccountClaims will grab raw account claims iff we have a resolver.
// Lock is NOT held upon entry.
func (s *Server) fetchRawAccountClaims(name string) (string, error) {
	accResolver := s.AccountResolver()
	if accResolver == nil {
		return "", ErrNoAccountResolver
	}
	return accResolver.Fetch(name)
}

// verifyAccountClaims will decode and validate any account claims.
func (s *Server) verifyAccountClaims(claimJWT string) (*accountClaims, error) {
	accClaims := &accountClaims{}
	if err := json.Unmarshal([]byte(claimJWT), accClaims); err != nil {
		return nil, err
	}
	s.mu.RLock()
	_, ok := s.trusted[accClaims.Issuer]
	s.mu.RUnlock()
	if !ok {
		return nil, ErrAccountValidation
	}
	return accClaims, nil
}

// fetchAccount will fetch an account from a resolver.
// Lock is NOT held upon entry.
func (s *Server) fetchAccount(name string) (*Account, error) {
	claimJWT, err := s.fetchRawAccountClaims(name)
	if err != nil {
		return nil, err
	}
	accClaims, err := s.verifyAccountClaims(claimJWT)
	if err != nil {
		return nil, err
	}
	if accClaims.Subject != name {
		return nil, ErrAccountValidation
	}
	acc := s.buildInternalAccount(accClaims)
	acc.claimJWT = claimJWT
	// Due to possible race, if registerAccount() returns a non
	// nil account, it means the same account was already
	// registered and we should use this one.
	if racc := s.registerAccount(acc); racc != nil {
		// Update with the new claims in case they are new.
		if err := s.updateAccountWithClaimJWT(racc, claimJWT); err != nil {
			return nil, err
		}
		return racc, nil
	}
	return acc, nil
}

// Helper to build an internal account structure from a jwt.AccountClaims.
func (s *Server) buildInternalAccount(ac *accountClaims) *Account {
	acc := NewAccount(ac.Subject)
	acc.Issuer = ac.Issuer
	s.UpdateAccountClaims(acc, ac)
	return acc
}

// Place common account setup here.
func (s *Server) registerAccount(acc *Account) *Account {
	if a, loaded := s.accounts.LoadOrStore(acc.Name, acc); loaded {
		return a.(*Account)
	}
	return nil
}

// bindClient is called from the readLoop of each connecting client.
func (s *Server) bindClient(c *client, name string) error {
	acc, err := s.lookupAccount(name)
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.acc = acc
	issuer := c.issuer
	c.mu.Unlock()
	if !acc.addClient(c) {
		return errors.New("maximum account active connections exceeded")
	}
	if issuer != "" && !acc.hasIssuer(issuer) {
		acc.removeClient(c)
		return ErrAccountValidation
	}
	return nil
}

// accountClaimUpdate will receive claim updates for accounts.
// <Invoked from the system account's internal client>
func (s *Server) accountClaimUpdate(name string, msg []byte) {
	if v, ok := s.accounts.Load(name); ok {
		if err := s.updateAccountWithClaimJWT(v.(*Account), string(msg)); err != nil {
			s.Debugf("Error updating account %q: %v", name, err)
		}
	}
}
