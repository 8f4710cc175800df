package a

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"time"
)

var (
	ErrNoMethod  = errors.New("wallet: no such payment method")
	ErrNoDefault = errors.New("wallet: no default payment method")
)

// Method is a way to pay that a customer has left with us.
type Method struct {
	ID      string
	Token   string
	Default bool
	Expires time.Time
}

// Processor charges a token.
type Processor interface {
	Charge(ctx context.Context, token string, cents int64) (ref string, err error)
}

// Wallets holds the payment methods of all customers.
type Wallets struct {
	proc Processor

	sync.Mutex
	methods map[string][]Method
}

func NewWallets(p Processor) *Wallets {
	return &Wallets{proc: p, methods: make(map[string][]Method)}
}

// each calls f for every method of the customer.
func (w *Wallets) each(customer string, f func(m *Method)) {
	w.Lock()
	defer w.Unlock()
	list := w.methods[customer]
	for i := range list {
		f(&list[i])
	}
}

func (w *Wallets) has(customer, id string) (found bool) {
	w.each(customer, func(m *Method) {
		found = found || m.ID == id
	})
	return found
}

// Add stores a method; the first one becomes the default.
func (w *Wallets) Add(customer string, m Method) {
	w.Lock()
	defer w.Unlock()
	m.Default = len(w.methods[customer]) == 0
	w.methods[customer] = append(w.methods[customer], m)
}

// Remove deletes a method. When it was the default, the oldest of the others
// takes its place.
func (w *Wallets) Remove(customer, id string) error {
	w.Lock()
	defer w.Unlock()
	list := w.methods[customer]
	i := slices.IndexFunc(list, func(m Method) bool { return m.ID == id })
	if i < 0 {
		return ErrNoMethod
	}
	was := list[i].Default
	list = slices.Delete(list, i, i+1)
	if was && len(list) > 0 {
		list[0].Default = true
	}
	w.methods[customer] = list
	return nil
}

// MakeDefault says with which method the customer wants to pay from now on.
func (w *Wallets) MakeDefault(customer, id string) error {
	if !w.has(customer, id) {
		return ErrNoMethod
	}
	w.each(customer, func(m *Method) {
		m.Default = false
	})
	w.each(customer, func(m *Method) {
		if m.ID == id {
			m.Default = true
		}
	})
	return nil
}

// Expiring lists the customers whose default runs out before t.
func (w *Wallets) Expiring(t time.Time) []string {
	w.Lock()
	defer w.Unlock()
	var out []string
	for customer, list := range w.methods {
		for _, m := range list {
			if m.Default && m.Expires.Before(t) {
				out = append(out, customer)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Charge takes money by the customer's default method.
func (w *Wallets) Charge(ctx context.Context, customer string, cents int64) (string, error) {
	var token string
	w.each(customer, func(m *Method) {
		if m.Default {
			token = m.Token
		}
	})
	if token == "" {
		return "", ErrNoDefault
	}
	ref, err := w.proc.Charge(ctx, token, cents)
	if err != nil {
		return "", fmt.Errorf("wallet: charge %s: %w", customer, err)
	}
	return ref, nil
}

// Handler serves the account page.
func (w *Wallets) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("PUT /customers/{c}/default/{id}", func(rw http.ResponseWriter, r *http.Request) {
		if err := w.MakeDefault(r.PathValue("c"), r.PathValue("id")); err != nil {
			http.Error(rw, err.Error(), http.StatusNotFound)
		}
	})
	mux.HandleFunc("DELETE /customers/{c}/methods/{id}", func(rw http.ResponseWriter, r *http.Request) {
		if err := w.Remove(r.PathValue("c"), r.PathValue("id")); err != nil {
			http.Error(rw, err.Error(), http.StatusNotFound)
		}
	})
	return mux
}
