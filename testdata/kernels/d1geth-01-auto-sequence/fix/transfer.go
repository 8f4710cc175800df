// Package fix lets callers of an API send transfers from accounts of this node.
package fix

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"sync"
)

var (
	// ErrLocked is returned if an account has no usable key.
	ErrLocked = errors.New("account is locked")
	// ErrUnderpriced is returned for a transfer that may not replace another.
	ErrUnderpriced = errors.New("replacement transfer underpriced")
	// ErrStale is returned for a sequence number that was used long ago.
	ErrStale = errors.New("sequence number too low")
)

// Transfer is a signed or unsigned transfer.
type Transfer struct {
	From, To string
	Seq      uint64
	Amount   uint64
	Fee      uint64
	Sig      []byte
}

// Hash identifies the transfer.
func (t *Transfer) Hash() string {
	h := sha256.Sum256(fmt.Appendf(nil, "%s|%s|%d|%d|%d", t.From, t.To, t.Seq, t.Amount, t.Fee))
	return hex.EncodeToString(h[:])
}

// Pool holds the transfers that wait for a block.
type Pool struct {
	mu      sync.RWMutex
	settled map[string]uint64
	waiting map[string]map[uint64]*Transfer
	next    map[string]uint64
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{
		settled: make(map[string]uint64),
		waiting: make(map[string]map[uint64]*Transfer),
		next:    make(map[string]uint64),
	}
}

// NextSeq returns the first sequence number that is not in use.
func (p *Pool) NextSeq(addr string) uint64 {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return max(p.next[addr], p.settled[addr])
}

// Add takes a signed transfer. One with a number that is in use replaces the
// other if it pays at least a tenth more.
func (p *Pool) Add(t *Transfer) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.Seq < p.settled[t.From] {
		return ErrStale
	}
	m := p.waiting[t.From]
	if m == nil {
		m = make(map[uint64]*Transfer)
		p.waiting[t.From] = m
	}
	if old, ok := m[t.Seq]; ok && t.Fee < old.Fee+old.Fee/10 {
		return ErrUnderpriced
	}
	m[t.Seq] = t
	if t.Seq >= p.next[t.From] {
		p.next[t.From] = t.Seq + 1
	}
	return nil
}

// Settle drops what a block contained.
func (p *Pool) Settle(addr string, upTo uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled[addr] = max(p.settled[addr], upTo)
	for seq := range p.waiting[addr] {
		if seq < upTo {
			delete(p.waiting[addr], seq)
		}
	}
}

// Signer signs with the keys of the node; it may ask the user or a device.
type Signer interface {
	Sign(ctx context.Context, from string, digest string) ([]byte, error)
}

// FeeSource suggests fees.
type FeeSource interface {
	Suggest(ctx context.Context) (uint64, error)
}

// Args are the arguments of a call; what is missing is filled in.
type Args struct {
	From, To string
	Amount   uint64
	Fee      *uint64
	Seq      *uint64
}

// seqMu is held from the choice of a sequence number until the transfer is in
// the pool.
var seqMu sync.Mutex

// API is exposed to callers, each of which has its own goroutine.
type API struct {
	pool   *Pool
	signer Signer
	fees   FeeSource
}

// NewAPI returns the API.
func NewAPI(pool *Pool, signer Signer, fees FeeSource) *API {
	return &API{pool: pool, signer: signer, fees: fees}
}

func (a *API) fillIn(ctx context.Context, args *Args) error {
	if args.Fee == nil {
		fee, err := a.fees.Suggest(ctx)
		if err != nil {
			return err
		}
		args.Fee = &fee
	}
	if args.Seq == nil {
		seq := a.pool.NextSeq(args.From)
		args.Seq = &seq
	}
	return nil
}

func (a *API) sign(ctx context.Context, args *Args) (*Transfer, error) {
	t := &Transfer{From: args.From, To: args.To, Amount: args.Amount, Fee: *args.Fee, Seq: *args.Seq}
	sig, err := a.signer.Sign(ctx, t.From, t.Hash())
	if err != nil {
		return nil, err
	}
	if len(sig) == 0 {
		return nil, ErrLocked
	}
	t.Sig = sig
	return t, nil
}

// Send signs a transfer and puts it into the pool.
func (a *API) Send(ctx context.Context, args Args) (string, error) {
	if args.Seq == nil {
		seqMu.Lock()
		defer seqMu.Unlock()
	}
	if err := a.fillIn(ctx, &args); err != nil {
		return "", err
	}
	t, err := a.sign(ctx, &args)
	if err != nil {
		return "", err
	}
	if err := a.pool.Add(t); err != nil {
		return "", err
	}
	return t.Hash(), nil
}

// SendSigned puts a transfer into the pool that the caller has signed.
func (a *API) SendSigned(t Transfer) (string, error) {
	if len(t.Sig) == 0 {
		return "", ErrLocked
	}
	if err := a.pool.Add(&t); err != nil {
		return "", err
	}
	return t.Hash(), nil
}
