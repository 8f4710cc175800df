package ok

import (
	"errors"
	"strconv"
	"sync"
)

var ErrAlreadyExists = errors.New("already exists")

// KeyedLocker is a set of mutexes, one for each key in use.
type KeyedLocker struct {
	mu    sync.Mutex
	locks map[string]*klock
}

type klock struct {
	mu  sync.Mutex
	ref int
}

func (km *KeyedLocker) Lock(key string) {
	km.mu.Lock()
	l, ok := km.locks[key]
	if !ok {
		l = &klock{}
		km.locks[key] = l
	}
	l.ref++
	km.mu.Unlock()
	l.mu.Lock()
}

func (km *KeyedLocker) Unlock(key string) {
	km.mu.Lock()
	defer km.mu.Unlock()
	l := km.locks[key]
	l.mu.Unlock()
	l.ref--
	if l.ref == 0 {
		delete(km.locks, key)
	}
}

type mountBucket struct {
	id     uint64
	active string // the mount point, empty while the activation runs
}

// boltDB gives transactions over all the buckets.
type boltDB struct {
	mu      sync.Mutex
	seq     uint64
	buckets map[string]*mountBucket
}

func (db *boltDB) Update(fn func() error) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	return fn()
}

type handler interface {
	Mount(target string) error
	Unmount(target string) error
}

type mountManager struct {
	db       *boltDB
	handler  handler
	activate KeyedLocker
}

func NewManager(h handler) *mountManager {
	return &mountManager{
		db:       &boltDB{buckets: make(map[string]*mountBucket)},
		handler:  h,
		activate: KeyedLocker{locks: make(map[string]*klock)},
	}
}

func (mm *mountManager) Activate(name string) (string, error) {
	// Serialize concurrent activations of the same name to prevent a racing
	// Activate from misidentifying an in-progress activation as a stale
	// record and destroying it.
	mm.activate.Lock(name)
	defer mm.activate.Unlock(name)

	var mid, staleMID uint64
	if err := mm.db.Update(func() error {
		if b := mm.db.buckets[name]; b != nil {
			if b.active != "" {
				return ErrAlreadyExists
			}
			// Never fully activated, the process crashed meanwhile.
			staleMID = b.id
		}
		mm.db.seq++
		mid = mm.db.seq
		mm.db.buckets[name] = &mountBucket{id: mid}
		return nil
	}); err != nil {
		return "", err
	}

	if staleMID != 0 {
		_ = mm.handler.Unmount(strconv.FormatUint(staleMID, 10))
	}
	target := strconv.FormatUint(mid, 10)
	if err := mm.handler.Mount(target); err != nil {
		_ = mm.db.Update(func() error {
			delete(mm.db.buckets, name)
			return nil
		})
		return "", err
	}
	// Everything is mounted, store the mount point.
	return target, mm.db.Update(func() error {
		mm.db.buckets[name].active = target
		return nil
	})
}

func (mm *mountManager) Deactivate(name string) error {
	mm.activate.Lock(name)
	defer mm.activate.Unlock(name)

	var target string
	_ = mm.db.Update(func() error {
		if b := mm.db.buckets[name]; b != nil {
			target = b.active
			delete(mm.db.buckets, name)
		}
		return nil
	})
	if target == "" {
		return nil
	}
	return mm.handler.Unmount(target)
}
