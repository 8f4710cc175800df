package legacypool

import (
	"errors"
	"sync"
	"sync/atomic"
)

var (
	ErrAlreadyKnown  = errors.New("already known")
	ErrInvalidSender = errors.New("invalid sender")
	ErrNonceTooLow   = errors.New("nonce too low")
)

var knownTxMeter atomic.Int64

type Hash [32]byte

type Transaction struct {
	hash  Hash
	from  string
	nonce uint64
}

func (tx *Transaction) Hash() Hash { return tx.hash }

// lookup is used internally by LegacyPool to track transactions while allowing
// lookup without mutex contention.
type lookup struct {
	lock sync.RWMutex
	txs  map[Hash]*Transaction
}

// Get returns a transaction if it exists in the lookup, or nil if not found.
func (t *lookup) Get(hash Hash) *Transaction {
	t.lock.RLock()
	defer t.lock.RUnlock()

	return t.txs[hash]
}

// Add adds a transaction to the lookup.
func (t *lookup) Add(tx *Transaction) {
	t.lock.Lock()
	defer t.lock.Unlock()

	t.txs[tx.Hash()] = tx
}

// Remove removes a transaction from the lookup.
func (t *lookup) Remove(hash Hash) {
	t.lock.Lock()
	defer t.lock.Unlock()

	delete(t.txs, hash)
}

// LegacyPool contains all currently known transactions.
type LegacyPool struct {
	mu      sync.RWMutex
	nonces  map[string]uint64
	pending map[string][]*Transaction
	all     *lookup // All transactions to allow lookups

	reqPromoteCh chan string
}

func New() *LegacyPool {
	return &LegacyPool{
		nonces:       make(map[string]uint64),
		pending:      make(map[string][]*Transaction),
		all:          &lookup{txs: make(map[Hash]*Transaction)},
		reqPromoteCh: make(chan string, 64),
	}
}

// ValidateTxBasics checks whether a transaction is valid according to the consensus
// rules, but does not check state-dependent validation such as sufficient balance.
func (pool *LegacyPool) ValidateTxBasics(tx *Transaction) error {
	if tx.from == "" {
		return ErrInvalidSender
	}
	return nil
}

// Add enqueues a batch of transactions into the pool if they are valid.
func (pool *LegacyPool) Add(txs []*Transaction) []error {
	// Filter out known ones without obtaining the pool lock or recovering signatures
	var (
		hasValid bool
		errs     = make([]error, len(txs))
	)
	for i, tx := range txs {
		// If the transaction is known, pre-set the error slot
		if pool.all.Get(tx.Hash()) != nil {
			errs[i] = ErrAlreadyKnown
			knownTxMeter.Add(1)
			continue
		}
		// Exclude transactions with basic errors, e.g invalid signatures and
		// insufficient intrinsic gas as soon as possible and cache senders
		// in transactions before obtaining lock
		if err := pool.ValidateTxBasics(tx); err != nil {
			errs[i] = err
			continue
		}
		hasValid = true
	}
	if !hasValid {
		return errs
	}

	// Process all the new transaction and merge any errors into the original slice
	pool.mu.Lock()
	pool.addTxsLocked(txs, errs)
	pool.mu.Unlock()

	return errs
}

// addTxsLocked attempts to queue a batch of transactions if they are valid.
// The transaction pool lock must be held.
func (pool *LegacyPool) addTxsLocked(txs []*Transaction, errs []error) {
	for i, tx := range txs {
		if errs[i] != nil {
			continue
		}
		errs[i] = pool.add(tx)
	}
}

// add validates a transaction and inserts it into the pending list. The pool
// lock must be held.
func (pool *LegacyPool) add(tx *Transaction) error {
	// If the transaction is already known, discard it
	hash := tx.Hash()
	if pool.all.Get(hash) != nil {
		knownTxMeter.Add(1)
		return ErrAlreadyKnown
	}
	if tx.nonce < pool.nonces[tx.from] {
		return ErrNonceTooLow
	}
	pool.pending[tx.from] = append(pool.pending[tx.from], tx)
	pool.nonces[tx.from] = tx.nonce + 1
	pool.all.Add(tx)
	return nil
}

// Reset drops the transactions of an account that have been included.
func (pool *LegacyPool) Reset(from string) {
	pool.mu.Lock()
	defer pool.mu.Unlock()

	for _, tx := range pool.pending[from] {
		pool.all.Remove(tx.Hash())
	}
	delete(pool.pending, from)
}

// Has returns an indicator whether the pool has a transaction cached with the
// given hash.
func (pool *LegacyPool) Has(hash Hash) bool {
	return pool.all.Get(hash) != nil
}
