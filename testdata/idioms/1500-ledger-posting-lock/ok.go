package wallet

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
)

var ErrInsufficient = errors.New("wallet: insufficient funds")

// account has its own lock, so that balance queries do not wait for postings.
type account struct {
	mu      sync.RWMutex
	balance int64
	entries int
}

func (a *account) read() int64 {
	a.mu.RLock()
	defer a.mu.RUnlock()
	return a.balance
}

func (a *account) write(balance int64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.balance = balance
	a.entries++
}

// Journal persists a posting before it takes effect.
type Journal interface {
	Append(from, to string, cents int64) error
}

// Ledger posts transfers one after the other.
type Ledger struct {
	journal  Journal
	accounts map[string]*account // fixed at start-up

	posting sync.Mutex // held for a whole posting
}

func NewLedger(j Journal, opening map[string]int64) *Ledger {
	l := &Ledger{journal: j, accounts: make(map[string]*account, len(opening))}
	for name, cents := range opening {
		l.accounts[name] = &account{balance: cents}
	}
	return l
}

func (l *Ledger) account(name string) (*account, error) {
	a, ok := l.accounts[name]
	if !ok {
		return nil, fmt.Errorf("wallet: no account %q", name)
	}
	return a, nil
}

// Balance is called by the apps, very often.
func (l *Ledger) Balance(name string) (int64, error) {
	a, err := l.account(name)
	if err != nil {
		return 0, err
	}
	return a.read(), nil
}

// Transfer moves money. Requests run it concurrently.
func (l *Ledger) Transfer(from, to string, cents int64) error {
	src, err := l.account(from)
	if err != nil {
		return err
	}
	dst, err := l.account(to)
	if err != nil {
		return err
	}
	l.posting.Lock()
	defer l.posting.Unlock()
	return l.post(src, dst, cents, func() error {
		return l.journal.Append(from, to, cents)
	})
}

func (l *Ledger) post(src, dst *account, cents int64, persist func() error) error {
	have := src.read()
	if have < cents {
		return ErrInsufficient
	}
	if err := persist(); err != nil {
		return err
	}
	src.write(have - cents)
	dst.write(dst.read() + cents)
	return nil
}

// ServeHTTP handles POST /transfers?from=..&to=..&cents=..
func (l *Ledger) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	cents, err := strconv.ParseInt(q.Get("cents"), 10, 64)
	if err != nil || cents <= 0 {
		http.Error(w, "bad amount", http.StatusBadRequest)
		return
	}
	if err := l.Transfer(q.Get("from"), q.Get("to"), cents); err != nil {
		http.Error(w, err.Error(), http.StatusConflict)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}
