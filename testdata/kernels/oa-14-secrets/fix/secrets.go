// Package secrets signs session tokens with a key which an agent rotates.
package secrets

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"log"
	"sync"
	"sync/atomic"
	"time"
)

// Errors of signing and checking.
var (
	ErrNoKey  = errors.New("secrets: no such key")
	ErrBadSig = errors.New("secrets: bad signature")
)

// Key is one generation of the secret.
type Key struct {
	ID      uint64
	Secret  []byte
	Created time.Time
}

var (
	current atomic.Uint64
	ring    sync.Map // uint64 -> *Key

	rotateMu sync.Mutex
	lastID   uint64

	uses sync.Map // uint64 -> *atomic.Int64
)

// Vault stores keys outside of the process.
type Vault interface {
	Save(ctx context.Context, k *Key) error
	Load(ctx context.Context) ([]*Key, error)
}

func install(k *Key) {
	ring.Store(k.ID, k)
	current.Store(k.ID)
}

func counter(id uint64) *atomic.Int64 {
	if c, ok := uses.Load(id); ok {
		return c.(*atomic.Int64)
	}
	c, _ := uses.LoadOrStore(id, new(atomic.Int64))
	return c.(*atomic.Int64)
}

func lookup(id uint64) (*Key, error) {
	k, ok := ring.Load(id)
	if !ok {
		return nil, fmt.Errorf("%w: %d", ErrNoKey, id)
	}
	return k.(*Key), nil
}

// Rotate makes a new key and signs with it from now on.
func Rotate(ctx context.Context, v Vault) (uint64, error) {
	secret := make([]byte, 32)
	if _, err := rand.Read(secret); err != nil {
		return 0, err
	}
	rotateMu.Lock()
	defer rotateMu.Unlock()
	k := &Key{ID: lastID + 1, Secret: secret, Created: time.Now()}
	if err := v.Save(ctx, k); err != nil {
		return 0, fmt.Errorf("secrets: save key %d: %w", k.ID, err)
	}
	lastID = k.ID
	install(k)
	return k.ID, nil
}

// Restore loads the keys of an earlier process.
func Restore(ctx context.Context, v Vault) error {
	keys, err := v.Load(ctx)
	if err != nil {
		return err
	}
	rotateMu.Lock()
	defer rotateMu.Unlock()
	for _, k := range keys {
		if k.ID > lastID {
			lastID = k.ID
		}
		ring.Store(k.ID, k)
	}
	current.Store(lastID)
	return nil
}

// Prune forgets keys which are older than max, but never the newest.
func Prune(max time.Duration) (n int) {
	rotateMu.Lock()
	defer rotateMu.Unlock()
	limit := time.Now().Add(-max)
	ring.Range(func(id, v any) bool {
		if id.(uint64) != lastID && v.(*Key).Created.Before(limit) {
			ring.Delete(id)
			uses.Delete(id)
			n++
		}
		return true
	})
	return n
}

func mac(k *Key, msg []byte) []byte {
	h := hmac.New(sha256.New, k.Secret)
	h.Write(msg)
	return h.Sum(nil)
}

// Sign signs msg and returns the key it was done with.
func Sign(msg []byte) (uint64, []byte, error) {
	for {
		id := current.Load()
		k, err := lookup(id)
		if err == nil {
			counter(id).Add(1)
			return id, mac(k, msg), nil
		}
		if id == current.Load() {
			return 0, nil, err
		}
	}
}

// Verify checks a signature of any key which is still known.
func Verify(id uint64, msg, sig []byte) error {
	k, err := lookup(id)
	if err != nil {
		return err
	}
	if !hmac.Equal(sig, mac(k, msg)) {
		return ErrBadSig
	}
	return nil
}

// Uses returns how often a key signed, roughly.
func Uses(id uint64) int64 { return counter(id).Load() }

// Agent rotates until ctx is done.
func Agent(ctx context.Context, v Vault, every, keep time.Duration) {
	t := time.NewTicker(every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			if id, err := Rotate(ctx, v); err != nil {
				log.Printf("secrets: rotate: %v", err)
			} else {
				log.Printf("secrets: key %d, %d old ones dropped", id, Prune(keep))
			}
		}
	}
}
