// Command knownmain has its goroutines in sight, and main does things before
// them and after them.
package main

import "sync"

type sums struct {
	mu   sync.Mutex
	a, b int
}

func (s *sums) add(n int) {
	s.mu.Lock()
	s.a, s.b = n, 2*n
	s.mu.Unlock()
}

func (s *sums) getA() int { s.mu.Lock(); defer s.mu.Unlock(); return s.a }
func (s *sums) getB() int { s.mu.Lock(); defer s.mu.Unlock(); return s.b }

func show(n int) { println(n) }

func main() {
	s := &sums{}
	s.add(1)
	show(s.getA() + s.getB()) // nobody else knows of s
	var wg sync.WaitGroup
	for i := range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			s.add(i)
		}()
	}
	show(s.getA() * s.getB()) // want `split-read: .*a at line 35 and .*b here`
	wg.Wait()
	last(s)
}

func last(s *sums) {
	show(s.getA() - s.getB()) // all who write have been waited for
}
