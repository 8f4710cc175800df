// Package regions has sections with accesses of all kinds. // want package:"summary"
package regions

import (
	"sync"
	"sync/atomic"
	"time"
)

type S struct {
	mu      sync.Mutex
	n, m    int
	done    bool
	at      time.Time
	items   map[string]int
	next    *S
	atomic  atomic.Int64
	old     int32
	syncMap sync.Map
}

var total int

func (s *S) Outside() { // want `: 0 write S.n of p0 pure =1$`
	s.n = 1
	s.mu.Lock()
	s.mu.Unlock()
}

// Data and control dependences.

func (s *S) Copy() { // want `: region 0 p0.mu exclusive; region 1 p0.mu exclusive; 0 write S.m of p0 in 0 from \d; .*read S.n of p0 in 1$`
	s.mu.Lock()
	n := s.n
	s.mu.Unlock()
	s.mu.Lock()
	s.m = n
	s.mu.Unlock()
}

func (s *S) Decide(v int) { // want `: region 0 p0.mu exclusive; 0 write S.m of p0 in 0 (pure )?(passed )?from p1 if \d; .*read S.n of p0 in 0$`
	s.mu.Lock()
	if s.n > 0 {
		s.m = v
	}
	s.mu.Unlock()
}

func (s *S) DecideByParameter(v int) { // want `: region 0 p0.mu exclusive; 0 write S.m of p0 in 0 pure =1 if p1$`
	s.mu.Lock()
	if v > 0 {
		s.m = 1
	}
	s.mu.Unlock()
}

func (s *S) Results(k string, v int) (int, int, bool) { // want `read S.items\[p1\] of p0 in 0; \d read S.n of p0 in 0; result 0 from p1,\d; result 1 from p2; result 2 from p2,\d$`
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.items[k], v, s.n == v
}

func (s *S) Nested(o *S) int { // want `: region 0 p1.mu exclusive; region 1 p0.mu exclusive; 0 write total of @regions#total in 0 from \d; .*result 0 from \d$`
	s.mu.Lock()
	o.mu.Lock()
	n := o.n
	s.mu.Unlock()
	total = n
	defer o.mu.Unlock()
	return s.n
}

// Elements.

func (s *S) Keys(k string) { // want `0 write S.items\[p1\] of p0 in 0 [^;]*; 1 write S.items\[="a"\] of p0 in 0 [^;]*; 2 write S.items\[p1\] of p0 in 0 delete [^;]*if p1,4; 3 write S.items of p0 in 0 [^;]*; 4 read S.items\[p1\] of p0 in 0 presence`
	s.mu.Lock()
	defer s.mu.Unlock()
	s.items[k] = 1
	s.items["a"] = 2
	if _, ok := s.items[k]; ok {
		delete(s.items, k)
	}
	clear(s.items)
}

// What is special about the value.

func (s *S) Kinds(d int) { // want `write S.done of p0 in 0 pure =true; . write S.at of p0 in 0 clock; .*write S.n of p0 in 0 delta from p1,`
	s.mu.Lock()
	s.done = true
	s.at = time.Now()
	s.n += d
	s.mu.Unlock()
}

func (s *S) Take() int { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 pure =0; 1 read S.n of p0 in 0 owned; result 0 from 1$`
	s.mu.Lock()
	n := s.n
	s.n = 0
	s.mu.Unlock()
	return n
}

// Single steps.

func (s *S) Atomics() int64 { // want `0 write S.atomic of p0 in 0 pure looked =1 if 5; 1 update S.atomic of p0 in 1 compare [^;]*; 2 update S.old of p0 in 2 [^;]*; 3 update S.syncMap\[.*\] of p0 in 3 compare [^;]*; 4 update S.atomic of p0 in 4 [^;]*; 5 read S.atomic of p0 in 5; result 0 from 4$`
	if s.atomic.Load() == 0 {
		s.atomic.Store(1)
	}
	s.atomic.CompareAndSwap(1, 2)
	atomic.AddInt32(&s.old, 1)
	s.syncMap.LoadOrStore("k", 1)
	return s.atomic.Add(1)
}

func (s *S) SyncMap(k string) { // want `0 write S.syncMap\[p1\] of p0 in 0 [^;]*if p1,1; 1 read S.syncMap\[p1\] of p0 in 1`
	if _, ok := s.syncMap.Load(k); !ok {
		s.syncMap.Store(k, 1)
	}
}

func (s *S) SyncMapConstant() { // want `0 write S.syncMap\[="k"\] of p0 in 0 [^;]*if 1; 1 read S.syncMap\[="k"\] of p0 in 1`
	if _, ok := s.syncMap.Load("k"); !ok {
		s.syncMap.Store("k", 1)
	}
}

// Objects that nobody else knows yet.

func newS() *S { // want `: result 0 fresh$`
	s := &S{items: make(map[string]int)}
	s.n = 1
	s.mu.Lock()
	s.n = 2
	s.mu.Unlock()
	s.fill()
	return s
}

func (s *S) fill() { // want `; constructs$`
	s.items["a"] = 1
	s.atomic.Store(1)
}

// Locks that callers hold.

func (s *S) helper() { s.n++ } // want `: 0 write S.n of p0 .*; entered with p0.mu exclusive$`

func (s *S) UseHelper() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.mu.Lock()
	s.helper()
	s.mu.Unlock()
}

func (s *S) UseHelperAgain(o *S) { // want `: region 0 p1.mu exclusive; 0 write S.n of p1 in 0 `
	o.mu.Lock()
	o.helper()
	o.mu.Unlock()
}

// setup is only called without the lock on an object that nobody else knows.
func (s *S) setup() { s.n = 1 } // want `: 0 write S.n of p0 .*; entered with p0.mu exclusive$`

func newWithSetup() *S { // want `: result 0 fresh$`
	s := new(S)
	s.setup()
	s.fill()
	return s
}

func (s *S) Reset() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	s.mu.Lock()
	s.setup()
	s.mu.Unlock()
}

// sometimes is also called without.
func (s *S) sometimes() { s.n++ } // want `: 0 write S.n of p0 [^;]*(; 1 read S.n of p0 owned)?$`

func (s *S) UseSometimes() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 [^;]*; 1 write S.n of p0 `
	s.mu.Lock()
	s.sometimes()
	s.mu.Unlock()
	s.sometimes()
}

func (s *S) resetLocked() { // want `0 write S.n of p0 pure =0; .*; entered with p0.mu exclusive$`
	s.n = 0
	s.atomic.Store(0)
}

// Loops, and objects without a name.

func (s *S) Walk() { // want `: region 0 \?S.mu exclusive; 0 write S.n of \? in 0 `
	for p := s; p != nil; p = p.next {
		p.mu.Lock()
		p.n++
		p.mu.Unlock()
	}
}

func (s *S) Run() { // want `: starts goroutines$`
	go s.loop()
}

func (s *S) loop() { // want `: region 0 p0.mu exclusive; 0 write S.n of p0 in 0 `
	for {
		s.mu.Lock()
		s.n--
		s.mu.Unlock()
	}
}
