// Package chain tracks the head of a ledger and answers wallet queries.
package chain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"sync/atomic"
)

// Address of an account.
type Address string

// Transfer moves an amount.
type Transfer struct {
	From, To Address
	Amount   uint64
}

// Block is a sealed block.
type Block struct {
	Number    uint64
	Parent    string
	Hash      string
	Transfers []Transfer
}

// Accounts is the state after a block; it is not changed once published.
type Accounts struct {
	balances map[Address]uint64
}

// Balance returns what an account has.
func (a *Accounts) Balance(addr Address) uint64 { return a.balances[addr] }

// apply returns the state after the transfers.
func (a *Accounts) apply(ts []Transfer) (*Accounts, error) {
	next := maps.Clone(a.balances)
	for i, t := range ts {
		if next[t.From] < t.Amount {
			return nil, fmt.Errorf("transfer %d: %s has %d of %d", i, t.From, next[t.From], t.Amount)
		}
		next[t.From] -= t.Amount
		next[t.To] += t.Amount
	}
	return &Accounts{balances: next}, nil
}

// ErrUnknownParent is returned for a block that does not extend the head.
var ErrUnknownParent = errors.New("chain: unknown parent")

// Chain is the canonical chain. Blocks are imported by one goroutine.
type Chain struct {
	head  atomic.Pointer[Block]
	state atomic.Pointer[Accounts]
	log   *slog.Logger
}

// New returns a chain with a genesis block.
func New(genesis *Block, alloc map[Address]uint64, log *slog.Logger) *Chain {
	c := &Chain{log: log}
	c.publish(genesis, &Accounts{balances: maps.Clone(alloc)})
	return c
}

// publish makes a block the head.
func (c *Chain) publish(b *Block, st *Accounts) {
	c.state.Store(st)
	c.head.Store(b)
}

// latest returns the head and its state.
func (c *Chain) latest() (*Block, *Accounts) {
	return c.head.Load(), c.state.Load()
}

func (c *Chain) insert(b *Block) error {
	head, st := c.latest()
	if b.Parent != head.Hash || b.Number != head.Number+1 {
		return fmt.Errorf("%w: block %d", ErrUnknownParent, b.Number)
	}
	next, err := st.apply(b.Transfers)
	if err != nil {
		return fmt.Errorf("block %d: %w", b.Number, err)
	}
	c.publish(b, next)
	return nil
}

// Import inserts the blocks of the downloader.
func (c *Chain) Import(ctx context.Context, blocks <-chan *Block) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case b, ok := <-blocks:
			if !ok {
				return nil
			}
			if err := c.insert(b); err != nil {
				c.log.Warn("block rejected", "err", err)
				continue
			}
			c.log.Debug("head moved", "number", b.Number)
		}
	}
}

// Proof states a balance as of a block. Exchanges credit deposits from it:
// they add up the transfers of later blocks themselves.
type Proof struct {
	Address Address `json:"address"`
	Balance uint64  `json:"balance"`
	Number  uint64  `json:"number"`
	Hash    string  `json:"hash"`
}

// Balance returns the latest balance of an account.
func (c *Chain) Balance(addr Address) Proof {
	head, st := c.latest()
	return Proof{Address: addr, Balance: st.Balance(addr), Number: head.Number, Hash: head.Hash}
}

// ServeHTTP answers GET /?address=....
func (c *Chain) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	addr := Address(r.URL.Query().Get("address"))
	if addr == "" {
		http.Error(w, "no address", http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	if err := json.NewEncoder(w).Encode(c.Balance(addr)); err != nil {
		c.log.Warn("write", "err", err)
	}
}
