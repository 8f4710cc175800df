// Command program has its goroutines in sight.
package main

import "sync"

type state struct {
	mu     sync.Mutex
	lo, hi int
	n, m   int
	p, q   int
}

func (s *state) setLo(n int) { s.mu.Lock(); s.lo = n; s.mu.Unlock() }
func (s *state) setHi(n int) { s.mu.Lock(); s.hi = n; s.mu.Unlock() }

func (s *state) span() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hi - s.lo
}

// worker runs many times at once.
func (s *state) worker() {
	s.setLo(0)
	s.setHi(0) // want `split-write: s\.lo at line 24 and s\.hi here are written apart, in separate critical sections, but read together by \(\*state\)\.span under state\.mu`
	println(s.span())
}

// watch looks while main is setting up.
func (s *state) watch() { println(s.span()) }

// prepare runs before there is any goroutine.
func (s *state) prepare(n int) {
	s.setLo(n)
	s.setHi(n)
}

// The one goroutine that has to do with n and m, writes and reads them.
func (s *state) loop() {
	for range 10 {
		s.mu.Lock()
		s.n, s.m = 1, 2
		s.mu.Unlock()
		s.mu.Lock()
		n := s.n
		s.mu.Unlock()
		s.mu.Lock()
		m := s.m
		s.mu.Unlock()
		println(n + m)
	}
}

// Two goroutines: one writes the pair, and the other reads it.
func (s *state) writer() {
	for i := range 10 {
		s.mu.Lock()
		s.p, s.q = i, i
		s.mu.Unlock()
	}
}

func (s *state) reader() {
	for range 10 {
		s.mu.Lock()
		p := s.p
		s.mu.Unlock()
		s.mu.Lock()
		q := s.q // want `split-read: s\.p at line 66 and s\.q here are read apart, in separate critical sections, but written together by \(\*state\)\.writer under state\.mu`
		s.mu.Unlock()
		if p != q {
			alarm(p, q)
		}
	}
}

func alarm(p, q int) { println(p, q) }

func main() {
	s := &state{}
	s.prepare(1)
	go s.loop()
	go s.writer()
	go s.reader()
	go s.watch()
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.worker()
		}()
	}
	wg.Wait()
	s.setLo(0)
	s.setHi(0)
	tower.run()
}
