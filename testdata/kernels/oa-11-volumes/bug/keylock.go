package volumes

import "sync"

// keyLock is a mutex for each key; entries go away when nobody wants them.
type keyLock struct {
	mu sync.Mutex
	m  map[string]*keyEntry
}

type keyEntry struct {
	mu   sync.Mutex
	want int
}

// Lock locks key and returns how to unlock it.
func (k *keyLock) Lock(key string) func() {
	k.mu.Lock()
	if k.m == nil {
		k.m = make(map[string]*keyEntry)
	}
	e, ok := k.m[key]
	if !ok {
		e = &keyEntry{}
		k.m[key] = e
	}
	e.want++
	k.mu.Unlock()

	e.mu.Lock()
	return func() {
		e.mu.Unlock()
		k.mu.Lock()
		defer k.mu.Unlock()
		if e.want--; e.want == 0 {
			delete(k.m, key)
		}
	}
}
