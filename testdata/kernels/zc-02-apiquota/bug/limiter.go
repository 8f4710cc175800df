// Package quota meters API calls against the credits a tenant has bought.
package quota

import (
	"errors"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
)

// ErrExhausted is returned when a call would exceed the tenant's credits.
var ErrExhausted = errors.New("quota: credits exhausted")

// Ledger keeps the credits used by each tenant. Implementations are safe for
// concurrent use.
type Ledger interface {
	// Used returns the credits tenant has used so far.
	Used(tenant string) int64
	// Add books n credits for tenant; n is negative for a refund.
	Add(tenant string, n int64)
}

// MemLedger is a Ledger held in memory.
type MemLedger struct {
	accounts sync.Map // tenant -> *atomic.Int64
}

func (m *MemLedger) account(tenant string) *atomic.Int64 {
	if a, ok := m.accounts.Load(tenant); ok {
		return a.(*atomic.Int64)
	}
	a, _ := m.accounts.LoadOrStore(tenant, new(atomic.Int64))
	return a.(*atomic.Int64)
}

// Used implements Ledger.
func (m *MemLedger) Used(tenant string) int64 {
	return m.account(tenant).Load()
}

// Add implements Ledger.
func (m *MemLedger) Add(tenant string, n int64) {
	m.account(tenant).Add(n)
}

// Limiter admits calls as long as the tenant has credits left.
type Limiter struct {
	ledger   Ledger
	credits  map[string]int64 // fixed at start
	fallback int64
}

// NewLimiter returns a limiter for the given plan. Tenants that are not part
// of credits get fallback credits.
func NewLimiter(l Ledger, credits map[string]int64, fallback int64) *Limiter {
	own := make(map[string]int64, len(credits))
	for t, n := range credits {
		own[t] = n
	}
	return &Limiter{ledger: l, credits: own, fallback: fallback}
}

func (l *Limiter) limit(tenant string) int64 {
	if n, ok := l.credits[tenant]; ok {
		return n
	}
	return l.fallback
}

// Spend books cost credits for tenant, or returns ErrExhausted and books
// nothing.
func (l *Limiter) Spend(tenant string, cost int64) error {
	if l.ledger.Used(tenant)+cost > l.limit(tenant) {
		return ErrExhausted
	}
	l.ledger.Add(tenant, cost)
	return nil
}

// Refund gives back credits of a call that was not served.
func (l *Limiter) Refund(tenant string, cost int64) {
	l.ledger.Add(tenant, -cost)
}

// Left returns the credits tenant can still spend.
func (l *Limiter) Left(tenant string) int64 {
	return l.limit(tenant) - l.ledger.Used(tenant)
}

type statusWriter struct {
	http.ResponseWriter
	code int
}

func (w *statusWriter) WriteHeader(code int) {
	w.code = code
	w.ResponseWriter.WriteHeader(code)
}

// Wrap meters the requests to next. cost tells the price of a request.
func (l *Limiter) Wrap(next http.Handler, cost func(*http.Request) int64) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tenant := r.Header.Get("X-Tenant")
		if tenant == "" {
			http.Error(w, "missing tenant", http.StatusUnauthorized)
			return
		}
		n := cost(r)
		if err := l.Spend(tenant, n); err != nil {
			http.Error(w, err.Error(), http.StatusPaymentRequired)
			return
		}
		w.Header().Set("X-Credits-Left", strconv.FormatInt(l.Left(tenant), 10))
		sw := &statusWriter{ResponseWriter: w, code: http.StatusOK}
		next.ServeHTTP(sw, r)
		if sw.code >= http.StatusInternalServerError {
			l.Refund(tenant, n)
		}
	})
}
