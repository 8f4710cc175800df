package types

import (
	"crypto/sha256"
	"errors"
	"sync"
	"sync/atomic"
)

type Address [20]byte
type Hash [32]byte

var ErrInvalidSig = errors.New("invalid transaction v, r, s values")

// sigCache is used to cache the derived sender and contains
// the signer used to derive it.
type sigCache struct {
	signer Signer
	from   Address
}

// Signer encapsulates transaction signature handling.
type Signer interface {
	// Sender returns the sender address of the transaction.
	Sender(tx *Transaction) (Address, error)
	// Equal returns true if the given signer is the same as the receiver.
	Equal(Signer) bool
}

type txdata struct {
	nonce   uint64
	payload []byte
	sig     []byte
}

// Transaction is an Ethereum transaction. Its data never changes.
type Transaction struct {
	inner txdata

	// caches
	hash atomic.Pointer[Hash]
	size atomic.Uint64
	from atomic.Pointer[sigCache]
}

// NewTx creates a new transaction.
func NewTx(nonce uint64, payload, sig []byte) *Transaction {
	tx := new(Transaction)
	tx.inner = txdata{
		nonce:   nonce,
		payload: append([]byte(nil), payload...),
		sig:     append([]byte(nil), sig...),
	}
	return tx
}

// Hash returns the transaction hash.
func (tx *Transaction) Hash() Hash {
	if hash := tx.hash.Load(); hash != nil {
		return *hash
	}
	h := Hash(sha256.Sum256(append(append([]byte{byte(tx.inner.nonce)}, tx.inner.payload...), tx.inner.sig...)))
	tx.hash.Store(&h)
	return h
}

// Size returns the true encoded storage size of the transaction.
func (tx *Transaction) Size() uint64 {
	// Note: we need to be careful here because the size is cached.
	if size := tx.size.Load(); size > 0 {
		return size
	}
	size := uint64(9 + len(tx.inner.payload) + len(tx.inner.sig))
	tx.size.Store(size)
	return size
}

// Sender returns the address derived from the signature and an
// error if it failed deriving or upon an incorrect signature.
//
// Sender may cache the address, allowing it to be used regardless of
// signing method. The cache is invalidated if the cached signer does
// not match the signer used in the current call.
func Sender(signer Signer, tx *Transaction) (Address, error) {
	if cache := tx.from.Load(); cache != nil {
		// If the signer used to derive from in a previous
		// call is not the same as used current, invalidate
		// the cache.
		if cache.signer.Equal(signer) {
			return cache.from, nil
		}
	}

	addr, err := signer.Sender(tx)
	if err != nil {
		return Address{}, err
	}
	tx.from.Store(&sigCache{signer: signer, from: addr})
	return addr, nil
}

type chainSigner struct{ chainID uint64 }

func (s chainSigner) Equal(o Signer) bool {
	c, ok := o.(chainSigner)
	return ok && c.chainID == s.chainID
}

func (s chainSigner) Sender(tx *Transaction) (Address, error) {
	if len(tx.inner.sig) == 0 {
		return Address{}, ErrInvalidSig
	}
	sum := sha256.Sum256(append([]byte{byte(s.chainID)}, tx.inner.sig...))
	return Address(sum[:20]), nil
}

// recoverAll is the sender cacher: the transactions of a block are handed to
// several goroutines, while the pool may look at the same transactions.
func recoverAll(signer Signer, txs []*Transaction, threads int) {
	var wg sync.WaitGroup
	for i := 0; i < threads; i++ {
		wg.Add(1)
		go func(i int) {
			defer wg.Done()
			for j := i; j < len(txs); j += threads {
				Sender(signer, txs[j])
				txs[j].Hash()
				txs[j].Size()
			}
		}(i)
	}
	wg.Wait()
}

var _ = recoverAll
var _ Signer = chainSigner{}
