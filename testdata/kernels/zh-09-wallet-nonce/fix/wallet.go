// Package wallet sends transactions of hot accounts to a blockchain node.
package wallet

import (
	"context"
	"errors"
	"fmt"
	"sync"
)

// ErrUnknownAccount is returned for an account that was not added.
var ErrUnknownAccount = errors.New("wallet: unknown account")

// Payment is a transfer to be made.
type Payment struct {
	From, To string
	Amount   uint64
}

// Signer turns a payment into a signed transaction.
type Signer interface {
	Sign(ctx context.Context, p Payment, nonce uint64) (raw []byte, err error)
}

// Node takes signed transactions. A transaction with a nonce that is already
// pending for the account takes the place of the pending one.
type Node interface {
	Broadcast(ctx context.Context, raw []byte) (hash string, err error)
}

// account is the local view of one account of the chain.
type account struct {
	turn chan struct{} // held by the payment that is being sent

	mu   sync.Mutex
	next uint64
	sent map[uint64]string
}

func (a *account) nonce() uint64 {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.next
}

func (a *account) record(nonce uint64, hash string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sent[nonce] = hash
	a.next = nonce + 1
}

func (a *account) confirm(below uint64) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for n := range a.sent {
		if n < below {
			delete(a.sent, n)
		}
	}
}

// Wallet is used by all payout workers of the process.
type Wallet struct {
	signer Signer
	node   Node

	mu       sync.RWMutex
	accounts map[string]*account
}

// New returns a wallet without accounts.
func New(signer Signer, node Node) *Wallet {
	return &Wallet{signer: signer, node: node, accounts: make(map[string]*account)}
}

// Add makes an account usable; next is its transaction count on the chain.
func (w *Wallet) Add(addr string, next uint64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, ok := w.accounts[addr]; !ok {
		w.accounts[addr] = &account{
			turn: make(chan struct{}, 1),
			next: next,
			sent: make(map[uint64]string),
		}
	}
}

func (w *Wallet) account(addr string) (*account, error) {
	w.mu.RLock()
	defer w.mu.RUnlock()
	a, ok := w.accounts[addr]
	if !ok {
		return nil, fmt.Errorf("%w: %s", ErrUnknownAccount, addr)
	}
	return a, nil
}

// Send makes a payment. The nonce is used up only by a transaction that the
// node has accepted, so that a failure leaves no gap; therefore an account
// sends one payment at a time.
func (w *Wallet) Send(ctx context.Context, p Payment) (string, error) {
	a, err := w.account(p.From)
	if err != nil {
		return "", err
	}
	select {
	case a.turn <- struct{}{}:
		defer func() { <-a.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	nonce := a.nonce()
	raw, err := w.signer.Sign(ctx, p, nonce)
	if err != nil {
		return "", fmt.Errorf("wallet: sign: %w", err)
	}
	hash, err := w.node.Broadcast(ctx, raw)
	if err != nil {
		return "", fmt.Errorf("wallet: broadcast: %w", err)
	}
	a.record(nonce, hash)
	return hash, nil
}

// SendAll makes several payments and returns their hashes in order.
func (w *Wallet) SendAll(ctx context.Context, ps []Payment) ([]string, error) {
	hashes := make([]string, len(ps))
	errs := make([]error, len(ps))
	var wg sync.WaitGroup
	for i, p := range ps {
		wg.Go(func() { hashes[i], errs[i] = w.Send(ctx, p) })
	}
	wg.Wait()
	return hashes, errors.Join(errs...)
}

// Confirmed tells the wallet the transaction count of an account at a final block.
func (w *Wallet) Confirmed(addr string, count uint64) error {
	a, err := w.account(addr)
	if err != nil {
		return err
	}
	a.confirm(count)
	return nil
}
