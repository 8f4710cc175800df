package a

import (
	"context"
	"errors"
	"log"
	"sync"
)

type state int

const (
	pending state = iota
	sending
	paid
	cancelled
)

var (
	ErrUnknown = errors.New("payout: unknown")
	ErrState   = errors.New("payout: too late")
)

type payout struct {
	iban  string
	cents int64
	state state
	ref   string
}

// Bank makes transfers. An error means that no money was moved.
type Bank interface {
	Transfer(ctx context.Context, iban string, cents int64) (ref string, err error)
}

// Payouts pays what we owe to sellers.
type Payouts struct {
	bank Bank

	mu  sync.Mutex
	all map[string]*payout
}

func New(b Bank) *Payouts { return &Payouts{bank: b, all: make(map[string]*payout)} }

// Request enters a payout unless its id is known.
func (p *Payouts) Request(id, iban string, cents int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, ok := p.all[id]; !ok {
		p.all[id] = &payout{iban: iban, cents: cents}
	}
}

// Cancel takes a payout back that has not been sent.
func (p *Payouts) Cancel(id string) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, ok := p.all[id]
	switch {
	case !ok:
		return ErrUnknown
	case o.state != pending:
		return ErrState
	}
	o.state = cancelled
	return nil
}

func (p *Payouts) begin(id string) (iban string, cents int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o, ok := p.all[id]
	if !ok {
		return "", 0, ErrUnknown
	}
	if o.state != pending {
		return "", 0, ErrState
	}
	o.state = sending
	return o.iban, o.cents, nil
}

func (p *Payouts) finish(id string, to state, ref string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	o := p.all[id]
	o.state, o.ref = to, ref
}

// Send makes the transfer of a payout. It may be tried again when it fails.
func (p *Payouts) Send(ctx context.Context, id string) error {
	iban, cents, err := p.begin(id)
	if err != nil {
		return err
	}
	ref, err := p.bank.Transfer(ctx, iban, cents)
	if err != nil {
		p.finish(id, pending, "")
		return err
	}
	p.finish(id, paid, ref)
	return nil
}

func (p *Payouts) waiting() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	var ids []string
	for id, o := range p.all {
		if o.state == pending {
			ids = append(ids, id)
		}
	}
	return ids
}

// SendAll makes all transfers that wait. Those which somebody else has sent
// or cancelled in the meantime are passed over.
func (p *Payouts) SendAll(ctx context.Context) (n int) {
	for _, id := range p.waiting() {
		switch err := p.Send(ctx, id); {
		case err == nil:
			n++
		case !errors.Is(err, ErrState):
			log.Print(err)
		}
	}
	return n
}
