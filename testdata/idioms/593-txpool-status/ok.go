// Package ok is a pool of transactions.
package ok

import "sync"

// Hash identifies a transaction.
type Hash [32]byte

// Tx is a transaction. It is not changed.
type Tx struct {
	Hash  Hash
	From  string
	Nonce uint64
	Price uint64
}

// Status says where a transaction is.
type Status int

// The places where a transaction can be.
const (
	Unknown Status = iota
	Queued
	Pending
)

// lookup finds the transactions of the pool by hash. It has its own lock, so
// that lookups need not wait for the pool.
type lookup struct {
	lock sync.RWMutex
	txs  map[Hash]*Tx
}

func (t *lookup) Get(hash Hash) *Tx {
	t.lock.RLock()
	defer t.lock.RUnlock()
	return t.txs[hash]
}

func (t *lookup) Add(tx *Tx) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.txs[tx.Hash] = tx
}

func (t *lookup) Remove(hash Hash) {
	t.lock.Lock()
	defer t.lock.Unlock()
	delete(t.txs, hash)
}

// Pool is safe for concurrent use.
type Pool struct {
	all lookup // changed with mu held

	mu      sync.RWMutex
	pending map[string]map[uint64]*Tx
	queue   map[string]map[uint64]*Tx
	nonces  map[string]uint64 // the next nonce that can become pending
}

// NewPool returns an empty pool.
func NewPool() *Pool {
	return &Pool{
		all:     lookup{txs: make(map[Hash]*Tx)},
		pending: make(map[string]map[uint64]*Tx),
		queue:   make(map[string]map[uint64]*Tx),
		nonces:  make(map[string]uint64),
	}
}

// Get returns a transaction that is in the pool.
func (p *Pool) Get(hash Hash) *Tx { return p.all.Get(hash) }

// Add adds a transaction and tells whether it was accepted.
func (p *Pool) Add(tx *Tx) bool {
	if p.all.Get(tx.Hash) != nil {
		return false // already known, no need for the lock
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	list := p.queue
	if tx.Nonce < p.nonces[tx.From] {
		if p.pending[tx.From][tx.Nonce] == nil {
			return false // the nonce is used in a block
		}
		list = p.pending
	}
	if list[tx.From] == nil {
		list[tx.From] = make(map[uint64]*Tx)
	}
	if old := list[tx.From][tx.Nonce]; old != nil {
		if old.Price >= tx.Price {
			return false
		}
		p.all.Remove(old.Hash)
	}
	list[tx.From][tx.Nonce] = tx
	p.all.Add(tx)
	p.promote(tx.From)
	return true
}

// promote is called with mu held.
func (p *Pool) promote(from string) {
	for tx := p.queue[from][p.nonces[from]]; tx != nil; tx = p.queue[from][p.nonces[from]] {
		delete(p.queue[from], tx.Nonce)
		if p.pending[from] == nil {
			p.pending[from] = make(map[uint64]*Tx)
		}
		p.pending[from][tx.Nonce] = tx
		p.nonces[from]++
	}
}

// Included removes the transactions of a new block.
func (p *Pool) Included(txs []*Tx) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, tx := range txs {
		if p.pending[tx.From][tx.Nonce] == tx {
			delete(p.pending[tx.From], tx.Nonce)
			p.all.Remove(tx.Hash)
		}
	}
}

// Status returns the status of a batch of transactions.
func (p *Pool) Status(hashes []Hash) []Status {
	status := make([]Status, len(hashes))
	for i, hash := range hashes {
		tx := p.Get(hash)
		if tx == nil {
			continue
		}
		p.mu.RLock()
		if p.pending[tx.From][tx.Nonce] == tx {
			status[i] = Pending
		} else if p.queue[tx.From][tx.Nonce] == tx {
			status[i] = Queued
		}
		// implicit else: the tx may have been included into a block between
		// p.Get and obtaining the lock. In that case, Unknown is correct
		p.mu.RUnlock()
	}
	return status
}
