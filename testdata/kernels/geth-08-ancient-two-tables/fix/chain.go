package fix

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"

	"github.com/atomvet/atomvet/testdata/kernels/geth-08-ancient-two-tables/fix/store"
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
	var data []byte
	_ = db.ReadAncients(func(r store.AncientReader) error {
		// The freezer only has the main chain, so the hash must match.
		if isFrozen(r, hash, number) {
			data, _ = r.Ancient(store.Bodies, number)
			return nil
		}
		// Not frozen, so it should be in the key-value store.
		data, _ = db.Get(bodyKey(number, hash))
		return nil
	})
	return data
}

func isFrozen(r store.AncientReader, hash Hash, number uint64) bool {
	h, err := r.Ancient(store.Hashes, number)
	return err == nil && bytes.Equal(h, hash[:])
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
