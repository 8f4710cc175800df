package core

import (
	"math/big"
	"sync"
)

// memDatabase is a test memory database.
type memDatabase struct {
	lock   sync.RWMutex
	blocks map[Hash]*Block
	tds    map[Hash]*big.Int
	canon  map[uint64]Hash
}

func newMemDatabase() *memDatabase {
	return &memDatabase{
		blocks: make(map[Hash]*Block),
		tds:    make(map[Hash]*big.Int),
		canon:  make(map[uint64]Hash),
	}
}

func (db *memDatabase) getBlock(hash Hash) *Block {
	db.lock.RLock()
	defer db.lock.RUnlock()
	return db.blocks[hash]
}

func (db *memDatabase) writeBlock(block *Block) {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.blocks[block.Hash()] = block
}

func (db *memDatabase) getTd(hash Hash) *big.Int {
	db.lock.RLock()
	defer db.lock.RUnlock()
	return db.tds[hash]
}

func (db *memDatabase) writeTd(hash Hash, td *big.Int) {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.tds[hash] = td
}

func (db *memDatabase) getCanonicalHash(number uint64) (Hash, bool) {
	db.lock.RLock()
	defer db.lock.RUnlock()
	hash, ok := db.canon[number]
	return hash, ok
}

func (db *memDatabase) writeCanonicalHash(hash Hash, number uint64) {
	db.lock.Lock()
	defer db.lock.Unlock()
	db.canon[number] = hash
}

func (db *memDatabase) deleteCanonicalHash(number uint64) {
	db.lock.Lock()
	defer db.lock.Unlock()
	delete(db.canon, number)
}
