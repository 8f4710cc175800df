package a

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"sync"
	"sync/atomic"
)

// Key protects the session tickets of one epoch.
type Key [sha256.Size]byte

// KeyRing derives ticket keys from a master secret which all front ends share,
// so every one of them arrives at the same keys.
type KeyRing struct {
	master []byte
	keep   uint64

	epoch   atomic.Uint64
	keys    sync.Map // epoch -> Key
	derived atomic.Int64
	cached  atomic.Int64
}

func NewKeyRing(master []byte, keep uint64) *KeyRing {
	r := &KeyRing{keep: keep}
	r.master = append(r.master, master...)
	return r
}

// Advance takes note of an epoch seen in a peer's announcement; the epoch never
// goes back.
func (r *KeyRing) Advance(epoch uint64) {
	for {
		cur := r.epoch.Load()
		if epoch <= cur {
			return
		}
		if r.epoch.CompareAndSwap(cur, epoch) {
			break
		}
	}
	r.prune()
}

func (r *KeyRing) prune() {
	cur := r.epoch.Load()
	if cur <= r.keep {
		return
	}
	r.keys.Range(func(k, _ any) bool {
		if k.(uint64) < cur-r.keep {
			r.keys.Delete(k)
		}
		return true
	})
}

// key returns the key of any epoch; the map only saves the derivation.
func (r *KeyRing) key(epoch uint64) Key {
	if v, ok := r.keys.Load(epoch); ok {
		r.cached.Add(1)
		return v.(Key)
	}
	var k Key
	mac := hmac.New(sha256.New, r.master)
	mac.Write(binary.BigEndian.AppendUint64(nil, epoch))
	mac.Sum(k[:0])
	r.derived.Add(1)
	r.keys.Store(epoch, k)
	return k
}

// Seal returns the epoch for a new ticket and its key.
func (r *KeyRing) Seal() (uint64, Key) {
	epoch := r.epoch.Load()
	return epoch, r.key(epoch)
}

// Open returns the key for a ticket of an epoch which is still accepted.
func (r *KeyRing) Open(epoch uint64) (Key, bool) {
	cur := r.epoch.Load()
	if epoch > cur || cur-epoch > r.keep {
		return Key{}, false
	}
	return r.key(epoch), true
}

// HitRate is the share of keys which needed no derivation.
func (r *KeyRing) HitRate() float64 {
	d, c := r.derived.Load(), r.cached.Load()
	if d+c == 0 {
		return 0
	}
	return float64(c) / float64(d+c)
}
