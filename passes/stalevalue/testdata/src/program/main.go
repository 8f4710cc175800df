// Command program has its goroutines in sight.
package main

import "sync"

type state struct {
	mu   sync.Mutex
	n    int
	seq  int
	solo int
	pre  int
}

func (s *state) get() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.n
}

func (s *state) set(n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.n = n
}

// worker runs many times at once.
func (s *state) worker() {
	s.set(s.get() * 2) // want `lost-update: s\.n was read`
}

// handle is given away as a value: whoever has it may call it at any time.
func (s *state) handle() {
	s.mu.Lock()
	q := s.seq
	s.mu.Unlock()
	s.mu.Lock()
	s.seq = q*2 + 1 // want `lost-update: s\.seq was read`
	s.mu.Unlock()
}

// prepare runs before there is any goroutine.
func (s *state) prepare() {
	s.mu.Lock()
	p := s.pre
	s.mu.Unlock()
	s.mu.Lock()
	s.pre = p + 1
	s.mu.Unlock()
}

// loop is the one goroutine that writes solo.
func (s *state) loop(done <-chan struct{}) {
	for {
		select {
		case <-done:
			return
		default:
		}
		s.mu.Lock()
		n := s.solo
		s.mu.Unlock()
		s.mu.Lock()
		s.solo = n*2 + 1
		s.mu.Unlock()
		out.open()
		out.write(nil)
	}
}

func (s *state) read() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.solo + s.seq + s.pre
}

var handlers = map[string]func(){}

func main() {
	s := &state{}
	s.prepare()
	handlers["/"] = s.handle
	done := make(chan struct{})
	go s.loop(done)
	var wg sync.WaitGroup
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.worker()
			println(s.read())
		}()
	}
	wg.Wait()
	close(done)
	s.finish()
	passGate()
}

// finish runs when all workers are gone.
func (s *state) finish() {
	s.mu.Lock()
	p := s.pre
	s.mu.Unlock()
	s.mu.Lock()
	s.pre = p * 2
	s.mu.Unlock()
}
