package upload

import (
	"crypto/sha256"
	"sync"
)

type digest [sha256.Size]byte

// blobs holds contents by their digest.
type blobs struct {
	mu   sync.RWMutex
	data map[digest][]byte
}

func (b *blobs) put(d digest, data []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, ok := b.data[d]; !ok {
		b.data[d] = data
	}
}

func (b *blobs) get(d digest) ([]byte, bool) {
	b.mu.RLock()
	defer b.mu.RUnlock()
	data, ok := b.data[d]
	return data, ok
}

// names maps file names to digests.
type names struct {
	sync.RWMutex
	m map[string]digest
}

func (n *names) set(name string, d digest) {
	n.Lock()
	n.m[name] = d
	n.Unlock()
}

func (n *names) lookup(name string) (digest, bool) {
	n.RLock()
	defer n.RUnlock()
	d, ok := n.m[name]
	return d, ok
}
