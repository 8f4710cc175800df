package blobpool

import "sync"

type blobTx struct {
	hash    uint64
	version byte
}

func (tx *blobTx) convert() *blobTx { return &blobTx{hash: tx.hash, version: 1} }

// Database is a billy store.
type Database interface {
	Get(id uint64) (*blobTx, error)
	Put(tx *blobTx) (uint64, error)
	Delete(id uint64) error
	Close() error
}

// BlobPool is the transaction pool dedicated to EIP-4844 blob transactions.
type BlobPool struct {
	store  Database // Persistent data store for the tx metadata and blobs
	limbo  Database // Persistent data store for the non-finalized blobs
	cQueue *conversionQueue

	lock   sync.RWMutex
	lookup map[uint64]uint64 // Transaction hash to billy id
}

// Init sets the gas price needed to keep a transaction in the pool and the chain
// head to allow balance / nonce checks.
func (p *BlobPool) Init(store, limbo Database, convertTxs, convertLimbo []uint64) error {
	p.store, p.limbo = store, limbo
	p.lookup = make(map[uint64]uint64)
	p.cQueue = newConversionQueue()

	if len(convertTxs) > 0 {
		p.cQueue.launchConversion(func() { p.convertLegacyTxs(convertTxs) })
	}
	if len(convertLimbo) > 0 {
		p.cQueue.launchConversion(func() { p.convertLegacyLimbo(convertLimbo) })
	}
	return nil
}

// Close closes down the underlying persistent store.
func (p *BlobPool) Close() error {
	p.cQueue.close()

	if err := p.limbo.Close(); err != nil {
		return err
	}
	return p.store.Close()
}

// Add inserts a blob transaction into the pool.
func (p *BlobPool) Add(tx *blobTx) error {
	if tx.version == 0 {
		ptx, err := p.cQueue.convert(tx)
		if err != nil {
			return err
		}
		tx = ptx
	}
	p.lock.Lock()
	defer p.lock.Unlock()
	id, err := p.store.Put(tx)
	if err != nil {
		return err
	}
	p.lookup[tx.hash] = id
	return nil
}

// convertLegacyTxs rewrites the legacy transactions of the main store.
func (p *BlobPool) convertLegacyTxs(ids []uint64) {
	for _, id := range ids {
		p.lock.Lock()
		if tx, err := p.store.Get(id); err == nil {
			if nid, err := p.store.Put(tx.convert()); err == nil {
				p.store.Delete(id)
				p.lookup[tx.hash] = nid
			}
		}
		p.lock.Unlock()
	}
}

// convertLegacyLimbo rewrites the legacy transactions of the limbo.
func (p *BlobPool) convertLegacyLimbo(ids []uint64) {
	for _, id := range ids {
		p.lock.Lock()
		if tx, err := p.limbo.Get(id); err == nil {
			if _, err := p.limbo.Put(tx.convert()); err == nil {
				p.limbo.Delete(id)
			}
		}
		p.lock.Unlock()
	}
}
