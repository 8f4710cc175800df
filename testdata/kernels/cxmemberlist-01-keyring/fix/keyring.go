// Package fix holds the encryption keys of the gossip protocol.
package fix

import (
	"bytes"
	"errors"
	"fmt"
	"sync"
)

// Keyring is the ring of encryption keys; the first one is the primary key.
type Keyring struct {
	// Keys stores the key data used during encryption and decryption. It is
	// ordered in such a way where the first key (index 0) is the primary key.
	keys [][]byte

	// The keyring lock is used while performing IO operations on the keyring.
	l sync.Mutex
}

// NewKeyring constructs a new container for a set of encryption keys.
func NewKeyring(keys [][]byte, primaryKey []byte) (*Keyring, error) {
	keyring := &Keyring{}
	if len(keys) > 0 || len(primaryKey) > 0 {
		if len(primaryKey) == 0 {
			return nil, errors.New("empty primary key not allowed")
		}
		if err := keyring.AddKey(primaryKey); err != nil {
			return nil, err
		}
		for _, key := range keys {
			if err := keyring.AddKey(key); err != nil {
				return nil, err
			}
		}
	}
	return keyring, nil
}

// ValidateKey will check to see if the key is valid and returns an error if not.
func ValidateKey(key []byte) error {
	if l := len(key); l != 16 && l != 24 && l != 32 {
		return fmt.Errorf("key size must be 16, 24 or 32 bytes")
	}
	return nil
}

// AddKey will install a new key on the ring. Adding a key to the ring will make
// it available for use in decryption. If the key already exists on the ring,
// this function will just return noop.
func (k *Keyring) AddKey(key []byte) error {
	if err := ValidateKey(key); err != nil {
		return err
	}

	k.l.Lock()
	defer k.l.Unlock()

	// No-op if key is already installed
	for _, installedKey := range k.keys {
		if bytes.Equal(installedKey, key) {
			return nil
		}
	}

	keys := append(k.keys[:len(k.keys):len(k.keys)], key)
	primaryKey := k.getPrimaryKeyLocked()
	if primaryKey == nil {
		primaryKey = key
	}
	k.installKeysLocked(keys, primaryKey)
	return nil
}

// UseKey changes the key used to encrypt messages. This is the only key used to
// encrypt messages, so peers should know this key before this method is called.
func (k *Keyring) UseKey(key []byte) error {
	k.l.Lock()
	defer k.l.Unlock()
	for _, installedKey := range k.keys {
		if bytes.Equal(key, installedKey) {
			k.installKeysLocked(k.keys, key)
			return nil
		}
	}
	return fmt.Errorf("requested key is not in the keyring")
}

// RemoveKey drops a key from the keyring. This will return an error if the key
// requested for removal is currently at position 0 (primary key).
func (k *Keyring) RemoveKey(key []byte) error {
	k.l.Lock()
	defer k.l.Unlock()

	installed := k.keys
	if len(installed) == 0 {
		return nil
	}
	if bytes.Equal(key, installed[0]) {
		return fmt.Errorf("removing the primary key is not allowed")
	}
	var keys [][]byte
	for _, installedKey := range installed {
		if !bytes.Equal(key, installedKey) {
			keys = append(keys, installedKey)
		}
	}
	k.installKeysLocked(keys, installed[0])
	return nil
}

// installKeysLocked replaces the keys with a new set of keys. The key indicated
// by primaryKey will be installed as the new primary key. The lock must be held.
func (k *Keyring) installKeysLocked(keys [][]byte, primaryKey []byte) {
	newKeys := [][]byte{primaryKey}
	for _, key := range keys {
		if !bytes.Equal(key, primaryKey) {
			newKeys = append(newKeys, key)
		}
	}
	k.keys = newKeys
}

// GetKeys returns the current set of keys on the ring. The slice is never
// changed in place.
func (k *Keyring) GetKeys() [][]byte {
	k.l.Lock()
	defer k.l.Unlock()

	return k.keys
}

// GetPrimaryKey returns the key on the ring at position 0. This is the key used
// for encrypting messages, and is the first key tried for decrypting messages.
func (k *Keyring) GetPrimaryKey() (key []byte) {
	k.l.Lock()
	defer k.l.Unlock()

	return k.getPrimaryKeyLocked()
}

func (k *Keyring) getPrimaryKeyLocked() (key []byte) {
	if len(k.keys) > 0 {
		key = k.keys[0]
	}
	return
}
