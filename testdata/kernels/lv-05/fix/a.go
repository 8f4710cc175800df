// Package xeth gives front ends a simple access to the node.
package xeth

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math/big"
	"sync"
)

// Address identifies an account.
type Address [20]byte

// Hash identifies a transaction.
type Hash [32]byte

var (
	errKnownTx    = errors.New("known transaction")
	errNonceTaken = errors.New("another transaction with that nonce is pending")
	errNotSigned  = errors.New("transaction not confirmed by the user")
)

// Transaction moves value between accounts.
type Transaction struct {
	Nonce    uint64
	From, To Address
	Value    *big.Int
	Data     []byte
	sig      []byte
}

// Hash returns the identity of the transaction.
func (tx *Transaction) Hash() Hash {
	h := sha256.New()
	binary.Write(h, binary.BigEndian, tx.Nonce)
	h.Write(tx.From[:])
	h.Write(tx.To[:])
	h.Write(tx.Value.Bytes())
	h.Write(tx.Data)
	var out Hash
	copy(out[:], h.Sum(nil))
	return out
}

// ManagedState tracks the nonces of accounts ahead of the chain.
type ManagedState struct {
	mu     sync.RWMutex
	nonces map[Address]uint64
}

// GetNonce returns the next free nonce.
func (ms *ManagedState) GetNonce(addr Address) uint64 {
	ms.mu.RLock()
	defer ms.mu.RUnlock()
	return ms.nonces[addr]
}

func (ms *ManagedState) advance(addr Address, nonce uint64) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	if nonce > ms.nonces[addr] {
		ms.nonces[addr] = nonce
	}
}

type slot struct {
	from  Address
	nonce uint64
}

// TxPool holds transactions that are not in a block yet.
type TxPool struct {
	mu    sync.RWMutex
	state *ManagedState
	txs   map[Hash]*Transaction
	slots map[slot]Hash
}

// NewTxPool returns an empty pool.
func NewTxPool() *TxPool {
	return &TxPool{
		state: &ManagedState{nonces: make(map[Address]uint64)},
		txs:   make(map[Hash]*Transaction),
		slots: make(map[slot]Hash),
	}
}

// State returns the managed state of the pool.
func (p *TxPool) State() *ManagedState { return p.state }

// Add queues a transaction.
func (p *TxPool) Add(tx *Transaction) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	hash, key := tx.Hash(), slot{tx.From, tx.Nonce}
	if _, ok := p.txs[hash]; ok {
		return errKnownTx
	}
	if _, ok := p.slots[key]; ok {
		return errNonceTaken
	}
	p.txs[hash] = tx
	p.slots[key] = hash
	p.state.advance(tx.From, tx.Nonce+1)
	return nil
}

// Len returns the number of queued transactions.
func (p *TxPool) Len() int {
	p.mu.RLock()
	defer p.mu.RUnlock()
	return len(p.txs)
}

// Frontend asks the user.
type Frontend interface {
	ConfirmTransaction(tx *Transaction) bool
}

// XEth serves the calls of a front end.
type XEth struct {
	pool     *TxPool
	frontend Frontend

	messagesMu sync.RWMutex
	messages   map[int]string

	transactMu sync.Mutex
}

// New returns a XEth for the given pool.
func New(pool *TxPool, frontend Frontend) *XEth {
	return &XEth{pool: pool, frontend: frontend, messages: make(map[int]string)}
}

func (x *XEth) sign(tx *Transaction) error {
	if x.frontend != nil && !x.frontend.ConfirmTransaction(tx) {
		return errNotSigned
	}
	h := tx.Hash()
	tx.sig = h[:]
	return nil
}

// Transact sends a transaction. Without a nonce the next free one is used.
func (x *XEth) Transact(from, to Address, nonce *uint64, value *big.Int, data []byte) (Hash, error) {
	if value == nil {
		value = new(big.Int)
	}
	x.transactMu.Lock()
	defer x.transactMu.Unlock()

	tx := &Transaction{From: from, To: to, Value: value, Data: data}
	if nonce != nil {
		tx.Nonce = *nonce
	} else {
		tx.Nonce = x.pool.State().GetNonce(from)
	}
	if err := x.sign(tx); err != nil {
		return Hash{}, err
	}
	if err := x.pool.Add(tx); err != nil {
		return Hash{}, err
	}
	x.note(x.pool.Len(), "queued")
	return tx.Hash(), nil
}

func (x *XEth) note(id int, text string) {
	x.messagesMu.Lock()
	x.messages[id] = text
	x.messagesMu.Unlock()
}
