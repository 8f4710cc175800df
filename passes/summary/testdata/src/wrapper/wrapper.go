// Package wrapper takes locks through methods and functions of its own. // want package:"summary"
package wrapper

import "sync"

type S struct {
	mu   sync.Mutex
	rw   sync.RWMutex
	n    int
	open bool
}

func (s *S) lock() { s.mu.Lock() } // want `: acquire p0.mu exclusive$`

func (s *S) unlock() { s.mu.Unlock() } // want `: release p0.mu exclusive; entered with p0.mu exclusive$`

func (s *S) rlock() { s.rw.RLock() } // want `: acquire p0.rw shared$`

func (s *S) runlock() { s.rw.RUnlock() } // want `: release p0.rw shared;`

func (s *S) Add(n int) { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.lock()
	defer s.unlock()
	s.n += n
}

func (s *S) Twice() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.n of p0 in 0 .*; 1 write S.n of p0 in 1 `
	s.lock()
	s.n++
	s.unlock()
	s.lock()
	s.n++
	s.unlock()
}

func (s *S) Get() int { // want `: region 0 p0.rw shared; 0 read S.n of p0 in 0; result 0 from 0$`
	s.rlock()
	defer s.runlock()
	return s.n
}

func (s *S) Upgrade(n int) { // want `: region 0 p0.rw exclusive; region 1 p0.rw shared; 0 write S.n of p0 in 0 .* if p1,1; 1 read S.n of p0 in 1`
	s.rlock()
	old := s.n
	s.runlock()
	if old < n {
		s.rw.Lock()
		s.n = n
		s.rw.Unlock()
	}
}

// Locks that are taken on success only.

// known: what a TryLock returns is not followed into the result
func (s *S) tryLock() bool { return s.mu.TryLock() } // want `: acquire p0.mu exclusive if result 0 is true`

func (s *S) tryLockBranch() bool { // want `: acquire p0.mu exclusive if result 0 is true`
	if !s.mu.TryLock() {
		return false
	}
	return true
}

// known: what a TryLock returns is not followed into the result
func (s *S) TryAdd(n int) bool { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	if !s.tryLock() {
		return false
	}
	s.n += n
	s.mu.Unlock()
	return true
}

func (s *S) TryAddBranch(n int) { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	if s.tryLockBranch() {
		s.n += n
		s.unlock()
	}
}

// lockIfOpen keeps the lock if it returns true.
func (s *S) lockIfOpen() bool { // want `: acquire p0.mu exclusive if result 0 is true; region 0 p0.mu exclusive left open; 0 read S.open of p0 in 0; `
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		return false
	}
	return true
}

func (s *S) AddIfOpen() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 .*read S.open of p0 in 0`
	if !s.lockIfOpen() {
		return
	}
	s.n++
	s.mu.Unlock()
}

func (s *S) Open() { // want `: region 0 p0.mu exclusive; 0 write S.open of p0 in 0 `
	s.mu.Lock()
	s.open = true
	s.mu.Unlock()
}

// lockOrFail keeps the lock if it returns no error.
func (s *S) lockOrFail() (int, error) { // want `: acquire p0.mu exclusive if result 1 is nil; `
	s.mu.Lock()
	if !s.open {
		s.mu.Unlock()
		return 0, errClosed
	}
	return 1, nil
}

type errString string

func (e errString) Error() string { return string(e) }

const errClosed = errString("closed")

func (s *S) AddOrFail() error { // want `write S.n of p0 in 0 `
	n, err := s.lockOrFail()
	if err != nil {
		return err
	}
	s.n += n
	s.mu.Unlock()
	return nil
}

func (s *S) lockAndGet() int { // want `: acquire p0.mu exclusive; region 0 p0.mu exclusive left open; 0 read S.n of p0 in 0; result 0 from 0`
	s.mu.Lock()
	return s.n
}

func (s *S) Next() int { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 .*from \d; .*read S.n of p0 in 0`
	n := s.lockAndGet()
	s.n = n + 1
	s.mu.Unlock()
	return n
}

// Locks as parameters.

func lock(mu *sync.Mutex) { mu.Lock() } // want `: acquire p0 exclusive$`

func unlock(l sync.Locker) { l.Unlock() } // want `: release p0 exclusive;`

func lockBoth(a, b *S) { // want `: acquire p0.mu exclusive; acquire p1.mu exclusive$`
	lock(&a.mu)
	lock(&b.mu)
}

func Move(from, to *S, n int) { // want `: region 0 p0.mu exclusive; region 1 p1.mu exclusive; 0 write S.n of p0 in 0,1 .*; 1 write S.n of p1 in 0,1 `
	lockBoth(from, to)
	from.n -= n
	to.n += n
	unlock(&from.mu)
	unlock(&to.mu)
}

func lockRead(s *S) sync.Locker { // want `: acquire p0.rw shared; result 0 .*is p0.rw.RLocker\(\)$`
	l := s.rw.RLocker()
	l.Lock()
	return l
}

func (s *S) Peek() int { // want `: region 0 p0.rw shared; 0 read S.n of p0 in 0; `
	l := lockRead(s)
	n := s.n
	l.Unlock()
	return n
}

// Embedded and promoted locks.

type base struct {
	sync.Mutex
	hits int
}

func (b *base) begin() { b.Lock() } // want `: acquire p0.Mutex exclusive$`

func (b *base) end() { b.Unlock() } // want `: release p0.Mutex exclusive;`

type outer struct {
	*base
	name string
}

func (o *outer) Hit() { // want `: region 0 p0.base.Mutex exclusive; 0 write base.hits of p0.base in 0 `
	o.begin()
	o.hits++
	o.end()
}

func (o *outer) Rename(name string) { // want `: region 0 p0.base.Mutex exclusive; 0 write outer.name of p0 in 0 `
	o.Lock()
	o.name = name
	o.base.Mutex.Unlock()
}

// Generics.

type Cache[K comparable, V any] struct {
	mu sync.Mutex
	m  map[K]V
}

func (c *Cache[K, V]) lock() { c.mu.Lock() } // want `: acquire p0.mu exclusive$`

func (c *Cache[K, V]) Put(k K, v V) { // want `: region 0 p0.mu exclusive; 0 write Cache.m\[p1\] of p0 in 0 .*from p1,p2`
	c.lock()
	defer c.mu.Unlock()
	c.m[k] = v
}

func Fill(c *Cache[string, int], k string) { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write Cache.m\[="a"\] of p0 in 0 .*; 1 write Cache.m\[p1\] of p0 in 1`
	c.lock()
	c.m["a"] = 1
	c.mu.Unlock()
	c.Put(k, 2)
}

func with[L sync.Locker](l L, f func()) { // want `: region 0 p0 exclusive; calls p1 in 0$`
	l.Lock()
	defer l.Unlock()
	f()
}

func (s *S) Reset() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	with(&s.mu, func() { s.n = 0 }) // want `entered with f0.mu exclusive`
}

// Locks in maps and slices.

type shard struct {
	mu sync.Mutex
	n  int
}

type Sharded struct {
	byName map[string]*shard
	list   [16]shard
}

func (s *Sharded) lockShard(name string) { s.byName[name].mu.Lock() } // want `: acquire p0.byName\[p1\].mu exclusive`

func (s *Sharded) unlockShard(name string) { s.byName[name].mu.Unlock() } // want `: release p0.byName\[p1\].mu exclusive`

func (s *Sharded) Inc(name string) { // want `: region 0 p0.byName\[p1\].mu exclusive; 0 write shard.n of p0.byName\[p1\] in 0 `
	s.lockShard(name)
	s.byName[name].n++
	s.unlockShard(name)
}

// IncOther holds the lock of another element.
func (s *Sharded) IncOther(name, other string) { // want `: region 0 p0.byName\[p1\].mu exclusive; 0 write shard.n of p0.byName\[p2\] in 0 `
	s.lockShard(name)
	s.byName[other].n++
	s.unlockShard(name)
}

func (s *Sharded) Move(from, to string) { // want `: region 0 p0.byName\[p1\].mu exclusive; region 1 p0.byName\[p2\].mu exclusive; 0 write shard.n of p0.byName\[p1\] in 0 .*; 1 write shard.n of p0.byName\[p2\] in 1 `
	s.lockShard(from)
	s.byName[from].n--
	s.unlockShard(from)
	s.lockShard(to)
	s.byName[to].n++
	s.unlockShard(to)
}

// known: a function without locks that mentions no field which one with locks mentions is left out
func (s *Sharded) at(i int) *shard { return &s.list[i] } // want `result 0 .*is p0.list\[p1\]$`

// known: a function without locks that mentions no field which one with locks mentions is left out
func (s *Sharded) IncAt(i int) { // want `: region 0 p0.list\[p1\].mu exclusive; 0 write shard.n of p0.list\[p1\] in 0 `
	s.at(i).mu.Lock()
	s.at(i).n++
	s.at(i).mu.Unlock()
}

// known: a function without locks that mentions no field which one with locks mentions is left out
func (s *Sharded) byHash(h int) *shard { return &s.list[h%16] } // want `result 0 from p0,p1`

func (s *Sharded) IncByHash(h int) { // want `: region 0 \S+ exclusive; 0 write shard.n of \S+ in 0 `
	sh := s.byHash(h)
	sh.mu.Lock()
	sh.n++
	sh.mu.Unlock()
}

// The two may be different elements.
// known: two elements that have no name are taken for one
func (s *Sharded) MoveByHash(h, i int) { // want `: region 0 \S+ exclusive; region 1 \S+ exclusive; 0 write shard.n of \S+ in 0,1 .*; 1 write shard.n of \S+ in 0 `
	from, to := s.byHash(h), s.byHash(i)
	from.mu.Lock()
	to.mu.Lock()
	from.n--
	from.mu.Unlock()
	to.n++
	to.mu.Unlock()
}
