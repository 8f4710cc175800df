package envelope

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"sync"
	"sync/atomic"
)

var ErrUnknownKey = errors.New("envelope: unknown key")

var (
	activeID   atomic.Uint32
	activeAEAD atomic.Value
	history    sync.Map
	rotateMu   sync.Mutex
)

// Rotate installs a new active key; older keys stay usable for Open.
func Rotate(raw []byte) (uint32, error) {
	block, err := aes.NewCipher(raw)
	if err != nil {
		return 0, err
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		return 0, err
	}
	rotateMu.Lock()
	defer rotateMu.Unlock()
	id := activeID.Load() + 1
	history.Store(id, aead)
	activeAEAD.Store(&aead)
	activeID.Store(id)
	return id, nil
}
