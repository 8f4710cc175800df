package a

import "sync"

type keyLock struct {
	mu   sync.Mutex
	refs int
}

type keyLocks struct {
	mu sync.Mutex
	m  map[string]*keyLock
}

func (k *keyLocks) with(key string, fn func()) {
	l := k.ref(key)
	l.mu.Lock()
	defer func() {
		l.mu.Unlock()
		k.unref(key, l)
	}()
	fn()
}

func (k *keyLocks) ref(key string) *keyLock {
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.m[key]
	if l == nil {
		l = &keyLock{}
		k.m[key] = l
	}
	l.refs++
	return l
}

func (k *keyLocks) unref(key string, l *keyLock) {
	k.mu.Lock()
	defer k.mu.Unlock()
	l.refs--
	if l.refs == 0 {
		delete(k.m, key)
	}
}

// SeedBank counts the seeds of each variety.
type SeedBank struct {
	keys keyLocks

	mu    sync.RWMutex
	seeds map[string]int
}

func NewSeedBank() *SeedBank {
	return &SeedBank{keys: keyLocks{m: make(map[string]*keyLock)}, seeds: make(map[string]int)}
}

// Count tells how many seeds of the variety there are.
func (b *SeedBank) Count(variety string) int {
	b.mu.RLock()
	defer b.mu.RUnlock()
	return b.seeds[variety]
}

func (b *SeedBank) setCount(variety string, n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seeds[variety] = n
}

// Deposit adds seeds.
func (b *SeedBank) Deposit(variety string, n int) {
	b.keys.with(variety, func() {
		b.setCount(variety, b.Count(variety)+n)
	})
}

// Withdraw takes n seeds if at least keep of them remain.
func (b *SeedBank) Withdraw(variety string, n, keep int) (ok bool) {
	b.keys.with(variety, func() {
		have := b.Count(variety)
		if have-n < keep {
			return
		}
		b.setCount(variety, have-n)
		ok = true
	})
	return ok
}
