package ethapi

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
)

type Address [20]byte

var errNonceTooLow = errors.New("nonce too low")

// AddrLocker is a mutex structure used to avoid querying outdated account data
type AddrLocker struct {
	mu    sync.Mutex
	locks map[Address]*sync.Mutex
}

// lock returns the lock of the given address.
func (l *AddrLocker) lock(address Address) *sync.Mutex {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.locks == nil {
		l.locks = make(map[Address]*sync.Mutex)
	}
	if _, ok := l.locks[address]; !ok {
		l.locks[address] = new(sync.Mutex)
	}
	return l.locks[address]
}

// LockAddr locks an account's mutex. This is used to prevent another tx getting the
// same nonce until the lock is released. The mutex prevents the (an identical nonce) from
// being read again during the time that the first transaction is being signed.
func (l *AddrLocker) LockAddr(address Address) {
	l.lock(address).Lock()
}

// UnlockAddr unlocks the mutex of the given account.
func (l *AddrLocker) UnlockAddr(address Address) {
	l.lock(address).Unlock()
}

type Transaction struct {
	From  Address
	Nonce uint64
	Data  []byte
	sig   [32]byte
}

// TransactionArgs represents the arguments to construct a new transaction.
type TransactionArgs struct {
	From  Address
	Nonce *uint64
	Data  []byte
}

// setDefaults fills in default values for unspecified tx fields.
func (args *TransactionArgs) setDefaults(b *Backend) {
	if args.Nonce == nil {
		nonce := b.GetPoolNonce(args.From)
		args.Nonce = &nonce
	}
}

// Backend holds the transaction pool.
type Backend struct {
	mu      sync.RWMutex
	nonces  map[Address]uint64
	pending map[Address][]*Transaction
}

func NewBackend() *Backend {
	return &Backend{nonces: make(map[Address]uint64), pending: make(map[Address][]*Transaction)}
}

// GetPoolNonce returns the next nonce of an account, with all transactions executable
// by the pool already applied on top.
func (b *Backend) GetPoolNonce(addr Address) uint64 {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.nonces[addr]
}

// SendTx adds a signed transaction to the pool.
func (b *Backend) SendTx(tx *Transaction) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tx.Nonce < b.nonces[tx.From] {
		return errNonceTooLow
	}
	b.pending[tx.From] = append(b.pending[tx.From], tx)
	b.nonces[tx.From] = tx.Nonce + 1
	return nil
}

// TransactionAPI exposes methods for reading and creating transaction data.
type TransactionAPI struct {
	b         *Backend
	nonceLock *AddrLocker
}

// NewTransactionAPI creates a new RPC service with methods for interacting with transactions.
func NewTransactionAPI(b *Backend, nonceLock *AddrLocker) *TransactionAPI {
	return &TransactionAPI{b: b, nonceLock: nonceLock}
}

func (api *TransactionAPI) sign(tx *Transaction) *Transaction {
	buf := binary.BigEndian.AppendUint64(append([]byte(nil), tx.Data...), tx.Nonce)
	tx.sig = sha256.Sum256(buf)
	return tx
}

// SendTransaction creates a transaction for the given argument, sign it and submit it to the
// transaction pool.
func (api *TransactionAPI) SendTransaction(args TransactionArgs) (*Transaction, error) {
	if args.Nonce == nil {
		// Hold the mutex around signing to prevent concurrent assignment of
		// the same nonce to multiple accounts.
		api.nonceLock.LockAddr(args.From)
		defer api.nonceLock.UnlockAddr(args.From)
	}
	// Set some sanity defaults and terminate on failure
	args.setDefaults(api.b)
	tx := api.sign(&Transaction{From: args.From, Nonce: *args.Nonce, Data: args.Data})
	if err := api.b.SendTx(tx); err != nil {
		return nil, err
	}
	return tx, nil
}
