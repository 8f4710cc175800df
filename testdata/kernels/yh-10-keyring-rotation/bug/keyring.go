// Package keyring encrypts secrets at rest. Keys are numbered; new secrets are
// sealed with the active key, old ones stay readable with theirs.
package keyring

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

var (
	ErrUnknownKey = errors.New("keyring: unknown key")
	ErrTruncated  = errors.New("keyring: truncated ciphertext")
)

// Vault keeps the wrapped keys on stable storage.
type Vault interface {
	Load(ctx context.Context) (map[uint32][]byte, error)
	Save(ctx context.Context, id uint32, key []byte) error
}

// Keyring is safe for concurrent use.
type Keyring struct {
	vault    Vault
	rotating sync.Mutex
	active   atomic.Uint32

	mu   sync.RWMutex
	keys map[uint32]cipher.AEAD // grows only
}

// Open loads all keys, and makes the first one if there is none.
func Open(ctx context.Context, v Vault) (*Keyring, error) {
	raw, err := v.Load(ctx)
	if err != nil {
		return nil, err
	}
	k := &Keyring{vault: v, keys: make(map[uint32]cipher.AEAD)}
	for id, key := range raw {
		aead, err := newAEAD(key)
		if err != nil {
			return nil, fmt.Errorf("keyring: key %d: %w", id, err)
		}
		k.keys[id] = aead
		k.active.Store(max(k.active.Load(), id))
	}
	if len(raw) == 0 {
		if err := k.Rotate(ctx); err != nil {
			return nil, err
		}
	}
	return k, nil
}

func newAEAD(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCM(block)
}

// RotateEvery rotates in the background until ctx is done.
func (k *Keyring) RotateEvery(ctx context.Context, every time.Duration) {
	go func() {
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := k.Rotate(ctx); err != nil {
					slog.Error("keyring: rotation failed", "err", err)
				}
			}
		}
	}()
}

// Rotate makes a new key and seals with it from now on.
func (k *Keyring) Rotate(ctx context.Context) error {
	k.rotating.Lock()
	defer k.rotating.Unlock()

	raw := make([]byte, 32)
	rand.Read(raw)
	aead, err := newAEAD(raw)
	if err != nil {
		return err
	}
	prev := k.active.Load()
	k.active.Store(prev + 1)
	if err := k.vault.Save(ctx, prev+1, raw); err != nil {
		k.active.Store(prev)
		return fmt.Errorf("keyring: save key: %w", err)
	}
	k.install(prev+1, aead)
	return nil
}

func (k *Keyring) install(id uint32, aead cipher.AEAD) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.keys[id] = aead
}

func (k *Keyring) key(id uint32) cipher.AEAD {
	k.mu.RLock()
	defer k.mu.RUnlock()
	return k.keys[id]
}

// Seal encrypts a secret with the active key.
func (k *Keyring) Seal(plain []byte) []byte {
	id := k.active.Load()
	aead := k.key(id)
	out := binary.BigEndian.AppendUint32(nil, id)
	nonce := make([]byte, aead.NonceSize())
	rand.Read(nonce)
	out = append(out, nonce...)
	return aead.Seal(out, nonce, plain, out[:4])
}

// Unseal decrypts what Seal has made.
func (k *Keyring) Unseal(sealed []byte) ([]byte, error) {
	if len(sealed) < 4 {
		return nil, ErrTruncated
	}
	aead := k.key(binary.BigEndian.Uint32(sealed))
	if aead == nil {
		return nil, ErrUnknownKey
	}
	body := sealed[4:]
	if len(body) < aead.NonceSize() {
		return nil, ErrTruncated
	}
	return aead.Open(nil, body[:aead.NonceSize()], body[aead.NonceSize():], sealed[:4])
}
