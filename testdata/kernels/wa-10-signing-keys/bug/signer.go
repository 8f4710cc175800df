// Package signer signs tokens with keys that are rotated while it works.
package signer

import (
	"crypto/hmac"
	"crypto/sha256"
	"maps"
	"sync"
)

// KeySet is a set of keys and the one to sign with, which is in the set.
type KeySet struct {
	Current string
	Keys    map[string][]byte
}

type Request struct {
	Payload []byte
	Reply   chan<- Signed
}

type Signed struct {
	KeyID string
	MAC   []byte
}

// Start answers the requests with n goroutines until reqs is closed, and
// follows the rotations.
func Start(first KeySet, rotations <-chan KeySet, reqs <-chan Request, n int) *sync.WaitGroup {
	var (
		mu   sync.RWMutex
		wg   sync.WaitGroup
		cur  = first.Current
		keys = maps.Clone(first.Keys)
	)
	signWith := func(id string) {
		mu.Lock()
		defer mu.Unlock()
		cur = id
	}
	install := func(set map[string][]byte) {
		mu.Lock()
		defer mu.Unlock()
		keys = set
	}
	go func() {
		for set := range rotations {
			signWith(set.Current)
			install(maps.Clone(set.Keys))
		}
	}()
	wg.Add(n)
	for range n {
		go func() {
			defer wg.Done()
			for r := range reqs {
				mu.RLock()
				id, key := cur, keys[cur]
				mu.RUnlock()
				mac := hmac.New(sha256.New, key)
				mac.Write(r.Payload)
				r.Reply <- Signed{KeyID: id, MAC: mac.Sum(nil)}
			}
		}()
	}
	return &wg
}
