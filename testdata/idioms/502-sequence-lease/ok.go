// Package ok hands out unique numbers from leases kept in a store.
package ok

import (
	"encoding/binary"
	"errors"
	"sync"
)

var errNoKey = errors.New("key not found")

// KV is a store whose Update runs one function at a time.
type KV struct {
	mu     sync.RWMutex
	data   map[string][]byte
	closed bool
}

// NewKV returns an empty store.
func NewKV() *KV { return &KV{data: make(map[string][]byte)} }

// Update runs fn while no other change can happen.
func (kv *KV) Update(fn func(t *Tx) error) error {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	if kv.closed {
		return errors.New("store is closed")
	}
	return fn(&Tx{kv})
}

// Get reads one key.
func (kv *KV) Get(key string) ([]byte, error) {
	kv.mu.RLock()
	defer kv.mu.RUnlock()
	return (&Tx{kv}).get(key)
}

// Close ends the use of the store.
func (kv *KV) Close() {
	kv.mu.Lock()
	defer kv.mu.Unlock()
	kv.closed = true
}

// Tx is valid inside of Update.
type Tx struct{ kv *KV }

func (t *Tx) get(key string) ([]byte, error) {
	v, ok := t.kv.data[key]
	if !ok {
		return nil, errNoKey
	}
	return v, nil
}

func (t *Tx) set(key string, v []byte) { t.kv.data[key] = v }

// Sequence hands out numbers; several may share a key.
type Sequence struct {
	mu        sync.Mutex
	kv        *KV
	key       string
	next      uint64
	leased    uint64
	bandwidth uint64
}

// NewSequence returns a sequence with a first lease.
func NewSequence(kv *KV, key string, bandwidth uint64) (*Sequence, error) {
	if bandwidth == 0 {
		return nil, errors.New("bandwidth must not be zero")
	}
	s := &Sequence{kv: kv, key: key, bandwidth: bandwidth}
	err := s.extend()
	return s, err
}

// Next returns the next number.
func (s *Sequence) Next() (uint64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next >= s.leased {
		if err := s.extend(); err != nil {
			return 0, err
		}
	}
	v := s.next
	s.next++
	return v, nil
}

// Release gives the rest of the lease back if nobody has leased behind it.
func (s *Sequence) Release() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	err := s.kv.Update(func(t *Tx) error {
		v, err := t.get(s.key)
		if err != nil {
			return err
		}
		if binary.BigEndian.Uint64(v) == s.leased {
			var b [8]byte
			binary.BigEndian.PutUint64(b[:], s.next)
			t.set(s.key, b[:])
		}
		return nil
	})
	if err != nil {
		return err
	}
	s.leased = s.next
	return nil
}

func (s *Sequence) extend() error {
	return s.kv.Update(func(t *Tx) error {
		v, err := t.get(s.key)
		switch {
		case err == errNoKey:
			s.next = 0
		case err != nil:
			return err
		default:
			s.next = binary.BigEndian.Uint64(v)
		}
		lease := s.next + s.bandwidth
		var b [8]byte
		binary.BigEndian.PutUint64(b[:], lease)
		t.set(s.key, b[:])
		s.leased = lease
		return nil
	})
}
