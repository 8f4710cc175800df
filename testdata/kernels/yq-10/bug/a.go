package a

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
	"unicode/utf8"
)

var (
	ErrNoCredit = errors.New("sms: credit is used up")
	ErrCustomer = errors.New("sms: unknown customer")
)

// Carrier takes one text and bills us for every part.
type Carrier interface {
	Submit(ctx context.Context, from, to, text string) error
}

// credit is the prepaid balance of a customer, in parts of a message.
type credit interface {
	Left() int64
	Spend(parts int64)
	Add(parts int64)
}

type balance struct {
	parts atomic.Int64
}

func (b *balance) Left() int64 { return b.parts.Load() }

func (b *balance) Spend(parts int64) { b.parts.Add(-parts) }

func (b *balance) Add(parts int64) { b.parts.Add(parts) }

type customer struct {
	sender string
	credit credit
}

// Gateway sends texts for customers that have paid in advance.
type Gateway struct {
	carrier Carrier
	timeout time.Duration

	mu        sync.RWMutex
	customers map[string]*customer
}

// Option changes a Gateway.
type Option func(*Gateway)

// WithTimeout bounds the time of one submission.
func WithTimeout(d time.Duration) Option {
	return func(g *Gateway) { g.timeout = d }
}

func NewGateway(c Carrier, opts ...Option) *Gateway {
	g := &Gateway{carrier: c, timeout: 10 * time.Second, customers: make(map[string]*customer)}
	for _, o := range opts {
		o(g)
	}
	return g
}

// Register enters a customer without credit; a known one is left alone.
func (g *Gateway) Register(id, sender string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, ok := g.customers[id]; !ok {
		g.customers[id] = &customer{sender: sender, credit: new(balance)}
	}
}

func (g *Gateway) customer(id string) (*customer, error) {
	g.mu.RLock()
	defer g.mu.RUnlock()
	c, ok := g.customers[id]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrCustomer, id)
	}
	return c, nil
}

// TopUp adds parts that have been paid.
func (g *Gateway) TopUp(id string, parts int64) error {
	c, err := g.customer(id)
	if err != nil {
		return err
	}
	c.credit.Add(parts)
	return nil
}

func parts(text string) int64 {
	n := utf8.RuneCountInString(text)
	if n <= 160 {
		return 1
	}
	return int64((n + 152) / 153)
}

// Send submits a text if the customer has credit for all of its parts.
func (g *Gateway) Send(ctx context.Context, id, to, text string) error {
	c, err := g.customer(id)
	if err != nil {
		return err
	}
	n := parts(text)
	if c.credit.Left() < n {
		return ErrNoCredit
	}
	c.credit.Spend(n)

	ctx, cancel := context.WithTimeout(ctx, g.timeout)
	defer cancel()
	if err := g.carrier.Submit(ctx, c.sender, to, text); err != nil {
		c.credit.Add(n)
		return fmt.Errorf("sms: to %s: %w", to, err)
	}
	return nil
}

// ServeHTTP takes texts from the customers' systems.
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id, _, _ := r.BasicAuth()
	err := g.Send(r.Context(), id, r.FormValue("to"), r.FormValue("text"))
	switch {
	case errors.Is(err, ErrNoCredit):
		http.Error(w, err.Error(), http.StatusPaymentRequired)
		return
	case err != nil:
		log.Print(err)
		http.Error(w, "not sent", http.StatusBadGateway)
		return
	}
	if c, err := g.customer(id); err == nil {
		w.Header().Set("X-Credit", strconv.FormatInt(c.credit.Left(), 10))
	}
	w.WriteHeader(http.StatusAccepted)
}
