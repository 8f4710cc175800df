package envelope

import (
	"crypto/cipher"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
)

// Seal encrypts plain under the active key and prepends the key's id.
func Seal(plain []byte) ([]byte, error) {
	id := activeID.Load()
	if id == 0 {
		return nil, ErrUnknownKey
	}
	aead := *activeAEAD.Load().(*cipher.AEAD)
	nonce := make([]byte, aead.NonceSize())
	if _, err := rand.Read(nonce); err != nil {
		return nil, fmt.Errorf("envelope: nonce: %w", err)
	}
	out := binary.BigEndian.AppendUint32(nil, id)
	out = append(out, nonce...)
	return aead.Seal(out, nonce, plain, nil), nil
}

// Open decrypts what Seal returned.
func Open(box []byte) ([]byte, error) {
	if len(box) < 4 {
		return nil, ErrUnknownKey
	}
	v, ok := history.Load(binary.BigEndian.Uint32(box))
	if !ok {
		return nil, ErrUnknownKey
	}
	aead := v.(cipher.AEAD)
	box = box[4:]
	if len(box) < aead.NonceSize() {
		return nil, errors.New("envelope: short box")
	}
	return aead.Open(nil, box[:aead.NonceSize()], box[aead.NonceSize():], nil)
}
