package a

import "sync"

// KeyMutex is used to serialize operations per key.
type KeyMutex struct {
	mu    sync.Mutex
	locks map[string]*klock
}

type klock struct {
	sync.Mutex
	ref int
}

func newKeyMutex() *KeyMutex { return &KeyMutex{locks: make(map[string]*klock)} }

func (km *KeyMutex) lock(key string) {
	km.mu.Lock()
	l, ok := km.locks[key]
	if !ok {
		l = &klock{}
		km.locks[key] = l
	}
	l.ref++
	km.mu.Unlock()

	l.Lock()
}

func (km *KeyMutex) unlock(key string) {
	km.mu.Lock()
	defer km.mu.Unlock()
	l, ok := km.locks[key]
	if !ok {
		panic("kmutex: unlock of unlocked key " + key)
	}
	l.Unlock()
	l.ref--
	if l.ref == 0 {
		delete(km.locks, key)
	}
}

// Unpacker prepares every layer once.
type Unpacker struct {
	km      *KeyMutex
	mu      sync.RWMutex
	unpacks map[string]string
	prepare func(chainID string) (string, error)
}

func NewUnpacker(prepare func(string) (string, error)) *Unpacker {
	return &Unpacker{km: newKeyMutex(), unpacks: make(map[string]string), prepare: prepare}
}

func (u *Unpacker) Snapshot(chainID string) (string, bool) {
	u.mu.RLock()
	defer u.mu.RUnlock()
	s, ok := u.unpacks[chainID]
	return s, ok
}

// Unpack returns the snapshot of a chain, and prepares it if there is none.
func (u *Unpacker) Unpack(chainID string) (string, error) {
	u.km.lock(chainID)
	defer u.km.unlock(chainID)

	if s, ok := u.Snapshot(chainID); ok {
		return s, nil
	}
	s, err := u.prepare(chainID)
	if err != nil {
		return "", err
	}
	u.mu.Lock()
	u.unpacks[chainID] = s
	u.mu.Unlock()
	return s, nil
}

// Remove forgets the snapshot of a chain.
func (u *Unpacker) Remove(chainID string) {
	u.km.lock(chainID)
	defer u.km.unlock(chainID)
	u.mu.Lock()
	delete(u.unpacks, chainID)
	u.mu.Unlock()
}
