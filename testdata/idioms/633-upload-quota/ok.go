// Package uploads bounds what customers upload.
package uploads

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

var (
	ErrTooLarge = errors.New("uploads: file is too large")
	ErrQuota    = errors.New("uploads: quota is used up")
	ErrNoTier   = errors.New("uploads: unknown tier")
)

// Limits of a tier.
type Limits struct {
	MaxFile int64 `json:"max_file"`
	Total   int64 `json:"total"`
}

// Policy has the limits of all tiers.
type Policy struct {
	mu      sync.RWMutex
	tiers   map[string]Limits
	lookups map[string]int
}

// LoadPolicy reads the policy file that was shipped with the service.
func LoadPolicy(r io.Reader) (*Policy, error) {
	p := &Policy{lookups: make(map[string]int)}
	if err := json.NewDecoder(r).Decode(&p.tiers); err != nil {
		return nil, fmt.Errorf("uploads: policy: %w", err)
	}
	for name, l := range p.tiers {
		if l.MaxFile <= 0 || l.Total < l.MaxFile {
			return nil, fmt.Errorf("uploads: policy: tier %s makes no sense", name)
		}
	}
	return p, nil
}

// Limits returns the limits of a tier.
func (p *Policy) Limits(tier string) (Limits, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	l, ok := p.tiers[tier]
	if !ok {
		return Limits{}, fmt.Errorf("%w: %s", ErrNoTier, tier)
	}
	p.lookups[tier]++
	return l, nil
}

// Lookups returns how often the limits of a tier were asked for.
func (p *Policy) Lookups(tier string) int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return p.lookups[tier]
}

// Customer is who uploads.
type Customer struct {
	ID   string
	Tier string
}

// Admission decides on uploads.
type Admission struct {
	policy *Policy

	mu   sync.Mutex
	used map[string]int64
}

// NewAdmission returns an admission that starts with the given usage.
func NewAdmission(p *Policy, used map[string]int64) *Admission {
	a := &Admission{policy: p, used: make(map[string]int64, len(used))}
	for id, n := range used {
		a.used[id] = n
	}
	return a
}

func (a *Admission) book(id string, size, total int64) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.used[id]+size > total {
		return fmt.Errorf("%w: %d of %d bytes", ErrQuota, a.used[id], total)
	}
	a.used[id] += size
	return nil
}

// Admit books an upload of a size.
func (a *Admission) Admit(c Customer, size int64) error {
	limits, err := a.policy.Limits(c.Tier)
	if err != nil {
		return err
	}
	if size > limits.MaxFile {
		return fmt.Errorf("%w: %d bytes, limit %d", ErrTooLarge, size, limits.MaxFile)
	}
	return a.book(c.ID, size, limits.Total)
}

// Forget takes back what was booked for a file that was deleted.
func (a *Admission) Forget(c Customer, size int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used[c.ID] = max(0, a.used[c.ID]-size)
}
