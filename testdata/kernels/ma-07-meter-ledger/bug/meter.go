// Package metering charges API calls to prepaid accounts.
package metering

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net/http"
	"sync"
)

var (
	ErrNoAccount = errors.New("metering: no such account")
	ErrNoCredit  = errors.New("metering: credit used up")
)

// Ledger stores balances.
type Ledger interface {
	Balance(ctx context.Context, account string) (int64, error)
	SetBalance(ctx context.Context, account string, units int64) error
}

// MemLedger is a Ledger for tests and single-node set-ups.
type MemLedger struct {
	mu       sync.RWMutex
	accounts map[string]int64
}

// NewMemLedger returns a ledger with the given balances.
func NewMemLedger(initial map[string]int64) *MemLedger {
	l := &MemLedger{accounts: make(map[string]int64, len(initial))}
	for a, v := range initial {
		l.accounts[a] = v
	}
	return l
}

// Balance implements Ledger.
func (l *MemLedger) Balance(_ context.Context, account string) (int64, error) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	v, ok := l.accounts[account]
	if !ok {
		return 0, fmt.Errorf("%w: %s", ErrNoAccount, account)
	}
	return v, nil
}

// SetBalance implements Ledger.
func (l *MemLedger) SetBalance(_ context.Context, account string, units int64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.accounts[account] = units
	return nil
}

const stripes = 64

// Meter charges accounts. All charges of a deployment go through one Meter.
type Meter struct {
	ledger  Ledger
	calls   [stripes]callStat
	minLeft int64
}

type callStat struct {
	mu      sync.Mutex
	charged int64
	refused int64
}

// NewMeter returns a meter that keeps at least minLeft units on each account.
func NewMeter(l Ledger, minLeft int64) *Meter {
	return &Meter{ledger: l, minLeft: minLeft}
}

func stripe(account string) int {
	h := fnv.New32a()
	h.Write([]byte(account))
	return int(h.Sum32() % stripes)
}

func (m *Meter) note(account string, units int64, refused bool) {
	st := &m.calls[stripe(account)]
	st.mu.Lock()
	defer st.mu.Unlock()
	if refused {
		st.refused++
		return
	}
	st.charged += units
}

func (m *Meter) adjust(ctx context.Context, account string, delta int64) (int64, error) {
	have, err := m.ledger.Balance(ctx, account)
	if err != nil {
		return 0, err
	}
	left := have + delta
	if delta < 0 && left < m.minLeft {
		return have, ErrNoCredit
	}
	if err := m.ledger.SetBalance(ctx, account, left); err != nil {
		return have, fmt.Errorf("metering: book %+d on %s: %w", delta, account, err)
	}
	return left, nil
}

// Charge takes units off an account and returns what is left.
func (m *Meter) Charge(ctx context.Context, account string, units int64) (int64, error) {
	left, err := m.adjust(ctx, account, -units)
	m.note(account, units, err != nil)
	return left, err
}

// Refund gives units back, for calls that failed on our side.
func (m *Meter) Refund(ctx context.Context, account string, units int64) error {
	_, err := m.adjust(ctx, account, units)
	return err
}

// Totals sums up what was charged and how many charges were refused.
func (m *Meter) Totals() (charged, refused int64) {
	for i := range m.calls {
		st := &m.calls[i]
		st.mu.Lock()
		charged += st.charged
		refused += st.refused
		st.mu.Unlock()
	}
	return charged, refused
}

type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(code int) {
	w.status = code
	w.ResponseWriter.WriteHeader(code)
}

// Wrap charges one unit for each request.
func (m *Meter) Wrap(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		account := r.Header.Get("X-Account")
		if _, err := m.Charge(r.Context(), account, 1); err != nil {
			http.Error(w, err.Error(), http.StatusPaymentRequired)
			return
		}
		sw := &statusWriter{ResponseWriter: w, status: http.StatusOK}
		next.ServeHTTP(sw, r)
		if sw.status >= 500 {
			_ = m.Refund(r.Context(), account, 1)
		}
	})
}
