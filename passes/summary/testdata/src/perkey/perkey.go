// Package perkey has a lock for each key. // want package:"summary"
package perkey

import (
	"context"
	"sync"
)

// keyed keeps a mutex for each key.
type keyed struct {
	mu    sync.Mutex
	locks map[string]*sync.Mutex
}

func (k *keyed) get(key string) *sync.Mutex { // want `result 0 .*is p0.locks\[p1\]$`
	k.mu.Lock()
	defer k.mu.Unlock()
	l := k.locks[key]
	if l == nil {
		l = new(sync.Mutex)
		k.locks[key] = l
	}
	return l
}

func (k *keyed) Lock(key string) { k.get(key).Lock() } // want `: acquire p0.locks\[p1\] exclusive; `

func (k *keyed) Unlock(key string) { k.get(key).Unlock() } // want `: release p0.locks\[p1\] exclusive; `

// lock returns the function that unlocks.
func (k *keyed) lock(key string) func() { // want `: acquire p0.locks\[p1\] exclusive; `
	l := k.get(key)
	l.Lock()
	return func() { l.Unlock() } // want `: release f0 exclusive`
}

// lockMethod returns a method that unlocks.
func (k *keyed) lockMethod(key string) func() { // want `: acquire p0.locks\[p1\] exclusive; `
	l := k.get(key)
	l.Lock()
	return l.Unlock
}

// locker is known by its methods only.
type locker interface {
	Lock(ctx context.Context, key string) error
	Unlock(key string)
}

type Store struct {
	keys   keyed
	remote locker
	vals   map[string]int
}

func (s *Store) Inc(key string) { // want `: region 0 .*; region 1 p0.keys.locks\[p1\] exclusive; .*write Store.vals\[p1\] of p0 in 1 `
	s.keys.Lock(key)
	s.vals[key]++
	s.keys.Unlock(key)
}

func (s *Store) IncDeferred(key string) { // want `: region 0 .*; region 1 p0.keys.locks\[p1\] exclusive; .*write Store.vals\[p1\] of p0 in 1 `
	s.keys.Lock(key)
	defer s.keys.Unlock(key)
	s.vals[key]++
}

func (s *Store) IncFunc(key string) { // want `: region 0 .*; region 1 p0.keys.locks\[p1\] exclusive; .*write Store.vals\[p1\] of p0 in 1 `
	unlock := s.keys.lock(key)
	s.vals[key]++
	unlock()
}

func (s *Store) IncFuncDeferred(key string) { // want `: region 0 .*; region 1 p0.keys.locks\[p1\] exclusive; .*write Store.vals\[p1\] of p0 in 1 `
	defer s.keys.lock(key)()
	s.vals[key]++
}

// known: a method of a lock that is used as a value does nothing
func (s *Store) IncMethod(key string) { // want `: region 0 .*; region 1 p0.keys.locks\[p1\] exclusive; .*write Store.vals\[p1\] of p0 in 1 `
	unlock := s.keys.lockMethod(key)
	defer unlock()
	s.vals[key]++
}

func (s *Store) IncRemote(ctx context.Context, key string) error { // want `: region 0 p0.remote\[p2\] exclusive; 0 write Store.vals\[p2\] of p0 in 0 `
	if err := s.remote.Lock(ctx, key); err != nil {
		return err
	}
	defer s.remote.Unlock(key)
	s.vals[key]++
	return nil
}

// Copy reads under one lock and writes under another.
func (s *Store) Copy(a, b string) { // want `region 0 p0.remote\[p2\] exclusive; region 1 p0.remote\[p1\] exclusive; 0 write Store.vals\[p2\] of p0 in 0 .*; . read Store.vals\[p1\] of p0 in 1`
	if s.remote.Lock(nil, a) != nil {
		return
	}
	n := s.vals[a]
	s.remote.Unlock(a)
	if s.remote.Lock(nil, b) != nil {
		return
	}
	s.vals[b] = n
	s.remote.Unlock(b)
}
