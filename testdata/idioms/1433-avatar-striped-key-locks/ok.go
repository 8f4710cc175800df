package a

import (
	"context"
	"hash/maphash"
	"log"
	"net/http"
	"sync"
)

// Origin is the slow store of the profile pictures.
type Origin interface {
	Load(ctx context.Context, user string) ([]byte, error)
	Save(ctx context.Context, user string, pic []byte) error
}

type stripes struct {
	seed  maphash.Seed
	locks [64]sync.Mutex
}

func (s *stripes) of(key string) *sync.Mutex {
	return &s.locks[maphash.String(s.seed, key)%uint64(len(s.locks))]
}

// Avatars caches profile pictures. The stripe lock of a user is held for
// every operation on that user; mu only guards the map itself.
type Avatars struct {
	origin Origin
	keys   stripes

	mu   sync.RWMutex
	pics map[string][]byte
}

func NewAvatars(o Origin) *Avatars {
	return &Avatars{
		origin: o,
		keys:   stripes{seed: maphash.MakeSeed()},
		pics:   make(map[string][]byte),
	}
}

func (a *Avatars) lookup(user string) ([]byte, bool) {
	a.mu.RLock()
	defer a.mu.RUnlock()
	p, ok := a.pics[user]
	return p, ok
}

func (a *Avatars) keep(user string, pic []byte) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pics[user] = pic
}

func (a *Avatars) drop(user string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.pics, user)
}

// Get returns the picture of a user and loads it at most once.
func (a *Avatars) Get(ctx context.Context, user string) ([]byte, error) {
	l := a.keys.of(user)
	l.Lock()
	defer l.Unlock()
	if p, ok := a.lookup(user); ok {
		return p, nil
	}
	p, err := a.origin.Load(ctx, user)
	if err != nil {
		return nil, err
	}
	a.keep(user, p)
	return p, nil
}

// Set replaces the picture of a user.
func (a *Avatars) Set(ctx context.Context, user string, pic []byte) error {
	l := a.keys.of(user)
	l.Lock()
	defer l.Unlock()
	a.drop(user)
	if err := a.origin.Save(ctx, user, pic); err != nil {
		return err
	}
	a.keep(user, pic)
	return nil
}

// Forget removes a user's picture from the cache.
func (a *Avatars) Forget(user string) {
	l := a.keys.of(user)
	l.Lock()
	defer l.Unlock()
	if _, ok := a.lookup(user); ok {
		a.drop(user)
		log.Printf("avatar of %s dropped", user)
	}
}

func (a *Avatars) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := a.Get(r.Context(), r.FormValue("user"))
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	w.Header().Set("Content-Type", "image/png")
	w.Write(p)
}

// Follow drops the pictures of deleted accounts.
func (a *Avatars) Follow(deleted <-chan string) {
	for user := range deleted {
		go a.Forget(user)
	}
}
