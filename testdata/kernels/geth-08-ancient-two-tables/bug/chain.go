package bug

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/atomvet/atomvet/testdata/kernels/geth-08-ancient-two-tables/bug/store"
)

// Hash identifies a block.
type Hash [32]byte

// Writer is what block import needs from the database.
type Writer interface {
	Put(key, value []byte)
}

// Archive moves blocks to the freezer.
type Archive interface {
	Freeze(number uint64, hash, key []byte) error
}

func bodyKey(number uint64, hash Hash) []byte {
	return append(binary.BigEndian.AppendUint64([]byte{'b'}, number), hash[:]...)
}

// WriteBody stores the body of a new block and returns the hash of the block.
func WriteBody(db Writer, number uint64, body []byte) Hash {
	hash := Hash(sha256.Sum256(body))
	db.Put(bodyKey(number, hash), body)
	return hash
}

// ReadBody returns the body of the block with the given number and hash, or nil.
func ReadBody(db store.Reader, hash Hash, number uint64) []byte {
	// The freezer only has the main chain, so the hash must match.
	data, _ := db.Ancient(store.Bodies, number)
	if len(data) > 0 {
		h, _ := db.Ancient(store.Hashes, number)
		if bytes.Equal(h, hash[:]) {
			return data
		}
	}
	// Not frozen, so it should be in the key-value store.
	data, _ = db.Get(bodyKey(number, hash))
	if len(data) > 0 {
		return data
	}
	// It may have moved to the freezer since the first look.
	data, _ = db.Ancient(store.Bodies, number)
	if len(data) > 0 {
		h, _ := db.Ancient(store.Hashes, number)
		if bytes.Equal(h, hash[:]) {
			return data
		}
	}
	return nil
}

// ReadAncientHash returns the hash of a frozen block.
func ReadAncientHash(db store.AncientReader, number uint64) (hash Hash, ok bool) {
	h, err := db.Ancient(store.Hashes, number)
	if err != nil {
		return Hash{}, false
	}
	copy(hash[:], h)
	return hash, true
}

// FreezeBlock moves a block of the main chain to the freezer.
func FreezeBlock(db Archive, number uint64, hash Hash) error {
	return db.Freeze(number, hash[:], bodyKey(number, hash))
}
